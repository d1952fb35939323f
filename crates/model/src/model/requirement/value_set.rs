//! The values that a requirement admits for one label.

use std::collections::BTreeSet;

/// Stands among values that are not admitted for one that is not known. No label may have it.
const UNSEEN: &str = "\u{e000}";

/// The values that are admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// Whether `values` are those that are not admitted.
    is_complement: bool,
    values: BTreeSet<String>,
    least: Option<i64>,
    most: Option<i64>,
    /// Whether part of what is written is not known, so that fewer values may be admitted.
    is_open: bool,
    /// How many values the instance types have to have among them.
    min_values: Option<u32>,
}

/// What is asked of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// One of these values.
    In,
    /// None of these values, or no such label.
    NotIn,
    /// Any value, perhaps within bounds.
    Exists,
    /// No such label.
    DoesNotExist,
}

impl ValueSet {
    /// Any value.
    #[must_use]
    pub fn any() -> Self {
        Self {
            is_complement: true,
            values: BTreeSet::new(),
            least: None,
            most: None,
            is_open: false,
            min_values: None,
        }
    }

    /// No value at all: there is no such label.
    #[must_use]
    pub fn nothing() -> Self {
        Self { is_complement: false, ..Self::any() }
    }

    /// One of these; `None` is a value that is not known, which may be any.
    pub fn one_of<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut found = Self::nothing();
        for value in values {
            match value {
                Some(value) => {
                    found.values.insert(value.to_owned());
                }
                None => return Self { is_open: true, ..Self::any() },
            }
        }
        found
    }

    /// None of these; `None` is a value that is not known.
    pub fn none_of<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut found = Self::any();
        for value in values {
            if let Some(value) = value {
                found.values.insert(value.to_owned());
            } else {
                found.values.insert(UNSEEN.to_owned());
                found.is_open = true;
            }
        }
        found
    }

    /// Numbers from this one on.
    #[must_use]
    pub fn at_least(bound: i64) -> Self {
        Self { least: Some(bound), ..Self::any() }
    }

    /// Numbers up to this one.
    #[must_use]
    pub fn at_most(bound: i64) -> Self {
        Self { most: Some(bound), ..Self::any() }
    }

    /// Greater numbers. There is none above the largest.
    #[must_use]
    pub fn above(bound: i64) -> Self {
        bound.checked_add(1).map_or_else(Self::nothing, Self::at_least)
    }

    /// Smaller numbers.
    #[must_use]
    pub fn below(bound: i64) -> Self {
        Self::at_most(bound.wrapping_sub(1))
    }

    /// Something that is not known.
    #[must_use]
    pub fn unknown() -> Self {
        Self { is_open: true, ..Self::any() }
    }

    /// The same, where the instance types have to have so many values among them.
    #[must_use]
    pub fn with_min_values(self, min_values: Option<u32>) -> Self {
        Self { min_values, ..self }
    }

    /// How many values the instance types have to have among them.
    #[must_use]
    pub fn min_values(&self) -> Option<u32> {
        self.min_values
    }

    /// Whether part of it is not known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// What it amounts to.
    #[must_use]
    pub fn operator(&self) -> Operator {
        match (self.is_complement, self.values.is_empty()) {
            (true, true) => Operator::Exists,
            (true, false) => Operator::NotIn,
            (false, true) => Operator::DoesNotExist,
            (false, false) => Operator::In,
        }
    }

    /// The values, where they are counted and known.
    #[must_use]
    pub fn listed(&self) -> Option<&BTreeSet<String>> {
        (!self.is_complement && !self.is_open).then_some(&self.values)
    }

    /// The values that are named, whether as those admitted or as those not.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str).filter(|it| *it != UNSEEN)
    }

    /// The bounds, both included.
    #[must_use]
    pub fn bounds(&self) -> (Option<i64>, Option<i64>) {
        (self.least, self.most)
    }

    /// Whether nodes without the label meet it.
    #[must_use]
    pub fn is_met_by_absence(&self) -> bool {
        matches!(self.operator(), Operator::NotIn | Operator::DoesNotExist)
    }

    /// Whether it certainly admits nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        !self.is_complement && self.values.is_empty()
    }

    /// Whether it admits a value.
    #[must_use]
    pub fn admits(&self, value: &str) -> Option<bool> {
        let admitted = self.values.contains(value) != self.is_complement
            && is_within(value, self.least, self.most);
        if admitted && self.is_open { None } else { Some(admitted) }
    }

    /// What both admit.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let (least, most) = self.bounds_with(other);
        let is_open = self.is_open || other.is_open;
        let min_values = self.min_values.max(other.min_values);
        if are_apart(least, most) {
            return Self { is_open, min_values, ..Self::nothing() };
        }
        let is_complement = self.is_complement && other.is_complement;
        let mut values: BTreeSet<String> = match (self.is_complement, other.is_complement) {
            (true, true) => self.values.union(&other.values).cloned().collect(),
            (true, false) => other.values.difference(&self.values).cloned().collect(),
            (false, true) => self.values.difference(&other.values).cloned().collect(),
            (false, false) => self.values.intersection(&other.values).cloned().collect(),
        };
        values.retain(|it| is_within(it, least, most));
        let (least, most) = if is_complement { (least, most) } else { (None, None) };
        Self { is_complement, values, least, most, is_open, min_values }
    }

    /// Whether there is a value that both admit, as far as it is known.
    #[must_use]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let (least, most) = self.bounds_with(other);
        if are_apart(least, most) {
            return false;
        }
        let (few, many) = match (self.is_complement, other.is_complement) {
            // Whatever is left out, there are others.
            (true, true) => return true,
            (true, false) => (other, self),
            (false, _) => (self, other),
        };
        let admitted = |it: &&String| many.values.contains(*it) != many.is_complement;
        few.values.iter().filter(admitted).any(|it| is_within(it, least, most))
    }

    /// Whether a node that is made by this requirement may meet the other: some value is admitted by both, or
    /// both are met by the absence of the label.
    #[must_use]
    pub fn agrees_with(&self, asked: &Self) -> Option<bool> {
        let is_known = !self.is_open && !asked.is_open;
        if self.meets(asked) {
            return is_known.then_some(true);
        }
        match (self.is_met_by_absence() || self.is_open, asked.is_met_by_absence() || asked.is_open)
        {
            (true, true) => is_known.then_some(true),
            _ => Some(false),
        }
    }

    fn bounds_with(&self, other: &Self) -> (Option<i64>, Option<i64>) {
        let most = match (self.most, other.most) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        (self.least.max(other.least), most)
    }
}

fn are_apart(least: Option<i64>, most: Option<i64>) -> bool {
    matches!((least, most), (Some(least), Some(most)) if least > most)
}

/// Within bounds there are only numbers.
fn is_within(value: &str, least: Option<i64>, most: Option<i64>) -> bool {
    if least.is_none() && most.is_none() {
        return true;
    }
    value
        .parse::<i64>()
        .is_ok_and(|it| least.is_none_or(|least| it >= least) && most.is_none_or(|most| it <= most))
}
