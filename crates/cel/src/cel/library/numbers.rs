//! Operators.

use std::{cmp::Ordering, sync::Arc};

use crate::cel::{
    compare,
    data::{Data, Items, ListData, Operand, Outcome, take},
    fault::Fault,
    native::{MOST_BYTES, MOST_ITEMS, Native},
};

/// The operators.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("!_", not),
    ("-_", negate),
    ("_==_", |it| equality(it, true)),
    ("_!=_", |it| equality(it, false)),
    ("_<_", |it| comparison(it, Ordering::is_lt)),
    ("_<=_", |it| comparison(it, Ordering::is_le)),
    ("_>_", |it| comparison(it, Ordering::is_gt)),
    ("_>=_", |it| comparison(it, Ordering::is_ge)),
    ("_+_", add),
    ("_-_", subtract),
    ("_*_", multiply),
    ("_/_", divide),
    ("_%_", modulo),
    ("_in_", is_in),
    ("size", size),
];

fn not(arguments: &[Operand]) -> Outcome {
    let [Data::Bool(it)] = take(arguments)? else { return Err(Fault::NoOverload) };
    Ok(Data::Bool(!it).into())
}

fn negate(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::Int(it)] => int(it.checked_neg()),
        [Data::Double(it)] => Ok(Data::Double(-it).into()),
        _ => Err(Fault::NoOverload),
    }
}

fn int(number: Option<i64>) -> Outcome {
    number.map(|it| Data::Int(it).into()).ok_or_else(|| Fault::error("integer overflow"))
}

fn uint(number: Option<u64>) -> Outcome {
    number.map(|it| Data::Uint(it).into()).ok_or_else(|| Fault::error("unsigned integer overflow"))
}

fn equality(arguments: &[Operand], wanted: bool) -> Outcome {
    let [a, b] = take(arguments)?;
    Ok(Data::Bool(compare::equal(a, b)? == wanted).into())
}

fn comparison(arguments: &[Operand], wanted: fn(Ordering) -> bool) -> Outcome {
    let [a, b] = take(arguments)?;
    if !compare::has_order(a, b) {
        return Err(Fault::NoOverload);
    }
    Ok(Data::Bool(compare::order(a, b).is_some_and(wanted)).into())
}

pub(super) fn add(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::Int(a), Data::Int(b)] => int(a.checked_add(*b)),
        [Data::Uint(a), Data::Uint(b)] => uint(a.checked_add(*b)),
        [Data::Double(a), Data::Double(b)] => Ok(Data::Double(a + b).into()),
        [Data::String(a), Data::String(b)] if a.len() + b.len() <= MOST_BYTES => {
            Ok(Data::text([&**a, b].concat()).into())
        }
        [Data::Bytes(a), Data::Bytes(b)] if a.len() + b.len() <= MOST_BYTES => {
            Ok(Data::Bytes([&**a, b].concat().into()).into())
        }
        [Data::String(_), Data::String(_)] | [Data::Bytes(_), Data::Bytes(_)] => {
            Err(Fault::TooCostly)
        }
        [Data::List(a), Data::List(b)] => Ok(joined(a, b)?.into()),
        _ => Err(Fault::NoOverload),
    }
}

/// Two lists as one.
fn joined(a: &ListData, b: &ListData) -> Result<Data, Fault> {
    if a.known() + b.known() > MOST_ITEMS {
        return Err(Fault::TooCostly);
    }
    a.closed()?;
    let items = a.each().chain(b.each()).collect::<Result<_, _>>()?;
    Ok(Data::List(ListData { items: Items::Computed(Arc::new(items)), rest: b.rest.clone() }))
}

fn subtract(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::Int(a), Data::Int(b)] => int(a.checked_sub(*b)),
        [Data::Uint(a), Data::Uint(b)] => uint(a.checked_sub(*b)),
        [Data::Double(a), Data::Double(b)] => Ok(Data::Double(a - b).into()),
        _ => Err(Fault::NoOverload),
    }
}

fn multiply(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::Int(a), Data::Int(b)] => int(a.checked_mul(*b)),
        [Data::Uint(a), Data::Uint(b)] => uint(a.checked_mul(*b)),
        [Data::Double(a), Data::Double(b)] => Ok(Data::Double(a * b).into()),
        _ => Err(Fault::NoOverload),
    }
}

fn divide(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::Int(_), Data::Int(0)] | [Data::Uint(_), Data::Uint(0)] => {
            Err(Fault::error("division by zero"))
        }
        [Data::Int(a), Data::Int(b)] => int(a.checked_div(*b)),
        [Data::Uint(a), Data::Uint(b)] => uint(a.checked_div(*b)),
        [Data::Double(a), Data::Double(b)] => Ok(Data::Double(a / b).into()),
        _ => Err(Fault::NoOverload),
    }
}

fn modulo(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [Data::Int(_), Data::Int(0)] | [Data::Uint(_), Data::Uint(0)] => {
            Err(Fault::error("modulus by zero"))
        }
        [Data::Int(a), Data::Int(b)] => int(a.checked_rem(*b)),
        [Data::Uint(a), Data::Uint(b)] => uint(a.checked_rem(*b)),
        _ => Err(Fault::NoOverload),
    }
}

fn is_in(arguments: &[Operand]) -> Outcome {
    let found = match take(arguments)? {
        [value, Data::List(list)] => compare::contains(list, value)?,
        [key, Data::Map(map)] => map.has(key)?,
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Bool(found).into())
}

fn size(arguments: &[Operand]) -> Outcome {
    let count = match take(arguments)? {
        [Data::String(it)] => it.chars().count(),
        [Data::Bytes(it)] => it.len(),
        [Data::List(it)] => it.count()?,
        [Data::Map(it)] => it.count()?,
        _ => return Err(Fault::NoOverload),
    };
    let data = Data::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let is_collection = matches!(arguments[0].data, Data::List(_) | Data::Map(_));
    let place = arguments[0].place.as_ref();
    Ok(Operand { data, place: place.map(|it| if is_collection { it.key() } else { it.clone() }) })
}
