//! What is known about a field of a resource.

use crate::{
    knowledge::schema::patterns::Pattern,
    value::Value,
    version::{Range, Version},
};

/// A field, release by release.
#[derive(Debug)]
pub struct Field {
    /// Where it stands: `spec.template.spec.requirements[].key`; `[]` is any item of a list, `{}` any
    /// value of a map.
    pub path: String,
    /// What it is in the releases of each range, the oldest first. A range holds in those releases only
    /// that serve the version of the API.
    pub facts: Vec<FieldFact>,
}

/// What a field is for a while.
#[derive(Debug)]
pub struct FieldFact {
    /// In which releases.
    pub range: Range,
    /// What it is.
    pub shape: Shape,
}

/// What a field takes.
#[derive(Debug)]
pub struct Shape {
    /// The type.
    pub holds: Type,
    /// Whether it has to be there.
    pub required: bool,
    /// The texts it may be; empty if others may be too.
    pub values: Vec<String>,
    /// What the text has to match; all of them.
    pub patterns: Vec<&'static Pattern>,
    /// `date-time`, `int32` or `int64`; only the first is enforced.
    pub format: Option<String>,
    /// The least and the greatest number.
    pub number: Bounds<f64>,
    /// The least and the greatest number of letters.
    pub letters: Bounds<usize>,
    /// The least and the greatest number of items.
    pub items: Bounds<usize>,
    /// The greatest number of entries.
    pub most_entries: Option<usize>,
    /// What makes an item the same as another.
    pub unique: Option<Unique>,
    /// What it becomes if it is not written.
    pub default: Option<Value>,
}

/// Two bounds, both inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds<T> {
    /// The lower one.
    pub least: Option<T>,
    /// The upper one.
    pub most: Option<T>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Named fields.
    Object,
    /// Any keys, values of one shape.
    Map,
    /// Items of one shape.
    List,
    /// Text.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number or text.
    IntegerOrText,
}

/// What no two items of a list may share.
#[derive(Debug, PartialEq, Eq)]
pub enum Unique {
    /// Their value.
    Item,
    /// These fields.
    Fields(Vec<String>),
}

impl Field {
    /// What it is in that release.
    #[must_use]
    pub fn at(&self, release: &Version) -> Option<&Shape> {
        self.facts.iter().find(|it| it.range.contains(release)).map(|it| &it.shape)
    }

    /// Whether it stands for each item of a list or each value of a map.
    #[must_use]
    pub fn is_each(&self) -> bool {
        self.path.ends_with("[]") || self.path.ends_with("{}")
    }

    /// Its name: `key`; empty for the items of a list and the values of a map.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.path.rsplit('.').next().unwrap_or(&self.path);
        if self.is_each() { "" } else { name }
    }

    /// The path of what holds it; empty for a field of the resource itself.
    #[must_use]
    pub fn holder(&self) -> &str {
        if self.is_each() {
            return self.path.get(..self.path.len() - 2).unwrap_or_default();
        }
        self.path.rsplit_once('.').map_or("", |(holder, _)| holder)
    }

    /// The release it came with, if it came after the version of the API.
    #[must_use]
    pub fn since(&self) -> Option<&Version> {
        self.facts.first()?.range.since.as_ref()
    }

    /// The release it went with, if it went before the version of the API.
    #[must_use]
    pub fn until(&self) -> Option<&Version> {
        self.facts.last()?.range.until.as_ref()
    }
}
