//! The language server: the same lint, over unsaved text.
//!
//! One thread talks to the editor, another checks. What is asked while a check runs is answered when it is
//! done; a check of a text that has changed since is discarded. Diagnostics name files of the whole
//! workspace.

mod action;
mod check;
mod client;
mod completion;
mod document;
mod edit;
mod fix_file;
mod hover;
mod page;
mod place;
mod protocol;
mod server;
mod view;

use std::path::PathBuf;

use lsp_server::Connection;

use crate::lsp::{client::Client, server::Server};

/// Serves the editor at the other end of standard input and output, until it shuts the server down.
///
/// # Errors
/// When the editor breaks the protocol or disconnects.
pub(crate) fn stdio() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    serve(&connection)?;
    drop(connection);
    threads.join().map_err(|error| error.to_string())
}

fn serve(connection: &Connection) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|error| error.to_string())?;
    let client = Client::of(&params);
    let result = protocol::initialize_result(client.encoding);
    connection.initialize_finish(id, result).map_err(|error| error.to_string())?;
    let folders: Vec<PathBuf> = protocol::folders(&params);
    let mut server = Server::new(connection, client, folders);
    if client.watches_files {
        server.watch_files();
    }
    server.run()
}
