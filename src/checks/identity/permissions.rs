//! The policies of the controllers' roles, whatever makes them.

use crate::{
    checks::identity::{
        needed::classes_of,
        own_policy,
        policy::{self, Denied},
    },
    findings::silence::Silence,
    model::Model,
    source::Span,
    value::Value,
};

/// The policies, and which of them do not allow everything the controller needs.
#[must_use]
pub(crate) fn policies(model: &Model) -> Vec<(Span, Result<Denied<'_>, Silence>)> {
    let mut judged = policy::policies(model);
    judged.extend(own_policy::policies(model));
    judged
}

/// Of which classes a denial stops only the deletion.
pub(crate) enum OnlyDeletion {
    /// Of all there may be.
    OfAnyClass,
    /// Of those with a field that all classes of the controller have, at one of them.
    With(Span),
}

/// Whether a denial stops no more than the deletion of classes; where that hangs on a field, not known while no class is
/// seen.
#[must_use]
pub(crate) fn stops_only_deletion(model: &Model, denied: &Denied<'_>) -> Option<OnlyDeletion> {
    // What only costs something is no more than that.
    let mut all = denied.needs.iter().filter(|it| it.stops_only.is_none()).peekable();
    all.peek()?;
    let mut serious = all.filter(|it| !it.only_deletion);
    let Some(first) = serious.next() else {
        return Some(OnlyDeletion::OfAnyClass);
    };
    let field = first.only_deletion_with.as_deref()?;
    if serious.any(|it| it.only_deletion_with.as_deref() != Some(field)) {
        return None;
    }
    let written = |it: &Value| it.at(field).present().filter(|it| !it.is_empty()).map(|it| it.span);
    let own = [denied.release];
    let classes = classes_of(model, denied.release, &own);
    let places: Option<Vec<Span>> = classes.map(|it| written(&it.object)).collect();
    places?.first().copied().map(OnlyDeletion::With)
}
