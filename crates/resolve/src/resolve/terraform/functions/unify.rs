//! Finding the one type several values convert to, as Terraform does where a list must have one.

use std::{cmp::Ordering, collections::BTreeMap, sync::Arc};

use crate::{
    resolve::terraform::functions::{json, scalar},
    value::{Kind, List, Value},
};

/// What is known of a value's type. Lists and tuples look alike in a value, so do maps and objects.
enum TypeShape {
    /// Null, or not known.
    Any,
    Bool,
    Number,
    String,
    /// One shape for all items.
    List(Box<TypeShape>),
    /// A shape for each item.
    Tuple(Vec<TypeShape>),
    /// One shape for all entries.
    Map(Box<TypeShape>),
    /// A shape for each entry.
    Object(BTreeMap<Arc<str>, TypeShape>),
}

/// Whether two values are of one type, so that neither is converted.
#[must_use]
pub(crate) fn are_alike(one: &Value, other: &Value) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Null | Kind::Unknown(_), _)
        | (_, Kind::Null | Kind::Unknown(_))
        | (Kind::Bool(_), Kind::Bool(_))
        | (Kind::Number(_), Kind::Number(_))
        | (Kind::String(_), Kind::String(_)) => true,
        (Kind::List(a), Kind::List(b)) => {
            let closed = a.rest.is_none() && b.rest.is_none() && a.items.len() == b.items.len();
            closed && a.items.iter().zip(&b.items).all(|(a, b)| are_alike(a, b))
        }
        (Kind::Map(a), Kind::Map(b)) => {
            let closed = a.rest.is_none() && b.rest.is_none() && a.entries.len() == b.entries.len();
            let mut entries = a.entries.iter().zip(&b.entries);
            closed && entries.all(|(a, b)| a.key == b.key && are_alike(&a.value, &b.value))
        }
        _ => false,
    }
}

/// The values, converted to the one type they share; `None` when there is none.
#[must_use]
pub(crate) fn unify(values: &[Value]) -> Option<Vec<Value>> {
    if values.windows(2).all(|it| matches!(it, [one, next] if are_scalars_alike(one, next))) {
        return Some(values.to_vec());
    }
    let shape = common(values.iter().map(shape_of).collect())?;
    Some(values.iter().map(|it| convert(it, &shape)).collect())
}

/// A list as a set.
#[must_use]
pub(crate) fn as_set(value: Value) -> Value {
    let Kind::List(list) = &value.kind else { return value };
    if list.is_set {
        return value;
    }
    let mut set = List { is_set: true, ..(**list).clone() };
    if set.items.iter().all(Value::is_wholly_known) {
        set.items.sort_by(set_order);
        set.items.dedup_by(|a, b| a.same_as(b) == Some(true));
    }
    Value { kind: Kind::List(Arc::new(set)), ..value }
}

/// The order of a set: text by bytes, numbers by size, false before true, anything else by its JSON.
#[must_use]
pub(crate) fn set_order(a: &Value, b: &Value) -> Ordering {
    match (&a.kind, &b.kind) {
        (Kind::Number(a), Kind::Number(b)) => a.total_cmp(b),
        (Kind::String(a), Kind::String(b)) => a.text.cmp(&b.text),
        (Kind::Null, Kind::Null) => Ordering::Equal,
        (Kind::Null, _) => Ordering::Greater,
        (_, Kind::Null) => Ordering::Less,
        _ => identity(a).cmp(&identity(b)),
    }
}

/// A text that two wholly known values share exactly when they are equal.
#[must_use]
pub(crate) fn identity(value: &Value) -> Arc<str> {
    match value.kind {
        Kind::Number(number) => format!("{number:e}").into(),
        _ => json::encode(value).text,
    }
}

/// Whether two values are scalars of one type.
fn are_scalars_alike(one: &Value, other: &Value) -> bool {
    matches!(
        (&one.kind, &other.kind),
        (Kind::Bool(_), Kind::Bool(_))
            | (Kind::Number(_), Kind::Number(_))
            | (Kind::String(_), Kind::String(_))
    )
}

fn shape_of(value: &Value) -> TypeShape {
    match &value.kind {
        Kind::Null | Kind::Unknown(_) => TypeShape::Any,
        Kind::Bool(_) => TypeShape::Bool,
        Kind::Number(_) => TypeShape::Number,
        Kind::String(_) => TypeShape::String,
        Kind::List(list) if list.rest.is_some() => TypeShape::Any,
        Kind::List(list) => TypeShape::Tuple(list.items.iter().map(shape_of).collect()),
        Kind::Map(map) if map.rest.is_some() => TypeShape::Any,
        Kind::Map(map) => TypeShape::Object(
            map.entries.iter().map(|it| (it.key.clone(), shape_of(&it.value))).collect(),
        ),
    }
}

/// The shape that all convert to.
fn common(shapes: Vec<TypeShape>) -> Option<TypeShape> {
    // Numbers and booleans become one type only through a string among them.
    let (texts, others): (Vec<_>, Vec<_>) =
        shapes.into_iter().partition(|it| matches!(it, TypeShape::String));
    texts.into_iter().chain(others).try_fold(TypeShape::Any, pair)
}

fn pair(a: TypeShape, b: TypeShape) -> Option<TypeShape> {
    Some(match (a, b) {
        (TypeShape::Any, other) | (other, TypeShape::Any) => other,
        (TypeShape::Bool, TypeShape::Bool) => TypeShape::Bool,
        (TypeShape::Number, TypeShape::Number) => TypeShape::Number,
        (TypeShape::String, TypeShape::String | TypeShape::Number | TypeShape::Bool)
        | (TypeShape::Number | TypeShape::Bool, TypeShape::String) => TypeShape::String,
        (TypeShape::Tuple(a), TypeShape::Tuple(b)) if a.len() == b.len() => {
            let items = a.into_iter().zip(b).map(|(a, b)| pair(a, b));
            TypeShape::Tuple(items.collect::<Option<_>>()?)
        }
        (TypeShape::Tuple(a), TypeShape::Tuple(b)) => {
            TypeShape::List(Box::new(common(a.into_iter().chain(b).collect())?))
        }
        (TypeShape::List(item), TypeShape::Tuple(items))
        | (TypeShape::Tuple(items), TypeShape::List(item)) => {
            TypeShape::List(Box::new(items.into_iter().try_fold(*item, pair)?))
        }
        (TypeShape::List(a), TypeShape::List(b)) => TypeShape::List(Box::new(pair(*a, *b)?)),
        (TypeShape::Object(a), TypeShape::Object(b)) if a.keys().eq(b.keys()) => {
            let entries = a.into_iter().zip(b.into_values());
            let entries = entries.map(|((key, a), b)| Some((key, pair(a, b)?)));
            TypeShape::Object(entries.collect::<Option<_>>()?)
        }
        (TypeShape::Object(a), TypeShape::Object(b)) => {
            TypeShape::Map(Box::new(common(a.into_values().chain(b.into_values()).collect())?))
        }
        (TypeShape::Map(value), TypeShape::Object(entries))
        | (TypeShape::Object(entries), TypeShape::Map(value)) => {
            TypeShape::Map(Box::new(entries.into_values().try_fold(*value, pair)?))
        }
        (TypeShape::Map(a), TypeShape::Map(b)) => TypeShape::Map(Box::new(pair(*a, *b)?)),
        _ => return None,
    })
}

/// Whether a value is one of a type as it is.
fn is_of(value: &Value, shape: &TypeShape) -> bool {
    match (&value.kind, shape) {
        (Kind::Number(_) | Kind::Bool(_), TypeShape::String) => false,
        (Kind::List(list), TypeShape::List(item)) => list.items.iter().all(|it| is_of(it, item)),
        (Kind::List(list), TypeShape::Tuple(shapes)) => {
            let mut items = list.items.iter().zip(shapes);
            list.items.len() == shapes.len() && items.all(|(it, shape)| is_of(it, shape))
        }
        (Kind::Map(map), TypeShape::Map(shape)) => {
            map.entries.iter().all(|it| is_of(&it.value, shape))
        }
        (Kind::Map(map), TypeShape::Object(shapes)) => map
            .entries
            .iter()
            .all(|it| shapes.get(&it.key).is_none_or(|shape| is_of(&it.value, shape))),
        _ => true,
    }
}

/// The value as one of a type; itself where nothing in it changes.
fn convert(value: &Value, shape: &TypeShape) -> Value {
    if is_of(value, shape) {
        return value.clone();
    }
    let kind = match (&value.kind, shape) {
        (Kind::Number(_) | Kind::Bool(_), TypeShape::String) => match scalar::scalar_text(value) {
            Some(Ok(text)) => Kind::String(text),
            Some(Err(symbol)) => Kind::Unknown(symbol),
            None => Kind::Null,
        },
        (Kind::List(list), TypeShape::List(item)) => {
            let mut list = (**list).clone();
            list.items = list.items.iter().map(|it| convert(it, item)).collect();
            Kind::List(Arc::new(list))
        }
        (Kind::List(list), TypeShape::Tuple(shapes)) => {
            let mut list = (**list).clone();
            list.items = list.items.iter().zip(shapes).map(|(it, to)| convert(it, to)).collect();
            Kind::List(Arc::new(list))
        }
        (Kind::Map(map), TypeShape::Map(_) | TypeShape::Object(_)) => {
            let mut map = (**map).clone();
            for entry in &mut map.entries {
                let to = match shape {
                    TypeShape::Object(shapes) => shapes.get(&entry.key),
                    TypeShape::Map(shape) => Some(&**shape),
                    _ => None,
                };
                if let Some(to) = to {
                    entry.value = convert(&entry.value, to);
                }
            }
            Kind::Map(Arc::new(map))
        }
        _ => return value.clone(),
    };
    Value { kind, ..value.clone() }
}
