//! The `initialize` handshake: capabilities and folders.

use std::path::PathBuf;

use gen_lsp_types::{
    ChangeNotifications, CodeActionKind, CodeActionOptions, CodeActionProvider,
    ExecuteCommandOptions, HoverProvider, InitializeParams, ServerCapabilities,
    TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceFolders,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};
use serde_json::{Value, json};

use crate::lsp::{
    action::{FIX_ALL, SELECT},
    place::{Encoding, path_of},
};

/// What the server can do.
pub(super) fn initialize_result(encoding: Encoding) -> Value {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QuickFix, CodeActionKind::new(FIX_ALL)]),
        ..CodeActionOptions::default()
    };
    let commands = ExecuteCommandOptions {
        commands: vec![SELECT.to_owned()],
        ..ExecuteCommandOptions::default()
    };
    let folders = WorkspaceFoldersServerCapabilities {
        supported: Some(true),
        change_notifications: Some(ChangeNotifications::Bool(true)),
    };
    let capabilities = ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(sync.into()),
        hover_provider: Some(HoverProvider::Bool(true)),
        code_action_provider: Some(CodeActionProvider::CodeActionOptions(actions)),
        execute_command_provider: Some(commands),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(folders),
            ..WorkspaceOptions::default()
        }),
        ..ServerCapabilities::default()
    };
    let server = json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") });
    json!({ "capabilities": capabilities, "serverInfo": server })
}

/// The folders the editor has open.
#[expect(deprecated, reason = "older editors say it only so")]
pub(super) fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let several = params.workspace_folders_initialize_params.workspace_folders.as_ref();
    if let Some(WorkspaceFolders::WorkspaceFolderList(list)) = several {
        return list.iter().filter_map(|it| path_of(&it.uri)).collect();
    }
    params.root_uri.iter().filter_map(path_of).collect()
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
