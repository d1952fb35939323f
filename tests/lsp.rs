//! Sessions with the language server, over the pipes of the built program.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test may stop at what it did not expect, and write its own files"
)]

mod actions;
mod charts;
mod config;
mod files;
mod page;
mod requests;
mod session;

use std::time::{Duration, Instant};

use serde_json::json;

use session::{CONTROLLER, CRDS, Session};

#[test]
fn findings_follow_the_text_as_it_is_typed() {
    let files = [("crds.tf", CRDS), ("main.tf", CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    let found = session.diagnostics("main.tf", |it| !it.diagnostics.is_empty());
    assert_eq!(found.version, None);
    let first = serde_json::to_value(&found.diagnostics[0]).unwrap();
    assert_eq!(first["code"], "crds-not-skipped");
    assert_eq!(first["range"]["start"], json!({ "line": 7, "character": 15 }));
    assert_eq!(first["relatedInformation"][0]["location"]["uri"], session.uri("crds.tf"));
    // Unsaved text counts, and so does that of other files.
    session.open("main.tf", CONTROLLER);
    session.diagnostics("main.tf", |it| it.version == Some(1) && it.diagnostics.len() == 1);
    session.change("main.tf", 2, ((7, 15), (7, 20)), "true");
    session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.is_empty());
    session.change("main.tf", 3, ((7, 15), (7, 19)), "false");
    session.diagnostics("main.tf", |it| it.version == Some(3) && it.diagnostics.len() == 1);
    session.open("crds.tf", "");
    session.diagnostics("main.tf", |it| it.diagnostics.is_empty());
    let document = json!({ "uri": session.uri("crds.tf") });
    session.tell("textDocument/didClose", json!({ "textDocument": document }));
    session.diagnostics("main.tf", |it| it.diagnostics.len() == 1);
    session.end();
}

#[test]
fn the_editor_chooses_how_characters_are_counted() {
    let text = CONTROLLER.replace("  skip_crds  =", "  /* 🎉 */ skip_crds =");
    for (offered, column) in [
        (json!(["utf-16"]), 23),
        (json!(["utf-32", "utf-8"]), 25),
        (json!(["utf-32"]), 22),
        (json!(["utf-7"]), 23),
    ] {
        let general = json!({ "general": { "positionEncodings": offered } });
        let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", &text)], &general);
        let found = session.diagnostics("main.tf", |it| !it.diagnostics.is_empty());
        assert_eq!(found.diagnostics[0].range.start.character, column);
        session.open("main.tf", &text);
        session.change("main.tf", 2, ((7, column), (7, column + 5)), "true");
        session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.is_empty());
        session.end();
    }
}

#[test]
fn answers_come_quickly_in_large_repositories() {
    let mut files: Vec<(String, String)> = (0..1000)
        .map(|it| {
            let name = format!("app-{it}");
            let text = format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{ name: {name} }}\nspec: {{ replicas: 2 }}\n");
            (format!("apps/{name}.yaml"), text)
        })
        .collect();
    files.push(("crds.tf".to_owned(), CRDS.to_owned()));
    files.push(("main.tf".to_owned(), CONTROLLER.to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    let mut session = Session::start(&files, &json!({}));
    session.open("main.tf", CONTROLLER);
    session.diagnostics("main.tf", |it| it.version == Some(1));
    let mut fastest = Duration::MAX;
    for version in 2..12 {
        let started = Instant::now();
        session.change("main.tf", version, ((0, 0), (0, 0)), "#");
        session.diagnostics("main.tf", |it| it.version == Some(version));
        fastest = fastest.min(started.elapsed());
    }
    // Other programs share the machine, and this build is not optimised.
    assert!(fastest < Duration::from_secs(1), "{fastest:?}");
    session.end();
}
