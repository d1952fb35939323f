//! Values with places: what every surface is read into.
//!
//! YAML and JSON are parsed straight into values, Terraform expressions are evaluated to them. A value
//! knows where it is written, what to point at when something inside it is missing, and the steps by
//! which it reached the place that uses it. What cannot be known statically is [`Kind::Unknown`] and
//! keeps a symbol, so that two unknowns that are the same expression count as equal.

pub mod alternatives;
mod cases;
pub mod cause;
pub mod deserialize;
mod equality;
mod holes;
mod locate;
mod look;
pub mod stand_in;
pub mod step;
mod symbol;

use std::{ops::Range, sync::Arc};

use crate::{
    source::Span,
    value::step::{Step, StepKind},
};

pub use holes::Holes;
pub use symbol::Symbol;

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it is.
    pub kind: Kind,
    /// Where its literal is written: the place one would edit.
    pub span: Span,
    /// What to point at when something inside is missing: the key, the block's header.
    pub name: Span,
    /// The last step by which it came here; `None` when it is used where it is written.
    pub origin: Option<Arc<Step>>,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing: absent by the author's wish.
    Null,
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text, possibly with unknown holes.
    String(Text),
    /// A list, tuple or set.
    List(Arc<List>),
    /// A mapping or object.
    Map(Arc<Map>),
    /// Not known statically.
    Unknown(Symbol),
}

/// What the text of a symbol begins with that is for whole lines of a template: none of them is less indented than
/// the hole in their place.
pub const UNKNOWN_LINES: &str = "#lines ";

/// Opens the placeholder of a hole in a [`Text`]; the hole's number and [`HOLE_END`] follow.
/// A private-use character: YAML and JSON take it as an ordinary letter.
pub const HOLE_START: char = '\u{e000}';
/// Closes the placeholder of a hole.
pub const HOLE_END: char = '\u{e001}';

/// Text that knows where each of its characters is written.
#[derive(Clone, Debug)]
pub struct Text {
    /// The characters. A hole appears as [`HOLE_START`], its index in `holes`, [`HOLE_END`].
    pub text: Arc<str>,
    /// Where they are written.
    pub layout: TextSource,
    /// The unknown pieces.
    pub holes: Holes,
    /// What the text encodes, when it was made by `jsonencode` or `yamlencode`.
    pub encodes: Option<Arc<Value>>,
    /// The runs of the text that values gave, in order; `None` where nothing is known of them.
    pub carried: Option<Arc<Vec<Carried>>>,
}

/// A run of a text that a value gave: `${x}` in a template.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Offset in the text, bytes.
    pub at: u32,
    /// Length in the text, bytes.
    pub len: u32,
    /// The value.
    pub value: Value,
    /// Whether the run is the JSON or YAML of the value, not its text.
    pub is_encoded: bool,
}

/// A run and its bytes in the text around.
#[derive(Clone, Debug)]
pub struct TextRun<'a> {
    /// The bytes.
    pub range: Range<usize>,
    /// What gave them.
    pub carried: &'a Carried,
}

impl Carried {
    /// The bytes of the text.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.at as usize..(self.at + self.len) as usize
    }

    /// The text that the run repeats byte by byte, if its places are known.
    #[must_use]
    pub fn source(&self) -> Option<&Text> {
        match &self.value.kind {
            Kind::String(text) if !self.is_encoded => {
                let written = !matches!(text.layout, TextSource::Nowhere);
                (written && text.text.len() == self.len as usize).then_some(text)
            }
            _ => None,
        }
    }
}

/// How text relates to its source.
#[derive(Clone, Debug)]
pub enum TextSource {
    /// Computed: its characters are written nowhere. Points at the value's span.
    Nowhere,
    /// The bytes of the text are the bytes of this span, one for one.
    Verbatim(Span),
    /// Piece by piece, in the order of the text; offsets between pieces are computed.
    Pieces(Arc<Vec<TextPiece>>),
}

/// A run of a text whose bytes are the bytes of a span, one for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPiece {
    /// Offset in the text, bytes.
    pub at: u32,
    /// Length in the text, bytes. Equals the span's length for a verbatim run; a hole or an
    /// interpolation has the length of its placeholder and the span of its expression.
    pub len: u32,
    /// Where it is written.
    pub span: Span,
}

impl Text {
    /// Text written nowhere.
    #[must_use]
    pub fn computed(text: impl Into<Arc<str>>) -> Self {
        Self {
            text: text.into(),
            layout: TextSource::Nowhere,
            holes: Holes::default(),
            encodes: None,
            carried: None,
        }
    }

    /// Text whose bytes are those of the span.
    #[must_use]
    pub fn verbatim(text: impl Into<Arc<str>>, span: Span) -> Self {
        Self { layout: TextSource::Verbatim(span), ..Self::computed(text) }
    }

    /// The text, if all of it is known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        self.holes.is_empty().then_some(&*self.text)
    }

    /// The hole that is all of the text.
    #[must_use]
    pub fn only_hole(&self) -> Option<&Symbol> {
        let rest = self.text.strip_prefix(HOLE_START)?.strip_suffix(HOLE_END)?;
        match &*self.holes {
            [only] if !rest.contains(HOLE_END) => Some(only),
            _ => None,
        }
    }

    /// The innermost run that one value gave and that holds the bytes of a range, and where it lies.
    #[must_use]
    pub fn carrying(&self, range: &Range<usize>) -> Option<TextRun<'_>> {
        let carried = self.carried.as_deref()?;
        let next = carried.partition_point(|it| it.at as usize <= range.start);
        let found = carried.get(next.checked_sub(1)?)?;
        let place = found.range();
        if range.is_empty() || range.end > place.end {
            return None;
        }
        let at = place.start;
        let inner = found.source().and_then(|it| it.carrying(&(range.start - at..range.end - at)));
        Some(match inner {
            Some(run) => TextRun { range: run.range.start + at..run.range.end + at, ..run },
            None => TextRun { range: place, carried: found },
        })
    }
}

/// A list; `rest` is set when unknown items may follow the known ones.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The known items.
    pub items: Vec<Value>,
    /// What the unknown remainder is called.
    pub rest: Option<Symbol>,
    /// Whether it is one of Terraform's sets, sorted: its items are their own keys.
    pub is_set: bool,
}

/// A mapping in the order it was written; `rest` is set when it may have further, unknown entries.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The known entries. A key appears once: the last one written counts.
    pub entries: Vec<Entry>,
    /// What the unknown remainder is called.
    pub rest: Option<Symbol>,
}

/// One entry of a mapping.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// Where the key is written.
    pub key_span: Span,
    /// The value; its `name` is the key's span.
    pub value: Value,
}

/// What looking inside a value finds.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    /// It is written here.
    Present(&'a Value),
    /// It is certainly not there (or null, which means the same to charts and to Kubernetes).
    Missing,
    /// It may or may not be there.
    Unknown,
}

impl Value {
    /// A value used where it is written.
    #[must_use]
    pub fn new(kind: Kind, span: Span) -> Self {
        Self { kind, span, name: span, origin: None }
    }

    /// Text written nowhere else than at the span.
    #[must_use]
    pub fn computed(text: impl Into<Arc<str>>, span: Span) -> Self {
        Self::new(Kind::String(Text::computed(text)), span)
    }

    /// A closed list.
    #[must_use]
    pub fn list(items: Vec<Self>, span: Span) -> Self {
        Self::new(Kind::List(Arc::new(List { items, ..List::default() })), span)
    }

    /// A closed mapping.
    #[must_use]
    pub fn map(entries: Vec<Entry>, span: Span) -> Self {
        Self::new(Kind::Map(Arc::new(Map { entries, rest: None })), span)
    }

    /// Something unknown.
    #[must_use]
    pub fn unknown(symbol: Symbol, span: Span) -> Self {
        Self::new(Kind::Unknown(symbol), span)
    }

    /// The same value with another place to point at when something inside is missing.
    #[must_use]
    pub fn named(mut self, name: Span) -> Self {
        self.name = name;
        self
    }

    /// The same value with one more step in its origin.
    #[must_use]
    pub fn through(mut self, span: Span, kind: StepKind) -> Self {
        self.origin = Some(Arc::new(Step { span, kind, before: self.origin.take() }));
        self
    }

    /// The steps it came by, the one nearest to the use first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.origin.as_deref(), |step| step.before.as_deref())
    }
}

#[cfg(test)]
mod tests;
