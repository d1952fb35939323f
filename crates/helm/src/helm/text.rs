//! Text that knows where each of its bytes is written, and which of its parts are not known.

use std::{fmt::Write, ops::Range, rc::Rc, sync::Arc};

use crate::{
    helm::condition::{Condition, Edge},
    source::Span,
    value::{
        Carried, HOLE_END, HOLE_START, Symbol, Text as Finished, TextPiece, TextSource, Value,
    },
};

/// Stands for a part that is not known; `source` of its run is [`Source::Hole`].
const HOLE: &str = "\u{e000}\u{e001}";

/// Text with its places. Cheap to copy.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    whole: Rc<str>,
    runs: Rc<[Run]>,
    has_holes: bool,
}

/// Bytes of one source.
#[derive(Clone, Debug)]
struct Run {
    /// First byte.
    at: usize,
    /// Where they are written.
    source: Source,
}

/// Where a run of bytes is from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Made by the engine.
    Nowhere,
    /// The bytes of this span, one for one.
    Written(Span),
    /// Made at this place.
    Made(Span),
    /// The text of a value, or its number: the value, and the span of the bytes.
    Value(Rc<Value>, Span),
    /// Not known.
    Hole(Rc<Symbol>),
    /// The edge of what is printed perhaps.
    Edge(Edge, Rc<Condition>),
}

impl Source {
    /// The same for the bytes from `offset`, `len` of them out of `whole`.
    fn part(&self, offset: usize, len: usize, whole: usize) -> Self {
        let inside = |span: &Span| {
            let verbatim = span.range().len() == whole;
            let start = span.start as usize + offset;
            if verbatim { Span::new(span.file, start, start + len) } else { *span }
        };
        match self {
            Self::Written(span) => Self::Written(inside(span)),
            Self::Value(value, span) => Self::Value(Rc::clone(value), inside(span)),
            other => other.clone(),
        }
    }

    /// Whether the bytes of the other go on where these end.
    fn goes_on(&self, other: &Self, len: usize) -> bool {
        match (self, other) {
            (Self::Nowhere, Self::Nowhere) => true,
            (Self::Made(a), Self::Made(b)) => a == b,
            (Self::Written(a), Self::Written(b)) => {
                a.range().len() == len && a.file == b.file && a.end == b.start
            }
            _ => false,
        }
    }

    fn joined(&mut self, other: &Self) {
        if let (Self::Written(a), Self::Written(b)) = (self, other) {
            a.end = b.end;
        }
    }

    fn span(&self) -> Option<Span> {
        match self {
            Self::Written(span) | Self::Made(span) | Self::Value(_, span) => Some(*span),
            Self::Nowhere | Self::Hole(_) | Self::Edge(..) => None,
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self { whole: "".into(), runs: Rc::new([]), has_holes: false }
    }
}

impl Text {
    /// Text of one source.
    pub(crate) fn new(text: impl Into<Rc<str>>, source: Source) -> Self {
        let has_holes = matches!(source, Source::Hole(_));
        Self { whole: text.into(), runs: Rc::new([Run { at: 0, source }]), has_holes }
    }

    /// Text that is not known.
    pub(crate) fn hole(symbol: Symbol) -> Self {
        Self::new(HOLE, Source::Hole(Rc::new(symbol)))
    }

    /// The characters, each hole as two of them.
    pub(crate) fn as_str(&self) -> &str {
        &self.whole
    }

    /// How many bytes.
    pub(crate) fn len(&self) -> usize {
        self.whole.len()
    }

    /// The characters, if all are known.
    pub(crate) fn known(&self) -> Option<&str> {
        (!self.has_holes).then_some(&*self.whole)
    }

    /// The first part that is not known.
    pub(crate) fn first_hole(&self) -> Option<&Symbol> {
        self.runs.iter().find_map(|it| match &it.source {
            Source::Hole(symbol) if self.has_holes => Some(&**symbol),
            _ => None,
        })
    }

    /// The hole that is all of the text.
    pub(crate) fn only_hole(&self) -> Option<&Symbol> {
        self.first_hole().filter(|_| self.whole.len() == HOLE.len())
    }

    /// Whether it has characters that are certainly there.
    pub(crate) fn is_surely_filled(&self) -> bool {
        if !self.has_holes {
            return !self.whole.is_empty();
        }
        self.pieces().any(|(range, source)| !matches!(source, Source::Hole(_)) && !range.is_empty())
    }

    fn pieces(&self) -> impl Iterator<Item = (Range<usize>, &Source)> {
        let ends = self.runs.iter().skip(1).map(|it| it.at).chain([self.whole.len()]);
        self.runs.iter().zip(ends).map(|(run, end)| (run.at..end, &run.source))
    }

    /// The edges of what is printed perhaps, in order.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (Range<usize>, Edge, &Rc<Condition>)> {
        self.pieces().filter_map(|(range, source)| match source {
            Source::Edge(edge, condition) => Some((range, *edge, condition)),
            _ => None,
        })
    }

    /// A part of it.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        if range == (0..self.whole.len()) {
            return self.clone();
        }
        let mut builder = Builder::default();
        builder.push_part(self, range);
        builder.finish()
    }

    /// A part of it, given as a slice of [`Text::as_str`].
    pub(crate) fn part(&self, part: &str) -> Self {
        let start = (part.as_ptr() as usize).wrapping_sub(self.whole.as_ptr() as usize);
        match start.checked_add(part.len()) {
            Some(end) if end <= self.whole.len() => self.slice(start..end),
            _ => Self::new(part, Source::Nowhere),
        }
    }

    /// Where the bytes of a range are written: the first place that is known.
    pub(crate) fn locate(&self, range: &Range<usize>) -> Option<Span> {
        let mut found: Option<Span> = None;
        for (run, source) in self.overlapping(range) {
            let start = range.start.max(run.start);
            let end = range.end.min(run.end).max(start);
            let part = source.part(start - run.start, end - start, run.len());
            if let Some(span) = part.span() {
                found = Some(found.map_or(span, |it| it.to(span)));
            }
        }
        found
    }

    fn overlapping(&self, range: &Range<usize>) -> impl Iterator<Item = (Range<usize>, &Source)> {
        let first = self.runs.partition_point(|it| it.at <= range.start).saturating_sub(1);
        let end = range.end.max(range.start + 1);
        let ends = self.runs.iter().skip(first + 1).map(|it| it.at).chain([self.whole.len()]);
        let runs = self.runs.iter().skip(first).zip(ends);
        runs.map(|(run, to)| (run.at..to, &run.source)).take_while(move |(it, _)| it.start < end)
    }

    /// The same with each run changed; what keeps its length keeps its places byte by byte.
    pub(crate) fn changed(&self, change: impl Fn(&str) -> String) -> Self {
        let mut builder = Builder::default();
        for (range, source) in self.pieces() {
            let before = self.whole.get(range).unwrap_or_default();
            let after = match source {
                Source::Hole(_) => before.to_owned(),
                _ => change(before),
            };
            match source {
                Source::Written(span) if after.len() != before.len() => {
                    builder.push(&after, &Source::Made(*span));
                }
                _ => builder.push(&after, source),
            }
        }
        builder.finish()
    }

    /// Other text at the place of this one.
    pub(crate) fn replaced_by(&self, text: impl Into<Rc<str>>) -> Self {
        let source = match self.runs.first().map(|it| &it.source) {
            Some(Source::Written(span)) => Source::Made(*span),
            Some(Source::Hole(_)) | None => Source::Nowhere,
            Some(other) => other.clone(),
        };
        Self::new(text, source)
    }

    /// The text for the rest of karplint.
    pub(crate) fn finished(&self) -> Finished {
        let mut made = Finishing::default();
        for (range, source) in self.pieces() {
            made.add(self.whole.get(range).unwrap_or_default(), source);
        }
        made.finish()
    }
}

/// Puts a finished text together: holes are counted, runs of values are collected.
#[derive(Default)]
struct Finishing {
    text: String,
    pieces: Vec<TextPiece>,
    holes: Vec<Symbol>,
    carried: Vec<Carried>,
    last: Option<Rc<Value>>,
}

impl Finishing {
    fn add(&mut self, text: &str, source: &Source) {
        let at = offset(self.text.len());
        match source {
            Source::Hole(symbol) => {
                // Holes side by side are runs of their own, but one run may repeat its mark.
                for _ in text.matches(HOLE) {
                    let number = self.holes.len();
                    let _ = write!(self.text, "{HOLE_START}{number}{HOLE_END}");
                    self.holes.push(Symbol::clone(symbol));
                }
            }
            _ => self.text.push_str(text),
        }
        let len = offset(self.text.len()) - at;
        if let Some(span) = source.span() {
            self.pieces.push(TextPiece { at, len, span });
        }
        let Source::Value(value, _) = source else {
            self.last = None;
            return;
        };
        let same = self.last.as_ref().is_some_and(|it| Rc::ptr_eq(it, value));
        match self.carried.last_mut() {
            Some(run) if same && run.at + run.len == at => run.len += len,
            _ => {
                let value = Value::clone(value);
                self.carried.push(Carried { at, len, value, is_encoded: false });
            }
        }
        self.last = Some(Rc::clone(value));
    }

    fn finish(self) -> Finished {
        let carried = (!self.carried.is_empty()).then(|| Arc::new(self.carried));
        let layout = if self.pieces.is_empty() {
            TextSource::Nowhere
        } else {
            TextSource::Pieces(self.pieces.into())
        };
        let text = self.text.into();
        Finished { text, layout, holes: self.holes.into(), encodes: None, carried }
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Puts text together from texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    text: String,
    runs: Vec<Run>,
    has_holes: bool,
}

impl Builder {
    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The characters so far.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Adds text of one source.
    pub(crate) fn push(&mut self, text: &str, source: &Source) {
        if text.is_empty() {
            return;
        }
        let at = self.text.len();
        self.text.push_str(text);
        self.has_holes |= matches!(source, Source::Hole(_));
        if let Some(last) = self.runs.last_mut()
            && last.source.goes_on(source, at - last.at)
        {
            last.source.joined(source);
            return;
        }
        self.runs.push(Run { at, source: source.clone() });
    }

    /// Adds text that the engine makes.
    pub(crate) fn push_made(&mut self, text: &str) {
        self.push(text, &Source::Nowhere);
    }

    /// Adds a text with its places.
    pub(crate) fn push_text(&mut self, text: &Text) {
        for (range, source) in text.pieces() {
            self.push(text.whole.get(range).unwrap_or_default(), source);
        }
    }

    /// Adds a text with its places; what is written nowhere was made at `place`.
    pub(crate) fn push_printed(&mut self, text: &Text, place: Option<Span>) {
        let made = place.map_or(Source::Nowhere, Source::Made);
        for (range, source) in text.pieces() {
            let source = if matches!(source, Source::Nowhere) { &made } else { source };
            self.push(text.whole.get(range).unwrap_or_default(), source);
        }
    }

    /// Adds a part of a text with its places.
    pub(crate) fn push_part(&mut self, text: &Text, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        for (run, source) in text.overlapping(&range) {
            let start = range.start.max(run.start);
            let end = range.end.min(run.end);
            if start < end {
                let part = source.part(start - run.start, end - start, run.len());
                self.push(text.whole.get(start..end).unwrap_or_default(), &part);
            }
        }
    }

    /// The text.
    pub(crate) fn finish(self) -> Text {
        Text { whole: self.text.into(), runs: self.runs.into(), has_holes: self.has_holes }
    }
}
