//! Truth, comparison, defaults, errors, and what a value is.

use std::rc::Rc;

use crate::{
    helm::{
        compare::{deep_equal, equal, order},
        fault::{ErrorKind, Fault},
        functions::{
            arguments::{Answer, Args, Function},
            kinds::{kind_name, type_name},
        },
        value::{Kind, Val},
    },
    value::Symbol,
};

/// The functions of this topic.
pub(super) const TABLE: &[(&str, Function)] = &[
    ("not", |it| Ok(Val::bool(!it.truth(0)?))),
    ("eq", eq),
    ("ne", |it| Ok(Val::bool(!equal(it.val(0)?, it.val(1)?).map_err(|fault| named(it, fault))?))),
    ("lt", |it| compared(it, std::cmp::Ordering::is_lt)),
    ("le", |it| compared(it, std::cmp::Ordering::is_le)),
    ("gt", |it| compared(it, std::cmp::Ordering::is_gt)),
    ("ge", |it| compared(it, std::cmp::Ordering::is_ge)),
    ("deepEqual", |it| deep_equal(it.val(0)?, it.val(1)?).map(Val::bool)),
    ("default", default),
    ("empty", |it| Ok(Val::bool(!it.truth(0)?))),
    ("coalesce", coalesce),
    ("all", |it| every(it, true)),
    ("any", |it| every(it, false)),
    ("ternary", ternary),
    ("fail", |it| {
        let message = it.printed(0)?;
        Err(Fault::Error(ErrorKind::Fail, message.as_str().to_owned()))
    }),
    ("required", required),
    ("kindOf", |it| Ok(Val::text(kind_name(it.known(0)?)))),
    ("typeOf", |it| Ok(Val::text(type_name(it.known(0)?)))),
    ("kindIs", |it| {
        let asked = it.string(0)?;
        Ok(Val::bool(kind_name(it.known(1)?) == asked.as_str()))
    }),
    ("typeIs", |it| {
        let asked = it.string(0)?;
        Ok(Val::bool(type_name(it.known(1)?) == asked.as_str()))
    }),
    ("typeIsLike", |it| {
        let asked = it.string(0)?;
        let found = type_name(it.known(1)?);
        Ok(Val::bool(found == asked.as_str() || found.strip_prefix('*') == Some(asked.as_str())))
    }),
    ("call", |it| it.error("non-function")),
];

fn named(args: &Args<'_>, fault: Fault) -> Fault {
    match fault {
        Fault::Unknown(symbol) => args.unknown(&symbol),
        error @ Fault::Error(..) => error,
    }
}

/// Whether the first equals one of the others.
fn eq(args: &Args<'_>) -> Answer {
    let first = args.val(0)?;
    let mut doubt = None;
    args.val(1)?;
    for other in args.values.iter().skip(1) {
        match equal(first, other) {
            Ok(true) => return Ok(Val::bool(true)),
            Ok(false) => {}
            Err(fault @ Fault::Unknown(_)) => doubt = Some(fault),
            Err(fault) => return Err(fault),
        }
    }
    match doubt {
        Some(fault) => Err(named(args, fault)),
        None => Ok(Val::bool(false)),
    }
}

fn compared(args: &Args<'_>, asked: fn(std::cmp::Ordering) -> bool) -> Answer {
    let found = order(args.val(0)?, args.val(1)?).map_err(|it| match it {
        Fault::Error(kind, text) => {
            Fault::Error(kind, format!("error calling {}: {text}", args.name))
        }
        Fault::Unknown(symbol) => args.unknown(&symbol),
    })?;
    Ok(Val::bool(asked(found)))
}

fn default(args: &Args<'_>) -> Answer {
    let Some(given) = args.values.get(1) else { return args.val(0).cloned() };
    match given.truth() {
        Ok(true) => Ok(given.clone()),
        Ok(false) => Ok(args.val(0)?.clone()),
        Err(symbol) => Err(Fault::Unknown(symbol)),
    }
}

fn coalesce(args: &Args<'_>) -> Answer {
    for value in args.values {
        match value.truth() {
            Ok(true) => return Ok(value.clone()),
            Ok(false) => {}
            Err(symbol) => return Err(Fault::Unknown(symbol)),
        }
    }
    Ok(Val::NIL)
}

fn every(args: &Args<'_>, all: bool) -> Answer {
    let mut doubt = None;
    for value in args.values {
        match value.truth() {
            Ok(truth) if truth != all => return Ok(Val::bool(!all)),
            Ok(_) => {}
            Err(symbol) => doubt = Some(symbol),
        }
    }
    match doubt {
        Some(symbol) => Err(args.unknown(&symbol)),
        None => Ok(Val::bool(all)),
    }
}

fn ternary(args: &Args<'_>) -> Answer {
    let condition = args.known(2)?;
    let Kind::Bool(condition) = condition.kind else {
        let found = type_name(condition);
        return Fault::error(format!("wrong type for value; expected bool; got {found}"));
    };
    Ok(args.val(usize::from(!condition))?.clone())
}

fn required(args: &Args<'_>) -> Answer {
    let value = args.val(1)?;
    let missing = match &value.kind {
        Kind::Nil => true,
        Kind::Text(text) => text.known() == Some(""),
        _ => false,
    };
    if !missing {
        return Ok(value.clone());
    }
    let message = args.printed(0)?;
    if args.host.assumptions.others_give_values {
        return Err(Fault::Unknown(Rc::new(Symbol::of_installation(message.as_str()))));
    }
    Err(Fault::Error(ErrorKind::Required, message.as_str().to_owned()))
}
