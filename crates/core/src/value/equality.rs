//! When two values are certainly the same or certainly different.

use crate::value::{HOLE_END, HOLE_START, Kind, List, Map, Text, Value};

impl Value {
    /// Whether the two are certainly equal (`Some(true)`), certainly different, or neither.
    /// Unknowns are equal when they are the same expression.
    #[must_use]
    pub fn same_as(&self, other: &Self) -> Option<bool> {
        match (&self.kind, &other.kind) {
            (Kind::Unknown(a), Kind::Unknown(b)) if a == b => Some(true),
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
    (!may_be_same).then_some(false)
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
