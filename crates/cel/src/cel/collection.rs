//! Looking inside lists and mappings, also those of files whose elements are not all known.

use std::{collections::HashMap, sync::Arc};

use crate::{
    cel::{
        data::{Computed, Data, Entries, Items, Key, ListData, MapData, Operand, Outcome},
        fault::{Fault, Unknown},
        place::Place,
    },
    value::{self, Kind, Symbol, Value, deserialize::NOWHERE},
};

/// A value of a file.
///
/// # Errors
/// When it is not known.
pub fn read(value: &Value) -> Outcome {
    let unknown = |symbol: &Symbol| {
        Arc::new(Unknown { symbol: symbol.clone(), place: place_of(value), text: None })
    };
    let rest = |symbol: &Option<Symbol>| symbol.as_ref().map(unknown);
    let data = match &value.kind {
        Kind::Null => Data::Null,
        Kind::Bool(it) => Data::Bool(*it),
        Kind::Number(number) => whole(*number).map_or(Data::Double(*number), Data::Int),
        Kind::String(text) => match text.holes.first() {
            Some(symbol) => {
                let text = Some(text.clone());
                let place = place_of(value);
                let unknown = Unknown { symbol: symbol.clone(), place, text };
                return Err(Fault::Unknown(Arc::new(unknown)));
            }
            None => Data::String(text.text.clone()),
        },
        Kind::List(list) => {
            Data::List(ListData { items: Items::Written(list.clone()), rest: rest(&list.rest) })
        }
        Kind::Map(map) => {
            Data::Map(MapData { entries: Entries::Written(map.clone()), rest: rest(&map.rest) })
        }
        Kind::Unknown(symbol) => return Err(Fault::Unknown(unknown(symbol))),
    };
    Ok(Operand { data, place: place_of(value) })
}

/// Where a value is written; `None` for one that is in no file of the project.
pub(crate) fn place_of(value: &Value) -> Option<Place> {
    (value.span.file != NOWHERE.file).then(|| Place::of(value))
}

/// A number of JSON that Kubernetes reads as an int.
#[expect(clippy::cast_possible_truncation, reason = "it has no fraction and lies in the range")]
fn whole(number: f64) -> Option<i64> {
    let fits = number.fract() == 0.0 && (-9.2e18..9.2e18).contains(&number);
    fits.then_some(number as i64)
}

impl ListData {
    /// How many elements are known.
    #[must_use]
    pub fn known(&self) -> usize {
        match &self.items {
            Items::Computed(items) => items.len(),
            Items::Written(list) => list.items.len(),
        }
    }

    /// How many elements there are.
    ///
    /// # Errors
    /// When further ones may follow.
    pub fn count(&self) -> Result<usize, Fault> {
        self.closed()?;
        Ok(self.known())
    }

    /// Nothing, if no further elements may follow.
    ///
    /// # Errors
    /// When they may.
    pub fn closed(&self) -> Result<(), Fault> {
        self.rest.as_ref().map_or(Ok(()), |it| Err(Fault::Unknown(it.clone())))
    }

    /// The known element of that index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Outcome> {
        match &self.items {
            Items::Computed(items) => items.get(index).cloned().map(Ok),
            Items::Written(list) => list.items.get(index).map(read),
        }
    }

    /// The known elements.
    pub fn each(&self) -> impl Iterator<Item = Outcome> + '_ {
        (0..self.known()).filter_map(|it| self.get(it))
    }

    /// All elements.
    ///
    /// # Errors
    /// When one is not known, or further ones may follow.
    pub fn all(&self) -> Result<Vec<Operand>, Fault> {
        self.closed()?;
        self.each().collect()
    }
}

impl Key {
    /// The key that a value is, if it may be one.
    #[must_use]
    pub(crate) fn of(data: &Data) -> Option<Self> {
        Some(match data {
            Data::Bool(it) => Self::Bool(*it),
            Data::Int(it) => Self::Number((*it).into()),
            Data::Uint(it) => Self::Number((*it).into()),
            Data::Double(it) => Self::Number(whole(*it)?.into()),
            Data::String(it) => Self::String(it.clone()),
            _ => return None,
        })
    }
}

impl MapData {
    /// A mapping of entries, the later ones over the earlier.
    #[must_use]
    pub fn computed(entries: Vec<(Operand, Operand)>) -> Self {
        let key = |(at, (key, _)): (usize, &(Operand, _))| Some((Key::of(&key.data)?, at));
        let index: HashMap<Key, usize> = entries.iter().enumerate().filter_map(key).collect();
        Self { entries: Entries::Computed(Arc::new(Computed { entries, index })), rest: None }
    }

    /// How many entries are known.
    #[must_use]
    pub fn known(&self) -> usize {
        match &self.entries {
            Entries::Computed(it) => it.entries.len(),
            Entries::Written(map) => map.entries.len(),
        }
    }

    /// How many different keys are known.
    #[must_use]
    pub(crate) fn distinct(&self) -> usize {
        match &self.entries {
            Entries::Computed(it) => it.index.len(),
            Entries::Written(map) => map.entries.len(),
        }
    }

    /// How many entries there are.
    ///
    /// # Errors
    /// When there may be further ones.
    pub fn count(&self) -> Result<usize, Fault> {
        self.closed()?;
        Ok(self.known())
    }

    /// Nothing, if there are no further entries.
    ///
    /// # Errors
    /// When there may be.
    pub fn closed(&self) -> Result<(), Fault> {
        self.rest.as_ref().map_or(Ok(()), |it| Err(Fault::Unknown(it.clone())))
    }

    /// The value of a key; `None` if there certainly is none.
    #[must_use]
    pub fn get(&self, key: &Data) -> Option<Outcome> {
        let key = Key::of(key)?;
        let found = match (&self.entries, &key) {
            (Entries::Computed(it), key) => {
                it.index.get(key).map(|at| Ok(it.entries[*at].1.clone()))
            }
            (Entries::Written(map), Key::String(key)) => map.entry(key).map(|it| read(&it.value)),
            (Entries::Written(_), _) => return None,
        };
        found.or_else(|| self.rest.clone().map(|it| Err(Fault::Unknown(it))))
    }

    /// The value of a key that is a text.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<Outcome> {
        match &self.entries {
            Entries::Written(map) => {
                let found = map.entry(key).map(|it| read(&it.value));
                found.or_else(|| self.rest.clone().map(|it| Err(Fault::Unknown(it))))
            }
            Entries::Computed(_) => self.get(&Data::text(key)),
        }
    }

    /// The value of a key that counts as present; see [`Self::has`].
    #[must_use]
    pub fn present(&self, key: &Data) -> Option<Outcome> {
        match (&self.entries, self.get(key)) {
            (Entries::Written(_), Some(Ok(Operand { data: Data::Null, .. }))) => None,
            (_, found) => found,
        }
    }

    /// Whether there is an entry of that key. One that is null in a file counts as missing, as it does to
    /// Kubernetes.
    ///
    /// # Errors
    /// When there may be one.
    pub fn has(&self, key: &Data) -> Result<bool, Fault> {
        let found = match (&self.entries, Key::of(key)) {
            (Entries::Computed(it), Some(key)) => it.index.contains_key(&key),
            (Entries::Written(map), Some(Key::String(key))) => match map.entry(&key) {
                Some(entry) => return Ok(!entry.value.is_null()),
                None => false,
            },
            (_, None) | (Entries::Written(_), _) => return Ok(false),
        };
        if !found {
            self.closed()?;
        }
        Ok(found)
    }

    /// Whether there is an entry whose key is that text; see [`Self::has`].
    ///
    /// # Errors
    /// When there may be one.
    pub(crate) fn has_field(&self, key: &str) -> Result<bool, Fault> {
        match &self.entries {
            Entries::Written(map) => match map.entry(key) {
                Some(entry) => Ok(!entry.value.is_null()),
                None => self.closed().map(|()| false),
            },
            Entries::Computed(_) => self.has(&Data::text(key)),
        }
    }

    /// The known entries, each with its key.
    pub fn each(&self) -> impl Iterator<Item = (Operand, Outcome)> + '_ {
        (0..self.known()).filter_map(|at| match &self.entries {
            Entries::Computed(it) => {
                let (key, value) = it.entries.get(at)?;
                Some((key.clone(), Ok(value.clone())))
            }
            Entries::Written(map) => map.entries.get(at).map(entry),
        })
    }

    /// All entries.
    ///
    /// # Errors
    /// When a value is not known, or there may be further ones.
    pub fn all(&self) -> Result<Vec<(Operand, Operand)>, Fault> {
        self.closed()?;
        self.each().map(|(key, value)| Ok((key, value?))).collect()
    }
}

/// An entry of a file.
fn entry(entry: &value::Entry) -> (Operand, Outcome) {
    let span = entry.key_span;
    let origin = entry.value.origin.clone();
    let place =
        (span.file != NOWHERE.file).then_some(Place { span, name: span, origin, within: None });
    let key = Operand { data: Data::String(entry.key.clone()), place };
    (key, read(&entry.value))
}
