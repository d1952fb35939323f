//! Which of Karpenter's resources of a kind may be in one cluster with something.

use std::{collections::HashMap, sync::Arc};

use crate::{
    model::{Model, karpenter_object::KarpenterObject},
    resolve::scope::Scope,
};

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
}

impl Model {
    /// Karpenter's resources of a kind that may be in the cluster of a scope. First come those of that very scope.
    pub fn objects_near<'m>(
        &'m self,
        kind: &str,
        scope: &'m Scope,
    ) -> impl Iterator<Item = &'m KarpenterObject> {
        let scopes = self.objects_near.of_kinds.get(kind);
        let own = scopes.and_then(|it| it.get(scope));
        let others = scopes.into_iter().flatten();
        let others = others.filter(move |(it, _)| *it != scope && self.may_meet(it, scope));
        let all = own.into_iter().chain(others.map(|it| it.1)).flatten();
        all.filter_map(|at| self.karpenter_objects.get(*at))
    }

    /// The first of them in the order of the files.
    #[must_use]
    pub fn first_object_near<'m>(
        &'m self,
        kind: &str,
        scope: &'m Scope,
    ) -> Option<&'m KarpenterObject> {
        let scopes = self.objects_near.of_kinds.get(kind).into_iter().flatten();
        let near = scopes.filter(|(it, _)| self.may_meet(it, scope));
        let first = near.filter_map(|(_, list)| list.first()).min()?;
        self.karpenter_objects.get(*first)
    }
}
