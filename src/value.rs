//! Values with places: what every surface is read into.
//!
//! YAML and JSON are parsed straight into values, Terraform expressions are evaluated to them. A value
//! knows where it is written, what to point at when something inside it is missing, and the steps by
//! which it reached the place that uses it. What cannot be known statically is [`Kind::Unknown`] and
//! keeps a symbol, so that two unknowns that are the same expression count as equal.

use std::sync::Arc;

use crate::source::Span;

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

/// A step of a value on its way from the literal to its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The reference that passes the value on.
    pub span: Span,
    /// What happens there: "through `var.karpenter_version`".
    pub message: String,
    /// The step before, nearer to the literal.
    pub before: Option<Arc<Step>>,
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

/// The name of something unknown. Equal symbols are equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    /// Whose expression it is (a module instance, a file); part of the identity, not shown.
    pub scope: Arc<str>,
    /// The expression as people would write it, without layout.
    pub text: Arc<str>,
}

impl Symbol {
    /// The symbol of an expression in a scope.
    #[must_use]
    pub fn new(scope: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { scope: scope.into(), text: text.into() }
    }
}

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
    pub layout: Layout,
    /// The unknown pieces.
    pub holes: Arc<[Symbol]>,
    /// What the text encodes, when it was made by `jsonencode` or `yamlencode`.
    pub encodes: Option<Arc<Value>>,
}

/// How text relates to its source.
#[derive(Clone, Debug)]
pub enum Layout {
    /// Computed: its characters are written nowhere. Points at the value's span.
    Nowhere,
    /// The bytes of the text are the bytes of this span, one for one.
    Verbatim(Span),
    /// Piece by piece, in the order of the text; offsets between pieces are computed.
    Pieces(Arc<[Piece]>),
}

/// A run of a text whose bytes are the bytes of a span, one for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
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
        Self { text: text.into(), layout: Layout::Nowhere, holes: Arc::new([]), encodes: None }
    }

    /// Text whose bytes are those of the span.
    #[must_use]
    pub fn verbatim(text: impl Into<Arc<str>>, span: Span) -> Self {
        Self { layout: Layout::Verbatim(span), ..Self::computed(text) }
    }

    /// The text, if all of it is known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        self.holes.is_empty().then_some(&*self.text)
    }

    /// Where the bytes `start..end` of the text are written; `whole` where that is not recorded.
    #[must_use]
    pub fn locate(&self, start: usize, end: usize, whole: Span) -> Span {
        match &self.layout {
            Layout::Nowhere => whole,
            Layout::Verbatim(span) => {
                let from = span.start as usize;
                let cap = span.end as usize;
                Span::new(span.file, (from + start).min(cap), (from + end).min(cap))
            }
            Layout::Pieces(pieces) => locate_in(pieces, start, end).unwrap_or(whole),
        }
    }
}

/// The span from the piece that holds the first byte to the one that holds the last.
fn locate_in(pieces: &[Piece], start: usize, end: usize) -> Option<Span> {
    let holding = |offset: usize| {
        let index = pieces.partition_point(|it| it.at as usize <= offset).checked_sub(1)?;
        pieces.get(index)
    };
    let place = |piece: &Piece, offset: usize| {
        let inside = offset.saturating_sub(piece.at as usize);
        let verbatim = piece.len == piece.span.end - piece.span.start;
        if verbatim {
            (piece.span.start as usize + inside).min(piece.span.end as usize)
        } else {
            piece.span.start as usize
        }
    };
    let first = holding(start)?;
    let from = place(first, start);
    let last = holding(end.saturating_sub(1).max(start))?;
    let verbatim = last.len == last.span.end - last.span.start;
    let to = if end <= start {
        from
    } else if verbatim {
        place(last, end - 1) + 1
    } else {
        last.span.end as usize
    };
    (first.span.file == last.span.file).then(|| Span::new(first.span.file, from, to.max(from)))
}

/// A list; `rest` is set when unknown items may follow the known ones.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The known items.
    pub items: Vec<Value>,
    /// What the unknown remainder is called.
    pub rest: Option<Symbol>,
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

impl<'a> Field<'a> {
    /// The value, if it is written.
    #[must_use]
    pub fn present(self) -> Option<&'a Value> {
        match self {
            Self::Present(value) => Some(value),
            Self::Missing | Self::Unknown => None,
        }
    }

    /// Whether it is certainly not there.
    #[must_use]
    pub fn is_missing(self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Whether nothing is known about it: it may be absent, or its value is unknown.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Present(value) => value.is_unknown(),
            Self::Missing => false,
        }
    }

    /// Looks inside what was found.
    #[must_use]
    pub fn get(self, key: &str) -> Self {
        match self {
            Self::Present(value) => value.get(key),
            other => other,
        }
    }
}

impl Map {
    /// The entry of that key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|it| &*it.key == key)
    }

    /// The value of that key; null counts as missing.
    #[must_use]
    pub fn get(&self, key: &str) -> Field<'_> {
        match self.entry(key) {
            Some(entry) if matches!(entry.value.kind, Kind::Null) => Field::Missing,
            Some(entry) => Field::Present(&entry.value),
            None if self.rest.is_some() => Field::Unknown,
            None => Field::Missing,
        }
    }
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
        Self::new(Kind::List(Arc::new(List { items, rest: None })), span)
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

    /// The same value after one more step on its way.
    #[must_use]
    pub fn through(mut self, span: Span, message: impl Into<String>) -> Self {
        self.origin =
            Some(Arc::new(Step { span, message: message.into(), before: self.origin.take() }));
        self
    }

    /// The steps it came by, the one nearest to the use first.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.origin.as_deref(), |step| step.before.as_deref())
    }

    /// Looks up a key; null counts as missing, and in something unknown everything is unknown.
    #[must_use]
    pub fn get(&self, key: &str) -> Field<'_> {
        match &self.kind {
            Kind::Map(map) => map.get(key),
            Kind::Unknown(_) => Field::Unknown,
            Kind::String(text) if !text.holes.is_empty() => Field::Unknown,
            _ => Field::Missing,
        }
    }

    /// Looks up keys one inside the other: `at("spec.template.metadata")`.
    #[must_use]
    pub fn at(&self, path: &str) -> Field<'_> {
        path.split('.').fold(Field::Present(self), Field::get)
    }

    /// The text, if it is text and all of it is known.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => text.known(),
            _ => None,
        }
    }

    /// True or false, if it is one of them.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[must_use]
    pub fn as_list(&self) -> Option<&List> {
        match &self.kind {
            Kind::List(list) => Some(list),
            _ => None,
        }
    }

    /// The mapping, if it is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map> {
        match &self.kind {
            Kind::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The known items of a list; none for anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        self.as_list().map_or(&[], |list| &list.items)
    }

    /// The known entries of a mapping; none for anything else.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        self.as_map().map_or(&[], |map| &map.entries)
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.kind, Kind::Null)
    }

    /// Whether the value itself is not known (a list with unknown items is known to be a list).
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        match &self.kind {
            Kind::Unknown(_) => true,
            Kind::String(text) => !text.holes.is_empty(),
            _ => false,
        }
    }

    /// Whether everything in it, down to the leaves, is known.
    #[must_use]
    pub fn is_wholly_known(&self) -> bool {
        match &self.kind {
            Kind::List(list) => list.rest.is_none() && list.items.iter().all(Self::is_wholly_known),
            Kind::Map(map) => {
                map.rest.is_none() && map.entries.iter().all(|it| it.value.is_wholly_known())
            }
            _ => !self.is_unknown(),
        }
    }

    /// Whether the two are certainly equal (`Some(true)`), certainly different, or neither.
    /// Unknowns are equal when they are the same expression.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> Option<bool> {
        match (&self.kind, &other.kind) {
            (Kind::Unknown(a), Kind::Unknown(b)) => (a == b).then_some(true),
            (Kind::Unknown(_), _) | (_, Kind::Unknown(_)) => None,
            (Kind::Null, Kind::Null) => Some(true),
            (Kind::Bool(a), Kind::Bool(b)) => Some(a == b),
            (Kind::Number(a), Kind::Number(b)) => Some(a == b),
            (Kind::String(a), Kind::String(b)) => match (a.known(), b.known()) {
                (Some(a), Some(b)) => Some(a == b),
                _ => (a.text == b.text && a.holes == b.holes).then_some(true),
            },
            (Kind::List(a), Kind::List(b)) => same_lists(a, b),
            (Kind::Map(a), Kind::Map(b)) => same_maps(a, b),
            _ => Some(false),
        }
    }
}

/// Equality of parts: one certain difference decides, one doubt leaves it open.
fn all_same(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut sure = true;
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => sure = false,
        }
    }
    sure.then_some(true)
}

fn same_lists(a: &List, b: &List) -> Option<bool> {
    if a.rest.is_some() || b.rest.is_some() {
        return None;
    }
    if a.items.len() != b.items.len() {
        return Some(false);
    }
    all_same(a.items.iter().zip(&b.items).map(|(a, b)| a.same_as(b)))
}

fn same_maps(a: &Map, b: &Map) -> Option<bool> {
    if a.rest.is_some() || b.rest.is_some() {
        return None;
    }
    if a.entries.len() != b.entries.len() {
        return Some(false);
    }
    all_same(a.entries.iter().map(|it| match b.entry(&it.key) {
        Some(other) => it.value.same_as(&other.value),
        None => Some(false),
    }))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Layout, Piece, Symbol, Text, Value};
    use crate::source::{FileId, Span};

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn pieces_map_back_to_their_source() {
        // "ab" + hole + "cd", written as `ab${x}cd` at 10..18.
        let pieces = [
            Piece { at: 0, len: 2, span: span(10, 12) },
            Piece { at: 2, len: 7, span: span(12, 16) },
            Piece { at: 9, len: 2, span: span(16, 18) },
        ];
        let text = Text {
            layout: Layout::Pieces(pieces.into()),
            ..Text::computed("ab\u{e000}0\u{e001}cd")
        };
        let whole = span(9, 19);
        assert_eq!(text.locate(0, 2, whole), span(10, 12));
        assert_eq!(text.locate(1, 10, whole), span(11, 17));
        assert_eq!(text.locate(2, 9, whole), span(12, 16));
        assert_eq!(text.locate(10, 11, whole), span(17, 18));
    }

    #[test]
    fn equality_of_unknowns_is_by_symbol() {
        let unknown = |text: &str| Value::unknown(Symbol::new("root", text), span(0, 1));
        assert_eq!(unknown("var.a").same_as(&unknown("var.a")), Some(true));
        assert_eq!(unknown("var.a").same_as(&unknown("var.b")), None);
        let list = |items| Value::list(items, span(0, 1));
        let one = Value::new(Kind::Number(1.0), span(0, 1));
        let two = Value::new(Kind::Number(2.0), span(0, 1));
        assert_eq!(
            list(vec![one.clone(), unknown("a")]).same_as(&list(vec![two, unknown("b")])),
            Some(false)
        );
        assert_eq!(list(vec![one.clone()]).same_as(&list(vec![unknown("b")])), None);
        assert_eq!(list(vec![one.clone()]).same_as(&list(vec![one])), Some(true));
    }
}
