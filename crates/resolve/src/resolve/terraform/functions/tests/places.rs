//! Values keep the places they are written at, and files are found inside the project only.

use super::{evaluate_text, project};
use crate::{source::Span, value::Value};

/// The text under a span of `v = <expression>`.
fn written(expression: &str, span: Span) -> String {
    format!("v = {expression}\n")[span.range()].to_owned()
}

fn value(expression: &str) -> Value {
    evaluate_text(expression).expect(expression)
}

#[test]
fn parts_point_at_their_literals() {
    let cases = [
        ("merge({a = 1}, {b = \"x\"})", "b", "\"x\"", "b"),
        ("lookup({a = {b = [1]}}, \"a\")", "b", "[1]", "b"),
        ("yamldecode(yamlencode({a = true}))", "a", "true", "a"),
        ("tomap({a = 1, b = \"x\"})", "a", "1", "a"),
        ("zipmap([\"k\"], [7])", "k", "7", "\"k\""),
        ("one(tolist([{a = 5}]))", "a", "5", "a"),
        ("yamldecode(\"a: {b: 1}\")", "a", "{b: 1}", "a"),
        ("yamldecode(join(\"\\n\", [\"a: 1\", \"b: 2\"]))", "b", "2", "b"),
        ("yamldecode(trimspace(\"\\n\\na: 1\\n\"))", "a", "1", "a"),
        (r#"yamldecode(element(split("---", "a: 1\n---\nb: 2"), 1))"#, "b", "2", "b"),
        ("yamldecode(indent(2, \"a:\\n  b: 1\"))", "a", "b: 1", "a"),
    ];
    for (expression, key, literal, name) in cases {
        let value = value(expression);
        let part = value.get(key).present().unwrap_or_else(|| panic!("{expression}: {value:?}"));
        assert_eq!(written(expression, part.span), literal, "{expression}");
        assert_eq!(written(expression, part.name), name, "{expression}");
    }
}

#[test]
fn new_values_point_at_their_call() {
    for expression in ["merge({a = 1})", "jsonencode([])", "length([])", "upper(\"a\")"] {
        let value = value(expression);
        assert_eq!(written(expression, value.span), expression);
        assert_eq!(written(expression, value.name), expression);
    }
}

#[test]
fn encoded_text_remembers_its_value() {
    let expression = "yamlencode({a = 1})";
    let value = value(expression);
    let crate::value::Kind::String(text) = &value.kind else { panic!("text expected") };
    let original = text.encodes.as_deref().expect("the value");
    assert_eq!(written(expression, original.get("a").present().expect("a").span), "1");
}

#[test]
fn files_are_found_inside_the_project() {
    let cases = [
        ("file(\"values.yaml\")", Some("stack/values.yaml")),
        ("file(\"./values.yaml\")", Some("stack/values.yaml")),
        ("file(\"stack/values.yaml\")", Some("stack/stack/values.yaml")),
        ("file(\"../shared/pool.yaml\")", Some("shared/pool.yaml")),
        ("file(\"x/../../shared/pool.yaml\")", Some("shared/pool.yaml")),
        ("file(\"../../etc/passwd\")", None),
        ("file(\"shared/pool.yaml\")", None),
        ("file(\"/etc/passwd\")", None),
        ("file(\"~/.ssh/id\")", None),
        ("file(\"absent.yaml\")", None),
    ];
    let files = project();
    for (expression, path) in cases {
        let value = value(expression);
        let found = value.as_str().map(|_| files.get(value.span.file).path());
        assert_eq!(found, path, "{expression}");
    }
    let text = value("file(\"values.yaml\")");
    assert_eq!(text.as_str(), Some("a: 1\nb:\n  c: x\n"));
    let tree = value("yamldecode(file(\"values.yaml\"))");
    let leaf = tree.at("b.c").present().expect("b.c");
    assert_eq!(
        (files.get(leaf.span.file).path(), files.text(leaf.span)),
        ("stack/values.yaml", "x")
    );
}

#[test]
fn file_sets_are_lists_of_paths() {
    let paths = |expression| {
        let value = value(expression);
        let paths: Vec<_> =
            value.items().iter().filter_map(Value::as_str).map(String::from).collect();
        paths
    };
    assert_eq!(paths("fileset(\"../shared\", \"*.yaml\")"), ["pool.yaml"]);
    assert_eq!(paths("fileset(\"../shared\", \"**/*.yaml\")"), ["deep/class.yaml", "pool.yaml"]);
    assert_eq!(paths("fileset(\".\", \"{main,x}.tf\")"), ["main.tf"]);
    assert!(value("fileset(\"../..\", \"*\")").is_unknown());
    assert!(value("fileexists(\"absent\")").is_unknown());
    assert_eq!(value("fileexists(\"values.yaml\")").as_bool(), Some(true));
    assert_eq!(value("filebase64(\"../shared/pool.yaml\")").as_str(), Some("a2luZDogTm9kZVBvb2wK"));
}
