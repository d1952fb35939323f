//! Documents of the plainest form, straight into values: block and flow collections, words, quoted texts on one line,
//! and blocks of text.
//!
//! The parser of whole YAML is many times as expensive. At the first thing that is rarer, doubtful or wrong the
//! document is left to it. What is read here is the same value, which a test compares.

mod block;
mod document;
mod flow;
mod lines;
mod place;

use crate::{
    syntax::yaml::{direct::document::Document, text::TextReader},
    value::Value,
};

/// The value of the document the reader is set to, which is null where it is only checked; `None` where it is not of
/// the plainest form.
pub(super) fn read(reader: &mut TextReader<'_>) -> Option<Value> {
    let source = reader.source;
    if !reader.is_plain() || memchr::memchr2(b'\t', b'\r', source.as_bytes()).is_some() {
        return None;
    }
    let mut document = Document::new(reader);
    let first = if source.starts_with("---") {
        document.at = 3;
        document.next()
    } else {
        document.content()
    };
    let first = first??;
    let is_collection = document.is_dash()
        || matches!(document.byte(), Some(b'{' | b'['))
        || document.key()?.is_some();
    let node = document.node(first, 0)?;
    (is_collection && document.next()?.is_none()).then(|| document.root(node))
}

#[cfg(test)]
mod tests {
    use std::{fs, io, path::Path, sync::Arc};

    use crate::{
        source::{FileId, Span},
        syntax::yaml::{build::DocumentBuilder, direct::read, documents, text::TextReader},
        value::{Carried, Kind, Text, Value, step::StepKind},
    };

    /// How many documents a text has and how many are read here, these with the same values.
    fn count(text: &str) -> (usize, usize) {
        let whole = Span::new(FileId(7), 0, text.len());
        compare(&Text::verbatim(text, whole), whole)
    }

    fn compare(text: &Text, whole: Span) -> (usize, usize) {
        let mut reader = TextReader::new(text, whole, false);
        let (mut all, mut found) = (0, 0);
        for range in documents(&text.text) {
            let source = text.text.get(range.clone()).unwrap_or_default();
            reader.turn_to(source, range.start);
            all += 1;
            reader.keeping.only_checks = true;
            let is_sound = read(&mut reader).is_some();
            reader.keeping.only_checks = false;
            let value = read(&mut reader);
            assert_eq!(is_sound, value.is_some(), "{source}");
            let Some(value) = value else { continue };
            found += 1;
            let built = DocumentBuilder::read(&mut reader);
            let built = built.map_or_else(
                |it| it.message,
                |it| {
                    assert_eq!(it.parse_errors, [], "{source}");
                    format!("{:?}", it.value)
                },
            );
            assert_eq!(format!("{:?}", Some(value)), built, "{source}");
        }
        (all, found)
    }

    /// Text that is read here.
    const READ: &[&str] = &[
        "a: b\n",
        "---\na: b",
        "--- # c\n\n# d\na: b # e\n\n",
        "a:\n  b: 1\n  c:\n  - d\n  - e: f\n    g: h\n",
        "- a\n- - b\n  - c\n-\n  d: e\n- {}\n",
        "a:\n- --b\n- -c\nd:\n  - --e\n",
        "a:\n  # b\n  c: 'd\\e' # f\n    # g\n  h: i\n",
        "a: {b: c, \"d\": [e, 'f', 1.5, {g: null}], h: [], i: {}}\n",
        "\"a\": 'b'\nc d: \"e # f\"\n",
        "a: b#c\nd: e:f\ng: http://h/i?j\n",
        "a: true\nb: ~\nc: 010\nd: 1e3\ne: .5\nf: -1\ng: yes\n1: h\ntrue: i\n",
        "a[]: b\na{}.c: d\n",
        "a:\n# b\n    c: d\n\n# e\nf: g\n",
        "a: é\n\"é\": [é, ü]\n",
        "a: {b: \"c: d\", e: f:g}\n",
        "[a, b]\n",
        "{a: b}\n",
        "a:\n- b\n# c\n- d\ne: f\n",
        "a: -b\nc: --d\ne: [-f]\n",
        "a:   b\nc:  {  d:   e  }  \n",
        "a: |\n  b\n",
        "a: |-\n  b\n\n\n   c # d\n  e: f\n\n# g\nh: i\n",
        "a: | # b\n\n    c\n\n  \n    d  \ne:\n- |\n  f\n- >-\n f\n g\n",
        "a: >-\n  b\n  c\n\n\n  d\n",
        "a: >\n\n  b\n  c\nd: e\n",
        "- a: |\n    b\n  c: d\n- e: >\n    f\n",
        "a:\n  b: c\n    d e\n\n\n    f\n  g: h\n",
        "a: b\n c\nd: e\n",
        "a: b # c\nd: 1\n  2\n",
        "a: 'b  \n  c''d\n\n\n  e '\nf: \"g\\n\n  h: # i\"\n",
        "- a\n  b\n-  c\n\n d\n- 'e\n  f'\n",
        "- - a\n   b\n  - c\n",
        "a:\n  b\n c\nd: e\n",
        "a: \"b\n  \\ c\\n\n  d\"\n",
        "a:\nb: c\n",
        "a:\n  b:\n  # c\nd: # e\n",
        "a: \"b\\n\\\"c\\\"\\t\\\\\"\nd: 'e''f'\ng: ['', \"\\\\\"]\n",
    ];

    /// Text that is left to the reader of everything.
    const LEFT: &[&str] = &[
        "",
        "a\n",
        "# a\n",
        "a: &b c\nd: *b\n",
        "a: !b c\n",
        "a: b\na: c\n",
        "a: {b: c,\n d: e}\n",
        "<<: {a: b}\n",
        "a: b: c\n",
        "a: [b: c]\n",
        "a: {b}\n",
        "? a\n: b\n",
        "a:\tb\n",
        "a: b\r\n",
        "a: ${B}\n",
        "a: {{ b }}\n",
        "a: b\n...\n",
        "a: b\n   c: d\n",
        "  a: b\n c: d\n",
        "- a\nb: c\n",
        "a: \"b\n",
        "a: %b\n",
        "a: @b\n",
        "a: .inf\n",
        "~: a\n",
        "a: [b, c\n",
        "a: b\n- c\n",
        "a: {b: c}}\n",
        "a: \"b\" c\n",
        "a: - b\n",
        "a: b, c]\nd: [e}\n",
        "a: |\n  b",
        "a: |+\n  b\n",
        "a: |2\n   b\n",
        "a: |\n\nb: c\n",
        "a: |\n  b\n c\n",
        "a: |\n   \n  b\n",
        "a: |\n  b\n    \n  c\n",
        "a: >\n  b\n    c\n",
        "a: >b\n",
        "a: b\n  c: d\n",
        "a: b\n  c #d\n",
        "a: b\n  # c\n  d\n",
        "a: b # c\n  d\n",
        "a: \"b\\x41\"\n",
        "a: \"b\\\n",
        "a: \"b\\ \n  c\"\n",
        "a: \"b\\\n  c\"\n",
        "a: 'b''\n",
        "\"a\\n\": b\n",
    ];

    #[test]
    fn plain_documents_are_read_and_others_are_left() {
        for text in READ {
            assert_eq!(count(text), (1, 1), "{text}");
        }
        for text in LEFT {
            assert_eq!(count(text).1, 0, "{text}");
        }
        for open in ["[", "{a: ", "- ", "a:\n "] {
            assert_eq!(count(&open.repeat(10_000)).1, 0, "{open}");
        }
    }

    #[test]
    fn runs_that_values_gave_are_read_as_the_same_values() {
        let (elsewhere, further) = (Span::new(FileId(8), 40, 90), Span::new(FileId(9), 3, 5));
        let mut found = 0;
        for text in READ {
            let whole = Span::new(FileId(7), 0, text.len());
            let ends = || (0..=text.len()).filter(|it| text.is_char_boundary(*it));
            for (start, end) in ends().flat_map(|it| ends().map(move |end| (it, end))) {
                let Some(run) = text.get(start..end).filter(|it| !it.is_empty()) else { continue };
                let value = Value::new(Kind::String(Text::verbatim(run, elsewhere)), elsewhere);
                let value = value.through(further, StepKind::Alias("a".into()));
                let [at, len] = [start, end - start].map(|it| u32::try_from(it).unwrap());
                let carried = Carried { at, len, value, is_encoded: false };
                let carried = Some(Arc::new(vec![carried]));
                found += compare(&Text { carried, ..Text::verbatim(*text, whole) }, whole).1;
            }
        }
        assert!(found > 5_000, "{found}");
    }

    #[test]
    fn what_fixtures_hold_is_read_as_the_same_values() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut waiting = vec![root.join("fixtures"), root.join("crates/knowledge/src")];
        let (mut all, mut found) = (0, 0);
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    waiting.push(path);
                } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml")
                    && let Ok(text) = io::read_to_string(fs::File::open(&path).expect("a file"))
                {
                    let (of_file, read) = count(&text);
                    all += of_file;
                    found += read;
                }
            }
        }
        assert!(found * 2 > all, "{found} of {all}");
    }
}
