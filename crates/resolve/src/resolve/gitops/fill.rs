//! Filling in placeholders whose values are known: `{{ … }}` of `ApplicationSets`, `${…}` of Flux.

use std::{ops::Range, sync::Arc};

use crate::{
    source::{Files, Span},
    syntax::yaml::{self, place},
    value::{
        Entry, HOLE_END, HOLE_START, Kind, List, Map, Symbol, Text, TextPiece, TextSource, Value,
        step::StepKind,
    },
};

/// The values of placeholders.
pub(super) struct Filling<'a> {
    /// The value of a placeholder at a place; `None` while it is not known.
    pub lookup: &'a dyn Fn(&Symbol, Span) -> Option<Value>,
    /// Set when the text is filled in before it is read as YAML, so that `${ON}` may become `true`.
    pub before_reading: Option<&'a Files>,
}

impl Filling<'_> {
    /// The value with every known placeholder filled in, at any depth.
    #[must_use]
    pub(super) fn fill(&self, value: &Value) -> Value {
        let kind = match &value.kind {
            Kind::Unknown(symbol) => {
                return self.replacement(value, symbol).unwrap_or_else(|| value.clone());
            }
            Kind::String(text) if !text.holes.is_empty() => {
                Kind::String(self.text(text, value.span))
            }
            Kind::List(list) => {
                let items = list.items.iter().map(|it| self.fill(it)).collect();
                Kind::List(Arc::new(List { items, rest: list.rest.clone(), is_set: list.is_set }))
            }
            Kind::Map(map) => {
                let fill = |it: &Entry| Entry { value: self.fill(&it.value), ..it.clone() };
                let entries = map.entries.iter().map(fill).collect();
                Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
            }
            _ => return value.clone(),
        };
        Value { kind, ..value.clone() }
    }

    fn replacement(&self, value: &Value, symbol: &Symbol) -> Option<Value> {
        let found = (self.lookup)(symbol, value.span)?;
        let text = text_of(&found)?;
        let quoted = |files: &Files| files.text(value.span).starts_with(['"', '\'']);
        let kind = match self.before_reading {
            Some(files) if !quoted(files) => {
                let read = yaml::parse_literal(&text, found.span).values.pop();
                read.map_or(Kind::Null, |it| it.kind)
            }
            _ => Kind::String(text),
        };
        let filled = Value { kind, name: value.name, ..found };
        Some(filled.through(value.span, StepKind::Placeholder(symbol.text.clone())))
    }

    fn text(&self, text: &Text, whole: Span) -> Text {
        let mut filled = Filled::default();
        let mut done = 0;
        for (range, index) in holes(&text.text) {
            filled.copy(text, done..range.start);
            done = range.end;
            let Some(symbol) = text.holes.get(index) else { continue };
            let span = text.locate(range.start, range.end, whole);
            let found = (self.lookup)(symbol, span).and_then(|it| Some((text_of(&it)?, it.span)));
            match found {
                Some((found, place)) => filled.put(&found, place),
                None => filled.hole(symbol, span),
            }
        }
        filled.copy(text, done..text.text.len());
        let layout = match text.layout {
            TextSource::Nowhere => TextSource::Nowhere,
            _ => place::from_pieces(filled.pieces),
        };
        Text {
            text: filled.text.into(),
            layout,
            holes: filled.holes.into(),
            encodes: None,
            carried: None,
        }
    }
}

/// The text a scalar is filled in as.
#[must_use]
pub(super) fn text_of(value: &Value) -> Option<Text> {
    match &value.kind {
        Kind::String(text) => text.known().is_some().then(|| text.clone()),
        Kind::Bool(flag) => Some(Text::computed(flag.to_string())),
        Kind::Number(number) => Some(Text::computed(number.to_string())),
        _ => None,
    }
}

/// A text under construction.
#[derive(Default)]
struct Filled {
    text: String,
    pieces: Vec<TextPiece>,
    holes: Vec<Symbol>,
}

impl Filled {
    fn copy(&mut self, text: &Text, range: Range<usize>) {
        let run = text.text.get(range.clone()).unwrap_or_default();
        if !run.is_empty() {
            place::add_pieces(text, range, self.text.len(), &mut self.pieces);
            self.text.push_str(run);
        }
    }

    fn put(&mut self, text: &Text, span: Span) {
        match text.layout {
            TextSource::Nowhere => self.piece(&text.text.clone(), span),
            _ => self.copy(text, 0..text.text.len()),
        }
    }

    fn hole(&mut self, symbol: &Symbol, span: Span) {
        self.piece(&format!("{HOLE_START}{}{HOLE_END}", self.holes.len()), span);
        self.holes.push(symbol.clone());
    }

    fn piece(&mut self, text: &str, span: Span) {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.pieces.push(TextPiece { at: offset(self.text.len()), len: offset(text.len()), span });
        self.text.push_str(text);
    }
}

/// The holes of a text: where each is, and its number.
fn holes(text: &str) -> impl Iterator<Item = (Range<usize>, usize)> {
    text.match_indices(HOLE_START).filter_map(|(at, start)| {
        let rest = text.get(at + start.len()..)?;
        let digits = rest.find(HOLE_END)?;
        let index = rest.get(..digits)?.parse().ok()?;
        Some((at..at + start.len() + digits + HOLE_END.len_utf8(), index))
    })
}

#[cfg(test)]
mod tests {
    use super::Filling;
    use crate::{
        source::{FileId, Files, SourceFile, Span},
        syntax::yaml,
        value::{Symbol, Text, Value},
    };

    const SOURCE: &str = "name: shop\nwhole: '{{ name }}'\nmixed: a-{{ name }}-{{ other }}-b\nblock: |\n  x: 1\n  clusterName: {{ name }}-x # why\n";

    #[test]
    fn places_survive_filling() {
        let files = Files::new(vec![SourceFile::new("a.yaml", SOURCE)]);
        let whole = Span::new(FileId(0), 0, SOURCE.len());
        let parsed = yaml::parse(&Text::verbatim(SOURCE, whole), whole).values.remove(0);
        let name = parsed.get("name").present().unwrap().clone();
        let lookup = |it: &Symbol, _: Span| (&*it.text == "{{ name }}").then(|| name.clone());
        let filled = Filling { lookup: &lookup, before_reading: None }.fill(&parsed);
        let whole = filled.get("whole").present().unwrap();
        assert_eq!(whole.as_str(), Some("shop"));
        assert_eq!((files.text(whole.span), files.text(whole.name)), ("shop", "whole"));
        assert_eq!(whole.steps().next().map(|it| files.text(it.span)), Some("'{{ name }}'"));
        let mixed = filled.get("mixed").present().unwrap();
        assert!(mixed.as_str().is_none() && mixed.is_unknown());
        let block = filled.get("block").present().unwrap();
        let crate::value::Kind::String(text) = &block.kind else { panic!("text") };
        let inner = yaml::parse(text, block.span).values.remove(0);
        let cluster = inner.get("clusterName").present().unwrap();
        assert_eq!(cluster.as_str(), Some("shop-x"));
        assert_eq!(
            files.text(inner.get("x").present().map_or(whole.span, |it: &Value| it.span)),
            "1"
        );
        assert_eq!(files.text(cluster.name), "clusterName");
    }

    #[test]
    fn text_filled_before_reading_gets_its_type() {
        let source = "on: true\na: ${on}\nb: '${on}'\n";
        let files = Files::new(vec![SourceFile::new("a.yaml", source)]);
        let whole = Span::new(FileId(0), 0, source.len());
        let parsed = yaml::parse(&Text::verbatim(source, whole), whole).values.remove(0);
        let lookup = |_: &Symbol, _: Span| Some(Value::computed("true", whole));
        let filled = Filling { lookup: &lookup, before_reading: Some(&files) }.fill(&parsed);
        assert_eq!(filled.get("a").present().and_then(Value::as_bool), Some(true));
        assert_eq!(filled.get("b").present().and_then(Value::as_str), Some("true"));
    }
}
