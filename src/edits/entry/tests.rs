//! Entries in YAML, JSON and Terraform, added, replaced, moved and taken away.

use crate::{
    edits::{
        align::alignment,
        entry::Entries,
        tests::{edited, read},
    },
    findings::{change::NewValue, edit::Edit},
};

fn hcl(body: &str) -> String {
    format!("resource \"kubernetes_manifest\" \"a\" {{\n  manifest = {body}\n}}\n")
}

type Change = fn(&Entries<'_>) -> Option<Vec<Edit>>;

fn check(change: Change, cases: &[(&str, &str, Option<&str>)]) {
    for (path, text, wanted) in cases {
        let wrap = |it: &str| if *path == "a.tf" { hcl(it) } else { it.to_owned() };
        let text = wrap(text);
        let (files, value) = read(path, &text);
        let value = value.get("manifest").present().cloned().unwrap_or(value);
        let edits = Entries::of(&files, &value).and_then(|it| change(&it));
        let got = edits.map(|mut it| {
            it.extend(alignment(&files, &it));
            edited(&text, it)
        });
        assert_eq!(got, wanted.map(wrap), "{text}");
    }
}

#[test]
fn first_entries_stand_at_the_head() {
    let add: Change =
        |it| Some(vec![it.add_first(&[("n", NewValue::text("x")), ("m", NewValue::text("z"))])?]);
    let inner: Change = |it| {
        Some(vec![
            it.inner("a")?.add_first(&[("n", NewValue::text("x")), ("m", NewValue::text("z"))])?,
        ])
    };
    check(
        inner,
        &[
            ("a.yaml", "a:\n  b: 1\n", Some("a:\n  n: x\n  m: z\n  b: 1\n")),
            ("a.yaml", "a:\r\n  b: 1\r\n", Some("a:\r\n  n: x\r\n  m: z\r\n  b: 1\r\n")),
            (
                "a.yaml",
                "a: # all\n  # why\n  b: 1\n",
                Some("a: # all\n  n: x\n  m: z\n  # why\n  b: 1\n"),
            ),
            ("a.yaml", "a: {b: 1}\n", Some("a: {n: \"x\", m: \"z\", b: 1}\n")),
            ("a.yaml", "a: { b: c }\n", Some("a: { n: x, m: z, b: c }\n")),
            ("a.yaml", "b: &b\n  c: 1\na: *b\n", None),
            ("a.yaml", "b: &b\n  c: 1\na:\n  <<: *b\n  d: 2\n", None),
            ("a.yaml", "a: {}\n", None),
            (
                "a.json",
                "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n",
                Some("{\n  \"a\": {\n    \"n\": \"x\",\n    \"m\": \"z\",\n    \"b\": 1\n  }\n}\n"),
            ),
            (
                "a.json",
                "{\"a\": {\"b\": 1}}\n",
                Some("{\"a\": {\"n\": \"x\", \"m\": \"z\", \"b\": 1}}\n"),
            ),
            (
                "a.tf",
                "{\n    a = {\n      bcd = 1\n    }\n  }",
                Some(
                    "{\n    a = {\n      n   = \"x\"\n      m   = \"z\"\n      bcd = 1\n    }\n  }",
                ),
            ),
            (
                "a.tf",
                "{\n    a = {\n      \"b\" : 1,\n    }\n  }",
                Some(
                    "{\n    a = {\n      \"n\" : \"x\",\n      \"m\" : \"z\",\n      \"b\" : 1,\n    }\n  }",
                ),
            ),
            ("a.tf", "{ a = { b = 1 } }", Some("{ a = { n = \"x\", m = \"z\", b = 1 } }")),
            ("a.tf", "{ a = local.a }\n}\nlocals {\n  a = { b = 1 }", None),
        ],
    );
    check(add, &[("a.yaml", "b: 1\n", None)]);
}

#[test]
fn further_entries_stand_behind_their_neighbour() {
    let add: Change = |it| {
        let entry = it.entry("a")?;
        Some(vec![it.add_after(
            entry,
            &[
                ("n", NewValue::text("x")),
                ("m", NewValue::List(vec![NewValue::texts([("k", "v")])])),
            ],
        )?])
    };
    check(
        add,
        &[
            ("a.yaml", "a: 1\nb: 2\n", Some("a: 1\nn: x\nm:\n  - k: v\nb: 2\n")),
            ("a.yaml", "a: 1 # one\nb:\n- 2\n", Some("a: 1 # one\nn: x\nm:\n- k: v\nb:\n- 2\n")),
            ("a.yaml", "a:\n  c: 1", Some("a:\n  c: 1\nn: x\nm:\n  - k: v")),
            ("a.yaml", "a: 1\nb: [{c: 1}]\n", Some("a: 1\nn: x\nm:\n  - k: v\nb: [{c: 1}]\n")),
            ("a.yaml", "{a: 1, b: 2}\n", Some("{a: 1, n: \"x\", m: [{ k: \"v\" }], b: 2}\n")),
            (
                "a.json",
                "{\"a\": 1}\n",
                Some("{\"a\": 1, \"n\": \"x\", \"m\": [{ \"k\": \"v\" }]}\n"),
            ),
            (
                "a.json",
                "{\n  \"a\": 1\n}\n",
                Some("{\n  \"a\": 1,\n  \"n\": \"x\",\n  \"m\": [{ \"k\": \"v\" }]\n}\n"),
            ),
            (
                "a.json",
                "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
                Some(
                    "{\n  \"a\": 1,\n  \"n\": \"x\",\n  \"m\": [{ \"k\": \"v\" }],\n  \"b\": 2\n}\n",
                ),
            ),
            (
                "a.tf",
                "{\n    a = 1\n  }",
                Some("{\n    a = 1\n    n = \"x\"\n    m = [{ k = \"v\" }]\n  }"),
            ),
            (
                "a.tf",
                "{\n    a = var.a // one\n    b = 2\n  }",
                Some(
                    "{\n    a = var.a // one\n    n = \"x\"\n    m = [{ k = \"v\" }]\n    b = 2\n  }",
                ),
            ),
            ("a.tf", "{ a = 1 }", Some("{ a = 1, n = \"x\", m = [{ k = \"v\" }] }")),
        ],
    );
}

#[test]
fn an_entry_gets_another_key_and_value() {
    let replace: Change = |it| it.replace(it.entry("abc")?, "n", &NewValue::text("x"));
    check(
        replace,
        &[
            ("a.yaml", "abc: 1\n", Some("n: x\n")),
            ("a.yaml", "abc: \"1\" # one\n", Some("n: \"x\" # one\n")),
            ("a.yaml", "abc: ${one}\n", Some("n: x\n")),
            ("a.yaml", "abc: |\n  one\n", None),
            ("a.yaml", "abc: &one 1\n", None),
            ("a.json", "{\"abc\": \"1\"}\n", Some("{\"n\": \"x\"}\n")),
            (
                "a.tf",
                "{\n    abc = \"1\"\n    b   = 2\n  }",
                Some("{\n    n = \"x\"\n    b = 2\n  }"),
            ),
            ("a.tf", "{\n    abc = var.one\n  }", Some("{\n    n = \"x\"\n  }")),
        ],
    );
}

#[test]
fn an_entry_moves_with_its_lines() {
    let adopt: Change =
        |it| Some(vec![it.inner("to")?.adopt(&it.inner("from")?, it.inner("from")?.entry("a")?)?]);
    check(
        adopt,
        &[
            (
                "a.yaml",
                "from:\n  x:\n  a:\n    # why\n    b: 1\n\n    c: 2 # two\n  e: 1\nto:\n      z: 1\n",
                Some(
                    "from:\n  x:\n  a:\n    # why\n    b: 1\n\n    c: 2 # two\n  e: 1\nto:\n      a:\n        # \
                 why\n        b: 1\n\n        c: 2 # two\n      z: 1\n",
                ),
            ),
            ("a.yaml", "from:\n  a: 1\nto: {z: 1}\n", None),
            (
                "a.yaml",
                "from: {a: {b: 1}}\nto: {z: 1}\n",
                Some("from: {a: {b: 1}}\nto: {a: {b: 1}, z: 1}\n"),
            ),
        ],
    );
}

#[test]
fn an_entry_goes_with_its_line() {
    let remove: Change = |it| Some(vec![it.remove(it.entry("a")?)?]);
    check(
        remove,
        &[
            ("a.yaml", "b: 1\na: ${x} # why\nc: 2\n", Some("b: 1\nc: 2\n")),
            ("a.yaml", "b: 1\na:\n  - d: 1\nc: 2\n", Some("b: 1\nc: 2\n")),
            ("a.tf", "{\n    b = 1\n    a = var.a\n  }", Some("{\n    b = 1\n  }")),
            (
                "a.tf",
                "{\n    b = 1\n    a = merge({\n      c = 1\n    }, {})\n  }",
                Some("{\n    b = 1\n  }"),
            ),
        ],
    );
}

#[test]
fn a_comment_goes_where_nothing_follows_it() {
    // The value of `a` goes to `to`, with the comment behind it.
    let go: Change = |it| {
        let from = it.inner("from")?;
        let entry = from.entry("a")?;
        let remark = from.remark(entry)?;
        let source = format!("{}{}", from.source(entry)?, from.files.text(remark));
        let to = it.inner("to")?;
        assert_eq!(to.takes_remarks(), to.add_first(&[("a", NewValue::plain(&source))]).is_some());
        Some(vec![to.add_first(&[("a", NewValue::plain(&source))])?])
    };
    check(
        go,
        &[
            (
                "a.yaml",
                "from:\n  a: 1 # one\nto:\n  b: 2\n",
                Some("from:\n  a: 1 # one\nto:\n  a: 1 # one\n  b: 2\n"),
            ),
            ("a.yaml", "from:\n  a: 1 # one\nto: { b: 2 }\n", None),
            ("a.yaml", "from:\n  a: 1 # one\nto: {\n  b: 2,\n  c: 3\n}\n", None),
            (
                "a.yaml",
                "from: {\n  a: 1, # one\n  c: 3\n}\nto:\n  b: 2\n",
                Some("from: {\n  a: 1, # one\n  c: 3\n}\nto:\n  a: 1 # one\n  b: 2\n"),
            ),
            (
                "a.tf",
                "{\n    from = {\n      a = 1 // one\n    }\n    to = {\n      b = 2\n    }\n  }",
                Some(
                    "{\n    from = {\n      a = 1 // one\n    }\n    to = {\n      a = 1 // one\n      b = 2\n    }\n  }",
                ),
            ),
            ("a.tf", "{\n    from = {\n      a = 1 # one\n    }\n    to = { b = 2 }\n  }", None),
        ],
    );
}
