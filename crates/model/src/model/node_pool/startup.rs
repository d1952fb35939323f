//! Startup taints: which agents hold pods back, and whether Karpenter knows of it.

use crate::{
    knowledge::startup::{self, StartupTaint},
    model::{
        Model,
        node_pool::{EC2, NodePool, class::NodeClass},
    },
    source::Span,
};

/// A startup taint that a pool does not declare as one.
#[derive(Clone, Copy, Debug)]
pub struct Undeclared {
    /// The taint.
    pub taint: &'static StartupTaint,
    /// Where somebody else gives it to nodes.
    pub given: Span,
    /// By whom.
    pub giver: Giver,
}

/// Who gives nodes a taint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Giver {
    /// The user data of the pool's nodes.
    UserData,
    /// The same, but Karpenter puts its own list in place of it.
    DroppedUserData,
    /// Nobody gives it to the pool's nodes; all static node groups have it.
    NodeGroups,
}

impl NodePool {
    /// The startup taints that stand among the lasting ones, with their places.
    pub fn lasting_startup_taints(&self) -> impl Iterator<Item = (&'static StartupTaint, Span)> {
        let lasting = self.taints.list.iter().filter(|(it, _)| it.keeps_pods_away());
        lasting.filter_map(|(it, span)| Some((startup::taint(&it.key)?, *span)))
    }

    /// Whether it certainly says nothing of a taint of that key.
    fn ignores(&self, key: &str) -> bool {
        [&self.taints, &self.startup_taints]
            .iter()
            .all(|it| !it.may_have_others && it.list.iter().all(|(it, _)| it.key != key))
    }
}

impl Model {
    /// The startup taints of a pool's nodes, or of all other nodes of its cluster, of which it says
    /// nothing.
    #[must_use]
    pub fn undeclared_startup_taints(&self, pool: &NodePool) -> Vec<Undeclared> {
        let class = self.class_of(pool);
        let ignored = startup::taints().iter().filter(|it| pool.ignores(&it.key));
        ignored.filter_map(|it| self.undeclared(pool, class, it)).collect()
    }

    fn undeclared(
        &self,
        pool: &NodePool,
        class: Option<&NodeClass>,
        taint: &'static StartupTaint,
    ) -> Option<Undeclared> {
        if let Some((class, (way, given))) =
            class.and_then(|it| Some((it, it.registers(&taint.key)?)))
        {
            let (version, _) = self.karpenter_near(&pool.scope);
            let dropped = class.drops(way, version.as_ref());
            let giver = if dropped { Giver::DroppedUserData } else { Giver::UserData };
            return Some(Undeclared { taint, given, giver });
        }
        let cluster = self.cluster_near(&pool.scope)?;
        let shared = cluster.shared_startup_taints();
        let found = shared.into_iter().find(|it| it.key == taint.key)?;
        let given = cluster.node_groups.iter().find_map(|it| it.taints.place(found))?;
        let same = !pool.offer.is_windows() && self.pool_groups(&pool.scope).len() <= 1;
        same.then_some(Undeclared { taint, given, giver: Giver::NodeGroups })
    }

    /// The class of a pool's nodes, when it is clear which it is.
    #[must_use]
    pub fn class_of(&self, pool: &NodePool) -> Option<&NodeClass> {
        let name = pool.class.known().filter(|_| pool.class_group.known_to_be(EC2))?;
        let near = self.classes_near.get(name)?.nearest(&pool.scope).copied().flatten();
        self.node_classes.get(near?)
    }
}
