//! What is read and not kept.

/// What nobody asks about in documents of a kind. It is read, and what is wrong with it is found; then it is as
/// good as unknown and costs no memory.
#[derive(Debug)]
pub struct Omission {
    /// The line that such a document has.
    pub line: &'static str,
    /// The key whose values are left out.
    pub key: &'static str,
}

impl Omission {
    /// Whether a text has the key and is no such document.
    #[must_use]
    pub fn is_named_elsewhere(&self, text: &str) -> bool {
        memchr::memmem::find(text.as_bytes(), self.key.as_bytes()).is_some() && !self.concerns(text)
    }

    /// Whether a document is of the kind.
    pub(super) fn concerns(&self, document: &str) -> bool {
        let document = document.as_bytes();
        let begins = |at: usize| at == 0 || document.get(at - 1) == Some(&b'\n');
        memchr::memmem::find_iter(document, self.line).any(begins)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        source::{FileId, Span},
        syntax::yaml::{Omission, parse_file, parse_some},
        value::{Text, Value},
    };

    #[test]
    fn what_is_omitted_is_read_and_unknown() {
        static SCHEMAS: Omission = Omission { line: "kind: Definition", key: "schema" };
        let parse = |source: &str| {
            let whole = Span::new(FileId(0), 0, source.len());
            let text = Text::verbatim(source, whole);
            parse_some(&text, whole, |_| true, Some(&SCHEMAS), None)
        };
        let inside =
            "  schema:\n    a: {b: 1}\n    c:\n    - d\n    text: |\n      kind: x\n  names: e\n";
        let cases = [
            (format!("kind: Definition\nspec:\n{inside}"), false),
            (format!("apiVersion: v1\nkind: Definition\nspec:\n{inside}"), false),
            (format!("kind: Other\nspec:\n{inside}"), true),
        ];
        for (source, is_known) in cases {
            let documents = parse(&source);
            let spec = documents.values[0].get("spec").present().unwrap();
            let schema = &spec.as_map().unwrap().entry("schema").unwrap().value;
            assert_eq!(schema.is_unknown(), !is_known, "{source}");
            assert_eq!(spec.get("names").present().and_then(Value::as_str), Some("e"));
            let all = parse_file(FileId(0), &source);
            let all = all.values[0].at("spec.schema").present().unwrap();
            assert_eq!(schema.span, all.span, "{source}");
        }
        let twice = "kind: Definition\nspec:\n  schema:\n    a: 1\n    a: 2\n";
        assert_eq!(parse(twice).parse_errors.len(), 1);
        let broken = "kind: Definition\nspec:\n  schema:\n    a: [1\n";
        assert_eq!(parse(broken).parse_errors.len(), 1);
    }
}
