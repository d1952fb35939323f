//! What the editor can do, as its `initialize` request says.

use serde_json::Value;

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
    pub(super) fn of(params: &Value) -> Self {
        let said = &params["capabilities"];
        let edits = &said["workspace"]["workspaceEdit"];
        let has_documents = edits["documentChanges"] == true;
        let lists = |list: &Value, item: &str| {
            list.as_array().is_some_and(|it| it.iter().any(|it| it == item))
        };
        let reasons = if lists(&params["initializationOptions"]["commands"], ASK) {
            Reasons::Asked
        } else if has_documents && edits["snippetEditSupport"] == true {
            Reasons::FilledIn
        } else if said["window"]["showDocument"]["support"] == true {
            Reasons::Selected
        } else {
            Reasons::Seen
        };
        let watched = &said["workspace"]["didChangeWatchedFiles"];
        Self {
            encoding: Encoding::negotiated(&said["general"]["positionEncodings"]),
            watches_files: watched["dynamicRegistration"] == true,
            creates_files: has_documents && lists(&edits["resourceOperations"], "create"),
            reasons,
        }
    }
}
