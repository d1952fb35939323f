//! Functions over lists.
//!
//! In an open list (`rest` is set) an unknown item may stand for any number of items: positions before
//! the first unknown item are sure, those behind it are not.

use std::sync::Arc;

use crate::hash::HashSet;

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, EvaluationError, MOST_ITEMS},
        collection::rest,
        digits, scalar, unify,
    },
    value::{Kind, List, Value},
};

/// A list with the place, name and steps of another value.
#[must_use]
pub(super) fn like(
    original: &Value,
    items: Vec<Value>,
    open: Option<crate::value::Symbol>,
) -> Value {
    let kind = Kind::List(Arc::new(List { items, rest: open, is_set: false }));
    Value { kind, ..original.clone() }
}

/// `concat`
///
/// # Errors
/// When an argument is no list.
pub(super) fn concat(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let mut items = Vec::new();
    let mut open = false;
    for value in arguments {
        let list = argument::sequence(call, value)?;
        items.extend(list.map_or(&[][..], |it| &it.items).iter().cloned());
        let symbol = match (list, &value.kind) {
            (None, Kind::Unknown(symbol)) => Some(symbol),
            (Some(list), _) => list.rest.as_ref(),
            _ => None,
        };
        if let Some(symbol) = symbol {
            open = true;
            items.push(Value::unknown(symbol.clone(), value.span));
        }
        if items.len() > MOST_ITEMS {
            return Ok(call.unknown());
        }
    }
    if open && items.last().is_some_and(Value::is_unknown) {
        items.pop();
    }
    Ok(call.value(Kind::List(Arc::new(List { items, rest: rest(call, open), is_set: false }))))
}

/// `flatten`
///
/// # Errors
/// When the argument is no list.
pub(super) fn flatten(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(list) = argument::list(call, value)? else { return Ok(call.unknown()) };
    let mut items = Vec::new();
    let open = flatten_into(list, &mut items);
    if items.len() > MOST_ITEMS {
        return Ok(call.unknown());
    }
    Ok(call.value(Kind::List(Arc::new(List { items, rest: rest(call, open), is_set: false }))))
}

/// Adds the leaves; true when there may be more than are known.
fn flatten_into(list: &List, items: &mut Vec<Value>) -> bool {
    let mut open = list.rest.is_some();
    for item in &list.items {
        match &item.kind {
            Kind::List(inner) => open |= flatten_into(inner, items),
            Kind::Unknown(_) => {
                open = true;
                items.push(item.clone());
            }
            _ => items.push(item.clone()),
        }
    }
    if let Some(symbol) = &list.rest {
        let span = list.items.last().map(|it| it.span);
        items.extend(span.map(|it| Value::unknown(symbol.clone(), it)));
    }
    open
}

/// The items of a list of one type, without repetitions; what is not known may be a repetition.
fn unique(items: &[Value]) -> (Vec<Value>, bool) {
    let mut seen = HashSet::default();
    let doubt = items.len() > 1 && items.iter().any(|it| !it.is_wholly_known());
    let kept = items.iter().filter(|it| !it.is_wholly_known() || seen.insert(unify::identity(it)));
    (kept.cloned().collect(), doubt)
}

/// `distinct`
///
/// # Errors
/// When the argument is no list, or its items have no common type.
pub(super) fn distinct(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(list) = argument::list(call, value)? else { return Ok(call.unknown()) };
    let Some(items) = unify::unify(&list.items) else {
        return call.fault("needs items of one type");
    };
    let (items, doubt) = unique(&items);
    Ok(like(value, items, rest(call, doubt || list.rest.is_some())))
}

/// A set of items: of one type, sorted, without repetitions. What is not known comes last.
///
/// # Errors
/// When the items have no common type.
pub(super) fn set_of(
    call: &Call<'_>,
    items: &[Value],
    open: bool,
) -> Result<(Vec<Value>, bool), EvaluationError> {
    let Some(items) = unify::unify(items) else {
        return call.fault("needs items of one type");
    };
    let (items, doubt) = unique(&items);
    let (mut known, unknown): (Vec<_>, Vec<_>) =
        items.into_iter().partition(Value::is_wholly_known);
    known.sort_by(unify::set_order);
    known.extend(unknown);
    Ok((known, open || doubt))
}

/// `compact`: without empty text and null.
///
/// # Errors
/// When the argument is no list of text.
pub(super) fn compact(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(list) = argument::list(call, value)? else { return Ok(call.unknown()) };
    let mut items = Vec::new();
    let mut open = list.rest.is_some();
    for item in &list.items {
        match scalar::scalar_text(item) {
            Some(Err(_)) => {
                open = true;
                items.push(item.clone());
            }
            Some(Ok(text)) if text.text.is_empty() => {}
            Some(Ok(text)) => items.push(Value { kind: Kind::String(text), ..item.clone() }),
            None if item.is_null() => {}
            None => return call.fault("needs a list of strings"),
        }
    }
    Ok(like(value, items, rest(call, open)))
}

/// `chunklist`
///
/// # Errors
/// When the size is negative or the items have no common type.
pub(super) fn chunk_list(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(items) = unify::unify(argument::items(call, arguments, 0)?) else {
        return call.fault("needs items of one type");
    };
    let Ok(size) = usize::try_from(argument::integer(call, arguments, 1)?) else {
        return call.fault("needs a size that is not negative");
    };
    let size = if size == 0 { items.len().max(1) } else { size };
    let chunks = items.chunks(size).map(|it| Value::list(it.to_vec(), call.span));
    Ok(Value::list(chunks.collect(), call.span))
}

/// `index`
///
/// # Errors
/// When the item is not there.
pub(super) fn index(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let wanted = argument::at(call, arguments, 1)?;
    let list = argument::sequence(call, argument::at(call, arguments, 0)?)?;
    let mut items = list.map_or(&[][..], |it| &it.items).iter();
    match items.position(|it| it.same_as(wanted) == Some(true)) {
        Some(found) => Ok(call.value(digits::from_count(found))),
        None => call.fault("does not find the item"),
    }
}

/// `matchkeys`
///
/// # Errors
/// When keys and values differ in number.
pub(super) fn match_keys(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let values = argument::items(call, arguments, 0)?;
    let keys = argument::items(call, arguments, 1)?;
    let wanted = argument::items(call, arguments, 2)?;
    if values.len() != keys.len() {
        return call.fault("needs as many keys as values");
    }
    if unify::unify(keys).is_none() || unify::unify(wanted).is_none() {
        return call.fault("needs items of one type");
    }
    let together: Vec<Value> = keys.iter().chain(wanted).cloned().collect();
    let (Some(together), Some(values)) = (unify::unify(&together), unify::unify(values)) else {
        return call.fault("needs items of one type");
    };
    let (keys, wanted) = together.split_at(values.len());
    let wanted: HashSet<_> = wanted.iter().map(unify::identity).collect();
    let kept = values.iter().zip(keys).filter(|(_, key)| wanted.contains(&unify::identity(key)));
    Ok(Value::list(kept.map(|(value, _)| value.clone()).collect(), call.span))
}

/// `one`
///
/// # Errors
/// When there are several items.
pub(super) fn one(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(list) = argument::list(call, argument::at(call, arguments, 0)?)? else {
        return Ok(call.unknown());
    };
    match (&list.items[..], &list.rest) {
        (_, Some(_)) => Ok(call.unknown()),
        ([], None) => Ok(call.value(Kind::Null)),
        ([item], None) => Ok(item.clone()),
        _ => call.fault("needs a list of at most one item"),
    }
}

/// `range`
///
/// # Errors
/// When the step leads away from the limit.
pub(super) fn range(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let first = argument::number(call, arguments, 0)?;
    let (start, limit) = match arguments.len() {
        1 => (0.0, first),
        _ => (first, argument::number(call, arguments, 1)?),
    };
    let down = limit < start;
    let step = match arguments.len() {
        3 => argument::number(call, arguments, 2)?,
        _ if down => -1.0,
        _ => 1.0,
    };
    if step == 0.0 || (down && step > 0.0) || (!down && step < 0.0 && limit > start) {
        return call.fault("needs a step that leads to the limit");
    }
    if ![start, limit, step].into_iter().all(digits::is_exact) {
        return Ok(call.unknown());
    }
    let mut items = Vec::new();
    let mut next = start;
    while if step < 0.0 { next > limit } else { next < limit } {
        if items.len() == 1024 {
            return call.fault("makes more than 1024 items");
        }
        items.push(call.value(Kind::Number(next)));
        next += step;
    }
    Ok(Value::list(items, call.span))
}

/// `reverse`
///
/// # Errors
/// When the argument is no list.
pub(super) fn reverse(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    match argument::list(call, value)? {
        Some(list) if list.rest.is_none() => {
            Ok(like(value, list.items.iter().rev().cloned().collect(), None))
        }
        _ => Ok(call.unknown()),
    }
}

/// `slice`
///
/// # Errors
/// When the indexes do not lie in the list.
pub(super) fn slice(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let list = argument::sequence(call, value)?;
    if arguments.iter().skip(1).any(Value::is_unknown) {
        return Ok(call.unknown());
    }
    let start = usize::try_from(argument::integer(call, arguments, 1)?).ok();
    let end = usize::try_from(argument::integer(call, arguments, 2)?).ok();
    let Some(list) = list.filter(|it| it.rest.is_none()) else { return Ok(call.unknown()) };
    match start.zip(end).and_then(|(start, end)| list.items.get(start..end)) {
        Some(items) => Ok(like(value, items.to_vec(), None)),
        None => call.fault("needs indexes that lie in the list"),
    }
}

/// `sort`
///
/// # Errors
/// When the argument is no list of text.
pub(super) fn sort(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let texts = argument::texts(call, arguments, 0)?;
    let items = argument::items(call, arguments, 0)?.iter().zip(texts);
    let mut items: Vec<Value> = items
        .map(|(item, text)| match item.kind {
            Kind::String(_) => item.clone(),
            _ => Value { kind: Value::computed(text, item.span).kind, ..item.clone() },
        })
        .collect();
    items.sort_by(unify::set_order);
    Ok(like(argument::at(call, arguments, 0)?, items, None))
}

/// `alltrue`
///
/// # Errors
/// When an item is no boolean.
pub(super) fn all_true(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    decide(call, arguments, false)
}

/// `anytrue`
///
/// # Errors
/// When an item is no boolean.
pub(super) fn any_true(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    decide(call, arguments, true)
}

/// Looks for the item that decides; null counts as false.
fn decide(call: &Call<'_>, arguments: &[Value], decisive: bool) -> CallResult {
    let Some(list) = argument::list(call, argument::at(call, arguments, 0)?)? else {
        return Ok(call.unknown());
    };
    let mut doubt = list.rest.is_some();
    let mut decided = false;
    for item in &list.items {
        match item.as_flag() {
            Some(flag) => decided |= flag == decisive,
            None if item.is_null() => decided |= !decisive,
            None if item.is_unknown() => doubt = true,
            None => return call.fault("needs a list of booleans"),
        }
    }
    Ok(match (decided, doubt) {
        (true, _) => call.value(Kind::Bool(decisive)),
        (false, true) => call.unknown(),
        (false, false) => call.value(Kind::Bool(!decisive)),
    })
}
