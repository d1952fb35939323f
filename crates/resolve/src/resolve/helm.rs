//! Helm values: documents merged in order, then `set`.
//!
//! A null stays in the result, because Helm takes the chart's default away for it, which is not the same
//! as saying nothing.

pub mod merge;
pub(crate) mod set;

use std::sync::Arc;

use crate::{
    findings::Severity,
    resolve::helm::{
        merge::{merge, opened},
        set::Set,
    },
    source::Span,
    syntax::{ParseError, yaml},
    value::{Kind, Map, Symbol, Text, Value},
};

/// More documents for one release are not realistic; each costs a walk over what was merged before.
const MAX_DOCUMENTS: usize = 512;
/// More values set one by one are not realistic.
const MAX_SETS: usize = 8192;

/// The values of a release.
#[derive(Clone, Debug)]
pub struct Values {
    /// The merged mapping; open where something unknown may have been merged in.
    pub value: Value,
    /// What could not be read of the documents.
    pub parse_errors: Vec<ParseError>,
}

/// Merges documents in their order and applies the sets in theirs. A document is a mapping or the text
/// of one. `place` is what the result points at when there are no values at all.
#[must_use]
pub fn values(documents: &[Value], sets: &[Set], place: Span) -> Values {
    let mut merged = Values { value: Value::map(Vec::new(), place), parse_errors: Vec::new() };
    if documents.len() > MAX_DOCUMENTS || sets.len() > MAX_SETS {
        merged.value = anything(Symbol::new("values", "too many"), &merged.value);
        return merged;
    }
    for document in documents {
        if let Some(over) = read(document, &mut merged.parse_errors) {
            merged.value = merge(merged.value, &over);
        }
    }
    for set in sets {
        merged.value = set::apply(merged.value, set);
    }
    merged
}

/// A document as a mapping; one that may hold anything is an open, empty mapping.
fn read(document: &Value, parse_errors: &mut Vec<ParseError>) -> Option<Value> {
    let (value, whole) = match &document.kind {
        Kind::String(text) => text_of(text, document.span, parse_errors),
        _ => (Some(document.clone()), true),
    };
    let value = match value {
        Some(Value { kind: Kind::Null, .. }) | None if whole => return None,
        // Helm refuses what is no mapping, so the values are unknown.
        None => return Some(anything(symbol(document), document)),
        Some(value) => value,
    };
    match &value.kind {
        Kind::Map(_) if whole => Some(value),
        Kind::Map(_) => Some(opened(value, &symbol(document))),
        Kind::Unknown(symbol) => Some(anything(symbol.clone(), document)),
        _ => Some(anything(symbol(document), document)),
    }
}

/// The value a text encodes, and whether all of it could be read.
fn text_of(text: &Text, span: Span, parse_errors: &mut Vec<ParseError>) -> (Option<Value>, bool) {
    if let Some(value) = &text.encodes {
        return (Some(Value::clone(value)), true);
    }
    let documents = yaml::parse(text, span);
    let whole = documents.parse_errors.iter().all(|it| it.severity != Severity::Error);
    parse_errors.extend(documents.parse_errors);
    (documents.values.into_iter().next(), whole)
}

fn anything(symbol: Symbol, document: &Value) -> Value {
    let map = Map { entries: Vec::new(), rest: Some(symbol) };
    Value { kind: Kind::Map(Arc::new(map)), ..document.clone() }
}

/// A name for what a document may hold: its own, if it has one, else its place.
fn symbol(document: &Value) -> Symbol {
    if let Kind::Unknown(symbol) = &document.kind {
        return symbol.clone();
    }
    let Span { file, start, end } = document.span;
    Symbol::new("values", format!("{}:{start}-{end}", file.0))
}

#[cfg(test)]
mod tests;
