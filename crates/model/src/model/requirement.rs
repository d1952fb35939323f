//! Karpenter's requirements: which values a label of a node may have, and whether a pool and pods agree.
//!
//! They are sets that are kept as what they hold or as what they lack, with bounds for numbers. Two things of
//! this algebra are not those of sets: a requirement on a label that the other side does not name, and one
//! that is met by the absence of a label.
//! <https://github.com/kubernetes-sigs/karpenter/tree/v1.14.1/pkg/scheduling>

pub mod instance_type;
pub mod value_set;

use std::collections::BTreeMap;

use crate::model::requirement::value_set::ValueSet;

/// What is required of the labels of a node, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    sets: BTreeMap<String, ValueSet>,
    is_open: bool,
}

/// Whether two sides agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement<'k> {
    /// They do.
    Yes,
    /// They do not, because of this label.
    No(&'k str),
    /// It hangs on something that is not known, about this label if it is about one.
    Unknown(Option<&'k str>),
}

/// What nodes have for a label that no requirement names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undeclared {
    /// Any value that is asked for: Karpenter knows the label.
    Any,
    /// Nothing.
    Absent,
    /// Something that is not known here.
    Unknown,
}

impl Requirements {
    /// Adds a requirement to those there are.
    pub fn add(&mut self, key: &str, set: ValueSet) {
        let both = self.sets.get(key).map(|it| it.and(&set));
        self.sets.insert(key.to_owned(), both.unwrap_or(set));
    }

    /// Notes that there may be others.
    pub fn open(&mut self) {
        self.is_open = true;
    }

    /// Whether there may be others.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// What is required of a label, if it is named.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&ValueSet> {
        self.sets.get(key)
    }

    /// All of them, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ValueSet)> {
        self.sets.iter().map(|(key, set)| (key.as_str(), set))
    }

    /// Whether there are certainly none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty() && !self.is_open
    }

    /// The same with those of another.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let mut both = self.clone();
        other.iter().for_each(|(key, set)| both.add(key, set.clone()));
        both.is_open |= other.is_open;
        both
    }

    /// Whether nodes with these requirements may meet those of pods; `undeclared` says what nodes have for a
    /// label that these do not name.
    pub fn agree_with<'k>(
        &self,
        asked: &'k Self,
        undeclared: impl Fn(&str) -> Undeclared,
    ) -> Agreement<'k> {
        let mut doubt = asked.is_open.then_some(Agreement::Unknown(None));
        for (key, incoming) in asked.iter() {
            match self.agree_on(key, incoming, &undeclared) {
                Some(true) => {}
                Some(false) => return Agreement::No(key),
                None => doubt = doubt.or(Some(Agreement::Unknown(Some(key)))),
            }
        }
        doubt.unwrap_or(Agreement::Yes)
    }

    /// The same for one requirement of pods.
    pub fn agree_on(
        &self,
        key: &str,
        incoming: &ValueSet,
        undeclared: impl Fn(&str) -> Undeclared,
    ) -> Option<bool> {
        match self.get(key) {
            Some(existing) => existing.agrees_with(incoming).filter(|it| !(*it && self.is_open)),
            None if self.is_open => None,
            None => match undeclared(key) {
                Undeclared::Any => Some(true),
                Undeclared::Absent if incoming.is_open() => None,
                Undeclared::Absent => Some(incoming.is_met_by_absence()),
                Undeclared::Unknown => None,
            },
        }
    }

    /// Whether both may be met at once; labels that only one of them names do not matter.
    #[must_use]
    pub fn intersect<'k>(&self, other: &'k Self) -> Agreement<'k> {
        self.agree_with(other, |_| Undeclared::Any)
    }
}

impl FromIterator<(String, ValueSet)> for Requirements {
    fn from_iter<T: IntoIterator<Item = (String, ValueSet)>>(all: T) -> Self {
        let mut found = Self::default();
        all.into_iter().for_each(|(key, set)| found.add(&key, set));
        found
    }
}
