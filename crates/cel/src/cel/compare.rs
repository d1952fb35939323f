//! Equality and order of values, also of values that are not wholly known.

use std::cmp::Ordering;

use crate::cel::{
    data::{Data, ListData, MapData, Operand},
    fault::Fault,
};

/// Whether two values are equal. Values of different types are different; numbers compare by value.
///
/// # Errors
/// When what is unknown of one decides.
pub(crate) fn equal(a: &Data, b: &Data) -> Result<bool, Fault> {
    Ok(match (a, b) {
        (Data::Null, Data::Null) => true,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::String(a), Data::String(b)) | (Data::Type(a), Data::Type(b)) => a == b,
        (Data::Bytes(a), Data::Bytes(b)) => a == b,
        (Data::Duration(a), Data::Duration(b)) => a == b,
        (Data::Timestamp(a), Data::Timestamp(b)) => a == b,
        (Data::Ip(a), Data::Ip(b)) => a == b,
        (Data::Cidr(a), Data::Cidr(b)) => a == b,
        (Data::Url(a), Data::Url(b)) => a == b,
        (Data::Quantity(a), Data::Quantity(b)) => a.order(b).is_eq(),
        (Data::Semver(a), Data::Semver(b)) => a.order(b).is_eq(),
        (Data::Format(a), Data::Format(b)) => a == b,
        (Data::Optional(a), Data::Optional(b)) => match (a, b) {
            (Some(a), Some(b)) => return equal(&a.data, &b.data),
            (a, b) => a.is_none() == b.is_none(),
        },
        (Data::List(a), Data::List(b)) => return equal_lists(a, b),
        (Data::Map(a), Data::Map(b)) => return equal_maps(a, b),
        _ => numbers(a, b).is_some_and(Ordering::is_eq),
    })
}

/// Gathers the equality of parts: one difference decides, one doubt leaves it open.
fn all_equal(parts: impl Iterator<Item = Result<bool, Fault>>) -> Result<bool, Fault> {
    let mut doubt = None;
    for part in parts {
        match part {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(fault) => doubt = Some(fault),
        }
    }
    doubt.map_or(Ok(true), Err)
}

fn equal_lists(a: &ListData, b: &ListData) -> Result<bool, Fault> {
    let is_longer =
        |it: &ListData, than: &ListData| than.rest.is_none() && it.known() > than.known();
    if is_longer(a, b) || is_longer(b, a) {
        return Ok(false);
    }
    let pairs = a.each().zip(b.each()).map(|(a, b)| equal(&a?.data, &b?.data));
    all_equal(pairs.chain([a.closed().map(|()| true), b.closed().map(|()| true)]))
}

fn equal_maps(a: &MapData, b: &MapData) -> Result<bool, Fault> {
    let is_larger = |it: &MapData, than: &MapData| than.rest.is_none() && it.known() > than.known();
    if is_larger(a, b) || is_larger(b, a) {
        return Ok(false);
    }
    let pairs = a.each().map(|(key, value)| match b.get(&key.data) {
        Some(other) => equal(&value?.data, &other?.data),
        None => Ok(false),
    });
    all_equal(pairs.chain([a.closed().map(|()| true), b.closed().map(|()| true)]))
}

/// Whether a list has an element equal to a value.
///
/// # Errors
/// When what is unknown decides.
pub(crate) fn contains(list: &ListData, value: &Data) -> Result<bool, Fault> {
    let mut doubt = None;
    for item in list.each() {
        match item.and_then(|it| equal(&it.data, value)) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(fault) => doubt = Some(fault),
        }
    }
    list.closed()?;
    doubt.map_or(Ok(false), Err)
}

/// The order of two values of types that have one between them; not a number compares with nothing.
#[must_use]
pub(crate) fn order(a: &Data, b: &Data) -> Option<Ordering> {
    match (a, b) {
        (Data::Bool(a), Data::Bool(b)) => Some(a.cmp(b)),
        (Data::String(a), Data::String(b)) => Some(a.cmp(b)),
        (Data::Bytes(a), Data::Bytes(b)) => Some(a.cmp(b)),
        (Data::Duration(a), Data::Duration(b)) => Some(a.cmp(b)),
        (Data::Timestamp(a), Data::Timestamp(b)) => Some(a.cmp(b)),
        _ => numbers(a, b),
    }
}

/// Whether the types of two values have an order between them.
#[must_use]
pub(crate) fn has_order(a: &Data, b: &Data) -> bool {
    let number = |it: &Data| matches!(it, Data::Int(_) | Data::Uint(_) | Data::Double(_));
    (number(a) && number(b)) || order(a, b).is_some()
}

/// The order of two numbers of whatever types.
fn numbers(a: &Data, b: &Data) -> Option<Ordering> {
    match (a, b) {
        (Data::Double(a), Data::Double(b)) => a.partial_cmp(b),
        (Data::Double(a), b) => with_double(whole(b)?, *a).map(Ordering::reverse),
        (a, Data::Double(b)) => with_double(whole(a)?, *b),
        (a, b) => Some(whole(a)?.cmp(&whole(b)?)),
    }
}

fn whole(data: &Data) -> Option<i128> {
    match data {
        Data::Int(it) => Some((*it).into()),
        Data::Uint(it) => Some((*it).into()),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "CEL compares with a double as a double")]
fn with_double(a: i128, b: f64) -> Option<Ordering> {
    (a as f64).partial_cmp(&b)
}

/// A list in its order.
///
/// # Errors
/// When two elements have no order between them.
pub(crate) fn sort<T>(items: &mut [T], key: impl Fn(&T) -> &Operand) -> Result<(), Fault> {
    let pairs = items.windows(2);
    if !pairs.into_iter().all(|it| has_order(&key(&it[0]).data, &key(&it[1]).data)) {
        return Err(Fault::error("list elements must have the same type"));
    }
    items.sort_by(|a, b| order(&key(a).data, &key(b).data).unwrap_or(Ordering::Equal));
    Ok(())
}
