//! Maps merged as the Go package mergo merges them, and copies of them.

use std::rc::Rc;

use crate::{
    helm::{
        convert::DEPTH,
        functions::{
            arguments::{Answer, Args, Function},
            dicts::put,
        },
        value::{Dict, Found, Kind, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("merge", |it| merged(it, false)),
    ("mustMerge", |it| merged(it, false)),
    ("mergeOverwrite", |it| merged(it, true)),
    ("mustMergeOverwrite", |it| merged(it, true)),
    ("deepCopy", copied),
    ("mustDeepCopy", copied),
];

fn copied(args: &Args<'_>) -> Answer {
    let value = args.val(0)?;
    if value.is_nil() { args.error("a copy of nil") } else { Ok(copy(value, 0)) }
}

/// The first map, changed by the others.
fn merged(args: &Args<'_>, overwrite: bool) -> Answer {
    let into = args.dict(0)?;
    for at in 1..args.count() {
        match &args.val(at)?.kind {
            Kind::Unknown(symbol) => open(&into, symbol, overwrite),
            Kind::Nil => {}
            _ => merge(args, &into, &*args.dict(at)?, overwrite, 0),
        }
    }
    // A map that was nil is a new one.
    match &args.val(0)?.kind {
        Kind::Map(_) => Ok(args.val(0)?.clone()),
        _ => Ok(Kind::Map(into).into()),
    }
}

/// Any entry may come from a map that is not known.
fn open(into: &Dict, symbol: &Rc<Symbol>, overwrite: bool) {
    if overwrite {
        for (name, item) in into.entries() {
            if let Kind::Map(inner) = &item.value.kind {
                open(inner, symbol, overwrite);
            } else {
                into.set(name, Kind::Unknown(symbol.clone()).into());
            }
        }
    }
    into.open(symbol.clone());
}

fn merge(args: &Args<'_>, into: &Dict, from: &Dict, overwrite: bool, depth: usize) {
    if depth > DEPTH {
        return;
    }
    for (name, item) in from.entries() {
        let value = &item.value;
        let before = into.get(&name);
        match (&before, &value.kind) {
            (_, Kind::Nil) if !overwrite => {}
            (Found::Present(Val { kind: Kind::Map(inner), .. }), Kind::Map(other)) => {
                if !Rc::ptr_eq(inner, other) {
                    merge(args, inner, other, overwrite, depth + 1);
                }
            }
            (Found::Unknown(symbol), _) if !overwrite => {
                into.set(name, Kind::Unknown(symbol.clone()).into());
            }
            (Found::Present(present), _) if !overwrite && is_filled(present) => {}
            _ if args.host.doubts.get() == 0 => into.put(name, item.clone()),
            _ => put(args, into, &name, value.clone()),
        }
    }
    if let Some(symbol) = from.rest() {
        open(into, &symbol, overwrite);
    }
}

/// Whether mergo keeps a value: zero, `false` and nothing give way.
fn is_filled(value: &Val) -> bool {
    value.truth().unwrap_or(true)
}

/// A value without anything shared.
pub(super) fn copy(value: &Val, depth: usize) -> Val {
    if depth > DEPTH {
        return Val::NIL;
    }
    let kind = match &value.kind {
        Kind::List(items) => Val::list(items.iter().map(|it| copy(it, depth + 1)).collect()).kind,
        Kind::Map(map) => {
            let mut entries = map.entries();
            for (_, item) in &mut entries {
                item.value = copy(&item.value, depth + 1);
            }
            Kind::Map(Dict::of(entries.into_iter().collect(), map.rest()))
        }
        other => other.clone(),
    };
    Val { kind, origin: value.origin.clone() }
}
