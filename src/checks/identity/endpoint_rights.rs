//! Whether the role of a controller lets it ask EKS for the address of its cluster.

use crate::{
    checks::identity::{
        own_policy::attached,
        taken_role::{role_of, takes_another},
    },
    model::Model,
    resolve::release::Release,
};

/// What tells the address.
const ASKS: &str = "eks:DescribeCluster";

/// Whether a controller may do that: unless the policies of its role are seen, and none lets it.
#[must_use]
pub(crate) fn may_ask_for_endpoint(model: &Model, release: &Release) -> bool {
    let root =
        release.scope.root.and_then(|index| Some((index, model.terraform.roots.get(index)?)));
    let Some((index, root)) = root else { return true };
    let role = role_of(root, index, release).filter(|_| !takes_another(release));
    let policies = role.map(|it| attached(root, it)).unwrap_or_default();
    policies.is_empty() || policies.iter().any(|it| it.may_allow(ASKS))
}
