//! What is nearest to a scope: the controller and its version, the cluster.

use crate::{
    model::{
        Model,
        cluster::Cluster,
        component::ComponentUse,
        controller::ControllerPods,
        installation::{Agreed, Installation},
        karpenter::KarpenterResource,
        karpenter_object::KarpenterObject,
        node_pool::{
            EC2, NodePool,
            class::{self, NodeClass},
        },
        scope::Scoped,
    },
    resolve::{
        answers::agreed,
        release::Release,
        scope::{ClusterTarget, Scope},
    },
    source::Span,
    version::Version,
};

impl Model {
    /// The releases of the Karpenter controller.
    pub fn controllers(&self) -> impl Iterator<Item = &Release> {
        self.releases.iter().filter(|it| it.is_controller())
    }

    /// The pods of the Karpenter controllers.
    pub fn controller_pods(&self) -> impl Iterator<Item = ControllerPods<'_>> {
        self.releases.iter().filter_map(ControllerPods::of)
    }

    /// How many controllers one Terraform root has.
    #[must_use]
    pub fn count_controllers(&self, root: usize) -> usize {
        self.controllers_inside.get(&root).map_or(0, Vec::len)
    }

    /// The controllers of one Terraform root.
    #[must_use]
    pub fn controllers_of_root(&self, root: usize) -> Vec<&Release> {
        let inside = self.controllers_inside.get(&root).map_or(&[][..], Vec::as_slice);
        inside.iter().filter_map(|it| self.releases.get(*it)).collect()
    }

    /// Whether something is seen that makes nodes: a controller, a pool or its predecessor.
    #[must_use]
    pub fn shows_nodes_of_karpenter(&self) -> bool {
        let has_controller =
            self.assumed.karpenter_version.is_some() || !self.installations.is_empty();
        !self.node_pools.is_empty()
            || !self.karpenter_objects.is_empty()
            || !self.karpenter_resources.is_empty()
            // Its pools are elsewhere, unless another one scales the nodes.
            || has_controller && self.cluster_autoscaler().is_none()
    }

    /// The Karpenter version of the nearest controllers, or else of what documents install, with the first place that
    /// says so.
    #[must_use]
    pub fn karpenter_near(&self, scope: &Scope) -> (Option<Version>, Option<&Installation>) {
        match self.installed_near(scope) {
            None => match self.documented.near(scope) {
                Some((version, document)) => (Some(version.clone()), Some(document)),
                None => (self.assumed.karpenter_version.clone(), None),
            },
            Some(None) => (None, None),
            Some(Some((first, version))) => (version.clone(), self.installations.get(*first)),
        }
    }

    /// The nearest controllers with their version, where they agree; `None` where those of another version of the folder
    /// are the nearest.
    fn installed_near(&self, scope: &Scope) -> Option<&Option<Agreed>> {
        let found = self.installations_near.nearest(scope)?;
        let is_apart = |it: &usize| {
            let other = self.installations.get(*it).map(|it| &it.scope().folder);
            other.is_some_and(|it| self.versioned_folders.are_apart(&scope.folder, it))
        };
        let near = self.installed_near.nearest(scope).map_or(&[][..], Vec::as_slice);
        (near.is_empty() || !near.iter().all(is_apart)).then_some(found)
    }

    /// What documents install, where no controller is near a scope.
    #[must_use]
    pub fn documented_near(&self, scope: &Scope) -> Option<(&Version, &Installation)> {
        let is_open = self.installed_near(scope).is_none();
        self.documented.near(scope).filter(|_| is_open)
    }

    /// The versions of Karpenter that documents install or variables are given anywhere in the repository.
    pub fn versions_anywhere(&self) -> impl Iterator<Item = (Version, Span)> {
        self.documented.anywhere()
    }

    /// The cluster whose nodes a component runs on, when that is clear.
    #[must_use]
    pub fn cluster_of(&self, usage: &ComponentUse) -> Option<&Cluster> {
        match self.clusters_of(usage).as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The clusters whose nodes a component may run on.
    #[must_use]
    pub fn clusters_of(&self, usage: &ComponentUse) -> Vec<&Cluster> {
        let same_call = |it: &&Cluster| {
            it.module.is_some() && it.module == usage.module && it.scope == *usage.scope()
        };
        match self.clusters.iter().find(same_call) {
            Some(cluster) => vec![cluster],
            None => self.clusters_near(usage.scope()),
        }
    }

    /// The cluster on whose nodes a controller runs, when that is clear.
    #[must_use]
    pub fn cluster_of_controller(&self, pods: &ControllerPods<'_>) -> Option<&Cluster> {
        let near = self.clusters_near(pods.scope());
        let alone = near.len() == 1;
        let mut its = near.into_iter().filter(|it| pods.name(it).unwrap_or(alone));
        let cluster = its.next()?;
        let clear = its.next().is_none()
            && self.other_cluster(pods.scope()).is_none()
            && !pods.may_target_other_cluster()
            && pods.run_on_fargate(cluster) == Some(false);
        clear.then_some(cluster)
    }

    /// Whether Karpenter may run in the cluster of a scope: not where its root reaches several and installs
    /// Karpenter, or makes pools, in others only. `None` where it cannot be told which of them it is.
    #[must_use]
    pub fn may_have_karpenter(&self, scope: &Scope) -> Option<bool> {
        if matches!(scope.cluster, ClusterTarget::Only | ClusterTarget::Selected(_)) {
            return Some(true);
        }
        let installations = self.installations.iter().map(Scoped::scope);
        let pools = self.node_pools.iter().map(|it| &it.scope);
        let mut inside = installations.chain(pools).filter(|it| it.root == scope.root).peekable();
        match scope.cluster {
            _ if inside.peek().is_none() => Some(true),
            ClusterTarget::Unclear => None,
            _ => Some(inside.any(|it| !it.is_apart(scope))),
        }
    }

    /// The clusters of the nearest scope that has any, and those that are made together with one of them.
    #[must_use]
    pub fn clusters_near(&self, scope: &Scope) -> Vec<&Cluster> {
        self.indexes_near(scope).filter_map(|it| self.clusters.get(it)).collect()
    }

    /// The same by index.
    pub(crate) fn indexes_near(&self, scope: &Scope) -> impl Iterator<Item = usize> + Clone {
        let near = self.nearest_clusters(scope);
        let others = match near {
            [only] => self.clusters.get(*only).map_or(&[][..], |it| self.made_with(it)),
            _ => &[],
        };
        near.iter().chain(others).copied()
    }

    /// The clusters of the nearest scope that has any, by index.
    pub(crate) fn nearest_clusters(&self, scope: &Scope) -> &[usize] {
        self.clusters_near.nearest(scope).map_or(&[], Vec::as_slice)
    }

    /// The Kubernetes version of the nearest clusters, if they agree, with the place where the
    /// first of them has it; what the configuration says where no cluster says anything.
    #[must_use]
    pub fn kubernetes_near(&self, scope: &Scope) -> Option<(Version, Option<Span>)> {
        let is_its = self.other_cluster(scope).is_none();
        let near = if is_its { self.clusters_near(scope) } else { Vec::new() };
        let mut written = near.iter().filter_map(|it| it.version.as_ref()).peekable();
        let Some(first) = written.peek().map(|it| it.span()) else {
            return self.assumed.kubernetes_version.clone().map(|it| (it, None));
        };
        let of = |it: &&Cluster| it.version.as_ref().and_then(|it| it.known().cloned());
        Some((agreed(near.iter().map(of))?, Some(first)))
    }

    /// The nearest cluster, when there is only one.
    #[must_use]
    pub fn cluster_near(&self, scope: &Scope) -> Option<&Cluster> {
        if self.clusters_near.nearest(scope).is_none_or(|it| it.len() > 1) {
            return None;
        }
        match self.clusters_near(scope).as_slice() {
            [only] if self.other_cluster(scope).is_none() => Some(only),
            _ => None,
        }
    }

    /// The class of a pool's nodes, when it is clear which it is.
    #[must_use]
    pub fn class_of(&self, pool: &NodePool) -> Option<&NodeClass> {
        self.node_classes.get(self.class_index(pool)?)
    }

    fn class_index(&self, pool: &NodePool) -> Option<usize> {
        let name = class::reference(&pool.class).filter(|_| pool.class_group.known_to_be(EC2))?;
        self.classes_near.get(&name)?.meant(&pool.scope, pool.report_span.file)
    }

    /// Gives each class the pools that are clearly of it.
    pub(crate) fn find_pools_of_classes(&mut self) {
        let classes: Vec<_> = self.node_pools.iter().map(|it| self.class_index(it)).collect();
        for (pool, class) in classes.into_iter().enumerate() {
            if let Some(class) = class.and_then(|it| self.node_classes.get_mut(it)) {
                class.pools.push(pool);
            }
        }
    }

    /// Karpenter's resources that a resource of Terraform makes.
    pub fn objects_of(
        &self,
        resource: &KarpenterResource,
    ) -> impl Iterator<Item = &KarpenterObject> {
        let made = self.objects_near.of_node(resource.root, resource.node).iter();
        made.filter_map(|at| self.karpenter_objects.get(*at))
    }

    /// Karpenter's resources of a kind that may be in the cluster of a scope. First come those of that very scope.
    pub fn objects_near<'m>(
        &'m self,
        kind: &str,
        scope: &'m Scope,
    ) -> impl Iterator<Item = &'m KarpenterObject> {
        let scopes = self.objects_near.of_kind(kind);
        let own = scopes.and_then(|it| it.get(scope));
        let others = scopes.into_iter().flatten();
        let others = others.filter(move |(it, _)| *it != scope && self.may_meet(it, scope));
        let all = own.into_iter().chain(others.map(|it| it.1)).flatten();
        all.filter_map(|at| self.karpenter_objects.get(*at))
    }

    /// The Provisioners of the nearest scope that has any, as far as they may be in its cluster, in the order of the
    /// files.
    pub fn provisioners_near(&self, scope: &Scope) -> impl Iterator<Item = &KarpenterObject> {
        let near = self.objects_near.provisioners(scope).iter();
        let near = near.filter_map(|at| self.karpenter_objects.get(*at));
        near.filter(|it| self.may_meet(&it.scope, scope))
    }

    /// The first of the resources of a kind in the order of the files.
    #[must_use]
    pub fn first_object_near<'m>(
        &'m self,
        kind: &str,
        scope: &'m Scope,
    ) -> Option<&'m KarpenterObject> {
        let scopes = self.objects_near.of_kind(kind).into_iter().flatten();
        let near = scopes.filter(|(it, _)| self.may_meet(it, scope));
        let first = near.filter_map(|(_, list)| list.first()).min()?;
        self.karpenter_objects.get(*first)
    }
}
