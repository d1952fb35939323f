//! Comparison by Go's rules.

use std::{cmp::Ordering, rc::Rc};

use crate::{
    helm::{
        convert::DEPTH,
        fault::Fault,
        value::{Kind, Val},
    },
    value::Symbol,
};

/// What two values are to `eq`.
pub(crate) fn equal(a: &Val, b: &Val) -> Result<bool, Fault> {
    if let Some(symbol) = unknown(a).or_else(|| unknown(b)) {
        return match (&a.kind, &b.kind) {
            (Kind::Unknown(a), Kind::Unknown(b)) if a == b => Ok(true),
            _ => Err(Fault::Unknown(symbol)),
        };
    }
    Ok(match (&a.kind, &b.kind) {
        (Kind::Nil, Kind::Nil) => true,
        (Kind::Nil, _) | (_, Kind::Nil) => false,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Text(a), Kind::Text(b)) => a.as_str() == b.as_str(),
        (Kind::Int(a) | Kind::Long(a), Kind::Int(b) | Kind::Long(b)) => a == b,
        (Kind::Float(a), Kind::Float(b)) => {
            a.total_cmp(b).is_eq() || a.partial_cmp(b) == Some(Ordering::Equal)
        }
        (Kind::List(_) | Kind::Map(_), _) | (_, Kind::List(_) | Kind::Map(_)) => {
            return Fault::error("error calling eq: non-comparable type");
        }
        _ => return Fault::error("error calling eq: incompatible types for comparison"),
    })
}

/// Which of two values is less.
pub(crate) fn order(a: &Val, b: &Val) -> Result<Ordering, Fault> {
    if let Some(symbol) = unknown(a).or_else(|| unknown(b)) {
        return Err(Fault::Unknown(symbol));
    }
    match (&a.kind, &b.kind) {
        (Kind::Text(a), Kind::Text(b)) => Ok(a.as_str().cmp(b.as_str())),
        (Kind::Int(a) | Kind::Long(a), Kind::Int(b) | Kind::Long(b)) => Ok(a.cmp(b)),
        (Kind::Float(a), Kind::Float(b)) => Ok(a.partial_cmp(b).unwrap_or(Ordering::Equal)),
        _ => Fault::error("incompatible types for comparison"),
    }
}

fn unknown(value: &Val) -> Option<Rc<Symbol>> {
    match &value.kind {
        Kind::Unknown(symbol) => Some(symbol.clone()),
        Kind::Text(text) => text.first_hole().map(|it| Rc::new(it.clone())),
        _ => None,
    }
}

/// Whether two values are the same all the way down, as `deepEqual` has it; `Err` where that is not known.
pub(crate) fn deep_equal(a: &Val, b: &Val) -> Result<bool, Fault> {
    deep(a, b, 0)
}

fn deep(a: &Val, b: &Val, depth: usize) -> Result<bool, Fault> {
    if depth > DEPTH {
        return Fault::error("nested too deep");
    }
    match (&a.kind, &b.kind) {
        (Kind::List(a), Kind::List(b)) => {
            if Rc::ptr_eq(a, b) {
                return Ok(true);
            }
            let mut equal = a.len() == b.len();
            for (a, b) in a.iter().zip(b.iter()) {
                equal = equal && deep(a, b, depth + 1)?;
            }
            Ok(equal)
        }
        (Kind::Map(a), Kind::Map(b)) => {
            if Rc::ptr_eq(a, b) {
                return Ok(true);
            }
            if let Some(symbol) = a.rest().or_else(|| b.rest()) {
                return Err(Fault::Unknown(symbol));
            }
            let (a, b) = (a.entries(), b.entries());
            let mut equal = a.len() == b.len();
            for ((a_key, a), (b_key, b)) in a.iter().zip(b.iter()) {
                equal = equal && a_key == b_key && deep(&a.value, &b.value, depth + 1)?;
            }
            Ok(equal)
        }
        (Kind::List(_) | Kind::Map(_), _)
        | (_, Kind::List(_) | Kind::Map(_))
        | (Kind::Int(_), Kind::Long(_))
        | (Kind::Long(_), Kind::Int(_)) => Ok(false),
        _ => match equal(a, b) {
            Err(Fault::Error(..)) => Ok(false),
            other => other,
        },
    }
}
