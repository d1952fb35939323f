//! Finding the one type several values convert to, as Terraform does where a list must have one.

use std::{cmp::Ordering, sync::Arc};

use crate::{
    resolve::terraform::functions::{json, scalar},
    value::{Kind, List, Map, Value},
};

/// What is known of a value's type. Lists and tuples look alike in a value, so do maps and objects.
enum TypeShape<'v> {
    /// Null, or not known.
    Any,
    Bool,
    Number,
    String,
    /// One shape for all items.
    List(Box<TypeShape<'v>>),
    /// A shape for each item.
    Tuple(Vec<TypeShape<'v>>),
    /// One shape for all entries.
    Map(Box<TypeShape<'v>>),
    /// A shape for each entry, in the order of their keys.
    Object(Vec<(&'v str, TypeShape<'v>)>),
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

/// A value, converted to the type it shares with another; `None` when there is none.
#[must_use]
pub(crate) fn as_beside(value: &Value, other: &Value) -> Option<Value> {
    if are_scalars_alike(value, other) || is_of_any_type(value) || is_of_any_type(other) {
        return Some(value.clone());
    }
    let shape = common(vec![shape_of(value), shape_of(other)])?;
    Some(convert(value, &shape))
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

/// Whether what is known of a value fits any type.
fn is_of_any_type(value: &Value) -> bool {
    match &value.kind {
        Kind::Null | Kind::Unknown(_) => true,
        Kind::List(list) => list.rest.is_some(),
        Kind::Map(map) => map.rest.is_some(),
        _ => false,
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

fn shape_of(value: &Value) -> TypeShape<'_> {
    match &value.kind {
        Kind::Bool(_) => TypeShape::Bool,
        Kind::Number(_) => TypeShape::Number,
        Kind::String(_) => TypeShape::String,
        Kind::List(list) if list.rest.is_none() => {
            TypeShape::Tuple(list.items.iter().map(shape_of).collect())
        }
        Kind::Map(map) if map.rest.is_none() => {
            let shapes = map.entries.iter().map(|it| (&*it.key, shape_of(&it.value)));
            let mut shapes: Vec<_> = shapes.collect();
            shapes.sort_by_key(|it| it.0);
            // The later of two entries with one key counts.
            shapes.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    std::mem::swap(next, kept);
                }
                is_same
            });
            TypeShape::Object(shapes)
        }
        Kind::List(_) | Kind::Map(_) | Kind::Null | Kind::Unknown(_) => TypeShape::Any,
    }
}

/// The shape that all convert to.
fn common(shapes: Vec<TypeShape<'_>>) -> Option<TypeShape<'_>> {
    // Numbers and booleans become one type only through a string among them.
    let (texts, others): (Vec<_>, Vec<_>) =
        shapes.into_iter().partition(|it| matches!(it, TypeShape::String));
    texts.into_iter().chain(others).try_fold(TypeShape::Any, pair)
}

fn pair<'v>(a: TypeShape<'v>, b: TypeShape<'v>) -> Option<TypeShape<'v>> {
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
        (TypeShape::Object(a), TypeShape::Object(b)) if have_the_same_keys(&a, &b) => {
            let entries = a.into_iter().zip(b);
            let entries = entries.map(|((key, a), (_, b))| Some((key, pair(a, b)?)));
            TypeShape::Object(entries.collect::<Option<_>>()?)
        }
        (TypeShape::Object(a), TypeShape::Object(b)) => {
            let shapes = a.into_iter().chain(b).map(|it| it.1);
            TypeShape::Map(Box::new(common(shapes.collect())?))
        }
        (TypeShape::Map(value), TypeShape::Object(entries))
        | (TypeShape::Object(entries), TypeShape::Map(value)) => {
            let mut shapes = entries.into_iter().map(|it| it.1);
            TypeShape::Map(Box::new(shapes.try_fold(*value, pair)?))
        }
        (TypeShape::Map(a), TypeShape::Map(b)) => TypeShape::Map(Box::new(pair(*a, *b)?)),
        _ => return None,
    })
}

fn have_the_same_keys(a: &[(&str, TypeShape<'_>)], b: &[(&str, TypeShape<'_>)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0)
}

/// The value as one of a type.
fn convert(value: &Value, shape: &TypeShape<'_>) -> Value {
    changed(value, shape).unwrap_or_else(|| value.clone())
}

/// The value as one of a type, where something in it changes.
fn changed(value: &Value, shape: &TypeShape<'_>) -> Option<Value> {
    let kind = match (&value.kind, shape) {
        (Kind::Number(_) | Kind::Bool(_), TypeShape::String) => match scalar::scalar_text(value) {
            Some(Ok(text)) => Kind::String(text),
            Some(Err(symbol)) => Kind::Unknown(symbol),
            None => Kind::Null,
        },
        (Kind::List(list), TypeShape::List(item)) => changed_list(list, |_| Some(item))?,
        (Kind::List(list), TypeShape::Tuple(shapes)) => changed_list(list, |at| shapes.get(at))?,
        (Kind::Map(map), TypeShape::Map(shape)) => changed_map(map, |_| Some(shape))?,
        (Kind::Map(map), TypeShape::Object(shapes)) => changed_map(map, |key| {
            let at = shapes.binary_search_by_key(&key, |it| it.0).ok()?;
            shapes.get(at).map(|it| &it.1)
        })?,
        _ => return None,
    };
    Some(Value { kind, ..value.clone() })
}

/// A list with its items as they are of types, where one changes.
fn changed_list<'s, 'v: 's>(
    list: &List,
    shape: impl Fn(usize) -> Option<&'s TypeShape<'v>>,
) -> Option<Kind> {
    let mut new: Option<List> = None;
    for (at, item) in list.items.iter().enumerate() {
        let Some(item) = shape(at).and_then(|to| changed(item, to)) else { continue };
        if let Some(place) = new.get_or_insert_with(|| list.clone()).items.get_mut(at) {
            *place = item;
        }
    }
    new.map(|it| Kind::List(Arc::new(it)))
}

/// A mapping with its values as they are of types, where one changes.
fn changed_map<'s, 'v: 's>(
    map: &Map,
    shape: impl Fn(&str) -> Option<&'s TypeShape<'v>>,
) -> Option<Kind> {
    let mut new: Option<Map> = None;
    for (at, entry) in map.entries.iter().enumerate() {
        let Some(value) = shape(&entry.key).and_then(|to| changed(&entry.value, to)) else {
            continue;
        };
        if let Some(place) = new.get_or_insert_with(|| map.clone()).entries.get_mut(at) {
            place.value = value;
        }
    }
    new.map(|it| Kind::Map(Arc::new(it)))
}
