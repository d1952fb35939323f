//! Fields and elements of values.

use std::sync::Arc;

use crate::cel::{
    data::{Data, ListData, MapData, Operand, Outcome},
    fault::{Fault, Unknown},
    place::Place,
};

/// Something missing in an operand.
fn missing(operand: &Operand, message: String) -> Fault {
    let place = operand.place.as_ref().map(Place::key);
    Fault::error(message).or_at(place.as_ref(), &(0..0))
}

/// An optional of what may be there. None is written nowhere but missing in the operand.
fn some(found: Option<Outcome>, operand: &Operand) -> Outcome {
    match found.transpose()? {
        None => {
            let place = operand.place.as_ref().map(Place::key);
            Ok(Operand { data: Data::Optional(None), place })
        }
        Some(value) => {
            let place = value.place.clone();
            Ok(Operand { data: Data::Optional(Some(Arc::new(value))), place })
        }
    }
}

/// The field of an operand; of an optional one, or if it is asked for so, an optional.
///
/// # Errors
/// When there is none, or when it is not known.
pub(super) fn field(operand: &Operand, name: &str, is_optional: bool) -> Outcome {
    match &operand.data {
        Data::Optional(None) => Ok(operand.clone()),
        Data::Optional(Some(inner)) => field(inner, name, true),
        Data::Map(map) if is_optional => some(map.present(&Data::text(name)), operand),
        Data::Map(map) => {
            map.field(name).unwrap_or_else(|| Err(missing(operand, format!("no such key: {name}"))))
        }
        other => {
            let message = format!("type `{}` has no field `{name}`", other.type_name());
            Err(Fault::error(message).or_at(operand.place.as_ref(), &(0..0)))
        }
    }
}

/// Whether an operand has a field.
///
/// # Errors
/// When it is not known, or when the operand can have none.
pub(super) fn has(operand: &Operand, name: &str) -> Outcome {
    match &operand.data {
        Data::Optional(None) => {
            Ok(Operand { data: Data::Bool(false), place: operand.place.clone() })
        }
        Data::Optional(Some(inner)) => has(inner, name),
        Data::Map(map) => {
            let found = map.has_field(name)?;
            let value = if found { map.field(name) } else { None };
            let place = match value {
                Some(Ok(value)) => value.place,
                Some(Err(Fault::Unknown(unknown))) => unknown.place.clone(),
                _ => operand.place.as_ref().map(Place::key),
            };
            Ok(Operand { data: Data::Bool(found), place })
        }
        other => {
            let message = format!("type `{}` has no field `{name}`", other.type_name());
            Err(Fault::error(message).or_at(operand.place.as_ref(), &(0..0)))
        }
    }
}

/// The element of an operand; of an optional one, or if it is asked for so, an optional.
///
/// # Errors
/// When there is none, or when it is not known.
pub(super) fn index(operand: &Operand, key: &Operand, is_optional: bool) -> Outcome {
    let found = match &operand.data {
        Data::Optional(None) => return Ok(operand.clone()),
        Data::Optional(Some(inner)) => return index(inner, key, true),
        Data::Map(map) => match &key.data {
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Double(_) | Data::String(_) => {
                if is_optional {
                    map.present(&key.data)
                } else {
                    map.get(&key.data)
                }
            }
            _ => return Err(Fault::error("unsupported key type")),
        },
        Data::List(list) => element(list, &key.data)?,
        other => return Err(Fault::error(format!("type `{}` has no elements", other.type_name()))),
    };
    if is_optional {
        return some(found, operand);
    }
    let wrong = || match (&operand.data, &key.data) {
        (Data::List(_), Data::Int(at)) => format!("index out of bounds: {at}"),
        (Data::List(_), _) => "index out of bounds".to_owned(),
        (_, Data::String(key)) => format!("no such key: {key}"),
        _ => "no such key".to_owned(),
    };
    found.unwrap_or_else(|| Err(missing(operand, wrong())))
}

/// The element of a list.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it has no fraction, and no list is that long"
)]
fn element(list: &ListData, key: &Data) -> Result<Option<Outcome>, Fault> {
    let at = match key {
        Data::Int(it) => usize::try_from(*it).ok(),
        Data::Uint(it) => usize::try_from(*it).ok(),
        Data::Double(it) if it.fract() == 0.0 => (*it >= 0.0).then_some(*it as usize),
        other => return Err(Fault::error(format!("`{}` is no index", other.type_name()))),
    };
    let Some(at) = at else { return Ok(None) };
    let beyond = || list.rest.clone().map(|it| Err(Fault::Unknown(it)));
    Ok(list.get(at).or_else(beyond))
}

/// What an optional element of a literal adds.
///
/// # Errors
/// When it is not an optional.
pub(super) fn optional(value: Operand) -> Result<Option<Operand>, Fault> {
    match value.data {
        Data::Optional(it) => Ok(it.map(|it| (*it).clone())),
        other => {
            let message = format!(
                "cannot initialize optional entry from a value of type `{}`",
                other.type_name()
            );
            Err(Fault::error(message))
        }
    }
}

/// A mapping of entries, no two of one key.
///
/// # Errors
/// When two have the same key, or when a value cannot be one.
pub(super) fn keyed(entries: Vec<(Operand, Operand)>) -> Result<MapData, Fault> {
    for (key, _) in &entries {
        if !matches!(key.data, Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::String(_)) {
            return Err(Fault::error("unsupported key type"));
        }
    }
    let count = entries.len();
    let map = MapData::computed(entries);
    if map.distinct() == count { Ok(map) } else { Err(Fault::error("failed with repeated key")) }
}

/// The elements that a macro goes through.
pub(super) struct Elements<'a> {
    data: &'a Data,
    entries: Vec<(Operand, Outcome)>,
    is_pairs: bool,
}

impl<'a> Elements<'a> {
    /// The elements of a list or mapping, with their indexes or keys if there are two names.
    ///
    /// # Errors
    /// When it is neither.
    pub(super) fn of(range: &'a Operand, is_pairs: bool) -> Result<Self, Fault> {
        let entries = match &range.data {
            Data::List(_) => Vec::new(),
            Data::Map(map) => map.each().collect(),
            other => {
                let message = format!("no such overload: a macro over {}", other.type_name());
                return Err(Fault::error(message).or_at(range.place.as_ref(), &(0..0)));
            }
        };
        Ok(Self { data: &range.data, entries, is_pairs })
    }

    /// How many are known.
    #[must_use]
    pub(super) fn known(&self) -> usize {
        match self.data {
            Data::List(list) => list.known(),
            _ => self.entries.len(),
        }
    }

    /// Nothing, if there are no further ones.
    ///
    /// # Errors
    /// When there may be.
    pub(super) fn closed(&self) -> Result<(), Fault> {
        self.rest().map_or(Ok(()), |it| Err(Fault::Unknown(it)))
    }

    /// What may follow.
    #[must_use]
    pub(super) fn rest(&self) -> Option<Arc<Unknown>> {
        match self.data {
            Data::List(list) => list.rest.clone(),
            Data::Map(map) => map.rest.clone(),
            _ => None,
        }
    }

    /// What the names of a macro mean for one element.
    pub(super) fn get(&self, at: usize) -> (Outcome, Option<Outcome>) {
        let none = || Err(Fault::error("index out of bounds"));
        match self.data {
            Data::List(list) => {
                let value = list.get(at).unwrap_or_else(none);
                if self.is_pairs {
                    let index = Data::Int(i64::try_from(at).unwrap_or(i64::MAX));
                    (Ok(index.into()), Some(value))
                } else {
                    (value, None)
                }
            }
            _ => match self.entries.get(at) {
                Some((key, value)) => (Ok(key.clone()), self.is_pairs.then(|| value.clone())),
                None => (none(), None),
            },
        }
    }

    /// Where an element is written.
    #[must_use]
    pub(super) fn place(&self, at: usize) -> Option<Place> {
        let value = match self.data {
            Data::List(list) => list.get(at)?,
            _ => Ok(self.entries.get(at)?.0.clone()),
        };
        match value {
            Ok(value) => value.place,
            Err(Fault::Unknown(unknown)) => unknown.place.clone(),
            Err(_) => None,
        }
    }

    /// An error that was raised while an element was looked at.
    #[must_use]
    pub(super) fn blame(&self, fault: Fault, at: usize) -> Fault {
        let Fault::Error(mut error) = fault else { return fault };
        error.place = match (error.place, self.place(at)) {
            (Some(place), Some(element)) => Some(place.inside(&element)),
            (place, element) => place.or(element),
        };
        Fault::Error(error)
    }
}
