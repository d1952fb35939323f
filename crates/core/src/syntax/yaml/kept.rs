//! Which parts of documents are kept.

use crate::syntax::yaml::omission::Omission;

/// Of some lists of a document, what is kept of the mappings in them. Lists in brackets and what an alias repeats are
/// kept as they are.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Where the mapping is that holds the lists, its keys joined by dots.
    pub path: &'static str,
    /// The lists, each with the keys that are kept of its items.
    pub lists: &'static [(&'static str, &'static [&'static str])],
}

/// Gives what is kept of a document, by its text; `None` where that is all of it.
pub type KeptOf = fn(&str) -> Option<Kept>;

/// What is kept of documents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keeping {
    /// What is unknown of some documents.
    pub omission: Option<&'static Omission>,
    /// What is kept of the lists of others.
    pub lists: Option<KeptOf>,
    /// Whether nothing is kept of a document that is surely readable.
    pub only_checks: bool,
}

#[cfg(test)]
mod tests {
    use crate::{
        source::{FileId, Span},
        syntax::yaml::{Kept, parse_file, parse_some},
        value::{Text, Value},
    };

    fn read(source: &str) -> (Vec<String>, String) {
        const KEPT: Kept = Kept { path: "a.b", lists: &[("list", &["name", "c"])] };
        let whole = Span::new(FileId(0), 0, source.len());
        let text = Text::verbatim(source, whole);
        let some = parse_some(&text, whole, |_| true, None, Some(|_| Some(KEPT)));
        let all = parse_file(FileId(0), source);
        assert_eq!(some.parse_errors, all.parse_errors, "{source}");
        let list = |it: &Value| it.at("a.b.list").present().cloned();
        let list = some.values.iter().find_map(list);
        let items = list.iter().flat_map(Value::items);
        let keys = |it: &Value| {
            let keys = it.entries().iter().map(|it| &*it.key);
            keys.collect::<Vec<_>>().join(" ")
        };
        (items.map(keys).collect(), format!("{:?}", some.values.first().map(|it| it.span)))
    }

    #[test]
    fn items_have_the_keys_that_are_kept() {
        let cases: [(&str, &[&str]); 11] = [
            (
                "  b:\n    list:\n    - name: d\n      e: f\n      c: |\n        g\n    - h: i\n",
                &["name c", ""],
            ),
            (
                "  b:\n    list:\n    - e:\n        name: d\n        f: [g]\n        h:\n        - i\n      c:\n        e: f\n",
                &["c"],
            ),
            ("  b:\n    list:\n    - e: >-\n        d\n        f\n      name: g\n", &["name"]),
            ("  b:\n    list:\n    - e: d\n      e: f\n", &["e"]),
            ("  b:\n    list:\n    - e: &d f\n      name: *d\n", &["e name"]),
            ("  b:\n    list:\n    - {name: d, e: f}\n", &["name e"]),
            ("  b: {list: [{name: d, e: f}]}\n", &["name e"]),
            ("  b:\n    list:\n    - - e: d\n", &[""]),
            ("  b:\n    list:\n      e: d\n", &[]),
            ("  b:\n    list:\n    - e: [d\n", &[]),
            ("  list:\n  - e: d\n", &[]),
        ];
        for (source, expected) in cases {
            let source = format!("a:\n{source}");
            let (keys, span) = read(&source);
            assert_eq!(keys, expected, "{source}");
            let all = parse_file(FileId(0), &source).values;
            assert_eq!(span, format!("{:?}", all.first().map(|it| it.span)), "{source}");
        }
    }

    #[test]
    fn lists_elsewhere_are_whole() {
        for source in [
            "a:\n  list:\n  - e: d\n",
            "list:\n- e: d\n",
            "b:\n  list:\n  - e: d\n",
            "a:\n- b:\n    list:\n    - e: d\n",
        ] {
            let whole = Span::new(FileId(0), 0, source.len());
            let text = Text::verbatim(source, whole);
            let kept = |_: &str| Some(Kept { path: "a.b", lists: &[("list", &["name"])] });
            let some = parse_some(&text, whole, |_| true, None, Some(kept));
            let all = parse_file(FileId(0), source);
            assert_eq!(format!("{some:?}"), format!("{all:?}"));
        }
    }
}
