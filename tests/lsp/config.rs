//! The config as it is in the editor, saved or not.

use std::fs;

use serde_json::json;

use super::session::{CONTROLLER, CRDS, Session};

const FILE: &str = ".karplint.yaml";

#[test]
fn a_config_counts_before_it_is_saved() {
    let mut session = Session::start(&[("crds.tf", CRDS), ("main.tf", CONTROLLER)], &json!({}));
    session.diagnostics("main.tf", |it| it.diagnostics.len() == 1);
    let config = fs::read_to_string(session.folder.path().join(FILE)).unwrap();
    let off = config.replace("rules: {", "rules: {crds-not-skipped: off, ");
    session.open(FILE, &off);
    session.diagnostics("main.tf", |it| it.diagnostics.is_empty());
    // A mistake is shown where it is made, and what was decided before stays in force.
    session.change(FILE, 2, ((0, 0), (0, 5)), "rulez");
    let found = session.diagnostics(FILE, |it| !it.diagnostics.is_empty());
    let found = serde_json::to_value(&found.diagnostics).unwrap();
    assert_eq!(found[0]["range"]["start"], json!({ "line": 0, "character": 0 }));
    assert_eq!(found[0]["range"]["end"], json!({ "line": 0, "character": 5 }));
    assert!(found[0]["message"].as_str().unwrap().contains("did you mean `rules`?"), "{found}");
    session.open("main.tf", CONTROLLER);
    session.diagnostics("main.tf", |it| it.version == Some(1) && it.diagnostics.is_empty());
    session.change(FILE, 3, ((0, 0), (0, 5)), "rules");
    session.diagnostics(FILE, |it| it.version == Some(3) && it.diagnostics.is_empty());
    session.close(FILE);
    session.diagnostics("main.tf", |it| it.diagnostics.len() == 1);
    session.end();
}

#[test]
fn a_new_config_counts_in_its_folder() {
    let files = [("a/crds.tf", CRDS), ("a/main.tf", CONTROLLER)];
    let mut session = Session::start(&files, &json!({}));
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    // That of the nearest folder counts, and does not inherit.
    let name = "a/.karplint.yaml";
    session.open(name, "extends: ../.karplint.yaml\nrules: { crds-not-skipped: off }\n");
    session.open("a/main.tf", CONTROLLER);
    session.diagnostics("a/main.tf", |it| it.version == Some(1) && it.diagnostics.is_empty());
    // What is wrong and changes nothing is shown in it.
    session.change(name, 2, ((1, 0), (1, 0)), "fail-on: note\n");
    let found = session.diagnostics(name, |it| it.version == Some(2));
    let found = serde_json::to_value(&found.diagnostics).unwrap();
    assert_eq!(found[0]["severity"], 2, "{found}");
    session.close(name);
    session.diagnostics("a/main.tf", |it| it.diagnostics.len() == 1);
    let path = session.folder.path().join(FILE);
    let config = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    session.open(FILE, &config.replace("rules: {", "rules: {crds-not-skipped: off, "));
    session.diagnostics("a/main.tf", |it| it.diagnostics.is_empty());
    session.end();
}

#[test]
fn a_broken_config_is_said_to_those_who_do_not_see_it() {
    let files = [("crds.tf", CRDS), ("main.tf", CONTROLLER), (FILE, "rulez: {}\n")];
    let mut session = Session::start(&files, &json!({}));
    // Nobody knows what was decided, so nothing is said about anything else.
    let message = session.message();
    assert!(message.contains(".karplint.yaml:1:1: `rulez`"), "{message}");
    session.diagnostics(FILE, |it| it.diagnostics.len() == 1);
    session.open("main.tf", CONTROLLER);
    session.diagnostics("main.tf", |it| it.version == Some(1) && it.diagnostics.is_empty());
    fs::write(session.folder.path().join(FILE), "\n").unwrap();
    session.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    session.diagnostics(FILE, |it| it.diagnostics.is_empty());
    session.diagnostics("main.tf", |it| !it.diagnostics.is_empty());
    session.end();
}

#[test]
fn a_policy_is_checked_while_it_is_written() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: web\nspec:\n  limits: {cpu: 10}\n  weight: 5\n  template:\n    spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: web}\n      requirements:\n        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n";
    const POLICY: &str = "apiVersion: karplint/v1\nkind: Policy\nmetadata: {name: weights}\nspec:\n  title: Weights\n  subject: nodePool\n  validations:\n    - expression: subject.wieght > 10\n";
    let name = ".karplint/policies/weights.yaml";
    let mut session = Session::start(&[("pool.yaml", POOL)], &json!({}));
    session.open(FILE, "{}\n");
    session.open(name, POLICY);
    let found = session.diagnostics(name, |it| !it.diagnostics.is_empty());
    let found = serde_json::to_value(&found.diagnostics).unwrap();
    assert_eq!(found[0]["range"]["start"], json!({ "line": 7, "character": 26 }));
    assert!(found[0]["message"].as_str().unwrap().contains("did you mean `weight`?"), "{found}");
    session.change(name, 2, ((7, 26), (7, 32)), "weight");
    session.diagnostics(name, |it| it.version == Some(2) && it.diagnostics.is_empty());
    // What is proposed fits the text as it is, parsed or not.
    session.change(name, 3, ((7, 26), (7, 37)), "");
    let proposed = session.proposed(name, 7, 26);
    let weight = proposed.iter().find(|it| it.0 == "weight").unwrap();
    assert_eq!(weight.1, "int");
    assert!(proposed.iter().all(|it| it.0 != "cluster"), "{proposed:?}");
    session.change(name, 4, ((7, 18), (7, 26)), "cluster.nodePools.all(it, it.");
    let proposed = session.proposed(name, 7, 47);
    assert!(proposed.iter().any(|it| it.0 == "expireAfter"), "{proposed:?}");
    assert_eq!(session.proposed(name, 4, 10), []);
    assert_eq!(session.proposed("pool.yaml", 4, 3), []);
    session.change(name, 5, ((7, 18), (7, 47)), "subject.weight > 10");
    session.diagnostics(name, |it| it.version == Some(5) && it.diagnostics.is_empty());
    session.open("pool.yaml", POOL);
    let of_policy = |it: &gen_lsp_types::Diagnostic| {
        it.code == Some(gen_lsp_types::Code::String("weights".to_owned()))
    };
    session.diagnostics("pool.yaml", |it| it.diagnostics.iter().any(of_policy));
    session.end();
}
