//! Which of Karpenter's resources of a kind may be in one cluster with something.

use std::{collections::HashMap, sync::Arc};

use crate::{model::karpenter_object::KarpenterObject, resolve::scope::Scope};

/// Karpenter's resources by their kinds, and those of a kind by their scopes.
#[derive(Debug, Default)]
pub struct ObjectsNear {
    of_kinds: HashMap<Arc<str>, HashMap<Scope, Vec<usize>>>,
}

impl ObjectsNear {
    /// Files objects.
    #[must_use]
    pub fn new(objects: &[KarpenterObject]) -> Self {
        let mut near = Self::default();
        for (at, it) in objects.iter().enumerate() {
            let scopes = near.of_kinds.entry(Arc::clone(&it.object.kind)).or_default();
            scopes.entry(it.scope.clone()).or_default().push(at);
        }
        near
    }

    /// Those of a kind, as indexes, by their scopes.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Option<&HashMap<Scope, Vec<usize>>> {
        self.of_kinds.get(kind)
    }
}
