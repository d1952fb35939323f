//! Typed parts of a YAML value, and complaints about what is not of that type.

use std::sync::Arc;

use crate::{
    findings::Severity,
    source::Span,
    syntax::ParseError,
    value::{Entry, Field, Kind, Text, Value},
};

/// Reads parts, and gathers what is wrong.
#[derive(Default)]
pub(super) struct Reader {
    /// What is wrong.
    pub(super) errors: Vec<ParseError>,
}

impl Reader {
    /// Complains about a place.
    pub(super) fn wrong(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(ParseError::new(span, message, Severity::Error));
    }

    /// The entries of a mapping, none of which has another key than these.
    pub(super) fn entries<'v>(&mut self, value: &'v Value, known: &[&str]) -> &'v [Entry] {
        if value.as_map().is_none() {
            self.wrong(value.span, "a mapping is expected here");
        }
        for entry in value.entries() {
            if !known.contains(&&*entry.key) {
                let hint = did_you_mean(&entry.key, known);
                let key = &entry.key;
                self.wrong(entry.key_span, format!("`{key}` is no field of a policy{hint}"));
            }
        }
        value.entries()
    }

    /// The text of a field, if it is there.
    pub(super) fn text(&mut self, value: &Value, key: &str) -> Option<(Text, Span)> {
        match value.get(key) {
            Field::Present(found) => {
                let text = scalar(found);
                if text.is_none() {
                    self.wrong(found.span, format!("`{key}` is a text"));
                }
                text.map(|it| (it, found.span))
            }
            Field::Missing | Field::Unknown => None,
        }
    }

    /// The words of a field, if it is there.
    pub(super) fn words(&mut self, value: &Value, key: &str) -> Option<Arc<str>> {
        self.text(value, key).map(|(text, _)| text.text.trim().into())
    }

    /// The words of a field that has to be there.
    pub(super) fn required(&mut self, value: &Value, key: &str) -> Option<(Text, Span)> {
        let is_there = value.get(key).present().is_some();
        if !is_there {
            self.wrong(value.name, format!("`{key}` is missing"));
        }
        self.text(value, key)
    }

    /// The items of a list; none if it is not there.
    pub(super) fn items<'v>(&mut self, value: &'v Value, key: &str) -> &'v [Value] {
        match value.get(key) {
            Field::Present(found) => {
                if found.as_list().is_none() {
                    self.wrong(found.span, format!("`{key}` is a list"));
                }
                found.items()
            }
            Field::Missing | Field::Unknown => &[],
        }
    }
}

/// A scalar as text: YAML takes `true` for a truth value and CEL for an expression.
fn scalar(value: &Value) -> Option<Text> {
    match &value.kind {
        Kind::String(text) => Some(text.clone()),
        Kind::Bool(it) => Some(Text::verbatim(it.to_string(), value.span)),
        Kind::Number(it) => Some(Text::computed(it.to_string())),
        _ => None,
    }
}

/// The near word, as the end of a message; nothing if none is near.
#[must_use]
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> String {
    let nearness = known.iter().map(|it| strsim::normalized_damerau_levenshtein(word, it));
    let best = nearness.zip(known).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((nearness, it)) if nearness > 0.5 => format!("; did you mean `{it}`?"),
        _ => String::new(),
    }
}
