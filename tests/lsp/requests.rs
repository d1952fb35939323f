//! Requests: wrong ones, ones taken back, ones that meet a running check.

use lsp_server::{Message, RequestId};
use serde_json::{Value, json};

use super::session::{Answer, CONTROLLER, CRDS, Session};

#[test]
fn what_the_server_cannot_do_it_says() {
    let mut session = Session::start(&[("main.tf", CONTROLLER)], &json!({}));
    assert_eq!(session.ask("textDocument/rename", json!({})).error(), Some(-32601));
    assert_eq!(session.ask("textDocument/hover", json!({ "position": 1 })).error(), Some(-32602));
    // Texts that are no files, and messages that mean nothing, do no harm.
    let document =
        json!({ "uri": "untitled:Untitled-1", "languageId": "yaml", "version": 1, "text": "a: [" });
    session.tell("textDocument/didOpen", json!({ "textDocument": document }));
    session.tell("textDocument/didChange", json!({ "nothing": true }));
    session.tell("$/setTrace", json!({ "value": "off" }));
    session.tell("$/cancelRequest", json!({ "id": 4711 }));
    let params = session.at("gone.tf", 0, 0);
    assert_eq!(session.ask("textDocument/hover", params).result(), Some(Value::Null));
    session.end();
}

#[test]
fn a_request_can_be_taken_back() {
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", CONTROLLER)], &json!({}));
    session.open("main.tf", CONTROLLER);
    let params = session.at("main.tf", 7, 16);
    let id = session.post("textDocument/hover", params);
    session.tell("$/cancelRequest", json!({ "id": session.next }));
    let answer = loop {
        match session.receive() {
            Message::Response(response) if response.id == id => break response,
            _ => {}
        }
    };
    // Unless it was answered before.
    assert!(matches!(answer.error(), None | Some(-32800)), "{answer:?}");
    session.end();
}

#[test]
fn a_flood_of_changes_ends_with_the_newest_text() {
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", CONTROLLER)], &json!({}));
    session.open("main.tf", CONTROLLER);
    let mut asked: Vec<RequestId> = Vec::new();
    for version in 2..502 {
        session.change("main.tf", version, ((0, 0), (0, 0)), "#");
        if version % 100 == 0 {
            let params = session.at("main.tf", 7, 16);
            asked.push(session.post("textDocument/hover", params));
        }
    }
    session.change("main.tf", 502, ((7, 15), (7, 20)), "true");
    let params = session.at("main.tf", 7, 16);
    let last = session.post("textDocument/hover", params);
    asked.push(last.clone());
    // Nobody is left without an answer, and the last one is about the newest text.
    let mut found = None;
    let mut checks = 0;
    while found.is_none() || !asked.is_empty() {
        match session.receive() {
            Message::Response(response) => {
                asked.retain(|it| *it != response.id);
                if response.id == last {
                    assert_eq!(response.result(), Some(Value::Null));
                }
            }
            Message::Notification(it) => {
                checks += 1;
                if it.params["version"] == 502 {
                    found = Some(it.params["diagnostics"].clone());
                }
            }
            Message::Request(_) => {}
        }
    }
    assert_eq!(found, Some(json!([])));
    // What newer text overtakes is not checked.
    assert!(checks < 400, "{checks}");
    session.end();
}
