//! Annotations in texts inside values: the configuration of a program, in TOML, YAML or JSON.

use memchr::memmem;

use crate::{
    model::annotation::key::DisruptionKey,
    source::Span,
    value::{Kind, Text, Value},
};

/// An annotation in a text.
#[derive(Debug)]
pub(super) struct TextMatch {
    /// Which.
    pub key: DisruptionKey,
    /// Where it is written.
    pub span: Span,
    /// The text in which it is true.
    pub value: Value,
}

/// Finds annotations that are true in the texts of a value.
pub(super) fn of_texts(value: &Value, depth: usize, found: &mut Vec<TextMatch>) {
    match &value.kind {
        Kind::String(text) => in_text(text, value.span, found),
        Kind::Map(map) if depth > 0 => {
            map.entries.iter().for_each(|it| of_texts(&it.value, depth - 1, found));
        }
        Kind::List(list) if depth > 0 => {
            list.items.iter().for_each(|it| of_texts(it, depth - 1, found));
        }
        _ => {}
    }
}

fn in_text(text: &Text, whole: Span, found: &mut Vec<TextMatch>) {
    for key in DisruptionKey::ALL {
        for at in memmem::find_iter(text.text.as_bytes(), key.word().as_bytes()) {
            let end = at + key.word().len();
            if is_true(&text.text, at, end) {
                let span = text.locate(at, end, whole);
                found.push(TextMatch { key, span, value: Value::computed("true", span) });
            }
        }
    }
}

/// Whether a line that is no comment sets the key at these bytes to `true`.
fn is_true(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(after)) = (text.get(..start), text.get(end..)) else { return false };
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_comment = ["#", "//", ";"].iter().any(|it| line.starts_with(it));
    let after = after.trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
    let value = after.strip_prefix(['=', ':']).map(|it| it.trim_start_matches([' ', '"', '\'']));
    !is_comment && value.is_some_and(|it| it.starts_with("true"))
}

#[cfg(test)]
mod tests {
    use super::of_texts;
    use crate::{
        source::{FileId, Span},
        value::{Kind, Text, Value},
    };

    #[test]
    fn a_line_that_sets_it_to_true_counts() {
        for (text, count) in [
            ("[pods]\n  \"karpenter.sh/do-not-evict\" = \"true\"\n", 1),
            ("karpenter.sh/do-not-evict: \"true\"", 1),
            ("{\"karpenter.sh/do-not-evict\": \"true\"}", 1),
            ("# karpenter.sh/do-not-evict: \"true\"", 0),
            ("karpenter.sh/do-not-evict: \"false\"", 0),
            ("the annotation karpenter.sh/do-not-evict is set", 0),
        ] {
            let span = Span::new(FileId(0), 0, text.len());
            let value = Value::new(Kind::String(Text::verbatim(text, span)), span);
            let mut found = Vec::new();
            of_texts(&value, 2, &mut found);
            assert_eq!(found.len(), count, "{text}");
        }
    }
}
