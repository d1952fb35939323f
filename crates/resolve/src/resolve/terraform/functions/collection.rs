//! Functions over mappings, and those that take any collection.

use std::{collections::BTreeMap, sync::Arc};

use crate::hash::HashMap;

use crate::{
    resolve::terraform::{
        agreement::{shared_by_all, taken},
        functions::{
            argument, assemble,
            call::{Call, CallResult, EvaluationError},
            digits, string, unify,
        },
    },
    value::{Entry, Kind, List, Map, Symbol, Value},
};

/// `merge`: later arguments win. An argument that is not known leaves sure what comes after it, and
/// makes doubtful what came before.
///
/// # Errors
/// When an argument is no mapping.
pub(super) fn merge(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: HashMap<Arc<str>, usize> = HashMap::default();
    let mut open = false;
    for value in arguments {
        if value.is_null() {
            continue;
        }
        let known = argument::map(call, value)?;
        if known.is_none_or(|it| it.rest.is_some()) {
            open = true;
            for entry in &mut entries {
                doubt(call, entry);
            }
        }
        for entry in known.map_or(&[][..], |it| &it.entries) {
            put(&mut entries, &mut places, entry.clone());
        }
    }
    let rest = open.then(|| call.symbol.clone());
    Ok(call.value(Kind::Map(Arc::new(Map { entries, rest }))))
}

/// Makes an entry's value unknown: something later may replace it.
fn doubt(call: &Call<'_>, entry: &mut Entry) {
    if !matches!(entry.value.kind, Kind::Unknown(_)) {
        entry.value.kind = Kind::Unknown(call.part(&entry.key));
    }
}

/// `lookup`
///
/// # Errors
/// When the key is certainly absent and there is no default.
pub(super) fn lookup(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let map = argument::map(call, argument::at(call, arguments, 0)?)?;
    let key = argument::at(call, arguments, 1)?;
    let Some(map) = map else { return Ok(call.unknown()) };
    if key.is_unknown() {
        return Ok(looked_up(call, map, key, arguments.get(2)).unwrap_or_else(|| call.unknown()));
    }
    let key = argument::text_of(call, key)?;
    match (map.entry(&key), &map.rest, arguments.get(2)) {
        (Some(entry), _, _) => Ok(entry.value.clone()),
        (None, Some(_), _) => Ok(call.unknown()),
        (None, None, Some(default)) => Ok(default.clone()),
        (None, None, None) => call.fault(format_args!("finds no key `{key}`")),
    }
}

/// What is known of what `lookup` finds under a key that is not known.
fn looked_up(call: &Call<'_>, map: &Map, key: &Value, default: Option<&Value>) -> Option<Value> {
    let all = || map.entries.iter().map(|it| &it.value).collect();
    let entries: Vec<&Value> = match default {
        Some(_) if map.rest.is_none() => all(),
        _ => taken(map, key)?,
    };
    let common = shared_by_all(entries.into_iter().chain(default), &call.symbol)?;
    Some(match common.kind {
        Kind::Unknown(symbol) => Value::unknown(symbol, call.span),
        _ => common,
    })
}

/// `element`: counts around the end. A position behind an unknown item of an open list is not sure.
///
/// # Errors
/// When the list is empty or the index no whole number.
pub(super) fn element(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let list = argument::sequence(call, argument::at(call, arguments, 0)?)?;
    let (Some(list), false) = (list, argument::at(call, arguments, 1)?.is_unknown()) else {
        return Ok(call.unknown());
    };
    let index = argument::integer(call, arguments, 1)?;
    if list.rest.is_some() {
        let sure = list.items.iter().take_while(|it| !it.is_unknown()).count();
        let index = usize::try_from(index).ok().filter(|it| *it < sure);
        return Ok(index
            .and_then(|it| list.items.get(it))
            .map_or_else(|| call.unknown(), Value::clone));
    }
    let count = i64::try_from(list.items.len()).unwrap_or(i64::MAX);
    if count == 0 {
        return call.fault("needs a list that is not empty");
    }
    // Go's remainder keeps the sign: Terraform 1.11 fails on negative positions that are no multiple.
    let Ok(index) = usize::try_from(index % count) else {
        return call.fault("needs an index that is not negative");
    };
    Ok(list.items.get(index).map_or_else(|| call.unknown(), Value::clone))
}

/// `length`: of text in characters as people count them.
///
/// # Errors
/// When the argument has no length.
pub(super) fn length(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let count = match &argument::at(call, arguments, 0)?.kind {
        Kind::List(list) if list.rest.is_none() => Some(list.items.len()),
        Kind::Map(map) if map.rest.is_none() => Some(map.entries.len()),
        Kind::String(text) => {
            text.known().and_then(string::characters).map(|characters| characters.len())
        }
        Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => None,
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => {
            return call.fault("needs a string, a list or a map");
        }
    };
    Ok(count.map_or_else(|| call.unknown(), |count| call.value(digits::from_count(count))))
}

/// The entries in the order of their keys, as Terraform walks them.
fn sorted(map: &Map) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = map.entries.iter().collect();
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    entries
}

/// A list of what is known of a mapping. In an open one no position is sure, hence an unknown item
/// comes first.
fn listed(call: &Call<'_>, map: &Map, item: impl Fn(&Entry) -> Value) -> Value {
    let first = map.rest.iter().map(|rest| Value::unknown(rest.clone(), call.span));
    let items = first.chain(sorted(map).into_iter().map(item)).collect();
    call.value(Kind::List(Arc::new(List { items, rest: map.rest.clone(), is_set: false })))
}

/// `keys`
///
/// # Errors
/// When the argument is no mapping.
pub(super) fn keys(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(map) = argument::map(call, argument::at(call, arguments, 0)?)? else {
        return Ok(call.unknown());
    };
    Ok(listed(call, map, |it| Value::computed(it.key.clone(), it.key_span)))
}

/// `values`
///
/// # Errors
/// When the argument is no mapping.
pub(super) fn values(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(map) = argument::map(call, argument::at(call, arguments, 0)?)? else {
        return Ok(call.unknown());
    };
    Ok(listed(call, map, |it| it.value.clone()))
}

/// `contains`
///
/// # Errors
/// When the first argument is no list, or the second is null.
pub(super) fn contains(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let wanted = argument::at(call, arguments, 1)?;
    let list = argument::list(call, argument::at(call, arguments, 0)?)?;
    if wanted.is_null() {
        return call.fault("cannot look for null");
    }
    let Some(list) = list else { return Ok(call.unknown()) };
    let mut doubt = list.rest.is_some();
    for item in &list.items {
        match item.same_as(wanted) {
            Some(true) => return Ok(call.value(Kind::Bool(true))),
            Some(false) => {}
            None => doubt = true,
        }
    }
    Ok(if doubt { call.unknown() } else { call.value(Kind::Bool(false)) })
}

/// `coalesce`: the first argument that is neither null nor empty text.
///
/// # Errors
/// When there is none, or the arguments have no common type.
pub(super) fn coalesce(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(values) = unify::unify(arguments) else {
        return call.fault("needs arguments of one type");
    };
    let mut met: Vec<Value> = Vec::new();
    for value in values {
        let is_sure = match &value.kind {
            Kind::Null => continue,
            Kind::String(text) if text.text.is_empty() => continue,
            Kind::Unknown(symbol) => is_arn_of_resource(symbol),
            Kind::String(text) if !text.holes.is_empty() => {
                let known = assemble::segments(text);
                known.iter().any(|it| matches!(it, assemble::Segment::Known(..)))
            }
            _ => true,
        };
        if is_sure && met.is_empty() {
            return Ok(value);
        }
        met.push(value);
        if is_sure {
            break;
        }
    }
    match met.as_slice() {
        [] => call.fault("finds neither a value nor a text that is not empty"),
        // It is that one, or the call fails.
        [only] if matches!(only.kind, Kind::Unknown(_)) => Ok(only.clone()),
        _ => {
            let given = |it: &Value| !it.is_null() && it.as_str() != Some("");
            let cases = met.iter().flat_map(|it| it.cases().unwrap_or_else(|| vec![it.clone()]));
            let cases: Vec<Value> = cases.filter(given).collect();
            let symbol = call.symbol.clone().among(&cases);
            Ok(symbol.map_or_else(|| call.unknown(), |it| Value::unknown(it, call.span)))
        }
    }
}

/// Whether it is the ARN of a resource or data source of AWS, which is never empty where that is there.
fn is_arn_of_resource(symbol: &Symbol) -> bool {
    let text = symbol.text.strip_prefix("data.").unwrap_or(&symbol.text);
    let Some((kind, name)) = text.strip_suffix(".arn").and_then(|it| it.split_once('.')) else {
        return false;
    };
    let name = name.split('[').next().unwrap_or_default();
    let is_plain =
        |it: &str| it.bytes().all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it));
    kind.starts_with("aws_") && is_plain(kind) && is_plain(name) && !text.contains('*')
}

/// `coalescelist`: the first list that is not empty.
///
/// # Errors
/// When all are empty.
pub(super) fn coalesce_list(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    // All arguments must be lists, those behind the answer too.
    let lists = arguments.iter().map(|it| argument::sequence(call, it));
    let lists: Vec<_> = lists.collect::<Result<_, _>>()?;
    for (value, list) in arguments.iter().zip(lists) {
        match list {
            Some(list) if !list.items.is_empty() => return Ok(value.clone()),
            Some(list) if list.rest.is_none() => {}
            _ => return Ok(call.unknown()),
        }
    }
    call.fault("finds no list that is not empty")
}

/// `zipmap`
///
/// # Errors
/// When the lists differ in length, or a key is no text.
pub(super) fn zip_map(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let keys = argument::list(call, argument::at(call, arguments, 0)?)?;
    let values = argument::sequence(call, argument::at(call, arguments, 1)?)?;
    let (Some(keys), Some(values)) = (keys, values) else { return Ok(call.unknown()) };
    if keys.rest.is_some() || values.rest.is_some() || keys.items.iter().any(Value::is_unknown) {
        return Ok(call.unknown());
    }
    if keys.items.len() != values.items.len() {
        return call.fault("needs as many keys as values");
    }
    let pairs = keys.items.iter().zip(&values.items);
    let pairs = pairs.map(|(key, value)| {
        let text = argument::text_of(call, key)?;
        Ok(Entry { key: text, key_span: key.span, value: value.clone().named(key.span) })
    });
    Ok(Value::map(last_wins(pairs.collect::<Result<_, EvaluationError>>()?), call.span))
}

/// Drops all but the last entry of each key.
fn last_wins(entries: Vec<Entry>) -> Vec<Entry> {
    let mut places: HashMap<Arc<str>, usize> = HashMap::default();
    let mut kept: Vec<Entry> = Vec::new();
    for entry in entries {
        put(&mut kept, &mut places, entry);
    }
    kept
}

/// Adds an entry in place of the one of its key.
fn put(entries: &mut Vec<Entry>, places: &mut HashMap<Arc<str>, usize>, entry: Entry) {
    if let Some(before) = places.get(&entry.key).and_then(|at| entries.get_mut(*at)) {
        *before = entry;
    } else {
        places.insert(entry.key.clone(), entries.len());
        entries.push(entry);
    }
}

/// `transpose`: a map of lists, turned inside out.
///
/// # Errors
/// When the argument is no map of lists of text.
pub(super) fn transpose(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let map = argument::map(call, argument::at(call, arguments, 0)?)?;
    let mut turned: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
    for entry in map.map(sorted).unwrap_or_default() {
        for item in argument::list(call, &entry.value)?.map_or(&[][..], |it| &it.items) {
            let key = Value::computed(entry.key.clone(), entry.key_span);
            turned.entry(argument::text_of(call, item)?).or_default().push(key);
        }
    }
    let entries = turned.into_iter().map(|(key, mut items)| {
        items.sort_by(unify::set_order);
        Entry { key, key_span: call.span, value: Value::list(items, call.span) }
    });
    Ok(Value::map(entries.collect(), call.span))
}

/// The symbol of what may follow in a result.
#[must_use]
pub(super) fn rest(call: &Call<'_>, open: bool) -> Option<Symbol> {
    open.then(|| call.symbol.clone())
}
