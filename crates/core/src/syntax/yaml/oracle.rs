//! The same values as kubectl's own reader, where kubectl is installed.

use super::parse_literal;
use crate::{
    source::{FileId, Span},
    syntax::json,
    value::{Entry, Kind, Text, Value},
};
use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

/// What kubectl makes of a manifest, as JSON; `None` when it refuses or is not there.
fn kubectl(manifest: &str) -> Option<String> {
    let mut child = Command::new("kubectl")
        .args(["label", "--local", "-f", "-", "-o", "json", "read=yes"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(manifest.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// A value in the words of JSON, keys sorted.
fn show(value: &Value) -> String {
    match &value.kind {
        Kind::Map(map) => {
            let show_entry = |it: &Entry| format!("{:?}:{}", it.key, show(&it.value));
            let mut entries: Vec<_> = map.entries.iter().map(show_entry).collect();
            entries.sort();
            format!("{{{}}}", entries.join(","))
        }
        Kind::List(list) => list.items.iter().map(show).collect::<Vec<_>>().join(","),
        Kind::String(text) => format!("{:?}", text.text),
        Kind::Number(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn spec(documents: &[Value]) -> String {
    documents.first().and_then(|it| it.get("spec").present()).map(show).unwrap_or_default()
}

const HEADER: &str = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n";

/// Values on one line, two blanks between them.
const WORDS: &str = "on  y  Yes  tRUE  off  n  ~  Null  nUll  0777  0o777  -0777  08  1_000  0b11  \
    -0b11  +0b11  0x1F  -0x1f  0X1F  0B11  0O17  +5  +-5  1.  .5  -.5  +.5e3  1e3  1e  1e999  1.2.3  \
    190:20:30  2001-01-01  2001-01-01T00:00:00Z  1_0.5  0x  0b  ._5  .5_0  .5__0  .5e1_0  1_e3  1__0  \
    9223372036854775807  18446744073709551615  18446744073709551616  -9223372036854775809  _1  0_  00  \
    -0  0x_1  012.5  1e+5  inf  =  <<  !!str 5  ! 5  !!int '5'  !!float 5  !!bool 'yes'  'on'  !Ref x  \
    &x {k: 1, l: 2}  {k: 3, <<: *x, l: 4}  *x  {<<: [*x, {k: 9, m: 1}]}  0.1e-7";

/// Values on several lines, or with a comment right behind.
const BLOCKS: [&str; 7] = [
    "|\n    a\n     b\n\n",
    ">-\n    a\n    b\n\n    c\n",
    "\"a\\tb\\u00e9\\\n    c\"",
    "a\n    b",
    "'a'# b",
    "[a]# b",
    "{k: 1}# b",
];

#[test]
fn kubectl_reads_the_same() {
    if !karplint_test_tools::can_run("kubectl") {
        return;
    }
    let mut manifest = format!(
        "{HEADER}spec:\n  keys: {{y: 1, 1.5: 2, 0777: 3, 1e30: 4, 1e20: 5, 1e-7: 6, 123456789.5: 7, 100000.5: 8, 1000000.5: 9}}\n"
    );
    for (number, word) in WORDS.split("  ").chain(BLOCKS).enumerate() {
        writeln!(manifest, "  w{number}: {word}").unwrap();
    }
    let theirs = kubectl(&manifest).unwrap();
    let read = |text: &str, json: bool| {
        let whole = Span::new(FileId(0), 0, text.len());
        let text = Text::verbatim(text, whole);
        if json { json::parse(&text, whole) } else { parse_literal(&text, whole) }
    };
    let (ours, theirs) = (read(&manifest, false), read(&theirs, true));
    assert_eq!(ours.parse_errors, []);
    let split = |it: String| it.replace(",\"w", "\n\"w");
    assert_same_lines(&split(spec(&ours.values)), &split(spec(&theirs.values)));
}

/// Shows only the lines that differ.
fn assert_same_lines(ours: &str, theirs: &str) {
    let differ: Vec<_> = ours.lines().zip(theirs.lines()).filter(|(a, b)| a != b).collect();
    assert!(differ.is_empty() && ours.len() == theirs.len(), "{differ:#?}");
}
