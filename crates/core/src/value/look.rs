//! Looking inside values.

use std::sync::Arc;

use crate::value::{
    Entry, Field, HOLE_END, HOLE_START, Kind, List, Map, Symbol, Text, Value, cause::Cause,
};

impl Text {
    /// The characters, with `…` for each hole.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut parts = self.text.split(HOLE_START);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |shown, it| {
            let rest = it.split_once(HOLE_END).map_or("", |(_, rest)| rest);
            format!("{shown}…{rest}")
        })
    }
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
    /// The same, as if it had no further entries that are unknown for that reason.
    #[must_use]
    pub fn without_rest(&self, cause: Cause) -> Self {
        let Kind::Map(map) = &self.kind else { return self.clone() };
        if map.rest.as_ref().is_none_or(|it| it.cause != cause) {
            return self.clone();
        }
        let inner = |it: &Entry| Entry { value: it.value.without_rest(cause), ..it.clone() };
        let entries = map.entries.iter().map(inner).collect();
        Self { kind: Kind::Map(Arc::new(Map { entries, rest: None })), ..self.clone() }
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

    /// Why nothing is known at a path: the symbol of what may hold it, or is written there.
    #[must_use]
    pub fn unknown_at(&self, path: &str) -> Option<&Symbol> {
        let mut value = self;
        for key in path.split('.') {
            value = match &value.kind {
                Kind::Map(map) => match map.entry(key) {
                    Some(entry) => &entry.value,
                    None => return map.rest.as_ref(),
                },
                _ => break,
            };
        }
        match &value.kind {
            Kind::Unknown(symbol) => Some(symbol),
            Kind::String(text) => text.holes.first(),
            _ => None,
        }
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

    /// True or false as Terraform converts it: the texts `true`, `1`, `false` and `0` count, numbers do not.
    #[must_use]
    pub fn as_flag(&self) -> Option<bool> {
        match self.as_str() {
            Some("true" | "1") => Some(true),
            Some("false" | "0") => Some(false),
            _ => self.as_bool(),
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

    /// The number, also one written as text, which Terraform's provider and charts take.
    #[must_use]
    pub fn to_number(&self) -> Option<f64> {
        self.as_number().or_else(|| self.as_str()?.parse().ok())
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

    /// Whether it is null, or a list or mapping that certainly holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.kind {
            Kind::Null => true,
            Kind::List(list) => list.items.is_empty() && list.rest.is_none(),
            Kind::Map(map) => map.entries.is_empty() && map.rest.is_none(),
            _ => false,
        }
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
}
