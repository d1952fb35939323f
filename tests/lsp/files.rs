//! Folders and files that come, go and change.

use std::fs;

use lsp_server::Response;
use serde_json::{Value, json};

use super::session::{CONTROLLER, CRDS, Session, uri};

#[test]
fn files_that_change_elsewhere_are_seen() {
    let watched =
        json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", CONTROLLER)], &watched);
    let registered = session.request("client/registerCapability");
    session.send(&Response::new_ok(registered.id, Value::Null).into());
    session.diagnostics("main.tf", |it| it.diagnostics.len() == 1);
    let path = session.folder.path().join("crds.tf");
    fs::remove_file(&path).unwrap();
    let change = json!({ "changes": [{ "uri": uri(&path), "type": 3 }] });
    session.tell("workspace/didChangeWatchedFiles", change);
    session.diagnostics("main.tf", |it| it.diagnostics.is_empty());
    // A file that is renamed takes its findings with it.
    fs::write(&path, CRDS).unwrap();
    let renamed = session.folder.path().join("karpenter.tf");
    fs::rename(session.folder.path().join("main.tf"), &renamed).unwrap();
    session.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    session.diagnostics("karpenter.tf", |it| it.diagnostics.len() == 1);
    session.end();
}

#[test]
fn folders_come_and_go() {
    let mut session = Session::start(&[("a/crds.tf", CRDS), ("a/main.tf", CONTROLLER)], &json!({}));
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    let folder = json!({ "uri": uri(session.folder.path()), "name": "infra" });
    let event = json!({ "added": [], "removed": [folder] });
    session.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    session.diagnostics("a/main.tf", |it| it.diagnostics.is_empty());
    // For a file opened alone its folder is checked.
    session.open("a/main.tf", CONTROLLER);
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    session.end();
}

#[test]
fn a_file_opened_alone_is_judged_alone() {
    let alone = json!({ "capabilities": {}, "rootUri": null, "workspaceFolders": null });
    let files = [
        ("home/crds.tf", CRDS),
        ("home/main.tf", CONTROLLER),
        ("home/cache/crds.tf", CRDS),
        ("home/cache/main.tf", CONTROLLER),
    ];
    let mut session = Session::start_with(&files, &alone);
    // In no repository its folder alone is read, and findings of its neighbours are not published.
    fs::remove_dir(session.folder.path().join(".git")).unwrap();
    session.open("home/main.tf", CONTROLLER);
    session.diagnostics("home/main.tf", |it| !it.diagnostics.is_empty());
    session.change("home/main.tf", 2, ((7, 15), (7, 20)), "true");
    loop {
        let it = session.any_diagnostics();
        assert!(it.uri.0 == session.uri("home/main.tf"), "{}", it.uri.0);
        if it.version == Some(2) {
            assert!(
                it.diagnostics.iter().all(|it| !format!("{it:?}").contains("crds-not-skipped"))
            );
            break;
        }
    }
    session.end();
}

#[test]
fn folders_are_seen_side_by_side_and_may_be_deleted() {
    let files = [("a/crds.tf", CRDS), ("a/main.tf", CONTROLLER), ("b/main.tf", CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    let folder = |name: &str| json!({ "uri": session.uri(name), "name": name });
    let whole = json!({ "uri": uri(session.folder.path()), "name": "infra" });
    let event = json!({ "added": [folder("a"), folder("b")], "removed": [whole] });
    session.tell("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    fs::write(session.folder.path().join("b/crds.tf"), CRDS).unwrap();
    session.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    session.diagnostics("b/main.tf", |it| it.diagnostics.len() == 1);
    // What is gone has no findings, and the others stay.
    fs::remove_dir_all(session.folder.path().join("a")).unwrap();
    session.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert!(session.message().contains("/a: no such file or folder"));
    session.diagnostics("a/main.tf", |it| it.diagnostics.is_empty());
    session.open("b/main.tf", CONTROLLER);
    session.diagnostics("b/main.tf", |it| it.version == Some(1) && it.diagnostics.len() == 1);
    session.end();
}
