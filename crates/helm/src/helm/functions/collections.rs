//! What Go's templates themselves do with lists, maps and text: index, slice, length.

use std::rc::Rc;

use crate::{
    helm::{
        fault::Fault,
        functions::arguments::{Answer, Args, Function},
        functions::kinds::{kind_name, type_name},
        value::{Found, Kind, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] =
    &[("index", index), ("slice", slice), ("mustSlice", slice), ("len", len)];

fn index(args: &Args<'_>) -> Answer {
    let mut value = args.val(0)?.clone();
    if value.is_nil() && args.count() == 1 {
        return args.error("index of untyped nil");
    }
    for at in 1..args.count() {
        value = step(args, &value, at)?;
    }
    Ok(value)
}

fn step(args: &Args<'_>, value: &Val, at: usize) -> Answer {
    match &value.kind {
        Kind::Unknown(symbol) => Err(Fault::Unknown(symbol.clone())),
        Kind::Map(map) => {
            let key = args.string(at)?;
            match map.get(key.as_str()) {
                Found::Present(found) => Ok(found),
                Found::Missing => Ok(Val::NIL),
                Found::Unknown(symbol) => Err(Fault::Unknown(symbol)),
            }
        }
        Kind::List(items) => {
            let place = usize::try_from(place_of(args, at)?).unwrap_or(usize::MAX);
            match items.get(place) {
                Some(item) => Ok(item.clone()),
                None => args.error(format!("index out of range: {}", args.int(at)?)),
            }
        }
        Kind::Text(text) => {
            let place = usize::try_from(place_of(args, at)?).unwrap_or(usize::MAX);
            match text.as_str().as_bytes().get(place) {
                Some(byte) => Ok(Kind::Int(i64::from(*byte)).into()),
                None => args.error(format!("index out of range: {}", args.int(at)?)),
            }
        }
        Kind::Files(files) => {
            let path = args.string(at)?;
            Ok(Kind::Bytes(files.get(path.as_str())).into())
        }
        Kind::Nil if args.host.assumptions.others_give_values => {
            let key = args.printed(at)?;
            Err(Fault::Unknown(Rc::new(Symbol::of_installation(key.as_str()))))
        }
        Kind::Struct(it) if it.is_map_elsewhere() => {
            Err(Fault::Unknown(Rc::new(Symbol::of_installation(".Chart"))))
        }
        Kind::Nil => args.error("index of untyped nil"),
        _ => args.error(format!("can't index item of type {}", type_name(value))),
    }
}

/// The place that an argument names, which must be a whole number to Go.
fn place_of(args: &Args<'_>, at: usize) -> Result<i64, Fault> {
    let value = args.known(at)?;
    match &value.kind {
        Kind::Int(place) | Kind::Long(place) => Ok(*place),
        Kind::Text(text) if text.first_hole().is_some() => args.int(at),
        _ => args.error(format!("cannot index slice/array with type {}", type_name(value))),
    }
}

fn slice(args: &Args<'_>) -> Answer {
    let value = args.known(0)?;
    let bound = |at: usize, other: usize| {
        if args.count() <= at {
            return Ok(other);
        }
        match usize::try_from(args.int(at)?) {
            Ok(bound) => Ok(bound),
            Err(_) => args.error("reflect.Value.Slice: slice index out of bounds").map(|_: Val| 0),
        }
    };
    match &value.kind {
        Kind::List(items) if items.is_empty() => Ok(Val::NIL),
        Kind::List(items) => {
            let (from, to) = (bound(1, 0)?, bound(2, items.len())?);
            match items.get(from..to) {
                Some(found) => Ok(Val::list_of(found.to_vec(), items.of)),
                None => args.error("index out of range"),
            }
        }
        _ => args.error(format!("list should be type of slice or array but {}", kind_name(value))),
    }
}

fn len(args: &Args<'_>) -> Answer {
    let value = args.known(0)?;
    let count = match &value.kind {
        Kind::List(items) => items.len(),
        Kind::Map(map) => match map.rest() {
            Some(symbol) => return Err(args.unknown(&symbol)),
            None => map.len(),
        },
        Kind::Text(text) | Kind::Bytes(text) => args.without_holes(text.clone())?.len(),
        Kind::Files(files) => files.iter().count(),
        Kind::ApiVersions(_) => args.list(0)?.len(),
        Kind::Nil => return args.error("len of nil pointer"),
        _ => return args.error(format!("len of type {}", type_name(value))),
    };
    Ok(Kind::Int(i64::try_from(count).unwrap_or(i64::MAX)).into())
}
