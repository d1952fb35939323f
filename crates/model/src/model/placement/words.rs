//! What labels are and what is asked of them, in words.

use crate::model::requirement::value_set::{Operator, ValueSet};

/// More values are counted only.
const SHOWN: usize = 4;

/// That a label is not what pods ask for: "label `role` is `system`, not `core`".
#[must_use]
pub(super) fn conflict(key: &str, given: Option<&ValueSet>, asked: &ValueSet) -> String {
    match given {
        None => format!("no label `{key}`"),
        Some(given) if given.is_nothing() => format!("no label `{key}`"),
        Some(given) if asked.is_nothing() => format!("label `{key}` is {}", described(given)),
        Some(given) => format!("label `{key}` is {}, not {}", described(given), described(asked)),
    }
}

/// What a set admits: "`a` or `b`", "anything but `a`", "at least 4".
#[must_use]
pub(super) fn described(set: &ValueSet) -> String {
    let bounds = match set.bounds() {
        (Some(least), Some(most)) => Some(format!("{least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    };
    match set.operator() {
        Operator::In => listed(set),
        Operator::NotIn => match bounds {
            Some(bounds) => format!("{bounds}, but not {}", listed(set)),
            None => format!("anything but {}", listed(set)),
        },
        Operator::Exists => bounds.unwrap_or_else(|| "any value".to_owned()),
        Operator::DoesNotExist => "absent".to_owned(),
    }
}

/// "`a`, `b` or `c`".
fn listed(set: &ValueSet) -> String {
    let all: Vec<String> = set.named().map(|it| format!("`{it}`")).collect();
    match all.as_slice() {
        [] => "something that is not known".to_owned(),
        [only] => only.clone(),
        [first @ .., last] if all.len() <= SHOWN => format!("{} or {last}", first.join(", ")),
        _ => format!("{} or {} others", all[..SHOWN - 1].join(", "), all.len() - (SHOWN - 1)),
    }
}
