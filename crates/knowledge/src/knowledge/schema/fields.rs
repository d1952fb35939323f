//! What is known about a field of a resource.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};

use crate::{
    knowledge::{
        read::OneOrMany,
        schema::patterns::{self, Pattern},
    },
    source::Span,
    value::{Value, deserialize::Spanned},
    version::{Range, Version},
};

/// A field, release by release.
#[derive(Debug)]
pub struct FieldSchema {
    /// Its path: `spec.template.spec.requirements[].key`; `[]` is any item of a list, `{}` any
    /// value of a map.
    pub path: String,
    /// What it is in the releases of each range, the oldest first. A range holds in those releases only
    /// that serve the version of the API.
    pub facts: Vec<FieldFact>,
    /// The place of the path in the file of the version.
    pub place: Span,
}

/// What a field is for a while.
#[derive(Debug, Deserialize)]
#[serde(try_from = "FieldRecord")]
pub struct FieldFact {
    /// In which releases.
    pub range: Range,
    /// What it is.
    pub shape: FieldShape,
}

/// What a field takes.
#[derive(Debug)]
pub struct FieldShape {
    /// The type.
    pub holds: FieldType,
    /// Whether it has to be there.
    pub required: bool,
    /// The texts it may be; empty if others may be too.
    pub values: Vec<String>,
    /// What the text has to match; all of them.
    pub patterns: Vec<&'static Pattern>,
    /// `date-time`, `int32` or `int64`; only the first is enforced.
    pub format: Option<String>,
    /// The least and the greatest number.
    pub number: FieldBounds<f64>,
    /// The least and the greatest number of letters.
    pub letters: FieldBounds<usize>,
    /// The least and the greatest number of items.
    pub items: FieldBounds<usize>,
    /// The greatest number of entries.
    pub most_entries: Option<usize>,
    /// What makes an item the same as another.
    pub unique: Option<Unique>,
    /// What it becomes if it is not written.
    pub default: Option<Value>,
}

/// Two bounds, both inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldBounds<T> {
    /// The lower one.
    pub least: Option<T>,
    /// The upper one.
    pub most: Option<T>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FieldType {
    /// Named fields.
    Object,
    /// Any keys, values of one shape.
    Map,
    /// Items of one shape.
    List,
    /// Text.
    #[serde(rename = "string")]
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A whole number or text.
    #[serde(rename = "int-or-string")]
    IntegerOrText,
    /// Anything: the API server keeps what is inside as it is written.
    Any,
}

/// What no two items of a list may share.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "WrittenUnique")]
pub enum Unique {
    /// Their value.
    Item,
    /// These fields.
    Fields(Vec<String>),
}

/// A fact as the files have it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FieldRecord {
    r#type: FieldType,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    r#enum: Vec<String>,
    #[serde(default)]
    pattern: OneOrMany<String>,
    format: Option<String>,
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_length: Option<usize>,
    max_length: Option<usize>,
    min_items: Option<usize>,
    max_items: Option<usize>,
    max_properties: Option<usize>,
    unique: Option<Unique>,
    default: Option<Value>,
    since: Option<Version>,
    until: Option<Version>,
}

impl TryFrom<FieldRecord> for FieldFact {
    type Error = String;

    fn try_from(from: FieldRecord) -> Result<Self, String> {
        let named =
            |name: &String| patterns::named(name).ok_or_else(|| format!("`{name}` is no pattern"));
        let shape = FieldShape {
            holds: from.r#type,
            required: from.required,
            values: from.r#enum,
            patterns: from.pattern.0.iter().map(named).collect::<Result<_, _>>()?,
            format: from.format,
            number: FieldBounds { least: from.minimum, most: from.maximum },
            letters: FieldBounds { least: from.min_length, most: from.max_length },
            items: FieldBounds { least: from.min_items, most: from.max_items },
            most_entries: from.max_properties,
            unique: from.unique,
            default: from.default,
        };
        Ok(Self { range: Range { since: from.since, until: from.until }, shape })
    }
}

/// `items` for the items themselves, else fields.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenUnique {
    Fields(Vec<String>),
    Item(ItemsWord),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ItemsWord {
    Items,
}

impl From<WrittenUnique> for Unique {
    fn from(from: WrittenUnique) -> Self {
        match from {
            WrittenUnique::Fields(fields) => Self::Fields(fields),
            WrittenUnique::Item(ItemsWord::Items) => Self::Item,
        }
    }
}

/// Fields, sorted by path: in the data a mapping of paths.
#[derive(Debug, Default)]
pub(super) struct Fields(pub Vec<FieldSchema>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("fields by path")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Fields, A::Error> {
        let mut fields: Vec<FieldSchema> = Vec::new();
        while let Some(entry) = from.next_entry::<Spanned<String>, OneOrMany<FieldFact>>()? {
            let (Spanned { value: path, span: place }, OneOrMany(facts)) = entry;
            fields.push(FieldSchema { path, facts, place });
        }
        if !fields.is_sorted_by(|a, b| a.path < b.path) {
            return Err(de::Error::custom("fields are not sorted"));
        }
        Ok(Fields(fields))
    }
}

impl FieldSchema {
    /// What it is in that release.
    #[must_use]
    pub fn at(&self, release: &Version) -> Option<&FieldShape> {
        self.facts.iter().find(|it| it.range.contains(release)).map(|it| &it.shape)
    }

    /// Whether it is each item of a list or each value of a map.
    #[must_use]
    pub fn is_each(&self) -> bool {
        self.path.ends_with("[]") || self.path.ends_with("{}")
    }

    /// Its name: `key`; empty for the items of a list and the values of a map.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.last_dot().and_then(|at| self.path.get(at + 1..)).unwrap_or(&self.path);
        if self.is_each() { "" } else { name }
    }

    /// The path of what holds it; empty for a field of the resource itself.
    #[must_use]
    pub fn holder(&self) -> &str {
        if self.is_each() {
            return self.path.get(..self.path.len() - 2).unwrap_or_default();
        }
        self.last_dot().and_then(|at| self.path.get(..at)).unwrap_or_default()
    }

    fn last_dot(&self) -> Option<usize> {
        memchr::memrchr(b'.', self.path.as_bytes())
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
