//! What the editor can do, as it says when the two meet.

use gen_lsp_types::{InitializeParams, ResourceOperationKind};

use crate::lsp::place::Encoding;

/// The command by which an editor asks for a reason itself. Its one argument holds the edit, the word in it
/// that stands for the reason, and whether the reason stands between double quotes.
pub const ASK: &str = "karplint.allow";

/// What the editor can do.
#[derive(Clone, Copy, Debug)]
pub struct Client {
    /// How it counts the characters of a line.
    pub encoding: Encoding,
    /// It tells of changed files if it is asked to.
    pub watches_files: bool,
    /// It can make files.
    pub creates_files: bool,
    /// How the user comes to write a reason.
    pub reasons: Reasons,
}

/// How the user comes to write the reason of an allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reasons {
    /// The editor asks: it has the command [`ASK`], as its options say: `{ "commands": ["karplint.allow"] }`.
    Asked,
    /// An edit has a place to fill in.
    FilledIn,
    /// The editor is told to select what is to be replaced.
    Selected,
    /// The user sees what is to be replaced.
    Seen,
}

impl Client {
    /// What its first message says.
    pub fn of(params: &InitializeParams) -> Self {
        let said = &params.capabilities;
        let workspace = said.workspace.as_ref();
        let watched = workspace.and_then(|it| it.did_change_watched_files.as_ref());
        let edits = workspace.and_then(|it| it.workspace_edit.as_ref());
        let edits = edits.filter(|it| it.document_changes == Some(true));
        let operations = edits.and_then(|it| it.resource_operations.as_ref());
        let shown = said.window.as_ref().and_then(|it| it.show_document.as_ref());
        let options = params.initialization_options.as_ref();
        let commands = options.and_then(|it| it["commands"].as_array());
        let reasons = if commands.is_some_and(|it| it.iter().any(|it| it == ASK)) {
            Reasons::Asked
        } else if edits.and_then(|it| it.snippet_edit_support) == Some(true) {
            Reasons::FilledIn
        } else if shown.is_some_and(|it| it.support) {
            Reasons::Selected
        } else {
            Reasons::Seen
        };
        Self {
            encoding: Encoding::negotiated(said),
            watches_files: watched.and_then(|it| it.dynamic_registration) == Some(true),
            creates_files: operations.is_some_and(|it| it.contains(&ResourceOperationKind::Create)),
            reasons,
        }
    }
}
