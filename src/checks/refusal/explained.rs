//! What is wrong only because of another fault, which is reported alone.

use crate::{
    checks::admission::{
        fault::{Fault, FaultKind},
        path::{Path, PathStep},
        words::case::FaultWording,
    },
    knowledge::schema::{self, checks::Check},
    model::karpenter_object::KarpenterObject,
    value::{Entry, Value},
};

/// Whether a field is missing only because its name is misspelt, or because it is where it once was; or whether an
/// alias is refused for its form and for its family, and the other of the two says what is wrong.
pub(super) fn is_explained(
    fault: &Fault,
    all: &[(Fault, FaultWording)],
    object: &KarpenterObject,
) -> bool {
    all.iter().any(|(it, words)| {
        explains((it, words), fault, object)
            || (it.path == fault.path && says_more(it, fault))
            || is_body_of(fault, it, all, object)
    })
}

/// Whether an unknown field is only what belongs below another one, which has nothing below it: the next that is written,
/// less far inside (`limits:` in `spec.template.spec`, and then `cpu: 100` in `spec.template`).
fn is_body_of(
    fault: &Fault,
    empty: &Fault,
    all: &[(Fault, FaultWording)],
    object: &KarpenterObject,
) -> bool {
    let is_empty = empty.value.as_ref().is_some_and(Value::is_null);
    if !is_empty || !empty.is_unknown() || !fault.is_unknown() {
        return false;
    }
    let Some((_, outer)) = fault.path.parts().split_last() else { return false };
    let Some(inner) = empty.path.parts().strip_prefix(outer) else { return false };
    let is_after = |it: &Entry| it.key_span.start > empty.span.start;
    let Some(around) = outer.iter().try_fold(&object.object.value, step) else { return false };
    let Some((_, inner)) = inner.split_last().filter(|it| !it.1.is_empty()) else { return false };
    let mut within = around;
    for part in inner {
        let Some(next) = step(within, part) else { return false };
        if next.entries().iter().any(is_after) {
            return false;
        }
        within = next;
    }
    let is_unknown =
        |it: &&Entry| all.iter().any(|(other, _)| other.is_unknown() && other.span == it.key_span);
    let mut body = around.entries().iter().filter(|it| is_after(it)).take_while(is_unknown);
    body.any(|it| it.key_span == fault.span)
}

fn step<'a>(value: &'a Value, part: &PathStep) -> Option<&'a Value> {
    match part {
        PathStep::Name(name) => value.get(name).present(),
        PathStep::Item(at) => value.items().get(*at),
    }
}

/// Whether one of two faults of an alias tells what to write: that of its family, if it has a version behind it.
fn says_more(one: &Fault, other: &Fault) -> bool {
    let is_of_form = |it: &Fault| is_of(it, |check| matches!(check, Check::AliasForm(_)));
    let is_of_family = |it: &Fault| is_of(it, |check| matches!(check, Check::AliasFamily(_)));
    let text = one.value.as_ref().and_then(Value::as_str).unwrap_or_default();
    let has_version = text.split_once('@').is_some_and(|it| !it.1.is_empty());
    if has_version {
        is_of_family(one) && is_of_form(other)
    } else {
        is_of_form(one) && is_of_family(other)
    }
}

fn is_of(fault: &Fault, wanted: impl Fn(&Check) -> bool) -> bool {
    matches!(&fault.kind, FaultKind::Check { check, .. } if wanted(check))
}

/// Whether what is missing is an unknown field: by another name, or where it once was.
pub(super) fn explains(
    (unknown, words): (&Fault, &FaultWording),
    missing: &Fault,
    object: &KarpenterObject,
) -> bool {
    if !unknown.is_unknown() {
        return false;
    }
    let is_choice = matches!(&missing.kind, FaultKind::Check { check: Check::OneNeeded(_), .. });
    if is_choice && missing.path.leads_to(&unknown.path) {
        return true;
    }
    let moved = || {
        let moved = schema::moved(&object.object.kind, &unknown.field)?;
        Some(moved.to.as_ref()?.path == missing.field)
    };
    let misspelt = || {
        let (_, outer) = unknown.path.parts().split_last()?;
        let meant = outer.iter().fold(Path::default(), |path, part| match part {
            PathStep::Name(name) => path.name(name),
            PathStep::Item(at) => path.item(*at),
        });
        Some(meant.name(words.meant.as_ref()?) == missing.path)
    };
    missing.value.is_none() && (moved() == Some(true) || misspelt() == Some(true))
}
