//! The policies of the controllers' roles, whatever makes them.

use crate::{
    checks::identity::{
        own_policy,
        policy::{self, Denied},
    },
    findings::silence::Silence,
    model::Model,
    source::Span,
};

/// The policies, and which of them do not allow everything the controller needs.
#[must_use]
pub(crate) fn policies(model: &Model) -> Vec<(Span, Result<Denied<'_>, Silence>)> {
    let mut judged = policy::policies(model);
    judged.extend(own_policy::policies(model));
    judged
}
