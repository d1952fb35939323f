//! Values for programs. What is not known is `{"unknown": "var.x"}`, also a text that is known in parts
//! (`{"unknown": "web-${var.x}"}`); where a list or a mapping may hold more than is known, `...` says what.

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::{
    show::unknown::{filled, key, words},
    value::{Kind, List, Map, Symbol, Value},
};

/// A value as data.
pub(crate) struct Data<'a>(pub &'a Value);

/// The key beside those known, in a list the last item.
const MORE: &str = "...";
/// Larger numbers are not counted exactly.
const LARGEST: f64 = 9_007_199_254_740_992.0;

#[derive(Serialize)]
struct Unknown {
    unknown: String,
}

#[derive(Serialize)]
struct More {
    #[serde(rename = "...")]
    more: Unknown,
}

fn unknown(symbol: &Symbol) -> Unknown {
    Unknown { unknown: words(symbol) }
}

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            Kind::Null => serializer.serialize_unit(),
            Kind::Bool(value) => serializer.serialize_bool(*value),
            Kind::Number(value) => number(*value, serializer),
            Kind::String(text) => match (text.known(), text.only_hole()) {
                (Some(known), _) => serializer.serialize_str(known),
                (None, Some(symbol)) => unknown(symbol).serialize(serializer),
                (None, None) => Unknown { unknown: filled(text) }.serialize(serializer),
            },
            Kind::Unknown(symbol) => unknown(symbol).serialize(serializer),
            Kind::List(it) => list(it, serializer),
            Kind::Map(it) => map(it, serializer),
        }
    }
}

fn number<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the range")]
    if value.fract() == 0.0 && value.abs() < LARGEST {
        return serializer.serialize_i64(value as i64);
    }
    serializer.serialize_f64(value)
}

fn list<S: Serializer>(list: &List, serializer: S) -> Result<S::Ok, S::Error> {
    let mut items = serializer.serialize_seq(None)?;
    for item in &list.items {
        items.serialize_element(&Data(item))?;
    }
    if let Some(rest) = &list.rest {
        items.serialize_element(&More { more: unknown(rest) })?;
    }
    items.end()
}

fn map<S: Serializer>(map: &Map, serializer: S) -> Result<S::Ok, S::Error> {
    let mut entries = serializer.serialize_map(None)?;
    for entry in &map.entries {
        entries.serialize_entry(&key(&entry.key), &Data(&entry.value))?;
    }
    if let Some(rest) = &map.rest {
        entries.serialize_entry(MORE, &unknown(rest))?;
    }
    entries.end()
}
