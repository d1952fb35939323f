//! Typed parts of an admission policy, and what the API server would refuse of it.

use std::sync::Arc;

use crate::{
    checks::naming::series,
    findings::Severity,
    source::Span,
    syntax::ParseError,
    value::{Field, Kind, Symbol, Text, Value},
};
use karplint_cel::{
    cel::{
        tree::Mistake,
        types::{Schema, Type},
    },
    policy::expression::Expression,
};

/// Reads parts, and gathers what is wrong and what is not known.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// What the API server would refuse, each at its character.
    pub(super) errors: Vec<ParseError>,
    /// Something that is not known: what was read is not all.
    pub(super) unknown: Option<Symbol>,
}

impl Reader {
    /// Complains about a place.
    pub(super) fn wrong(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(ParseError::new(span, message, Severity::Error));
    }

    /// A field, if it is there.
    pub(super) fn field<'v>(&mut self, value: &'v Value, key: &str) -> Option<&'v Value> {
        match value.get(key) {
            Field::Present(found) if found.is_unknown() => {
                self.note_unknown(found.unknown_at(""), found);
                None
            }
            Field::Present(found) => Some(found),
            Field::Missing => None,
            Field::Unknown => {
                self.note_unknown(value.unknown_at(key), value);
                None
            }
        }
    }

    /// A field that has to be there, below that name.
    pub(super) fn required<'v>(&mut self, value: &'v Value, key: &str) -> Option<&'v Value> {
        let found = self.field(value, key);
        if found.is_none() && value.get(key).is_missing() {
            self.wrong(value.name, format!("`{key}` is missing"));
        }
        found
    }

    /// A field's text, if it is there and all of it is known.
    pub(super) fn text<'v>(&mut self, value: &'v Value, key: &str) -> Option<(&'v Text, Span)> {
        let found = self.field(value, key)?;
        let Kind::String(text) = &found.kind else {
            self.wrong(found.span, format!("`{key}` is a text"));
            return None;
        };
        if let Some(hole) = text.holes.first() {
            self.unknown.get_or_insert_with(|| hole.clone());
            return None;
        }
        Some((text, found.span))
    }

    /// The text of a field that has to be there and is not blank.
    pub(super) fn required_text<'v>(
        &mut self,
        value: &'v Value,
        key: &str,
    ) -> Option<(&'v Text, Span)> {
        if value.get(key).is_missing() {
            self.wrong(value.name, format!("`{key}` is missing"));
        }
        let (text, span) = self.text(value, key)?;
        if text.text.trim().is_empty() {
            self.wrong(span, format!("`{key}` is empty"));
            return None;
        }
        Some((text, span))
    }

    /// A field that is one of some words, if it is there.
    pub(super) fn word(
        &mut self,
        value: &Value,
        key: &str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let (text, span) = self.text(value, key)?;
        let found = known.iter().find(|it| ***it == *text.text).copied();
        if found.is_none() {
            self.wrong(span, format!("`{key}` is one of {}", listed(known)));
        }
        found
    }

    /// The items of a field that is a list; none if it is not there.
    pub(super) fn items<'v>(&mut self, value: &'v Value, key: &str) -> &'v [Value] {
        let Some(found) = self.field(value, key) else { return &[] };
        let Kind::List(list) = &found.kind else {
            self.wrong(found.span, format!("`{key}` is a list"));
            return &[];
        };
        if let Some(rest) = &list.rest {
            self.unknown.get_or_insert_with(|| rest.clone());
        }
        &list.items
    }

    /// The texts of a field that is a list; none if it is not there.
    pub(super) fn texts(&mut self, value: &Value, key: &str) -> Vec<(Arc<str>, Span)> {
        let mut found = Vec::new();
        for item in self.items(value, key) {
            match (&item.kind, item.as_str()) {
                (_, Some(text)) => found.push((text.into(), item.span)),
                (Kind::Unknown(_) | Kind::String(_), None) => {
                    self.note_unknown(item.unknown_at(""), item);
                }
                _ => self.wrong(item.span, format!("`{key}` holds texts")),
            }
        }
        found
    }

    /// An expression that has to be there, of one of these types; its own type with it.
    pub(super) fn expression(
        &mut self,
        value: &Value,
        key: &str,
        (schema, wanted): (&Schema, &[Type]),
    ) -> Option<(Expression, Type)> {
        let (text, span) = self.required_text(value, key)?;
        let expression = match Expression::parse(text, span) {
            Ok(expression) => expression,
            Err(error) => {
                self.errors.push(error);
                return None;
            }
        };
        let (found, mistakes) = expression.program.check(schema);
        self.errors.extend(mistakes.iter().map(|it| expression.error(it)));
        // The API server takes no `dyn` for a bool.
        let is_wanted = wanted.is_empty() || wanted.contains(&found);
        if mistakes.is_empty() && !is_wanted {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            let message = format!("this is {found}, and {} is expected", wanted.join(" or "));
            let all = Mistake::new(0..expression.text().len(), message);
            self.errors.push(expression.error(&all));
        }
        Some((expression, found))
    }

    fn note_unknown(&mut self, symbol: Option<&Symbol>, at: &Value) {
        let unnamed = || Symbol::new("place", format!("#{}", at.span.start));
        self.unknown.get_or_insert_with(|| symbol.cloned().unwrap_or_else(unnamed));
    }
}

/// Words in a message.
fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|it| format!("`{it}`")).collect();
    series(&quoted)
}
