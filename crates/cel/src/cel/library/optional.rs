//! Optional values.

use std::sync::Arc;

use crate::cel::{
    data::{Data, Operand, Outcome, take},
    fault::Fault,
    native::Native,
};

/// Functions of optional values. `or` and `orValue` look at their argument only when needed: the evaluator's.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("optional.none", |it| {
        if it.is_empty() { Ok(Data::Optional(None).into()) } else { Err(Fault::NoOverload) }
    }),
    ("optional.of", |it| match it {
        [it] => Ok(some(it)),
        _ => Err(Fault::NoOverload),
    }),
    ("optional.ofNonZeroValue", of_non_zero),
    ("optional.unwrap", unwrap),
    ("unwrapOpt", unwrap),
    ("value", value),
    ("hasValue", |it| {
        let [Data::Optional(it)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Bool(it.is_some()).into())
    }),
    ("first", |it| end(it, false)),
    ("last", |it| end(it, true)),
];

fn some(operand: &Operand) -> Operand {
    let place = operand.place.clone();
    Operand { data: Data::Optional(Some(Arc::new(operand.clone()))), place }
}

fn of_non_zero(arguments: &[Operand]) -> Outcome {
    let [operand] = arguments else { return Err(Fault::NoOverload) };
    let is_zero = match &operand.data {
        Data::Null | Data::Bool(false) | Data::Int(0) | Data::Uint(0) | Data::Duration(0) => true,
        Data::Double(it) => *it == 0.0,
        Data::String(it) => it.is_empty(),
        Data::Bytes(it) => it.is_empty(),
        Data::List(it) => it.known() == 0 && it.count()? == 0,
        Data::Map(it) => it.known() == 0 && it.count()? == 0,
        Data::Optional(it) => it.is_none(),
        _ => false,
    };
    Ok(if is_zero { Data::Optional(None).into() } else { some(operand) })
}

fn value(arguments: &[Operand]) -> Outcome {
    let [Data::Optional(it)] = take(arguments)? else { return Err(Fault::NoOverload) };
    match it {
        Some(it) => Ok((**it).clone()),
        None => Err(Fault::error("optional.none() dereference")),
    }
}

fn unwrap(arguments: &[Operand]) -> Outcome {
    let [Data::List(list)] = take(arguments)? else { return Err(Fault::NoOverload) };
    let mut items = Vec::new();
    for item in list.all()? {
        match item.data {
            Data::Optional(Some(it)) => items.push((*it).clone()),
            Data::Optional(None) => {}
            _ => return Err(Fault::NoOverload),
        }
    }
    Ok(Data::list(items).into())
}

fn end(arguments: &[Operand], last: bool) -> Outcome {
    let [Data::List(list)] = take(arguments)? else { return Err(Fault::NoOverload) };
    let at = match list.known() {
        known if last => {
            list.closed()?;
            known.wrapping_sub(1)
        }
        0 => list.closed().map(|()| 0)?,
        _ => 0,
    };
    match list.get(at) {
        Some(item) => Ok(some(&item?)),
        None => Ok(Data::Optional(None).into()),
    }
}
