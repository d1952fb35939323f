//! Which of Karpenter's resources of a kind may be in one cluster with something.

use std::{collections::HashMap, sync::Arc};

use crate::{
    model::{karpenter_object::KarpenterObject, scope::ScopeIndex},
    resolve::{scope::Scope, terraform::object::GraphNode},
};

/// Karpenter's resources by their kinds, and those of a kind by their scopes.
#[derive(Debug, Default)]
pub struct ObjectsNear {
    of_kinds: HashMap<Arc<str>, HashMap<Scope, Vec<usize>>>,
    of_nodes: HashMap<(usize, GraphNode), Vec<usize>>,
    provisioners: ScopeIndex<Vec<usize>>,
}

impl ObjectsNear {
    /// Files objects.
    #[must_use]
    pub fn new(objects: &[KarpenterObject]) -> Self {
        let is_provisioner = |it: &KarpenterObject| &*it.object.kind == "Provisioner";
        let provisioners = ScopeIndex::new(objects, is_provisioner, <[usize]>::to_vec);
        let mut near = Self { provisioners, ..Self::default() };
        for (at, it) in objects.iter().enumerate() {
            let scopes = near.of_kinds.entry(Arc::clone(&it.object.kind)).or_default();
            scopes.entry(it.scope.clone()).or_default().push(at);
            if let Some(node) = it.scope.root.zip(it.node) {
                near.of_nodes.entry(node).or_default().push(at);
            }
        }
        near
    }

    /// Those that a resource of a Terraform root makes, as indexes.
    #[must_use]
    pub fn of_node(&self, root: usize, node: GraphNode) -> &[usize] {
        self.of_nodes.get(&(root, node)).map_or(&[], Vec::as_slice)
    }

    /// The Provisioners of the nearest scope that has any, as indexes.
    #[must_use]
    pub fn provisioners(&self, scope: &Scope) -> &[usize] {
        self.provisioners.nearest(scope).map_or(&[], Vec::as_slice)
    }

    /// Those of a kind, as indexes, by their scopes.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Option<&HashMap<Scope, Vec<usize>>> {
        self.of_kinds.get(kind)
    }
}
