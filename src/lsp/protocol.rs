//! The `initialize` handshake: capabilities and folders.

use std::path::PathBuf;

use gen_lsp_types::{CodeActionKind, TextDocumentSyncKind, Uri};
use serde_json::{Value, json};

use crate::lsp::{
    action::{FIX_ALL, PAGE, SELECT},
    place::{Encoding, path_of},
};

/// What the server can do.
pub(super) fn initialize_result(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.name(),
            "textDocumentSync": { "openClose": true, "change": TextDocumentSyncKind::Incremental },
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": ["."] },
            "codeActionProvider": { "codeActionKinds": [CodeActionKind::QuickFix, FIX_ALL] },
            "executeCommandProvider": { "commands": [SELECT, PAGE] },
            "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
        },
        "serverInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The folders the editor has open.
pub(super) fn folders(params: &Value) -> Vec<PathBuf> {
    let path = |uri: &Value| path_of(&Uri(uri.as_str()?.to_owned()));
    match params["workspaceFolders"].as_array() {
        Some(several) => several.iter().filter_map(|it| path(&it["uri"])).collect(),
        // Older editors name only one.
        None => path(&params["rootUri"]).into_iter().collect(),
    }
}

/// The request by which the server registers for notifications of changed files.
pub(super) fn watchers() -> Value {
    let watched = ["tf", "tofu", "tfvars", "hcl", "yaml", "yml", "json", "tpl", "tftpl", "gotmpl"];
    let pattern = format!("**/*.{{{}}}", watched.join(","));
    json!({
        "registrations": [{
            "id": "files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": [{ "globPattern": pattern }] },
        }],
    })
}
