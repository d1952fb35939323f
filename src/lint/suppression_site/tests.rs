//! Where comments can be, and what there is elsewhere.

use super::{Home, allowances, takes_comment};
use crate::{
    config::Config,
    lint,
    project::Project,
    source::{Files, SourceFile},
};

#[test]
fn comments_stand_where_they_are_no_content() {
    // path, text with `@` at the start of the line in question, whether a comment can be above it
    let cases = [
        ("a.tf", "@a = 1\n", true),
        ("a.tf", "x = jsonencode({\n@  a = 1\n})\n", true),
        ("a.tf", "x = (a ?\n@  b :\n  c)\n", true),
        ("a.tf", "x = <<EOT\n@{\"a\": 1}\nEOT\n", false),
        ("a.tf", "x = <<-EOT\n  {\n@    \"a\": 1\n  }\n  EOT\n", false),
        ("a.tf", "x = <<-EOT\n  a:\n@    b: ${c}\n  EOT\n", true),
        ("a.tf", "x = <<-EOT\n  a:\n    b: 1\n  EOT\n@y = 1\n", true),
        ("a.tf", "x = <<EOT\n#!/bin/sh\nfoo \\\n@  --bar\nEOT\n", false),
        ("a.tf", "# x <<EOT\n@y = {\n}\n", true),
        ("a.tf", "/* x <<EOT\n*/\n@y = {\n}\n", true),
        ("a.tf", "x = <<EOT\nfoo ${f({\n@  b = 1\n})}\nEOT\n", true),
        ("a.tf.json", "{\n@  \"a\": 1\n}\n", false),
        ("a.json", "{\n@  \"a\": 1\n}\n", false),
        ("a.yaml", "a:\n@  b: 1\n", true),
        ("a.yaml", "a: [\n@  b,\n]\n", true),
        ("a.yaml", "a: |\n  b:\n@    c: 1\n", true),
        ("a.yaml", "a: |\n@  b:\n    c: 1\n", true),
        ("a.yaml", "a: |\n  {\n@  \"b\": 1\n  }\n", false),
        ("a.yaml", "a: >\n  one\n@  two\n", false),
        ("a.yaml", "a: one\n@  two\n", false),
        ("a.yaml", "a: \"one\n@  two\"\n", false),
        ("a.yaml", "a: |\n  b: |\n    c:\n@      d: 1\n", true),
        ("a.tpl", "a:\n@  b: ${c}\n", true),
        ("a.tpl", "{\n@  \"b\": 1\n}\n", false),
        ("a.toml.tpl", "[settings.kubernetes]\n@a = 1\n", true),
    ];
    for (path, text, wanted) in cases {
        let at = text.find('@').unwrap();
        let text = text.replace('@', "");
        let files = Files::new(vec![SourceFile::new(path, text)]);
        let id = files.find(path).unwrap();
        let line = files.get(id).line_of(at);
        let indent = files.get(id).line_text(line);
        let indent = &indent[..indent.len() - indent.trim_start().len()];
        let comment = format!("{indent}# karplint: allow x because ");
        assert_eq!(
            takes_comment(&files, id, (at, &comment)),
            wanted,
            "{path}\n{}",
            files.get(id).text()
        );
    }
}

#[test]
fn json_has_other_homes() {
    let object = r#"{
  "apiVersion": "apps/v1",
  "kind": "StatefulSet",
  "metadata": { "name": "ledger" },
  "spec": {
    "selector": { "matchLabels": { "app": "ledger" } },
    "template": {
      "metadata": { "labels": { "app": "ledger" } },
      "spec": { "containers": [{ "name": "db", "image": "mysql:8.4" }] }
    }
  }
}
"#;
    let project = Project::from_memory(vec![("a.json".to_owned(), object.to_owned())]);
    let config = Config::default();
    let outcome = lint::run(&project, &config);
    let homes = allowances(&project, &config, &outcome.findings[0]);
    let texts: Vec<(Home, String)> =
        homes.iter().map(|it| (it.home.clone(), it.text("why"))).collect();
    let rule = outcome.findings[0].rule;
    let annotation = format!(", \"annotations\": {{ \"karplint/allow\": \"{rule}\" }}");
    let entry = format!(
        "# Decisions of karplint for everything below this folder: https://github.com/karplint/karplint\n\nallow:\n  - rule: {rule}\n    paths: /a.json\n    object: StatefulSet/ledger\n    reason: \"why\"\n"
    );
    assert_eq!(
        texts,
        [(Home::Annotation("StatefulSet/ledger".to_owned()), annotation), (Home::Config, entry)]
    );
    assert_eq!(allowances(&project, &config, &outcome.findings[0]).len(), 2);
}

#[test]
fn an_annotation_keeps_the_reason_it_has() {
    let object = r#"{
  "apiVersion": "apps/v1",
  "kind": "StatefulSet",
  "metadata": { "name": "ledger", "annotations": { "karplint/allow": "a because b" } },
  "spec": {
    "selector": {},
    "template": { "spec": { "containers": [{ "name": "db", "image": "mysql:8.4" }] } }
  }
}
"#;
    let project = Project::from_memory(vec![("a.json".to_owned(), object.to_owned())]);
    let outcome = lint::run(&project, &Config::default());
    let finding = outcome.findings.iter().find(|it| it.rule != "unused-allowance").expect("one");
    let homes = allowances(&project, &Config::default(), finding);
    assert_eq!(homes[0].text(""), format!("a, {} because b", finding.rule));
}
