//! What can be read and done about a finding.

use std::fs;

use gen_lsp_types::{CodeAction, Hover};
use serde_json::{Value, json};

use super::session::{Answer, CONTROLLER, CRDS, Session, applied};

#[test]
fn a_finding_can_be_read_about_mended_and_allowed() {
    let files = [("crds.tf", CRDS), ("main.tf", CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    session.open("main.tf", CONTROLLER);
    let params = session.at("main.tf", 7, 16);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let hover: Hover = serde_json::from_value(hover).unwrap();
    let text = serde_json::to_value(&hover).unwrap()["contents"]["value"].to_string();
    for part in
        ["`karpenter-crd`", "`crds.tf:1`", "Set `skip\\\\_crds", "rules/crds-not-skipped.md"]
    {
        assert!(text.contains(part) || text.contains(&part.replace("\\\\", "")), "{part}: {text}");
    }
    let params = session.at("main.tf", 2, 4);
    assert_eq!(session.ask("textDocument/hover", params).result(), Some(Value::Null));
    let actions = session.actions("main.tf", 7, 16);
    let titles: Vec<&str> = actions.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["Skip the chart's own CRDs", "Allow `crds-not-skipped` here because …"]);
    let edits = |action: &CodeAction| {
        let edit = serde_json::to_value(action).unwrap();
        edit["edit"]["changes"][session.uri("main.tf")].clone()
    };
    let position = |line: u32, character: u32| json!({ "line": line, "character": character });
    let range = json!({ "start": position(7, 15), "end": position(7, 20) });
    assert_eq!(edits(&actions[0]), json!([{ "range": range, "newText": "true" }]));
    let range = json!({ "start": position(7, 0), "end": position(7, 0) });
    let comment = "  # karplint: allow crds-not-skipped because …\n";
    assert_eq!(edits(&actions[1]), json!([{ "range": range, "newText": comment }]));
    let diagnostics = serde_json::to_value(&actions[1].diagnostics).unwrap();
    assert_eq!(diagnostics[0]["code"], "crds-not-skipped");
    // It is no reason yet; with one the finding is allowed.
    session.change("main.tf", 2, ((7, 0), (7, 0)), comment);
    session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.len() == 1);
    session.change("main.tf", 3, ((7, 45), (7, 46)), "of May");
    session.diagnostics("main.tf", |it| it.version == Some(3) && it.diagnostics.is_empty());
    assert_eq!(session.actions("main.tf", 8, 16), []);
    session.end();
}

/// The last action at the finding of the controller: the one that allows it.
fn allowance(session: &mut Session) -> Value {
    serde_json::to_value(session.actions("main.tf", 7, 16).pop().unwrap()).unwrap()
}

#[test]
fn the_reason_is_written_as_the_editor_can() {
    let files = [("crds.tf", CRDS), ("main.tf", CONTROLLER)];
    let place = json!({ "line": 7, "character": 0 });
    let range = json!({ "start": place, "end": place });
    let edits = json!({ "documentChanges": true, "snippetEditSupport": true });
    let snippets = json!({ "workspace": { "workspaceEdit": edits } });
    let mut session = Session::start(&files, &snippets);
    session.open("main.tf", CONTROLLER);
    let snippet = "  # karplint: allow crds-not-skipped because ${1:reason}\n";
    let document = json!({ "uri": session.uri("main.tf"), "version": 1 });
    let edit = json!({ "range": range, "snippet": { "kind": "snippet", "value": snippet } });
    let change = json!({ "textDocument": document, "edits": [edit] });
    assert_eq!(allowance(&mut session)["edit"], json!({ "documentChanges": [change] }));
    session.end();

    let mut session = Session::start_with(
        &files,
        &json!({ "capabilities": {}, "initializationOptions": { "commands": ["karplint.allow"] } }),
    );
    let action = allowance(&mut session);
    assert_eq!(action["edit"], Value::Null);
    assert_eq!(action["command"]["command"], "karplint.allow");
    let argument = &action["command"]["arguments"][0];
    let text = &argument["edit"]["changes"][session.uri("main.tf")][0]["newText"];
    let gap = argument["gap"].as_str().unwrap();
    let wanted = format!("  # karplint: allow crds-not-skipped because {gap}\n");
    assert_eq!((text.as_str().unwrap(), &argument["quoted"]), (wanted.as_str(), &json!(false)));
    session.end();

    let shows = json!({ "window": { "showDocument": { "support": true } } });
    let mut session = Session::start(&files, &shows);
    let action = allowance(&mut session);
    let text = &action["edit"]["changes"][session.uri("main.tf")][0]["newText"];
    assert_eq!(text, "  # karplint: allow crds-not-skipped because …\n");
    let command = json!({
        "command": action["command"]["command"],
        "arguments": action["command"]["arguments"],
    });
    session.post("workspace/executeCommand", command);
    let asked = session.request("window/showDocument").params;
    let at = |character: u32| json!({ "line": 7, "character": character });
    assert_eq!(asked["selection"], json!({ "start": at(45), "end": at(46) }));
    assert_eq!(
        (&asked["uri"], &asked["takeFocus"]),
        (&json!(session.uri("main.tf")), &json!(true))
    );
    session.end();
}

const JSON_CONTROLLER: &str = r#"{
  "resource": { "helm_release": { "karpenter": {
    "name": "karpenter",
    "chart": "karpenter",
    "repository": "oci://public.ecr.aws/karpenter",
    "version": "1.6.0",
    "namespace": "kube-system",
    "skip_crds": false,
    "depends_on": ["helm_release.karpenter_crd"]
  } } }
}
"#;

#[test]
fn where_no_comment_can_stand_the_config_is_changed() {
    let files = [("crds.tf", CRDS), ("main.tf.json", JSON_CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    session.diagnostics("main.tf.json", |it| it.diagnostics.len() == 1);
    let action = session.actions("main.tf.json", 7, 18).pop().unwrap();
    assert_eq!(action.title, "Allow `crds-not-skipped` in .karplint.yaml because …");
    let action = serde_json::to_value(&action).unwrap();
    let config = fs::read_to_string(session.folder.path().join(".karplint.yaml")).unwrap();
    let config = applied(&config, &action["edit"]["changes"][session.uri(".karplint.yaml")]);
    let entry = "
allow:
  - rule: crds-not-skipped
    paths: /main.tf.json
    object: helm_release.karpenter
    reason: \"…\"
";
    assert!(config.ends_with(entry), "{config}");
    session.open(".karplint.yaml", &config.replace('…', "it is so"));
    session.diagnostics("main.tf.json", |it| it.diagnostics.is_empty());
    session.close(".karplint.yaml");
    session.diagnostics("main.tf.json", |it| it.diagnostics.len() == 1);
    session.end();

    // A config that is not there yet is made, if the editor can make files.
    for creates in [false, true] {
        let operations = if creates { json!(["create"]) } else { json!([]) };
        let edits = json!({ "documentChanges": true, "resourceOperations": operations });
        let client = json!({ "workspace": { "workspaceEdit": edits } });
        let mut session = Session::start(&files, &client);
        fs::remove_file(session.folder.path().join(".karplint.yaml")).unwrap();
        session.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
        let actions = session.actions("main.tf.json", 7, 18);
        let found = actions.iter().find(|it| it.title.contains("`crds-not-skipped` in"));
        assert_eq!(found.is_some(), creates);
        let Some(found) = found else { continue };
        let changes = serde_json::to_value(found).unwrap()["edit"]["documentChanges"].clone();
        let address = session.uri(".karplint.yaml");
        assert_eq!((&changes[0]["kind"], &changes[0]["uri"]), (&json!("create"), &json!(address)));
        assert_eq!(changes[1]["textDocument"]["uri"], json!(address));
        session.end();
    }
}

#[test]
fn line_breaks_are_those_of_the_file() {
    let text = CONTROLLER.replace('\n', "\r\n");
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", &text)], &json!({}));
    session.open("main.tf", &text);
    let action = allowance(&mut session);
    let edits = &action["edit"]["changes"][session.uri("main.tf")];
    assert_eq!(edits[0]["newText"], "  # karplint: allow crds-not-skipped because …\r\n");
    let allowed = applied(&text, edits).replace('…', "of May");
    session.change("main.tf", 2, ((0, 0), (99, 0)), &allowed);
    session.diagnostics("main.tf", |it| it.version == Some(2) && it.diagnostics.is_empty());
    session.end();
}

#[test]
fn a_whole_file_is_mended_at_once() {
    let both = [CRDS, CONTROLLER].concat().replace("1.6.0", "v1.6.0");
    let files = [(".karplint.yaml", ""), ("main.tf", both.as_str())];
    let mut session = Session::start(&files, &json!({}));
    session.open("main.tf", &both);
    let actions = session.actions("main.tf", 4, 20);
    let title = "Fix all `chart-version-prefix` in this file";
    let of_rule = actions.iter().find(|it| it.title == title).unwrap();
    let of_rule = serde_json::to_value(of_rule).unwrap();
    let fixed = applied(&both, &of_rule["edit"]["changes"][session.uri("main.tf")]);
    assert_eq!(fixed, [CRDS, CONTROLLER].concat());
    // Whole sources are fixed only on request.
    assert!(!actions.iter().any(|it| it.title.starts_with("Fix all that")));
    let context = |only: &str| json!({ "diagnostics": [], "only": [only] });
    assert_eq!(session.actions_of("main.tf", (0, 0), &context("source.organizeImports")), []);
    let actions = session.actions_of("main.tf", (0, 0), &context("source.fixAll"));
    let [action] = actions.as_slice() else { unreachable!("{actions:?}") };
    let action = serde_json::to_value(action).unwrap();
    assert_eq!(action["kind"], "source.fixAll.karplint");
    let fixed = applied(&both, &action["edit"]["changes"][session.uri("main.tf")]);
    assert!(!fixed.contains("v1.6.0") && fixed.contains("skip_crds  = true"), "{fixed}");
    session.change("main.tf", 2, ((0, 0), (99, 0)), &fixed);
    assert_eq!(session.actions_of("main.tf", (0, 0), &context("source.fixAll")), []);
    session.end();
}

#[test]
fn the_way_of_a_value_is_told() {
    let controller = CONTROLLER.replace("= false", "= local.skip");
    let more = "locals {\n  skip = var.skip\n}\n\nvariable \"skip\" {\n  default = false\n}\n";
    let files = [("crds.tf", CRDS), ("main.tf", controller.as_str()), ("more.tf", more)];
    let mut session = Session::start(&files, &json!({}));
    session.diagnostics("more.tf", |it| it.diagnostics.len() == 1);
    let params = session.at("more.tf", 5, 14);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    let link = format!("- [`more.tf:2`]({}#L2): ", session.uri("more.tf"));
    for part in [link.as_str(), "`main.tf:8`", "```hcl", "skip_crds = true", "· [upstream]("] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    session.end();

    // Also where the rule knows nothing of it: a text that is read from a file.
    let main = CONTROLLER.replace("  skip_crds", "  values     = [local.values]\n  skip_crds");
    let main =
        format!("{main}\nlocals {{\n  values = file(\"${{path.module}}/values.yaml\")\n}}\n");
    let values = "settings:\n  clusterName: shop\n  aws:\n    clusterName: shop\n";
    let files = [(".karplint.yaml", ""), ("main.tf", main.as_str()), ("values.yaml", values)];
    let mut session = Session::start(&files, &json!({}));
    session.diagnostics("values.yaml", |it| !it.diagnostics.is_empty());
    let params = session.at("values.yaml", 2, 3);
    let hover = session.ask("textDocument/hover", params).result().unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    let steps: Vec<&str> = text.lines().filter(|it| it.contains("): through ")).collect();
    let place = |line: u32| format!("- [`main.tf:{line}`]({}#L{line})", session.uri("main.tf"));
    let wanted = [
        format!("{}: through `local.values`", place(8)),
        format!("{}: through `file(\"${{path.module}}/values.yaml\")`", place(14)),
    ];
    assert_eq!(steps, wanted, "{text}");
    session.end();
}
