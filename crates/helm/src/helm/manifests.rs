//! What Helm makes of the text that a template prints: documents, each of which has to be a mapping.

use std::ops::Range;

use crate::{
    findings::Severity,
    helm::fault::{ErrorKind, RenderError},
    source::Span,
    syntax::yaml,
    value::{HOLE_START, Kind, Text},
};

/// Why Helm does not read what a template printed.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// What it would say, and where the reading stops.
    pub error: RenderError,
    /// Whether nothing that is not known can change that.
    pub is_certain: bool,
}

/// The first document that Helm refuses of what the template of that name printed: one refusal is one of the whole
/// chart. Those that are certain go first.
#[must_use]
pub fn refusal(name: &str, text: &Text, whole: Span) -> Option<Refusal> {
    let mut uncertain = None;
    for range in documents(&text.text) {
        let document = text.text.get(range.clone()).unwrap_or_default();
        let Some((message, place)) = problem(document) else { continue };
        let (start, end) = (range.start + place.start, range.start + place.end);
        let error = RenderError {
            message: format!("YAML parse error on {name}: {message}"),
            kind: ErrorKind::Yaml,
            span: Some(text.locate(start, end, whole)),
            calls: Vec::new(),
        };
        let is_certain = !document.contains(HOLE_START);
        let found = Refusal { error, is_certain };
        if is_certain {
            return Some(found);
        }
        uncertain.get_or_insert(found);
    }
    uncertain
}

/// What is wrong with a document, and where in it.
fn problem(document: &str) -> Option<(String, Range<usize>)> {
    // The places are those in the document, whatever the file.
    let whole = Span::new(crate::source::FileId(0), 0, document.len());
    let read = yaml::parse_literal(&Text::verbatim(document, whole), whole);
    if let Some(it) = read.parse_errors.iter().find(|it| it.severity == Severity::Error) {
        return Some((it.message.clone(), it.span.range()));
    }
    let value = read.values.first()?;
    let found = match &value.kind {
        Kind::String(_) => "text",
        Kind::List(_) => "a list",
        Kind::Number(_) => "a number",
        Kind::Bool(_) => "a boolean",
        Kind::Map(_) | Kind::Null | Kind::Unknown(_) => return None,
    };
    let line = document.lines().next().unwrap_or_default().len();
    Some((format!("{found} where an object is expected"), 0..line))
}

/// The documents as Helm cuts them: at each `---` that begins a line, without the blanks around it, also those that
/// indent what follows.
#[must_use]
pub fn documents(source: &str) -> Vec<Range<usize>> {
    const BLANKS: [char; 5] = [' ', '\t', '\n', '\r', '\u{c}'];
    let end = source.trim_end().len();
    let mut start = end - source.get(..end).unwrap_or_default().trim_start().len();
    let mut found = Vec::new();
    let behind = |at: usize| {
        let rest = source.get(at..end).unwrap_or_default();
        end - rest.trim_start_matches(BLANKS).len()
    };
    if source.get(start..end).is_some_and(|it| it.starts_with("---")) {
        start = behind(start + 3);
    }
    while let Some(rest) = source.get(start..end) {
        let Some(at) = rest.find("\n---") else { break };
        let before = rest.get(..at).unwrap_or_default().trim_end_matches(BLANKS).len();
        found.push(start..start + before);
        start = behind(start + at + 4);
    }
    found.push(start..end);
    found.retain(|it| !it.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::{documents, refusal};
    use crate::{
        source::{FileId, Span},
        value::{Symbol, Text},
    };

    #[test]
    fn documents_are_cut_as_helm_cuts_them() {
        for (source, wanted) in [
            ("", &[] as &[&str]),
            ("\n a: 1\nb: 2\n", &["a: 1\nb: 2"]),
            ("---\n  a: 1\n---\n\n---\nb: 1\n---", &["a: 1", "---\nb: 1"]),
            ("a: 1\n\n---   # x\nb: |\n  ---\n", &["a: 1", "# x\nb: |\n  ---"]),
            ("a: 1\n---b: 2", &["a: 1", "b: 2"]),
        ] {
            let found: Vec<&str> = documents(source).into_iter().map(|it| &source[it]).collect();
            assert_eq!(found, wanted, "{source:?}");
        }
    }

    #[test]
    fn a_document_is_a_mapping() {
        let refused = |text: &str| {
            let whole = Span::new(FileId(7), 0, text.len());
            let found = refusal("a.yaml", &Text::verbatim(text, whole), whole)?;
            Some(text[found.error.span?.range()].to_owned())
        };
        assert_eq!(refused("a: 1\n---\n# none\n---\nb: 2\n"), None);
        assert_eq!(refused("a: 1\n---\nx: a: b: c\n").as_deref(), Some(": b: c"));
        assert_eq!(refused("Use it.\nOften.\n").as_deref(), Some("Use it."));
        assert_eq!(refused("- a: 1\n").as_deref(), Some("- a: 1"));
        assert_eq!(refused("---\n  a: 1\nb: 2\n"), None);
    }

    #[test]
    fn what_is_not_known_may_mend_a_document() {
        let mut text = Text::computed("a: b: \u{e000}0\u{e001}\n---\nc: 1\n");
        text.holes = vec![Symbol::of_installation("x")].into();
        let whole = Span::new(FileId(7), 0, 0);
        assert!(!refusal("a.yaml", &text, whole).unwrap().is_certain);
        text.text = "a: \u{e000}0\u{e001}\n---\nb: c: 1\n".into();
        assert!(refusal("a.yaml", &text, whole).unwrap().is_certain);
    }
}
