//! Tests of templates.

use super::{Stack, is_template};
use crate::{
    resolve::kubernetes::Object,
    source::{Files, SourceFile},
    syntax::{json, yaml},
    value::{HOLE_END, HOLE_START, Kind, Text, Value},
};

fn read(path: &str, text: &str) -> (Files, Stack) {
    let files = Files::new(vec![SourceFile::new(path, text)]);
    let (id, _) = files.iter().next().unwrap();
    let whole = crate::source::Span::new(id, 0, text.len());
    let written = Text::verbatim(text, whole);
    let read = if path.ends_with("json") {
        json::parse(&written, whole)
    } else {
        yaml::parse(&written, whole)
    };
    let value = read.values.into_iter().next().unwrap();
    let object = Object { api_version: "".into(), kind: "".into(), value };
    assert!(is_template(&object), "{text}");
    let stack = Stack::read(&files, &object);
    (files, stack)
}

/// A property in one line; what is not known with `?` before its symbol, or as `_` inside a text.
fn property(path: &str, text: &str) -> String {
    let (_, stack) = read(path, text);
    let value = stack.resources[0].properties.get("P").present().cloned();
    match value.map(|it| it.kind) {
        Some(Kind::String(text)) => {
            let holes = (0..text.holes.len()).map(|it| format!("{HOLE_START}{it}{HOLE_END}"));
            holes.fold(text.text.to_string(), |text, hole| text.replace(&hole, "_"))
        }
        Some(Kind::Unknown(symbol)) => format!("?{}", symbol.text),
        other => format!("{other:?}"),
    }
}

#[test]
fn functions_are_known_as_far_as_they_can_be() {
    let nested = (0..200).fold(r#""x""#.to_owned(), |it, _| format!(r#"{{"a": {it}}}"#));
    for (argument, wanted) in [
        (r#""x""#, "x"),
        (r#"{"Ref": "A"}"#, "?Ref A"),
        (r#"{"Fn::Join": ["-", ["a", {"Ref": "A"}, "b"]]}"#, "a-_-b"),
        (r#"{"Fn::Join": ["", ["a", {"Fn::Join": [".", ["b", "c"]]}]]}"#, "ab.c"),
        (r#"{"Fn::Join": ["", {"Ref": "A"}]}"#, "?#Fn::Join 77"),
        (r#"{"Fn::Sub": "plain"}"#, "plain"),
        (r#"{"Fn::Sub": "a${B}"}"#, "?Fn::Sub a${B}"),
        (r#"{"Fn::GetAtt": ["A", "Arn"]}"#, "?Fn::GetAtt A.Arn"),
        (r#"{"Fn::ImportValue": "A"}"#, "?Fn::ImportValue A"),
        (&*format!(r#"{{"Fn::Join": ["", ["a", {nested}]]}}"#), "a_"),
    ] {
        let text = format!(
            r#"{{"Resources": {{"A": {{"Type": "AWS::EKS::X", "Properties": {{"P": {argument}}}}}}}}}"#
        );
        assert_eq!(property("a.template.json", &text), wanted, "{argument}");
    }
}

#[test]
fn short_forms_are_functions() {
    for (argument, wanted) in [
        ("x", "x"),
        ("!Ref A", "?Ref A"),
        ("!GetAtt A.B", "?Fn::GetAtt A.B"),
        ("!Join ['-', [a, !Ref A, b]]", "a-_-b"),
        ("!Join\n        - ''\n        - [a, b]", "ab"),
        ("!If [C, a, b]", "?Fn::If C.a.b"),
        ("'not !Ref'", "not !Ref"),
    ] {
        let text = format!(
            "Resources:\n  A:\n    Type: AWS::EKS::X\n    Properties:\n      P: {argument}\n"
        );
        let found = property("a.yaml", &text);
        assert_eq!(found, wanted, "{argument}");
    }
}

#[test]
fn places_in_joined_text_are_those_of_its_parts() {
    let text = r#"{"Resources": {"A": {"Type": "Custom::AWSCDK-EKS-HelmChart", "Properties":
        {"P": {"Fn::Join": ["", ["{\"a\":\"", {"Ref": "N"}, "\",\"b\":\"\\u00e9x\"}"]]}}}}}"#;
    let (files, stack) = read("a.json", text);
    let value: &Value = stack.resources[0].properties.get("P").present().unwrap();
    let Kind::String(joined) = &value.kind else { panic!("{value:?}") };
    let read = yaml::parse_literal(joined, value.span).values.pop().unwrap();
    assert_eq!(files.text(read.get("b").present().unwrap().span), r#"\"\\u00e9x\""#);
    assert!(read.get("a").present().unwrap().is_unknown());
}
