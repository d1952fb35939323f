//! What is wrong only because of another fault, which is reported alone.

use crate::{
    checks::admission::{
        fault::{Fault, FaultKind},
        path::{Path, PathStep},
        words::case::FaultWording,
    },
    knowledge::schema::{self, checks::Check},
    model::karpenter_object::KarpenterObject,
    value::Value,
};

/// Whether a field is missing only because its name is misspelt, or because it is where it once was; or whether an
/// alias is refused for its form and for its family, and the other of the two says what is wrong.
pub(super) fn is_explained(
    fault: &Fault,
    all: &[(Fault, FaultWording)],
    object: &KarpenterObject,
) -> bool {
    all.iter().any(|(it, words)| {
        explains((it, words), fault, object) || (it.path == fault.path && says_more(it, fault))
    })
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
