//! Nodes that Karpenter keeps when what they were made for is deleted.

use crate::{model::Model, resolve::scope::Scope, version::Version};

/// The first release whose nodes are owned by their Provisioner, and gone when it is: v0.12.0 adds the owner reference
/// beside the finalizer, in pkg/controllers/node/finalizer.go.
const OWNS_NODES: Version = Version::new(0, 12, 0);

/// Whether the release near a scope keeps the nodes of a Provisioner that is deleted; `None` where it is not known.
pub(crate) fn orphans_nodes(model: &Model, scope: &Scope) -> Option<bool> {
    model.karpenter_near(scope).0.map(|it| it < OWNS_NODES)
}
