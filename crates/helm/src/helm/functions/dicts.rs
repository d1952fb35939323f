//! Maps: made, read, changed in place.

use std::rc::Rc;

use crate::{
    helm::{
        fault::Fault,
        functions::arguments::{Answer, Args, Function},
        text::{Source, Text},
        value::{Dict, Found, Item, Kind, Of, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("dict", dict),
    ("get", get),
    ("set", set),
    ("unset", unset),
    ("hasKey", has_key),
    ("pluck", pluck),
    ("keys", keys),
    ("values", values),
    ("pick", |it| chosen(it, true)),
    ("omit", |it| chosen(it, false)),
    ("dig", dig),
];

/// The text of a key.
fn key(args: &Args<'_>, at: usize) -> Result<Text, Fault> {
    let text = args.printed(at)?;
    args.without_holes(text)
}

fn dict(args: &Args<'_>) -> Answer {
    let mut entries = Vec::new();
    for at in (0..args.count()).step_by(2) {
        let name = key(args, at)?;
        let value = args.values.get(at + 1).cloned().unwrap_or_else(|| Val::text(""));
        entries.push((Rc::from(name.as_str()), value));
    }
    Ok(Val::map(entries))
}

fn get(args: &Args<'_>) -> Answer {
    match args.dict(0)?.get(key(args, 1)?.as_str()) {
        Found::Present(value) => Ok(value),
        Found::Missing => Ok(Val::text("")),
        Found::Unknown(symbol) => Err(Fault::Unknown(symbol)),
    }
}

/// In a body that is only perhaps taken, what is set is only perhaps set.
pub(super) fn put(args: &Args<'_>, map: &Dict, name: &str, value: Val) {
    if args.host.doubts.get() == 0 {
        map.set(name, value);
        return;
    }
    let same = match map.get(name) {
        Found::Present(before) => {
            matches!(crate::helm::compare::deep_equal(&before, &value), Ok(true))
        }
        Found::Missing | Found::Unknown(_) => false,
    };
    if !same {
        map.set(name, Val::unknown(Symbol::of_installation(format!("set {name}"))));
    }
}

fn set(args: &Args<'_>) -> Answer {
    if args.val(0)?.is_nil() {
        return args.error("assignment to entry in nil map");
    }
    let map = args.dict(0)?;
    put(args, &map, key(args, 1)?.as_str(), args.val(2)?.clone());
    Ok(args.val(0)?.clone())
}

fn unset(args: &Args<'_>) -> Answer {
    let map = args.dict(0)?;
    let name = key(args, 1)?;
    if args.host.doubts.get() == 0 {
        map.remove(name.as_str());
    } else if !matches!(map.get(name.as_str()), Found::Missing) {
        let symbol = Symbol::of_installation(format!("unset {}", name.as_str()));
        map.set(name.as_str(), Val::unknown(symbol));
    }
    Ok(args.val(0)?.clone())
}

fn has_key(args: &Args<'_>) -> Answer {
    match args.dict(0)?.get(key(args, 1)?.as_str()) {
        Found::Present(_) => Ok(Val::bool(true)),
        Found::Missing => Ok(Val::bool(false)),
        Found::Unknown(symbol) => Err(Fault::Unknown(symbol)),
    }
}

fn pluck(args: &Args<'_>) -> Answer {
    let name = key(args, 0)?;
    let mut found = Vec::new();
    for at in 1..args.count() {
        match args.dict(at)?.get(name.as_str()) {
            Found::Present(value) => found.push(value),
            Found::Missing => {}
            Found::Unknown(symbol) => return Err(Fault::Unknown(symbol)),
        }
    }
    Ok(Val::list(found))
}

/// A closed map's entries.
fn entries(args: &Args<'_>, at: usize) -> Result<Vec<(Rc<str>, Item)>, Fault> {
    let map = args.dict(at)?;
    match map.rest() {
        Some(symbol) => Err(args.unknown(&symbol)),
        None => Ok(map.entries()),
    }
}

fn keys(args: &Args<'_>) -> Answer {
    let mut found = Vec::new();
    for at in 0..args.count() {
        for (name, item) in entries(args, at)? {
            let source = match item.key_span {
                Some(span) if span.range().len() == name.len() => Source::Written(span),
                _ => Source::Nowhere,
            };
            found.push(Kind::Text(Text::new(name, source)).into());
        }
    }
    Ok(Val::list_of(found, Of::Texts))
}

fn values(args: &Args<'_>) -> Answer {
    Ok(Val::list(entries(args, 0)?.into_iter().map(|(_, item)| item.value).collect()))
}

/// The named entries, or the others; names may be given as a list.
fn chosen(args: &Args<'_>, picks: bool) -> Answer {
    let map = args.dict(0)?;
    let mut names: Vec<Text> = Vec::new();
    for at in 1..args.count() {
        match &args.known(at)?.kind {
            Kind::List(items) => names.extend(items.iter().map(crate::helm::print::printed)),
            _ => names.push(key(args, at)?),
        }
    }
    let listed = |it: &str| names.iter().any(|name| name.as_str() == it);
    let kept = map.entries().into_iter().filter(|(name, _)| listed(name) == picks);
    let rest = map.rest().filter(|_| !picks || names.iter().any(|it| is_open(&map, it.as_str())));
    Ok(Kind::Map(Dict::of(kept.collect(), rest)).into())
}

fn is_open(map: &Dict, name: &str) -> bool {
    matches!(map.get(name), Found::Unknown(_))
}

/// `dig "a" "b" default map`
fn dig(args: &Args<'_>) -> Answer {
    if args.count() < 3 {
        return args.error("dig needs at least three arguments");
    }
    let last = args.count().saturating_sub(1);
    let default = args.val(last.saturating_sub(1))?;
    let mut value = args.val(last)?.clone();
    for at in 0..last.saturating_sub(1) {
        let name = args.string(at)?;
        value = match &value.kind {
            Kind::Map(map) => match map.get(name.as_str()) {
                Found::Present(found) => found,
                Found::Missing => return Ok(default.clone()),
                Found::Unknown(symbol) => return Err(Fault::Unknown(symbol)),
            },
            Kind::Unknown(symbol) => return Err(Fault::Unknown(symbol.clone())),
            _ => return args.error("interface conversion: interface {} is not a map"),
        };
    }
    Ok(value)
}
