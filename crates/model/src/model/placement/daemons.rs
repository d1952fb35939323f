//! What the pods of `DaemonSets` take of each node.

use crate::{
    findings::subject::Subject,
    knowledge::instances::InstanceType,
    model::{
        Model,
        cluster::NodeGroup,
        node_pool::NodePool,
        placement::{decision::Decision, demands::Demands, range::Range, requests::Requests},
        reach::in_its_cluster,
        requirement::Requirements,
        workload::{Workload, WorkloadKind},
    },
    resolve::answers::any,
};

/// The `DaemonSets` that run on the nodes of a taker, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Daemons {
    list: Vec<Daemon>,
}

#[derive(Debug)]
struct Daemon {
    /// What it may ask of the labels that the instance type decides about.
    alternatives: Vec<Requirements>,
    requests: Requests,
    /// Whether it certainly runs on these nodes, where the type is one that it asks for.
    is_sure: bool,
}

impl Daemons {
    /// Those that run on the nodes of a pool.
    pub(super) fn of_pool(model: &Model, pool: &NodePool) -> Self {
        let is_here = |it: &Workload| match model.pool_groups(&it.scope).as_slice() {
            [only] => only.iter().any(|it| std::ptr::eq(*it, pool)),
            _ => false,
        };
        let (version, _) = model.karpenter_near(&pool.scope);
        Self::new(model, is_here, |pods| pool.decide(version.as_ref(), pods))
    }

    /// Those that run on the nodes of a static group; `takes` decides about labels and taints.
    pub(super) fn of_group(
        model: &Model,
        group: &NodeGroup,
        takes: impl Fn(&Demands) -> Decision,
    ) -> Self {
        let is_here = |it: &Workload| {
            let cluster = model.cluster_near(&it.scope);
            cluster.is_some_and(|it| it.node_groups.iter().any(|it| std::ptr::eq(it, group)))
        };
        Self::new(model, is_here, takes)
    }

    /// One that takes so much of each node.
    #[cfg(test)]
    pub(super) fn of_requests(requests: Requests) -> Self {
        let alternatives = vec![Requirements::default()];
        Self { list: vec![Daemon { alternatives, requests, is_sure: true }] }
    }

    fn new(
        model: &Model,
        is_here: impl Fn(&Workload) -> bool,
        takes: impl Fn(&Demands) -> Decision,
    ) -> Self {
        let is_daemon =
            |it: &&Workload| it.kind == WorkloadKind::DaemonSet && it.pod_spec.is_some();
        let found: Vec<&Workload> = model
            .workloads
            .iter()
            .filter(is_daemon)
            .filter(|it| is_here(it) && is_applied(model, it))
            .collect();
        let is_alone = |it: &Workload| {
            let same = |other: &&&Workload| {
                other.name == it.name && other.namespace.known() == it.namespace.known()
            };
            !it.name.is_empty() && found.iter().filter(same).count() == 1
        };
        let daemon = |it: &&Workload| {
            let demands = Demands::of(it);
            let is_sure = match takes(&demands) {
                Decision::Yes => is_alone(it) && demands.other_scheduler.is_none(),
                Decision::Undecided(_) => false,
                Decision::No(_) => return None,
            };
            let alternatives = demands.alternatives.into_iter().map(|it| it.requirements).collect();
            Some(Daemon { alternatives, requests: demands.requests, is_sure })
        };
        Self { list: found.iter().filter_map(daemon).collect() }
    }

    /// How much they take of a resource on a node of a type, as far as it is known.
    pub(super) fn take(&self, resource: &str, instance: &InstanceType) -> Range {
        let of = |it: &Daemon| it.on(instance, it.requests.of(resource)?.least);
        self.list.iter().filter_map(of).fold(Range::exactly(0.0), Range::plus)
    }

    /// How many pods they are on a node of a type.
    pub(super) fn pods(&self, instance: &InstanceType) -> Range {
        let of = |it: &Daemon| it.on(instance, 1.0);
        self.list.iter().filter_map(of).fold(Range::exactly(0.0), Range::plus)
    }
}

impl Daemon {
    /// So much, if it runs on nodes of a type.
    fn on(&self, instance: &InstanceType, amount: f64) -> Option<Range> {
        match any(self.alternatives.iter().map(|it| it.of_types().take(instance))) {
            Some(false) => None,
            Some(true) if self.is_sure => Some(Range::exactly(amount)),
            _ => Some(Range { least: 0.0, most: amount }),
        }
    }
}

/// Whether it is applied as it is written.
fn is_applied(model: &Model, workload: &Workload) -> bool {
    let for_anybody = workload.subject.as_ref().is_some_and(Subject::is_reusable);
    !for_anybody && in_its_cluster(model, &workload.scope).is_ok()
}
