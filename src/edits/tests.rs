//! Changes of mappings and lists in every language they are written in.

use std::sync::Arc;

use crate::{
    edits::{can_stand, edits},
    findings::{
        change::{Change, FixCondition, NewValue},
        edit::Edit,
    },
    resolve::terraform::{self, options::TerraformOptions},
    source::{FileId, Files, SourceFile, Span},
    syntax::{json, yaml},
    value::{Kind, Text, Value},
};

/// The text with the edits made.
pub(super) fn edited(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|it| (it.span.start, it.span.end));
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

/// The mapping of a text: YAML, JSON, or the first resource of Terraform.
pub(super) fn read(path: &str, text: &str) -> (Files, Value) {
    let files = Files::new(vec![SourceFile::new(path, text)]);
    let whole = Span::new(FileId(0), 0, text.len());
    let written = Text::verbatim(text, whole);
    let value = match path.rsplit('.').next() {
        Some("yaml") => yaml::parse(&written, whole).values.remove(0),
        Some("json") => json::parse(&written, whole).values.remove(0),
        _ => terraform::resolve(&files, &TerraformOptions::default()).roots[0].objects[0]
            .body
            .clone(),
    };
    (files, value)
}

/// The name of a file, its text, and the text after the change.
type Case = (&'static str, &'static str, Option<&'static str>);

/// Attributes as the text of a file of Terraform; other texts as they are.
fn in_file(path: &str, text: &str) -> String {
    let resource = || format!("resource \"x\" \"a\" {{\n  {text}\n}}\nlocals {{ k = {{}} }}\n");
    if path == "a.tf" { resource() } else { text.to_owned() }
}

/// Texts in which `a.p.m` becomes `x`.
const PATHS: &[Case] = &[
    ("a.yaml", "a:\n  b: 1\nc: 2\n", Some("a:\n  b: 1\n  p:\n    m: x\nc: 2\n")),
    ("a.yaml", "a:\n  p:\n    o: 1\nc: 2\n", Some("a:\n  p:\n    o: 1\n    m: x\nc: 2\n")),
    ("a.yaml", "a:\n  p:\n    m: y # y\n", Some("a:\n  p:\n    m: x # y\n")),
    ("a.yaml", "a:\n  p:\nc: 2\n", Some("a:\n  p:\n    m: x\nc: 2\n")),
    ("a.yaml", "a:\n  p: # none\nc: 2\n", Some("a:\n  p: # none\n    m: x\nc: 2\n")),
    ("a.yaml", "a:\r\n  p: {}\r\nc: 2\r\n", Some("a:\r\n  p:\r\n    m: x\r\nc: 2\r\n")),
    ("a.yaml", "a:\n  p: {} # none\n", Some("a:\n  p: # none\n    m: x\n")),
    ("a.yaml", "a:\n  p: null\n", Some("a:\n  p:\n    m: x\n")),
    ("a.yaml", "a: {b: c, p: {}}\n", Some("a: {b: c, p: { m: x }}\n")),
    ("a.yaml", "a: {b: 1}\n", Some("a: {b: 1, p: { m: \"x\" }}\n")),
    ("a.yaml", "a: {b: 'c'}\n", Some("a: {b: 'c', p: { m: 'x' }}\n")),
    (
        "a.yaml",
        "a:\n  b: |\n    text\nc: 2\n",
        Some("a:\n  b: |\n    text\n  p:\n    m: x\nc: 2\n"),
    ),
    (
        "a.yaml",
        "a:\n  b: |+\n    x\n\nc: 2\n",
        Some("a:\n  p:\n    m: x\n  b: |+\n    x\n\nc: 2\n"),
    ),
    ("a.yaml", "a: 1\n", None),
    ("a.yaml", "d: &d\n  b: 1\na: *d\n", None),
    ("a.yaml", "d: &d\n  b: 1\na:\n  <<: *d\n", None),
    ("a.json", "{\"a\": {\"b\": 1}}\n", Some("{\"a\": {\"b\": 1, \"p\": { \"m\": \"x\" }}}\n")),
    (
        "a.json",
        "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n",
        Some("{\n  \"a\": {\n    \"b\": 1,\n    \"p\": { \"m\": \"x\" }\n  }\n}\n"),
    ),
    (
        "a.json",
        "{\"a\": {\"b\": 1, \"p\": {}}}\n",
        Some("{\"a\": {\"b\": 1, \"p\": { \"m\": \"x\" }}}\n"),
    ),
    ("a.tf", "a = {\n    bc = 1\n  }", Some("a = {\n    bc = 1\n    p  = { m = \"x\" }\n  }")),
    ("a.tf", "a = { b = 1 }", Some("a = { b = 1, p = { m = \"x\" } }")),
    ("a.tf", "a = {}", Some("a = { p = { m = \"x\" } }")),
    ("a.tf", "b = 1", Some("b = 1\n  a = { p = { m = \"x\" } }")),
    ("a.tf", "b {\n    c = 1\n  }", None),
    ("a.tf", "a = local.k", None),
    ("a.tf", "a = merge({ b = 1 }, local.k)", None),
    (
        "a.tf",
        "a = jsonencode({\n    b = 1\n  })\n  b = 2",
        Some("a = jsonencode({\n    b = 1\n    p = { m = \"x\" }\n  })\n  b = 2"),
    ),
    (
        "a.tf",
        "a = \"{\\\"b\\\": 1}\"",
        Some("a = \"{\\\"b\\\": 1, \\\"p\\\": { \\\"m\\\": \\\"x\\\" }}\""),
    ),
    (
        "a.tf",
        "a = <<-EOT\n    b: 1\n    c:\n      d: 2\n  EOT",
        Some("a = <<-EOT\n    b: 1\n    c:\n      d: 2\n    p:\n      m: x\n  EOT"),
    ),
];

#[test]
fn a_path_gets_a_value_where_it_is_missing() {
    for (path, text, wanted) in PATHS {
        let wrap = |it: &str| in_file(path, it);
        let text = wrap(text);
        let (files, value) = read(path, &text);
        // What a text of Terraform encodes is a mapping of its own.
        let inner = match value.get("a").present().map(|it| &it.kind) {
            Some(Kind::String(it)) => Some(match &it.encodes {
                Some(value) => Value::clone(value),
                None => yaml::parse(it, value.span).values.remove(0),
            }),
            _ => None,
        };
        let change = match &inner {
            Some(inner) => Change::set(inner, "p.m", NewValue::text("x")),
            None => Change::set(&value, "a.p.m", NewValue::text("x")),
        };
        let edits = edits(&files, &[change]);
        assert_eq!(edits.map(|it| edited(&text, it)), wanted.map(wrap), "{text}");
    }
}

#[test]
fn what_moves_finds_a_free_place() {
    for (text, wanted) in [
        ("a:\n  b: 1\n  c: 2\n", Some("a:\n  b: 1\n  n: 2\n")),
        ("a:\n  c: 2\n  b: 1\n", Some("a:\n  b: 1\n  n: 2\n")),
        ("a: {b: 1, c: 2}\n", Some("a: {b: 1, n: 2}\n")),
        ("a:\n  b: 1\n  d:\n    c: 2\n", None),
    ] {
        let (files, value) = read("a.yaml", text);
        let changes =
            [Change::remove(&value, &["a", "c"]), Change::set(&value, "a.n", NewValue::plain("2"))];
        let edits = edits(&files, &changes);
        assert_eq!(edits.map(|it| edited(text, it)).as_deref(), wanted, "{text}");
    }
}

/// Texts in which `a` gets an item.
const ITEMS: &[Case] = &[
    ("a.yaml", "a:\n  - k: 1\nb: 2\n", Some("a:\n  - k: 1\n  - n: x\n    m: \"1\"\nb: 2\n")),
    (
        "a.yaml",
        "a:\n-   k: 1 # one\n    l: 2 # two\n# b\nb: 2\n",
        Some("a:\n-   k: 1 # one\n    l: 2 # two\n-   n: x\n    m: \"1\"\n# b\nb: 2\n"),
    ),
    ("a.yaml", "a:\r\n  - k: 1\r\n", Some("a:\r\n  - k: 1\r\n  - n: x\r\n    m: \"1\"\r\n")),
    ("a.yaml", "a:\n  - {k: c}\n", Some("a:\n  - {k: c}\n  - { n: x, m: \"1\" }\n")),
    ("a.yaml", "a: [{k: c}]\n", Some("a: [{k: c}, { n: x, m: \"1\" }]\n")),
    ("a.yaml", "a: [{k: \"c\"}]\n", Some("a: [{k: \"c\"}, { n: \"x\", m: \"1\" }]\n")),
    ("a.yaml", "b: &b\n  k: 1\na:\n  - *b\n", None),
    ("a.yaml", "b: &b\n  - k: 1\na: *b\n", None),
    (
        "a.json",
        "{\"a\": [{\"k\": 1}]}",
        Some("{\"a\": [{\"k\": 1}, { \"n\": \"x\", \"m\": \"1\" }]}"),
    ),
    (
        "a.json",
        "{\n  \"a\": [\n    {\n      \"k\": 1\n    }\n  ]\n}\n",
        Some(
            "{\n  \"a\": [\n    {\n      \"k\": 1\n    },\n    {\n      \"n\": \"x\",\n      \"m\": \
                 \"1\"\n    }\n  ]\n}\n",
        ),
    ),
    ("a.tf", "a = [{ k = 1 }]", Some("a = [{ k = 1 }, { n = \"x\", m = \"1\" }]")),
    (
        "a.tf",
        "a = [\n    { k = 1 }, # one\n  ]",
        Some("a = [\n    { k = 1 }, # one\n    { n = \"x\", m = \"1\" },\n  ]"),
    ),
    (
        "a.tf",
        "a = [\n    { k = 1 } # one\n  ]",
        Some("a = [\n    { k = 1 }, # one\n    { n = \"x\", m = \"1\" }\n  ]"),
    ),
    (
        "a.tf",
        "a = [{\n    long = 1\n  }]",
        Some("a = [{\n    long = 1\n  }, {\n    n = \"x\"\n    m = \"1\"\n  }]"),
    ),
    ("a.tf", "a = concat([{ k = 1 }], [])", None),
    ("a.tf", "a = [local.k]", None),
    (
        "a.tf",
        "a {\n    k = 1\n  }",
        Some("a {\n    k = 1\n  }\n  a {\n    n = \"x\"\n    m = \"1\"\n  }"),
    ),
    ("a.yaml", "a: []\n", Some("a:\n  - n: x\n    m: \"1\"\n")),
    ("a.yaml", "b: 1\n", Some("b: 1\na:\n  - n: x\n    m: \"1\"\n")),
];

#[test]
fn a_new_item_is_written_as_the_last_one_is() {
    for (path, text, wanted) in ITEMS {
        let wrap = |it: &str| {
            let resource = format!("resource \"x\" \"a\" {{\n  {it}\n}}\nlocals {{ k = {{}} }}\n");
            if *path == "a.tf" { resource } else { it.to_owned() }
        };
        let text = wrap(text);
        let (files, value) = read(path, &text);
        let item = NewValue::texts([("n", "x"), ("m", "1")]);
        let edits = edits(&files, &[Change::add(&value, "a", vec![], item)]);
        assert_eq!(edits.map(|it| edited(&text, it)), wanted.map(wrap), "{text}");
    }
}

#[test]
fn what_somebody_took_away_is_not_written_beside_itself() {
    for text in ["a:\n  b: 1\n  p: 2\n", "a: {b: 1, p: 2}\n", "a: {b: 1, \"p\": 2}\n"] {
        let (files, value) = read("a.yaml", text);
        let mut patched = value.get("a").present().cloned().expect("it is written");
        if let Kind::Map(map) = &mut patched.kind {
            std::sync::Arc::make_mut(map).entries.retain(|it| &*it.key != "p");
        }
        let set = |key: &str| edits(&files, &[Change::set(&patched, key, NewValue::text("x"))]);
        assert!(set("p").is_none() && set("q").is_some(), "{text}");
    }
}

#[test]
fn lines_are_not_put_where_they_would_be_joined() {
    let text = "a: >-\n  b: 1\n";
    let (files, _) = read("a.yaml", text);
    let insert = |text: &str| Edit { span: Span::new(FileId(0), 12, 12), text: text.to_owned() };
    assert!(!can_stand(&files, &insert("\n  c: 2")));
    assert!(can_stand(&files, &insert("2")));
}

#[test]
fn a_value_is_replaced_or_added_where_the_change_says() {
    let set = |value: &Value, key: &str| Change::set(value, key, NewValue::text("x"));
    for (text, in_place, if_missing, ahead) in [
        ("a: 1\n", Some("a: x\n"), None, Some("a: x\n")),
        ("b: 1\n", Some("b: 1\na: x\n"), Some("b: 1\na: x\n"), None),
        ("b:\n  c: 1\n", Some("b:\n  c: 1\na: x\n"), Some("b:\n  c: 1\na: x\n"), None),
        ("b: &b z\na: *b\n", None, None, None),
        (
            "{b: 1}\n",
            Some("{b: 1, a: \"x\"}\n"),
            Some("{b: 1, a: \"x\"}\n"),
            Some("{a: \"x\", b: 1}\n"),
        ),
    ] {
        let (files, value) = read("a.yaml", text);
        for (change, wanted) in [
            (set(&value, "a").in_place(), in_place),
            (set(&value, "a").if_missing(), if_missing),
            (set(&value, "a").ahead(), ahead),
        ] {
            let edits = edits(&files, std::slice::from_ref(&change));
            assert_eq!(edits.map(|it| edited(text, it)).as_deref(), wanted, "{text} {change:?}");
        }
    }
}

#[test]
fn an_entry_moves_with_its_comment() {
    let zero = || Some((Arc::from("d"), NewValue::text("0s")));
    for (text, moved, replaced) in [
        (
            "a:\n  c: 1h # one\n  e: 1\nb:\n  f: 1\n",
            Some("a:\n  e: 1\nb:\n  c: 1h # one\n  f: 1\n"),
            Some("a:\n  d: 0s\n  e: 1\nb:\n  c: 1h # one\n  f: 1\n"),
        ),
        (
            "a:\n  c:\n    g: 1\n  e: 1\nb:\n  h:\n    f: 1\n",
            Some("a:\n  e: 1\nb:\n  c:\n    g: 1\n  h:\n    f: 1\n"),
            None,
        ),
        (
            "a:\n  c: 1h # one\n  e: 1\nb: {f: 1}\n",
            None,
            Some("a:\n  d: 0s # one\n  e: 1\nb: {c: 1h, f: 1}\n"),
        ),
        ("a:\n  c: 1h\n  e: 1\nb:\n  c: 2h\n", None, None),
    ] {
        let (files, value) = read("a.yaml", text);
        let mapping = |key| value.get(key).present().cloned().unwrap_or_else(|| value.clone());
        for (replacement, wanted) in [(None, moved), (zero(), replaced)] {
            let (from, to) = (mapping("a"), mapping("b"));
            let change = Change::Move { from, key: "c".into(), to, replacement };
            let edits = edits(&files, &[change]);
            assert_eq!(edits.map(|it| edited(text, it)).as_deref(), wanted, "{text}");
        }
    }
}

#[test]
fn words_change_where_they_are_all_that_is_written() {
    for (text, reworded, quoted) in [
        ("a: b\n", Some("a: x\n"), None),
        ("a: 'b'\n", Some("a: 'x'\n"), None),
        ("a: bb\n", None, None),
        ("a: true\n", None, Some("a: \"true\"\n")),
        ("a: -1.50\n", None, Some("a: \"-1.50\"\n")),
        ("a: 0x10\n", None, None),
    ] {
        let (files, value) = read("a.yaml", text);
        let value = value.get("a").present().cloned().unwrap_or(value);
        for (change, wanted) in
            [(Change::reword(value.span, "b", "x"), reworded), (Change::Quote(value), quoted)]
        {
            let edits = edits(&files, &[change]);
            assert_eq!(edits.map(|it| edited(text, it)).as_deref(), wanted, "{text}");
        }
    }
}

#[test]
fn conditions_hold_for_all_changes() {
    for text in ["a:\n  b: 1\n", "a: &a\n  b: 1\n", "a: {b: 1}\n"] {
        let (files, value) = read("a.yaml", text);
        let mapping = value.get("a").present().cloned().unwrap_or_else(|| value.clone());
        let set = Change::set(&mapping, "b", NewValue::plain("2"));
        for (condition, holds) in
            [(FixCondition::AllIn(FileId(0)), true), (FixCondition::AllIn(FileId(1)), false)]
        {
            let made = edits(&files, &[Change::OnlyIf(condition), set.clone()]);
            assert_eq!(made.is_some(), holds, "{text}");
        }
    }
}

#[test]
fn a_value_is_written_once_more_as_it_is() {
    for (path, text, wanted) in [
        ("a.yaml", "a:\n  b: 1 # why\nc: 2\n", Some("a:\n  b: 1 # why\nc: 2\nd: 1 # why\n")),
        ("a.yaml", "a:\n  b: [x, 'y']\nc: 2\n", Some("a:\n  b: [x, 'y']\nc: 2\nd: [x, 'y']\n")),
        ("a.yaml", "a:\n  b:\n    - x\nc: 2\n", Some("a:\n  b:\n    - x\nc: 2\nd:\n  - x\n")),
        ("a.yaml", "a:\n  b:\n    - x # why\nc: 2\n", None),
        ("a.yaml", "a: { b: 1 }\nd: 2\n", None),
    ] {
        let (files, value) = read(path, text);
        let found = edits(&files, &[Change::copy(&value, "a.b", "d")]);
        assert_eq!(found.map(|it| edited(text, it)).as_deref(), wanted, "{text}");
    }
}
