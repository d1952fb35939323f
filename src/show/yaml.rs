//! Values as YAML. What is not known is a text with the expression that would have to be known, and a comment
//! says so: `replicas: "${var.replicas}" # unknown`. Where a list or a mapping may hold more than is known, a
//! comment at its end says what.

use std::borrow::Cow;

use crate::{
    report::markup::visible,
    show::unknown::{filled, key, placeholder, words},
    value::{Kind, List, Map, Symbol, Text, Value},
};

/// The value as a document, without its `---`.
#[must_use]
pub(super) fn document(value: &Value) -> String {
    let mut writer = Writer::default();
    match &value.kind {
        Kind::Map(map) if !map.entries.is_empty() => writer.map(map, 0, true),
        Kind::List(list) if !list.items.is_empty() => writer.list(list, 0, true),
        _ => writer.leaf(value, 0),
    }
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn indent(&mut self, depth: usize) {
        const BLANKS: &str = "                                ";
        let mut left = depth;
        while left > 0 {
            let some = left.min(BLANKS.len());
            self.text.push_str(BLANKS.get(..some).unwrap_or_default());
            left -= some;
        }
    }

    /// The entries of a mapping; the first is where the text ends if it `is_begun`.
    fn map(&mut self, map: &Map, depth: usize, mut is_begun: bool) {
        for entry in &map.entries {
            if !std::mem::take(&mut is_begun) {
                self.indent(depth);
            }
            self.plain_or_quoted(&key(&entry.key));
            self.text.push(':');
            match &entry.value.kind {
                Kind::Map(map) if !map.entries.is_empty() => {
                    self.text.push('\n');
                    self.map(map, depth + 2, false);
                }
                Kind::List(list) if !list.items.is_empty() => {
                    self.text.push('\n');
                    self.list(list, depth, false);
                }
                _ => {
                    self.text.push(' ');
                    self.leaf(&entry.value, depth + 2);
                }
            }
        }
        self.more(map.rest.as_ref(), depth);
    }

    /// The items of a list; the first is where the text ends if it `is_begun`.
    fn list(&mut self, list: &List, depth: usize, mut is_begun: bool) {
        for item in &list.items {
            if !std::mem::take(&mut is_begun) {
                self.indent(depth);
            }
            self.text.push_str("- ");
            match &item.kind {
                Kind::Map(map) if !map.entries.is_empty() => self.map(map, depth + 2, true),
                Kind::List(list) if !list.items.is_empty() => self.list(list, depth + 2, true),
                _ => self.leaf(item, depth + 2),
            }
        }
        self.more(list.rest.as_ref(), depth);
    }

    fn more(&mut self, rest: Option<&Symbol>, depth: usize) {
        if let Some(symbol) = rest {
            self.indent(depth);
            self.text.push_str("# and what is not known: ");
            self.text.push_str(&visible(&words(symbol)));
            self.text.push('\n');
        }
    }

    /// What takes one line, or a block of text whose lines begin that deep.
    fn leaf(&mut self, value: &Value, depth: usize) {
        match &value.kind {
            Kind::Null => self.text.push_str("null"),
            Kind::Bool(value) => self.text.push_str(if *value { "true" } else { "false" }),
            Kind::Number(value) => self.text.push_str(&value.to_string()),
            Kind::String(text) => return self.string(text, depth),
            Kind::Unknown(symbol) => {
                self.text.push_str(&quoted(&placeholder(symbol)));
                self.text.push_str(UNKNOWN);
            }
            Kind::List(list) => {
                self.text.push_str("[]");
                self.rest(list.rest.as_ref());
            }
            Kind::Map(map) => {
                self.text.push_str("{}");
                self.rest(map.rest.as_ref());
            }
        }
        self.text.push('\n');
    }

    fn rest(&mut self, rest: Option<&Symbol>) {
        if let Some(symbol) = rest {
            self.text.push_str(" # and what is not known: ");
            self.text.push_str(&visible(&words(symbol)));
        }
    }

    fn string(&mut self, text: &Text, depth: usize) {
        let (written, mark) = match text.known() {
            Some(known) => (Cow::Borrowed(known), ""),
            None => (Cow::Owned(filled(text)), UNKNOWN),
        };
        let Some(header) = chomping(&written) else {
            let is_whole = mark.is_empty();
            if is_whole {
                self.plain_or_quoted(&written);
            } else {
                self.text.push_str(&quoted(&written));
            }
            self.text.push_str(mark);
            self.text.push('\n');
            return;
        };
        self.text.push_str(header);
        self.text.push_str(mark);
        self.text.push('\n');
        for line in written.strip_suffix('\n').unwrap_or(&written).split('\n') {
            if !line.is_empty() {
                self.indent(depth);
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
    }

    /// A text as it is where every reader of YAML takes it for that text, else in quotes.
    fn plain_or_quoted(&mut self, text: &str) {
        if is_plain(text) {
            self.text.push_str(text);
        } else {
            self.text.push_str(&quoted(text));
        }
    }
}

const UNKNOWN: &str = " # unknown";

/// The header of a block that holds a text of several lines; `None` where a block cannot hold it.
fn chomping(text: &str) -> Option<&'static str> {
    if !text.contains('\n') {
        return None;
    }
    let first = text.split('\n').find(|it| !it.is_empty())?;
    let is_block = !first.starts_with([' ', '\t'])
        && text.chars().all(|it| it == '\n' || it == '\t' || is_printable(it));
    let end = text.trim_end_matches('\n').len();
    is_block.then_some(match text.len() - end {
        0 => "|-",
        1 => "|",
        _ => "|+",
    })
}

fn is_printable(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Words that YAML 1.1 or 1.2 reads as something else than text.
const WORDS: &[&str] = &["true", "false", "yes", "no", "on", "off", "y", "n", "null"];

/// Whether every reader of YAML takes it for that text.
fn is_plain(text: &str) -> bool {
    let letters = |it: char| it.is_ascii_alphanumeric() || "_./-@:=,+".contains(it);
    let begun = ["--", "-", "./", "../"].iter().find_map(|it| text.strip_prefix(it));
    let is_word = begun
        .unwrap_or(text)
        .starts_with(|it: char| it.is_ascii_alphabetic() || (it == '/' && begun.is_none()))
        && text.chars().all(letters)
        && !text.ends_with(':');
    (is_word || is_quantity(text)) && !WORDS.iter().any(|it| it.eq_ignore_ascii_case(text))
}

/// Digits and letters, of which one is no digit of any base and no exponent.
fn is_quantity(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_digit())
        && text.chars().all(|it| it.is_ascii_alphanumeric() || it == '.')
        && text.contains(
            |it: char| matches!(it, 'g'..='n' | 'p'..='w' | 'y' | 'z' | 'G'..='N' | 'P'..='W'),
        )
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    use std::fmt::Write;
    let mut line = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            '\r' => line.push_str("\\r"),
            it if is_printable(it) => line.push(it),
            it => {
                let _ = write!(line, "\\u{:04X}", u32::from(it));
            }
        }
    }
    line.push('"');
    // What follows two such signs may be a command to the machine that prints a log.
    line.replace("##", "\\x23#")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::document;
    use crate::source::Span;
    use crate::{
        source::FileId,
        syntax::yaml,
        value::{Entry, Kind, List, Map, Symbol, Text, Value},
    };

    fn nowhere() -> Span {
        Span::new(FileId(0), 0, 0)
    }

    fn of(kind: Kind) -> Value {
        Value::new(kind, nowhere())
    }

    fn unknown(text: &str) -> Symbol {
        Symbol::new("root", text)
    }

    fn read(text: &str) -> Value {
        let documents = yaml::parse_literal(&Text::computed(text), nowhere());
        assert!(documents.parse_errors.is_empty(), "{text}\n{:?}", documents.parse_errors);
        documents.values.into_iter().next().unwrap_or_else(|| of(Kind::Null))
    }

    #[test]
    fn yaml_is_written_as_people_write_it() {
        let text = "kind: Pod
metadata:
  name: web
  annotations: {}
spec:
  containers:
  - name: web
    args:
    - --flag=1
    - \"yes\"
    - \"1.30\"
    - 10Gi
    - - a
    resources: {}
  script: |
    #!/bin/sh
    echo

    exit
  count: 3
  share: 0.5
  nothing: null
";
        let written = document(&read(text));
        assert_eq!(written, text);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let entry = |key: &str, value: Value| Entry { key: key.into(), key_span: nowhere(), value };
        let holed =
            Text { holes: [unknown("var.b")].into(), ..Text::computed("a\n\u{e000}0\u{e001}\n") };
        let list = List {
            items: vec![of(Kind::Number(1.0))],
            rest: Some(unknown("var.c")),
            is_set: false,
        };
        let empty = Map { entries: Vec::new(), rest: Some(unknown("var.d")) };
        let entries = vec![
            entry("a", of(Kind::Unknown(unknown("var.a")))),
            entry("b", of(Kind::String(holed))),
            entry("c", of(Kind::List(list.into()))),
            entry("d", of(Kind::Map(empty.into()))),
        ];
        let map = Map { entries, rest: Some(unknown("var.e")) };
        let written = document(&of(Kind::Map(map.into())));
        let wanted = "a: \"${var.a}\" # unknown
b: | # unknown
  a
  ${var.b}
c:
- 1
# and what is not known: var.c
d: {} # and what is not known: var.d
# and what is not known: var.e
";
        assert_eq!(written, wanted);
        assert_eq!(read(&written).at("b").present().and_then(Value::as_str), Some("a\n${var.b}\n"));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(of(Kind::Null)),
            any::<bool>().prop_map(|it| of(Kind::Bool(it))),
            (-1000_i32..100_000).prop_map(|it| of(Kind::Number(f64::from(it) / 4.0))),
            "[ -~\n\t\u{e9}\u{85}]{0,12}".prop_map(|it| of(Kind::String(Text::computed(it)))),
            "(0x1f|1e3|~|=|<<|- a|a: b|a #b|2020-01-01|12:30|NO|\\.inf|0o7|1_0|&a|\\*a|!t|%d|@x|`c|---|\\? q|1m|5e2h)"
                .prop_map(|it| of(Kind::String(Text::computed(it)))),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let entry = |(key, value): (String, Value)| Entry {
                key: key.into(),
                key_span: nowhere(),
                value,
            };
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4)
                    .prop_map(|it| Value::list(it, nowhere())),
                proptest::collection::btree_map("[a-z0-9:#. -]{1,6}", inner, 0..4)
                    .prop_map(move |it| Value::map(it.into_iter().map(entry).collect(), nowhere())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..Default::default() })]

        #[test]
        fn what_is_written_is_read_again(value in values()) {
            let value = Value::map(vec![Entry { key: "a".into(), key_span: nowhere(), value }], nowhere());
            let text = document(&value);
            prop_assert_eq!(read(&text).same_as(&value), Some(true), "{}", text);
        }
    }
}
