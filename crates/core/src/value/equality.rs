//! When two values are certainly the same or certainly different.

use crate::value::{HOLE_END, HOLE_START, Kind, List, Map, Symbol, Text, Value};

impl Value {
    /// Whether the two are certainly equal (`Some(true)`), certainly different, or neither.
    /// Unknowns are equal when they are the same expression.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> Option<bool> {
        match (&self.kind, &other.kind) {
            (Kind::Unknown(a), Kind::Unknown(b)) if a == b => Some(true),
            (Kind::Unknown(symbol), Kind::String(text))
            | (Kind::String(text), Kind::Unknown(symbol))
                if is_longer(&pieces(text), &[Piece::Hole(symbol)]) =>
            {
                Some(false)
            }
            (Kind::Unknown(_), _) | (_, Kind::Unknown(_)) => never_same(self, other),
            (Kind::Null, Kind::Null) => Some(true),
            (Kind::Bool(a), Kind::Bool(b)) => Some(a == b),
            (Kind::Number(a), Kind::Number(b)) => Some(a.total_cmp(b).is_eq()),
            (Kind::String(a), Kind::String(b)) => {
                same_texts(a, b).or_else(|| never_same(self, other))
            }
            (Kind::List(a), Kind::List(b)) => same_lists(a, b),
            (Kind::Map(a), Kind::Map(b)) => same_maps(a, b),
            _ => Some(false),
        }
    }
}

/// Whether two are certainly different of which one is not known: in each of the few cases that there are.
fn never_same(one: &Value, other: &Value) -> Option<bool> {
    let (ours, theirs) = (one.cases(), other.cases());
    if ours.is_none() && theirs.is_none() {
        return None;
    }
    let ours = ours.unwrap_or_else(|| vec![one.clone()]);
    let theirs = theirs.unwrap_or_else(|| vec![other.clone()]);
    let mut pairs = ours.iter().flat_map(|one| theirs.iter().map(move |it| one.same_as(it)));
    pairs.all(|it| it == Some(false)).then_some(false)
}

fn same_texts(a: &Text, b: &Text) -> Option<bool> {
    if let (Some(a), Some(b)) = (a.known(), b.known()) {
        return Some(a == b);
    }
    if a.text == b.text && a.holes == b.holes {
        return Some(true);
    }
    // What is known at the start and at the end of one must be there in the other, as far as that is known.
    let may_start = |a: &Text, b: &Text| match b.known() {
        Some(b) => b.starts_with(a.start()),
        None => b.start().starts_with(a.start()) || a.start().starts_with(b.start()),
    };
    let may_end = |a: &Text, b: &Text| match b.known() {
        Some(b) => b.ends_with(a.end()),
        None => b.end().ends_with(a.end()) || a.end().ends_with(b.end()),
    };
    let may_be_same = may_start(a, b) && may_start(b, a) && may_end(a, b) && may_end(b, a);
    let (ours, theirs) = (pieces(a), pieces(b));
    let is_part = is_longer(&ours, &theirs) || is_longer(&theirs, &ours);
    (!may_be_same || is_part).then_some(false)
}

/// A piece of a text: a character, or what is not known.
#[derive(PartialEq, Eq)]
enum Piece<'a> {
    Char(char),
    Hole(&'a Symbol),
}

fn pieces(text: &Text) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = &*text.text;
    while let Some((before, after)) = rest.split_once(HOLE_START) {
        found.extend(before.chars().map(Piece::Char));
        let (number, next) = after.split_once(HOLE_END).unwrap_or((after, ""));
        let hole = number.parse().ok().and_then(|it: usize| text.holes.get(it));
        found.extend(hole.map(Piece::Hole));
        rest = next;
    }
    found.extend(rest.chars().map(Piece::Char));
    found
}

/// Whether one is the other with known characters added at one place, whatever is in the holes.
fn is_longer(one: &[Piece<'_>], other: &[Piece<'_>]) -> bool {
    let alike = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let ends = one.iter().rev().zip(other.iter().rev());
    let at_end = ends.take_while(|(a, b)| a == b).count();
    one.len() > other.len()
        && alike + at_end >= other.len()
        && one
            .iter()
            .skip(alike)
            .take(one.len() - other.len())
            .any(|it| matches!(it, Piece::Char(_)))
}

impl Text {
    /// What is known at its start.
    fn start(&self) -> &str {
        self.text.split(HOLE_START).next().unwrap_or_default()
    }

    /// What is known at its end.
    fn end(&self) -> &str {
        self.text.rsplit(HOLE_END).next().unwrap_or_default()
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
