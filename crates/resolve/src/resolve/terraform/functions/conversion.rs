//! Type conversions: `tostring` and its siblings.

use std::sync::Arc;

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, EvaluationError},
        collection::rest,
        digits, list, scalar, unify,
    },
    value::{Kind, List, Map, Value},
};

/// The value itself: marks of sensitivity do not exist here.
///
/// # Errors
/// None beyond a missing argument.
pub(super) fn same(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(argument::at(call, arguments, 0)?.clone())
}

/// `tostring`
///
/// # Errors
/// When the argument is a collection.
pub(super) fn to_string(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    if value.is_null() || matches!(value.kind, Kind::String(_) | Kind::Unknown(_)) {
        return Ok(value.clone());
    }
    if let Some(Err(symbol)) = scalar::scalar_text(value) {
        return Ok(Value { kind: Kind::Unknown(symbol), ..value.clone() });
    }
    let text = argument::text_of(call, value)?;
    Ok(Value { kind: Value::computed(text, value.span).kind, ..value.clone() })
}

/// `tonumber`
///
/// # Errors
/// When the argument is no number.
pub(super) fn to_number(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    match &value.kind {
        Kind::Null | Kind::Number(_) | Kind::Unknown(_) => Ok(value.clone()),
        Kind::String(text) if !text.holes.is_empty() => Ok(call.unknown()),
        Kind::String(text) => match digits::parse(&text.text) {
            Some(number) => Ok(Value { kind: Kind::Number(number), ..value.clone() }),
            None => call.fault(format_args!("cannot read `{}` as a number", text.text)),
        },
        _ => call.fault("needs a number"),
    }
}

/// `tobool`
///
/// # Errors
/// When the argument is neither true nor false.
pub(super) fn to_bool(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    match &value.kind {
        Kind::Null | Kind::Bool(_) | Kind::Unknown(_) => return Ok(value.clone()),
        Kind::String(text) if !text.holes.is_empty() => return Ok(call.unknown()),
        _ => {}
    }
    match value.as_flag() {
        Some(flag) => Ok(Value { kind: Kind::Bool(flag), ..value.clone() }),
        None => call.fault("needs `true` or `false`"),
    }
}

/// `tolist`
///
/// # Errors
/// When the argument is no list, or its items have no common type.
pub(super) fn to_list(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(known) = collection(call, value)? else { return Ok(value.clone()) };
    match unify::unify(&known.items) {
        Some(items) => Ok(list::like(value, items, known.rest.clone())),
        None => call.fault("needs items of one type"),
    }
}

/// `toset`
///
/// # Errors
/// When the argument is no list, or its items have no common type.
pub(super) fn to_set(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(known) = collection(call, value)? else { return Ok(value.clone()) };
    let (items, open) = list::set_of(call, &known.items, known.rest.is_some())?;
    let set = List { items, rest: rest(call, open), is_set: true };
    Ok(Value { kind: Kind::List(Arc::new(set)), ..value.clone() })
}

/// The list; `None` for null and unknown, which stay what they are.
fn collection<'a>(call: &Call<'_>, value: &'a Value) -> Result<Option<&'a List>, EvaluationError> {
    if value.is_null() { Ok(None) } else { argument::list(call, value) }
}

/// `tomap`
///
/// # Errors
/// When the argument is no mapping, or its values have no common type.
pub(super) fn to_map(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    if value.is_null() {
        return Ok(value.clone());
    }
    let Some(map) = argument::map(call, value)? else { return Ok(value.clone()) };
    let values: Vec<Value> = map.entries.iter().map(|it| it.value.clone()).collect();
    let Some(values) = unify::unify(&values) else {
        return call.fault("needs values of one type");
    };
    let mut entries = map.entries.clone();
    for (entry, value) in entries.iter_mut().zip(values) {
        entry.value = value;
    }
    let kind = Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }));
    Ok(Value { kind, ..value.clone() })
}
