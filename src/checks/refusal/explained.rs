//! What is wrong only because of another fault, which is reported alone.

use crate::{
    checks::admission::{
        fault::{Fault, FaultKind},
        path::{Path, PathStep},
        words::case::FaultWording,
    },
    knowledge::schema::{self, checks::Check},
    model::karpenter_object::KarpenterObject,
};

/// Whether a field is missing only because its name is misspelt, or because it is where it once was.
pub(super) fn is_explained(
    fault: &Fault,
    all: &[(Fault, FaultWording)],
    object: &KarpenterObject,
) -> bool {
    all.iter().any(|(it, words)| explains((it, words), fault, object))
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
