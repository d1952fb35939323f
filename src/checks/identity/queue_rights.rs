//! Whether the role of a controller lets it read a queue.

use crate::{
    checks::identity::{
        own_policy::attached,
        taken_role::{role_of, takes_another},
    },
    model::Model,
    resolve::release::Release,
    source::Span,
};

/// What reads a queue.
const READS: &str = "sqs:ReceiveMessage";

/// The policy by which a controller launches nodes, where none of its role's lets it read a queue.
#[must_use]
pub(crate) fn policy_without_queue(model: &Model, release: &Release) -> Option<Span> {
    let index = release.scope.root?;
    let root = model.terraform.roots.get(index)?;
    let role = role_of(root, index, release).filter(|_| !takes_another(release))?;
    let policies = attached(root, role);
    let main = policies.iter().find(|it| it.launches())?;
    let reads = policies.iter().any(|it| it.may_allow(READS));
    (!reads).then_some(main.block.header)
}
