//! Functions over sets. A set is a list that is sorted and repeats nothing.

use std::sync::Arc;

use crate::hash::HashSet;

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, EvaluationError, MOST_ITEMS},
        collection::rest,
        list, unify,
    },
    value::{Kind, List, Symbol, Value},
};

/// `setunion`
///
/// # Errors
/// When an argument is no set, or the items have no common type.
pub(super) fn union(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let mut items = Vec::new();
    let mut open = false;
    for value in arguments {
        match argument::list(call, value)? {
            Some(list) => {
                open |= list.rest.is_some();
                items.extend(list.items.iter().cloned());
            }
            None => open = true,
        }
    }
    let (items, open) = list::set_of(call, &items, open)?;
    Ok(set(call, items, rest(call, open)))
}

/// `setintersection`
///
/// # Errors
/// When an argument is no set, or the items have no common type.
pub(super) fn intersection(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let sets = together(call, arguments)?;
    let mut sets = sets.into_iter();
    let Some(mut items) = sets.next() else { return Ok(call.unknown()) };
    for set in sets {
        let set: HashSet<_> = set.iter().map(unify::identity).collect();
        items.retain(|it| set.contains(&unify::identity(it)));
    }
    let (items, _) = list::set_of(call, &items, false)?;
    Ok(set(call, items, None))
}

/// `setsubtract`
///
/// # Errors
/// When an argument is no set, or the items have no common type.
pub(super) fn subtract(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let sets = together(call, arguments)?;
    let [from, what] = &sets[..] else { return Ok(call.unknown()) };
    let what: HashSet<_> = what.iter().map(unify::identity).collect();
    let kept: Vec<Value> =
        from.iter().filter(|it| !what.contains(&unify::identity(it))).cloned().collect();
    let (items, _) = list::set_of(call, &kept, false)?;
    Ok(set(call, items, None))
}

fn set(call: &Call<'_>, items: Vec<Value>, rest: Option<Symbol>) -> Value {
    call.value(Kind::List(Arc::new(List { items, rest, is_set: true })))
}

/// The arguments' items, all converted to one type.
fn together(call: &Call<'_>, arguments: &[Value]) -> Result<Vec<Vec<Value>>, EvaluationError> {
    let mut all = Vec::new();
    let mut counts = Vec::new();
    for value in arguments {
        let items = argument::list(call, value)?.map_or(&[][..], |it| &it.items);
        counts.push(items.len());
        all.extend(items.iter().cloned());
    }
    let Some(all) = unify::unify(&all) else { return call.fault("needs items of one type") };
    let mut all = all.into_iter();
    Ok(counts.into_iter().map(|count| all.by_ref().take(count).collect()).collect())
}

/// `setproduct`: all combinations, the last argument changing fastest.
///
/// # Errors
/// When there are fewer than two arguments, or one is no list.
pub(super) fn product(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    if arguments.len() < 2 {
        return call.fault("needs at least two lists");
    }
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for value in arguments {
        let Some(list) = argument::list(call, value)?.filter(|it| it.rest.is_none()) else {
            return Ok(call.unknown());
        };
        let Some(items) = unify::unify(&list.items) else {
            return call.fault("needs items of one type");
        };
        if rows.len().saturating_mul(items.len()) > MOST_ITEMS {
            return Ok(call.unknown());
        }
        let longer =
            |row: &Vec<Value>, item: &Value| [&row[..], std::slice::from_ref(item)].concat();
        rows = rows.iter().flat_map(|row| items.iter().map(move |it| longer(row, it))).collect();
    }
    let rows = rows.into_iter().map(|row| Value::list(row, call.span));
    let rows = Value::list(rows.collect(), call.span);
    let sets = arguments.iter().all(|it| it.as_list().is_some_and(|it| it.is_set));
    Ok(if sets { unify::as_set(rows) } else { rows })
}
