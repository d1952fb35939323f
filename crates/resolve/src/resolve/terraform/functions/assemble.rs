//! Putting texts together while keeping holes and places.

use std::sync::Arc;

use crate::{
    resolve::terraform::functions::scalar,
    source::Span,
    value::{Carried, HOLE_END, HOLE_START, Kind, Symbol, Text, TextPiece, TextSource, Value},
};

/// A text in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    text: String,
    holes: Vec<Symbol>,
    pieces: Vec<TextPiece>,
    carried: Vec<Carried>,
}

/// A run of a text: characters, or a hole.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Segment<'a> {
    /// Known characters; the offset in the text is where they begin.
    Known(&'a str, usize),
    /// An unknown piece and the bytes its placeholder takes.
    Hole(&'a Symbol, usize, usize),
}

/// The runs of a text in order.
#[must_use]
pub(crate) fn segments(text: &Text) -> Vec<Segment<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    if !text.holes.is_empty() {
        while let Some((start, end, hole)) = next_hole(text, from) {
            if start > from {
                found.push(Segment::Known(&text.text[from..start], from));
            }
            found.push(Segment::Hole(hole, start, end));
            from = end;
        }
    }
    if from < text.text.len() {
        found.push(Segment::Known(&text.text[from..], from));
    }
    found
}

/// The placeholder at or after `from`: its start, its end and what it stands for.
fn next_hole(text: &Text, mut from: usize) -> Option<(usize, usize, &Symbol)> {
    loop {
        let start = from + text.text.get(from..)?.find(HOLE_START)?;
        let inside = start + HOLE_START.len_utf8();
        let length = text.text[inside..].find(HOLE_END)?;
        let end = inside + length + HOLE_END.len_utf8();
        let index = text.text[inside..inside + length].parse::<usize>().ok();
        if let Some(hole) = index.and_then(|it| text.holes.get(it)) {
            return Some((start, end, hole));
        }
        from = inside;
    }
}

impl Assembly {
    /// How many bytes there are so far.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds characters that are written nowhere; `span` is the nearest place.
    pub(crate) fn push(&mut self, text: &str, span: Span) {
        let start = self.text.len();
        self.text.push_str(text);
        self.place(start, span);
    }

    /// Adds an unknown piece.
    pub(crate) fn push_hole(&mut self, symbol: &Symbol, span: Span) {
        let start = self.text.len();
        self.text.push(HOLE_START);
        self.text.push_str(&self.holes.len().to_string());
        self.text.push(HOLE_END);
        self.holes.push(symbol.clone());
        self.place(start, span);
    }

    /// Adds a text with its holes and places; `whole` is the span of the whole text.
    pub(crate) fn push_text(&mut self, text: &Text, whole: Span) {
        let start = self.text.len();
        self.push_segments(text, whole);
        if text.encodes.is_some() || text.carried.is_some() {
            let value = Value::new(Kind::String(text.clone()), whole);
            let (at, len) = (offset(start), offset(self.text.len() - start));
            carry(&value, at, len, false, &mut self.carried);
        }
    }

    fn push_segments(&mut self, text: &Text, whole: Span) {
        for segment in segments(text) {
            match segment {
                Segment::Known(known, at) => self.push_run(text, known, at, whole),
                Segment::Hole(symbol, start, end) => {
                    self.push_hole(symbol, text.locate(start, end, whole));
                }
            }
        }
    }

    /// Adds a run of known characters, split where its source is split.
    pub(crate) fn push_run(&mut self, text: &Text, known: &str, at: usize, whole: Span) {
        let end = at + known.len();
        let mut from = at;
        if let TextSource::Pieces(pieces) = &text.layout {
            let first = pieces.partition_point(|it| (it.at as usize) <= at);
            for piece in pieces.iter().skip(first) {
                let next = piece.at as usize;
                if next >= end {
                    break;
                }
                if next > from && known.is_char_boundary(next - at) {
                    self.push(&known[from - at..next - at], text.locate(from, next, whole));
                    from = next;
                }
            }
        }
        if from < end {
            self.push(&known[from - at..], text.locate(from, end, whole));
        }
    }

    /// Adds a scalar as text; `None` if it is none, or null.
    #[must_use]
    pub(crate) fn push_scalar(&mut self, value: &Value) -> Option<()> {
        match scalar::scalar_text(value)? {
            Ok(text) => self.push_text(&text, value.span),
            Err(symbol) => self.push_hole(&symbol, value.span),
        }
        Some(())
    }

    /// The text with the places of its pieces.
    #[must_use]
    pub(crate) fn finish(self) -> Text {
        let encodes = only_encoding(&self.text, &self.carried);
        let carried = (!self.carried.is_empty()).then(|| Arc::new(self.carried.clone()));
        let layout = TextSource::Pieces(self.pieces.clone().into());
        Text { layout, encodes, carried, ..self.without_places() }
    }

    /// The text, written nowhere.
    #[must_use]
    pub(crate) fn computed(self) -> Text {
        self.without_places()
    }

    fn without_places(&self) -> Text {
        Text { holes: self.holes.clone().into(), ..Text::computed(self.text.as_str()) }
    }

    fn place(&mut self, start: usize, span: Span) {
        let at = offset(start);
        let len = offset(self.text.len() - start);
        if len > 0 {
            self.pieces.push(TextPiece { at, len, span });
        }
    }
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Notes that a value was put into a text at a place, as `len` bytes: what it encodes, the values that were
/// put into it before, and with `scalars` any value.
pub(crate) fn carry(value: &Value, at: u32, len: u32, scalars: bool, carried: &mut Vec<Carried>) {
    let run = |value: &Value, is_encoded| Carried { at, len, value: value.clone(), is_encoded };
    match &value.kind {
        Kind::String(text) => match (&text.encodes, &text.carried) {
            (Some(encoded), _) => carried.push(run(encoded, true)),
            (None, _) if scalars && !matches!(text.layout, TextSource::Nowhere) => {
                carried.push(run(value, false));
            }
            (None, Some(inner)) if text.text.len() == len as usize => {
                let moved = |it: &Carried| Carried { at: it.at.saturating_add(at), ..it.clone() };
                carried.extend(inner.iter().map(moved));
            }
            (None, _) if scalars => carried.push(run(value, false)),
            (None, _) => {}
        },
        Kind::Bool(_) | Kind::Number(_) if scalars => carried.push(run(value, false)),
        _ => {}
    }
}

/// The value that a text encodes: there are only blanks around its one run.
#[must_use]
pub(crate) fn only_encoding(text: &str, carried: &[Carried]) -> Option<Arc<Value>> {
    let [only] = carried else { return None };
    let range = only.range();
    let around =
        text.get(..range.start)?.trim().is_empty() && text.get(range.end..)?.trim().is_empty();
    (only.is_encoded && around).then(|| Arc::new(only.value.clone()))
}
