//! Lists and mappings under construction.

use crate::{
    source::Span,
    value::{Entry, Kind, List, Map, Symbol, Value},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// Above this many keys, equal ones are found by hash.
const FEW: usize = 16;

/// A finished value and what its surroundings need to know.
#[derive(Debug)]
pub(super) struct ReadNode {
    /// The value.
    pub value: Value,
    /// First byte, in the whole text.
    pub start: usize,
    /// One past its last byte of content; not after `start` when nothing is written.
    pub end: usize,
    /// How deep it nests: 0 for a scalar.
    pub height: usize,
}

/// The anchor of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    /// The parser's number for it.
    pub id: usize,
    /// Where its `&` is, in the whole text.
    pub start: usize,
}

/// A collection that is not closed yet.
#[derive(Debug)]
pub(super) struct OpenCollection {
    /// First byte; of a block mapping, its first key.
    pub start: usize,
    /// One past the last byte of content so far.
    pub end: usize,
    /// Its anchor.
    pub anchor: Option<Anchor>,
    /// Whether it is written in brackets.
    pub flow: bool,
    /// How many nodes the document had before it.
    pub nodes_before: u64,
    /// How many problems the document had before it.
    pub unread_before: usize,
    /// How deep it nests so far.
    pub height: usize,
    /// How many of its items came from the run of a value, and where that begins.
    pub from_run: (usize, usize),
    /// Why it may have parts that are not seen.
    pub open: Option<Symbol>,
    /// What it collects.
    pub body: OpenBody,
}

/// The contents of a collection so far.
#[derive(Debug)]
pub(super) enum OpenBody {
    /// Items.
    List(Vec<Value>),
    /// Entries.
    Map(OpenMapping),
}

/// The key whose value comes next.
#[derive(Debug, Default)]
pub(super) enum PendingKey {
    /// None: a key comes next.
    #[default]
    Awaited,
    /// An ordinary key and its place.
    Named(Arc<str>, Span),
    /// `<<` and its place.
    Merge(Span),
    /// A key that cannot be one; its value is dropped.
    Dropped,
}

/// A mapping under construction.
#[derive(Debug, Default)]
pub(super) struct OpenMapping {
    /// The key whose value comes next.
    pub key: PendingKey,
    /// Where it begins.
    pub key_start: usize,
    /// The entries so far.
    pub entries: Vec<Entry>,
    /// Set when entries are unknown.
    pub rest: Option<Symbol>,
    extra: Option<Box<Extra>>,
}

/// What only large mappings and those with merges need; apart, so that the others stay small.
#[derive(Debug, Default)]
struct Extra {
    /// The index of each key, once there are more than a few.
    index: HashMap<Arc<str>, usize>,
    /// The entries that came by a merge.
    merged: BTreeSet<usize>,
}

impl OpenMapping {
    /// Adds an entry the author wrote here; gives an earlier one of the same name that was written here too.
    pub(super) fn write(&mut self, entry: Entry) -> Option<Entry> {
        let (at, earlier) = self.put(entry);
        let was_merged = self.extra.as_mut().is_some_and(|it| it.merged.remove(&at));
        earlier.filter(|_| !was_merged)
    }

    /// Adds an entry by a merge: it overrides what is before it.
    pub(super) fn merge(&mut self, entry: Entry) {
        let (at, _) = self.put(entry);
        self.extra.get_or_insert_default().merged.insert(at);
    }

    fn put(&mut self, entry: Entry) -> (usize, Option<Entry>) {
        if let Some(at) = self.find(&entry.key)
            && let Some(existing) = self.entries.get_mut(at)
        {
            let earlier = std::mem::replace(existing, entry);
            return (at, Some(earlier));
        }
        let len = self.entries.len();
        if len >= FEW {
            let extra = self.extra.get_or_insert_default();
            if len == FEW {
                let keys = self.entries.iter().map(|it| it.key.clone());
                extra.index = keys.enumerate().map(|(at, key)| (key, at)).collect();
            }
            extra.index.insert(entry.key.clone(), len);
        }
        self.entries.push(entry);
        (len, None)
    }

    /// The value of a key so far.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        Some(&self.entries.get(self.find(key)?)?.value)
    }

    fn find(&self, key: &str) -> Option<usize> {
        if self.entries.len() <= FEW {
            return self.entries.iter().position(|it| &*it.key == key);
        }
        self.extra.as_ref()?.index.get(key).copied()
    }

    /// Makes the value of a key unknown.
    pub(super) fn doubt(&mut self, key: &str, because: &Symbol) {
        let found = self.find(key);
        if let Some(entry) = found.and_then(|at| self.entries.get_mut(at)) {
            entry.value.kind = Kind::Unknown(because.clone());
        }
    }

    /// Doubts an empty value just before something unknown, which may begin with what belongs to it: a
    /// loop over list items, a block of indented lines.
    pub(super) fn doubt_last(&mut self, because: Option<&Symbol>) {
        let mut entries = Some(&mut self.entries);
        while let (Some(because), Some(last)) = (because, entries.and_then(|it| it.last_mut())) {
            if matches!(last.value.kind, Kind::Null) {
                last.value.kind = Kind::Unknown(because.clone());
            }
            entries = match &mut last.value.kind {
                Kind::Map(map) => Arc::get_mut(map).map(|it| &mut it.entries),
                _ => None,
            };
        }
    }

    /// Forgets what was written so far, because something unknown may replace any of it.
    pub(super) fn forget(&mut self, because: Symbol) {
        self.entries.clear();
        self.extra = None;
        self.rest = Some(because);
    }
}

impl OpenBody {
    /// The value's kind; `open` is set when it may have parts that are not seen.
    #[must_use]
    pub(super) fn into_kind(self, open: Option<&Symbol>) -> Kind {
        match self {
            Self::List(items) => {
                Kind::List(Arc::new(List { items, rest: open.cloned(), is_set: false }))
            }
            Self::Map(OpenMapping { entries, rest, .. }) => {
                Kind::Map(Arc::new(Map { entries, rest: rest.or_else(|| open.cloned()) }))
            }
        }
    }
}

/// The key a value makes.
///
/// # Errors
///
/// The unknown part, if it is that.
pub(super) fn key_of(value: &Value) -> Result<Arc<str>, Option<Symbol>> {
    match &value.kind {
        Kind::Unknown(symbol) => Err(Some(symbol.clone())),
        Kind::String(text) if text.holes.is_empty() => Ok(text.text.clone()),
        Kind::String(text) => Err(text.holes.first().cloned()),
        Kind::Bool(value) => Ok(value.to_string().into()),
        Kind::Number(value) => Ok(value.to_string().into()),
        _ => Err(None),
    }
}
