//! From karplint's values to those of the template language.

use std::{collections::BTreeMap, rc::Rc};

use crate::{
    helm::{
        text::{Builder, Source, Text},
        value::{Dict, Item, Kind, Val},
    },
    value::{HOLE_END, HOLE_START, Kind as Given, Text as GivenText, TextSource, Value},
};

/// How deep values may nest.
pub(crate) const DEPTH: usize = 100;

/// A value as templates see it.
pub(crate) fn val(value: &Value) -> Val {
    nested(value, 0)
}

fn nested(value: &Value, depth: usize) -> Val {
    let origin = Rc::new(value.clone());
    let kind = match &value.kind {
        _ if depth > DEPTH => Kind::Nil,
        Given::Null => Kind::Nil,
        Given::Bool(value) => Kind::Bool(*value),
        Given::Number(number) => Kind::Float(*number),
        Given::String(text) => match text.only_hole() {
            Some(symbol) => Kind::Unknown(Rc::new(symbol.clone())),
            None => Kind::Text(mapped(text, &origin)),
        },
        Given::List(list) => match &list.rest {
            Some(symbol) => Kind::Unknown(Rc::new(symbol.clone())),
            None => Val::list(list.items.iter().map(|it| nested(it, depth + 1)).collect()).kind,
        },
        Given::Map(map) => {
            let item = |it: &crate::value::Entry| {
                let value = nested(&it.value, depth + 1);
                (Rc::from(&*it.key), Item { key_span: Some(it.key_span), value })
            };
            let entries: BTreeMap<Rc<str>, Item> = map.entries.iter().map(item).collect();
            Kind::Map(Dict::of(entries, map.rest.clone().map(Rc::new)))
        }
        Given::Unknown(symbol) => Kind::Unknown(Rc::new(symbol.clone())),
    };
    Val { kind, origin: Some(origin) }
}

/// A text whose bytes belong to a value.
pub(crate) fn mapped(text: &GivenText, value: &Rc<Value>) -> Text {
    let mut builder = Builder::default();
    let source = &*text.text;
    let mut at = 0;
    for part in parts(source) {
        let range = at..at + part.len();
        at = range.end;
        match hole_number(part).and_then(|it| text.holes.get(it)) {
            Some(symbol) => builder.push_text(&Text::hole(symbol.clone())),
            None => places(text, range, value, &mut builder),
        }
    }
    builder.finish()
}

/// The bytes of a text, each piece with its own place.
fn places(text: &GivenText, range: std::ops::Range<usize>, value: &Rc<Value>, to: &mut Builder) {
    let slice = |range: std::ops::Range<usize>| text.text.get(range).unwrap_or_default();
    let TextSource::Pieces(pieces) = &text.layout else {
        let span = text.locate(range.start, range.end, value.span);
        to.push(slice(range), &Source::Value(Rc::clone(value), span));
        return;
    };
    let mut at = range.start;
    let first = pieces.partition_point(|it| (it.at + it.len) as usize <= range.start);
    for piece in pieces.iter().skip(first) {
        let start = (piece.at as usize).clamp(at, range.end);
        let end = ((piece.at + piece.len) as usize).clamp(start, range.end);
        if start > at {
            to.push(slice(at..start), &Source::Value(Rc::clone(value), value.span));
        }
        let span = text.locate(start, end, value.span);
        to.push(slice(start..end), &Source::Value(Rc::clone(value), span));
        at = end;
        if at >= range.end {
            break;
        }
    }
    to.push(slice(at..range.end), &Source::Value(Rc::clone(value), value.span));
}

/// The holes and what is between them.
fn parts(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = source;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let cut = match rest.find(HOLE_START) {
            Some(0) => rest.find(HOLE_END).map_or(rest.len(), |it| it + HOLE_END.len_utf8()),
            Some(at) => at,
            None => rest.len(),
        };
        let (part, after) = rest.split_at(cut);
        rest = after;
        Some(part)
    })
}

fn hole_number(part: &str) -> Option<usize> {
    part.strip_prefix(HOLE_START)?.strip_suffix(HOLE_END)?.parse().ok()
}
