//! What a rule wants changed, without regard to the language it is written in.
//!
//! A rule knows values, not text. It names what should be written where, and `edits` writes that in the
//! style of the text around it: Terraform's language, YAML in block or flow style, JSON, any of them inside
//! another.

use std::sync::Arc;

use crate::{
    findings::edit::Edit,
    source::{FileId, Span},
    value::{Entry, Kind, Value},
};

/// Something to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// Text, which gets the quotes it needs.
    Text(String),
    /// A number, a truth value, a reference: as it is.
    Plain(String),
    /// A list.
    List(Vec<NewValue>),
    /// A mapping.
    Map(Vec<(String, NewValue)>),
    /// Text that encodes something: by this function in Terraform's language, in JSON elsewhere.
    Encoded(&'static str, Box<NewValue>),
}

impl NewValue {
    /// Text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// As it is.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }

    /// A mapping of texts.
    #[must_use]
    pub fn texts<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let entries = entries.into_iter().map(|(key, text)| (key.to_owned(), Self::text(text)));
        Self::Map(entries.collect())
    }

    /// The same from a value; `None` where part of it is unknown.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        Some(match &value.kind {
            Kind::Null => Self::plain("null"),
            Kind::Bool(value) => Self::plain(value.to_string()),
            Kind::Number(value) => Self::plain(value.to_string()),
            Kind::String(text) => Self::text(text.known()?),
            Kind::List(list) if list.rest.is_none() => {
                Self::List(list.items.iter().map(Self::of).collect::<Option<_>>()?)
            }
            Kind::Map(map) if map.rest.is_none() => {
                let entry = |it: &Entry| Some((it.key.to_string(), Self::of(&it.value)?));
                Self::Map(map.entries.iter().map(entry).collect::<Option<_>>()?)
            }
            Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => return None,
        })
    }

    /// One mapping of all: the later of two values for one key counts.
    #[must_use]
    pub fn merged(self, over: Self) -> Self {
        let (Self::Map(mut entries), Self::Map(more)) = (self, over.clone()) else { return over };
        for (key, value) in more {
            match entries.iter_mut().find(|it| it.0 == key) {
                Some(entry) => entry.1 = entry.1.clone().merged(value),
                None => entries.push((key, value)),
            }
        }
        Self::Map(entries)
    }

    /// This inside mappings of the names given, the outermost first.
    #[must_use]
    pub fn inside(self, names: &[Arc<str>]) -> Self {
        let wrap = |inner, name: &Arc<str>| Self::Map(vec![(name.to_string(), inner)]);
        names.iter().rev().fold(self, wrap)
    }
}

/// Where a new entry of a mapping is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryOrder {
    /// Behind the first of these entries that the mapping has, else behind the last of all.
    After(Vec<&'static str>),
    /// Before all others.
    First,
}

/// What a change does where something is written already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// The written text is replaced, also where a reference or an alias brings it from elsewhere.
    Replace,
    /// The written text is replaced if it is part of the mapping itself; else the change cannot be
    /// made.
    ReplaceInPlace,
    /// The change cannot be made.
    Refuse,
}

/// What has to hold for the other changes of a fix to be made.
#[derive(Clone, Debug)]
pub enum FixCondition {
    /// All edits are in this file.
    AllIn(FileId),
    /// The mapping at that path and all around it are written where they are: no reference, alias or merge
    /// brings one of them from elsewhere.
    Written(Value, Vec<Arc<str>>),
}

/// A part of a mapping that is put together anew, of what is written in it and what is not.
#[derive(Clone, Debug)]
pub enum Part {
    /// An entry of a mapping as it is written, with its comments, under a name.
    Kept {
        /// The name.
        name: &'static str,
        /// The mapping it is in.
        from: Value,
        /// Its key there.
        key: Arc<str>,
        /// What a list gets besides, at its end.
        more: Vec<NewValue>,
    },
    /// A new entry.
    New(&'static str, NewValue),
    /// A mapping of parts.
    Map(&'static str, Vec<Part>),
    /// A list whose only item is a mapping of parts.
    Only(&'static str, Vec<Part>),
}

/// One step of a fix.
#[derive(Clone, Debug)]
pub enum Change {
    /// Text in place of other text.
    Edit(Edit),
    /// A word becomes another, if it is all that is written there, with or without quotes.
    Reword {
        /// Where it is written.
        span: Span,
        /// What is written.
        old: Arc<str>,
        /// What is to be written.
        new: Arc<str>,
    },
    /// A number or a truth value becomes text: it gets quotes.
    Quote(Value),
    /// A path of a mapping gets a value, and whatever is missing on the way is written too.
    Set {
        /// The mapping.
        mapping: Value,
        /// The keys, one inside the other.
        path: Vec<Arc<str>>,
        /// Where it is written when it is new.
        order: EntryOrder,
        /// The value.
        value: NewValue,
        /// What happens to a value that is written already.
        existing: Existing,
    },
    /// An entry of a mapping becomes another one, in its place.
    Replace {
        /// The mapping.
        mapping: Value,
        /// The key of the entry.
        key: Arc<str>,
        /// The new key.
        name: Arc<str>,
        /// The new value.
        value: NewValue,
    },
    /// The list at a path of a mapping gets one more item, at its end.
    Add {
        /// The mapping.
        mapping: Value,
        /// The keys, one inside the other.
        path: Vec<Arc<str>>,
        /// What a list that is not written yet begins with.
        others: Vec<NewValue>,
        /// The item.
        item: NewValue,
    },
    /// An entry of a mapping goes, with each mapping around it that holds nothing else.
    Remove {
        /// The mapping.
        mapping: Value,
        /// The keys, one inside the other.
        path: Vec<Arc<str>>,
    },
    /// The entries inside an entry of a mapping take its place, with other keys.
    Unwrap {
        /// The mapping.
        mapping: Value,
        /// The key of the entry.
        key: Arc<str>,
        /// The new keys of the entries inside, in their order.
        names: Vec<Arc<str>>,
    },
    /// An entry becomes the first of another mapping as it is written, with its comment.
    Move {
        /// The mapping it leaves.
        from: Value,
        /// Its key.
        key: Arc<str>,
        /// The mapping it goes to, which has no entry of that key.
        to: Value,
        /// What is written in its place.
        replacement: Option<(Arc<str>, NewValue)>,
    },
    /// The value at a path of a mapping is written at another path, too, where nothing is yet.
    Copy {
        /// The mapping.
        mapping: Value,
        /// The keys, one inside the other.
        from: Vec<Arc<str>>,
        /// The keys of the new place.
        to: Vec<Arc<str>>,
    },
    /// The mapping inside an entry is put together anew.
    Arrange {
        /// The mapping.
        mapping: Value,
        /// The key of the entry.
        key: Arc<str>,
        /// What is inside it from now on.
        parts: Vec<Part>,
    },
    /// A block of Terraform waits for another.
    DependOn {
        /// The block.
        block: Span,
        /// Its `depends_on`: the list, and the last element of it.
        list: Option<(Span, Option<Span>)>,
        /// The address of the other block.
        address: String,
    },
    /// Nothing is written, but all other changes depend on it.
    OnlyIf(FixCondition),
    /// The first of these that can be made.
    FirstOf(Vec<Vec<Change>>),
}

impl Change {
    /// Text in place of other text.
    #[must_use]
    pub fn replace(span: Span, text: impl Into<String>) -> Self {
        Self::Edit(Edit { span, text: text.into() })
    }

    /// Gives a path of a mapping, with dots between its keys, a value.
    #[must_use]
    pub fn set(mapping: &Value, path: &str, value: NewValue) -> Self {
        let path: Vec<&str> = path.split('.').collect();
        Self::set_key(mapping, &path, value)
    }

    /// Gives a path of a mapping a value; a key may have dots in it.
    #[must_use]
    pub fn set_key(mapping: &Value, path: &[&str], value: NewValue) -> Self {
        let path = path.iter().map(|it| Arc::from(*it)).collect();
        let (mapping, order) = (mapping.clone(), EntryOrder::After(Vec::new()));
        Self::Set { mapping, path, order, value, existing: Existing::Replace }
    }

    /// The same change, made only where nothing is written yet.
    #[must_use]
    pub fn if_missing(self) -> Self {
        self.existing(Existing::Refuse)
    }

    /// The same change; a value that is written already is replaced only if it is part of the mapping itself.
    #[must_use]
    pub fn in_place(self) -> Self {
        self.existing(Existing::ReplaceInPlace)
    }

    fn existing(mut self, wanted: Existing) -> Self {
        if let Self::Set { existing, .. } = &mut self {
            *existing = wanted;
        }
        self
    }

    /// Gives the list at a path of a mapping one more item. A list that is not written yet begins with
    /// `others`: what would be there if it stayed so.
    #[must_use]
    pub fn add(mapping: &Value, path: &str, others: Vec<NewValue>, item: NewValue) -> Self {
        let path = path.split('.').map(Arc::from).collect();
        Self::Add { mapping: mapping.clone(), path, others, item }
    }

    /// The same change, with the entries behind which something new is written.
    #[must_use]
    pub fn behind(mut self, names: &[&'static str]) -> Self {
        if let Self::Set { order: EntryOrder::After(all), .. } = &mut self {
            all.extend_from_slice(names);
        }
        self
    }

    /// The same change; something new is written before all other entries.
    #[must_use]
    pub fn ahead(mut self) -> Self {
        if let Self::Set { order, .. } = &mut self {
            *order = EntryOrder::First;
        }
        self
    }

    /// A word becomes another, if it is all that is written there, with or without quotes.
    #[must_use]
    pub fn reword(span: Span, old: &str, new: &str) -> Self {
        Self::Reword { span, old: old.into(), new: new.into() }
    }

    /// Makes an entry of a mapping another one, in its place.
    #[must_use]
    pub fn replace_entry(mapping: &Value, key: &str, name: &str, value: NewValue) -> Self {
        Self::Replace { mapping: mapping.clone(), key: key.into(), name: name.into(), value }
    }

    /// Nothing, but no other change is made unless the mapping at a path of another, and all around it, are
    /// written where they are.
    #[must_use]
    pub fn if_written(mapping: &Value, path: &[&str]) -> Self {
        let path = path.iter().map(|it| Arc::from(*it)).collect();
        Self::OnlyIf(FixCondition::Written(mapping.clone(), path))
    }

    /// Writes the value at a path of a mapping at another path, too; both have dots between their keys.
    #[must_use]
    pub fn copy(mapping: &Value, from: &str, to: &str) -> Self {
        let keys = |path: &str| path.split('.').map(Arc::from).collect();
        Self::Copy { mapping: mapping.clone(), from: keys(from), to: keys(to) }
    }

    /// Takes the entry at a path of a mapping away.
    #[must_use]
    pub fn remove(mapping: &Value, path: &[&str]) -> Self {
        let path = path.iter().map(|it| Arc::from(*it)).collect();
        Self::Remove { mapping: mapping.clone(), path }
    }
}
