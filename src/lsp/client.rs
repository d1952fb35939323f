//! What the editor can do, as its `initialize` request says.

use gen_lsp_types::{InitializeParams, ResourceOperationKind};

use crate::lsp::place::Encoding;

/// The command by which an editor asks for a reason itself. Its one argument holds the edit, the word in it
/// that is the placeholder of the reason, and whether the reason is between double quotes.
pub(super) const ASK: &str = "karplint.allow";

/// What the editor can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    /// How it counts the characters of a line.
    pub encoding: Encoding,
    /// It notifies of changed files if it is asked to.
    pub watches_files: bool,
    /// It can create files.
    pub creates_files: bool,
    /// How the user writes a reason.
    pub reasons: Reasons,
}

/// How the user writes the reason of a suppression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reasons {
    /// The editor asks: it has the command [`ASK`], as its options say: `{ "commands": ["karplint.allow"] }`.
    Asked,
    /// An edit has a place to fill in.
    FilledIn,
    /// The server asks the editor to select the placeholder.
    Selected,
    /// The user sees the placeholder.
    Seen,
}

impl Client {
    /// Reads the `initialize` request.
    pub(super) fn of(params: &InitializeParams) -> Self {
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
