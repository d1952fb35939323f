//! Pods that nothing in their cluster takes.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use rayon::prelude::*;

use crate::{
    checks::{
        settled,
        unread::{hidden_cluster, hidden_controller, other_cluster},
    },
    findings::{silence::Silence, subject::Subject},
    model::{
        Model,
        cluster::Cluster,
        environment::are_apart,
        node_label::is_of_another_cloud,
        node_pool::{NodePool, near::agreed},
        placement::{
            decision::{Decision, Refusal, RefusalCause},
            demands::Demands,
            taker::Taker,
        },
        reach::pods_in_its_cluster,
        workload::{Workload, WorkloadKind},
    },
    resolve::scope::Scope,
    source::{Span, is_below},
    value::cause::Cause,
};

/// Workloads that one thread judges sooner than it is woken.
const FEW: usize = 64;

/// The pods that nothing takes, and the others with their places.
type Judged<'m> = (Vec<Unplaceable<'m>>, Vec<(Span, Silence)>);

/// Pods that nothing takes.
#[derive(Debug)]
pub(crate) struct Unplaceable<'a> {
    /// What creates them.
    pub workload: &'a Workload,
    /// What refuses them, and why.
    pub refusals: Vec<(Arc<Taker<'a>>, Refusal)>,
    /// What they ask for that nothing has, if it is one thing, with its place.
    pub demand: Option<(RefusalCause, Span)>,
}

/// What all takers would refuse pods for that tolerate every taint, if it is one thing they ask for.
fn demand(
    refusals: &[(Arc<Taker<'_>>, Refusal)],
    demands: &Demands,
) -> Option<(RefusalCause, Span)> {
    let tolerant = demands.tolerating_all();
    let mut found: Option<(RefusalCause, Span)> = None;
    for (taker, _) in refusals {
        let Decision::No(refusal) = taker.takes(&tolerant) else { return None };
        let own = (refusal.cause, refusal.demand?);
        if found.as_ref().is_some_and(|it| *it != own) {
            return None;
        }
        found = Some(own);
    }
    found
}

/// The labels that Karpenter alone gives to nodes.
const OF_KARPENTER: &[&str] =
    &["karpenter.sh/nodepool", "karpenter.sh/capacity-type", "karpenter.k8s.aws/"];
/// The pools that EKS Auto Mode brings.
const OF_AUTO_MODE: &[&str] = &["general-purpose", "system"];

/// What takes pods near a scope, prepared once.
#[derive(Default)]
struct Takers<'m> {
    pools: HashMap<*const NodePool, Arc<Taker<'m>>>,
}

/// The pods that nothing takes, and the others with their places.
#[must_use]
pub(crate) fn unplaceable(model: &Model) -> Judged<'_> {
    let judged: Vec<&Workload> = model.workloads.iter().filter(|it| is_judged(it)).collect();
    let share = judged.len().div_ceil(rayon::current_num_threads()).max(FEW);
    let (found, others): (Vec<_>, Vec<_>) =
        judged.par_chunks(share).map(|some| Takers::default().of_all(model, some)).unzip();
    let others = others.into_iter().flatten().collect();
    let together = |it: &Unplaceable<'_>| {
        let build = it.workload.scope.build;
        it.refusals.iter().filter_map(|it| it.0.as_pool()).all(|pool| pool.scope.build == build)
    };
    (agreed(found.into_iter().flatten().collect(), |it| it.workload, together), others)
}

/// Pods of components have rules of their own, and those of a `DaemonSet` run where they can.
fn is_judged(workload: &Workload) -> bool {
    let own = workload.managed.is_none() && workload.pod_spec.is_some();
    own && !matches!(workload.kind, WorkloadKind::DaemonSet | WorkloadKind::Custom)
}

impl<'m> Takers<'m> {
    /// What nothing takes of some workloads, and the others with their places.
    fn of_all(mut self, model: &'m Model, some: &[&'m Workload]) -> Judged<'m> {
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for workload in some {
            match self.judged(model, workload) {
                Ok(refusals) => {
                    let demands = Demands::of(workload);
                    let demand = demand(&refusals, &demands);
                    if let (Some(_), Some(it)) = (&demand, elsewhere(model, workload, &demands)) {
                        others.push((workload.report_span, it));
                        continue;
                    }
                    found.push(Unplaceable { workload, refusals, demand });
                }
                Err(silence) => others.push((workload.report_span, silence)),
            }
        }
        (found, others)
    }

    fn judged(
        &mut self,
        model: &'m Model,
        workload: &Workload,
    ) -> Result<Vec<(Arc<Taker<'m>>, Refusal)>, Silence> {
        applied(model, workload)?;
        let demands = Demands::of(workload);
        of_this_cloud(&demands)?;
        let mut groups = Vec::new();
        for near in self.near(model, &workload.scope, &demands)? {
            groups.push(refused(near, &demands)?);
        }
        let refusals = joined(groups, &demands).ok_or_else(unclear_group)?;
        let of_pool = refusals.iter().find_map(|(it, _)| it.as_pool()?.growing);
        let of_cluster = || model.clusters_near(&workload.scope).iter().find_map(|it| it.growing);
        match of_pool.or_else(of_cluster) {
            None => Ok(refusals),
            Some(place) => {
                let words = "a variable that is empty by default may add what takes its pods";
                let silence = Silence::undecided(Cause::Value, words);
                Err(silence.at(place, "beside these"))
            }
        }
    }

    /// All that may take pods near a scope, for each cluster that may be theirs.
    fn near(
        &mut self,
        model: &'m Model,
        scope: &Scope,
        demands: &Demands,
    ) -> Result<Vec<Vec<Arc<Taker<'m>>>>, Silence> {
        let other = other_cluster(model, scope);
        let clusters = if other.is_some() { Vec::new() } else { model.clusters_near(scope) };
        let groups = model.pool_groups(scope);
        if groups.len() > 1 {
            let is_of = |it: &&Cluster, pools: &[&NodePool]| {
                let is_its = |pool: &&NodePool| it.scope.root == pool.scope.root;
                it.scope.root.is_some() && pools.iter().all(is_its)
            };
            let mut all = Vec::new();
            for pools in groups {
                let own: Vec<&Cluster> =
                    clusters.iter().copied().filter(|it| is_of(it, &pools)).collect();
                let [_] = own.as_slice() else { return Err(unclear_group()) };
                all.push(self.of_cluster(model, (pools, own), (scope, None), demands)?);
            }
            return if all.len() == clusters.len() { Ok(all) } else { Err(unclear_group()) };
        }
        let pools = groups.into_iter().next().unwrap_or_default();
        let former = model.first_object_near("Provisioner", scope);
        if let Some(provisioner) = former.filter(|_| pools.is_empty()) {
            let words = "which nodes the Provisioners of its cluster launch is not looked at";
            let silence = Silence::undecided(Cause::Value, words);
            return Err(silence.at(provisioner.report_span, "a Provisioner"));
        }
        if pools.is_empty() && may_have_pools(model, scope) {
            let words = "the NodePools of its cluster are not in the repository";
            return Err(Silence::undecided(Cause::Value, words));
        }
        let mut unlisted = model.unlisted_pools.iter();
        if let Some(pool) = unlisted.find(|it| is_below(&scope.folder, &it.folder)) {
            let words = "a pool that no kustomization lists may be applied by hand";
            let silence = Silence::undecided(Cause::Ambiguous, words);
            return Err(silence.at(pool.report_span, "the pool"));
        }
        let is_near = |it: &str| is_below(it, &scope.folder) || is_below(&scope.folder, it);
        if let Some((_, place)) = model.broken_pools.iter().find(|it| is_near(&it.0)) {
            let silence = Silence::undecided(Cause::Unreadable, "a pool near it cannot be read");
            return Err(silence.at(*place, "what cannot be read"));
        }
        if clusters.len() > 1 {
            let words = "several clusters are near, and which one its pods run in is not clear";
            return Err(Silence::undecided(Cause::Ambiguous, words));
        }
        let scopes = clusters.iter().map(|it| &it.scope).chain(pools.iter().map(|it| &it.scope));
        let is_its = are_of_one_cluster(model, scope, scopes);
        let takers = self.of_cluster(model, (pools, clusters), (scope, other), demands)?;
        if is_its {
            return Ok(vec![takers]);
        }
        let words = "nothing says that its pods run in the cluster of these nodes";
        Err(Silence::undecided(Cause::Ambiguous, words))
    }

    /// All that may take pods in a cluster, which is given with its pools, where it is seen.
    fn of_cluster(
        &mut self,
        model: &'m Model,
        (pools, clusters): (Vec<&'m NodePool>, Vec<&'m Cluster>),
        (scope, other): (&Scope, Option<Silence>),
        demands: &Demands,
    ) -> Result<Vec<Arc<Taker<'m>>>, Silence> {
        if clusters.iter().any(|it| it.may_be_auto) {
            return Err(Silence::undecided(Cause::Value, "EKS Auto Mode may take its pods"));
        }
        let are_seen = clusters.iter().any(|it| it.complete && !it.node_groups.is_empty());
        if !are_seen && (pools.is_empty() || !ask_for_karpenter(demands)) {
            if let Some(silence) = other.or_else(|| hidden_cluster(model, scope)) {
                return Err(silence);
            }
            let words = "the static nodes of its cluster are not all in the repository";
            return Err(Silence::undecided(Cause::Value, words));
        }
        let mut all: Vec<Arc<Taker<'m>>> = Vec::new();
        for cluster in clusters {
            all.extend(cluster.node_groups.iter().map(|it| Arc::new(Taker::group(model, it))));
            all.extend(cluster.profiles.iter().map(|it| Arc::new(Taker::fargate(it))));
        }
        let pool = |it: &&'m NodePool| {
            let own = self.pools.entry(std::ptr::from_ref(*it));
            Arc::clone(own.or_insert_with(|| Arc::new(Taker::pool(model, it))))
        };
        all.extend(pools.iter().map(pool));
        if all.is_empty() {
            return Err(Silence::undecided(Cause::Value, "nothing that takes pods is seen near"));
        }
        Ok(all)
    }
}

/// Whether pods surely run in the cluster whose nodes are at some scopes: they are applied with some of these or lie
/// beside them, or a tool applies them.
fn are_of_one_cluster<'m>(
    model: &Model,
    scope: &Scope,
    mut nodes: impl Iterator<Item = &'m Scope>,
) -> bool {
    let is_applied = || model.gitops.applied_folders().any(|it| is_below(&scope.folder, it.path));
    let is_here = |it: &Scope| it.deploy_unit() == scope.deploy_unit() || it.folder == scope.folder;
    nodes.any(is_here) || scope.root.is_none() && is_applied()
}

/// Why all that may take pods refuses them.
fn refused<'m>(
    near: Vec<Arc<Taker<'m>>>,
    demands: &Demands,
) -> Result<Vec<(Arc<Taker<'m>>, Refusal)>, Silence> {
    let mut refusals = Vec::new();
    for taker in near {
        match taker.takes(demands) {
            Decision::Yes => {
                return Err(
                    Silence::sound("something takes its pods").at(taker.report_span, "takes them")
                );
            }
            Decision::Undecided(doubt) => {
                let silence = Silence::undecided(Cause::Value, doubt.why);
                return Err(silence.at(taker.report_span, "whether this takes them is open"));
            }
            Decision::No(refusal) => refusals.push((taker, refusal)),
        }
    }
    Ok(refusals)
}

/// The refusals of each cluster that may be that of some pods, where they refuse the same; each place once.
fn joined<'m>(
    groups: Vec<Vec<(Arc<Taker<'m>>, Refusal)>>,
    demands: &Demands,
) -> Option<Vec<(Arc<Taker<'m>>, Refusal)>> {
    let places = |it: &[(Arc<Taker<'_>>, Refusal)]| -> Vec<(Span, Refusal)> {
        it.iter().map(|(taker, refusal)| (taker.report_span, refusal.clone())).collect()
    };
    let mut groups = groups.into_iter();
    let mut joined = groups.next()?;
    let (first, wanted) = (places(&joined), demand(&joined, demands));
    for group in groups {
        if places(&group) != first && (wanted.is_none() || demand(&group, demands) != wanted) {
            return None;
        }
        let known: HashSet<Span> = joined.iter().map(|it| it.0.report_span).collect();
        joined.extend(group.into_iter().filter(|it| !known.contains(&it.0.report_span)));
    }
    Some(joined)
}

fn unclear_group() -> Silence {
    let words = "which of several groups of NodePools its cluster has is not clear";
    Silence::undecided(Cause::Ambiguous, words)
}

/// Why pods that nothing takes near may have their nodes in another cluster: one that a group of takes them. Those of
/// another environment have none for them.
fn elsewhere(model: &Model, workload: &Workload, demands: &Demands) -> Option<Silence> {
    let scope = &workload.scope;
    let is_other = |it: &&Cluster| {
        it.scope.deploy_unit() != scope.deploy_unit()
            && !are_apart(&it.scope.folder, &scope.folder)
            && scope.root.is_none()
    };
    let groups = model.clusters.iter().filter(is_other).flat_map(|it| &it.node_groups);
    let mut takers = groups.map(|it| Taker::group(model, it));
    let taker = takers.find(|it| matches!(it.takes(demands), Decision::Yes))?;
    let words = "a node group of another cluster of the repository takes its pods";
    let silence = Silence::undecided(Cause::Ambiguous, words);
    Some(silence.at(taker.report_span, "that node group"))
}

/// That the pods are applied as they are written, and to a cluster that is seen as a whole.
fn applied(model: &Model, workload: &Workload) -> Result<(), Silence> {
    pods_in_its_cluster(model, workload)?;
    if workload.replicas.known_to_be(&0.0) {
        return Err(Silence::sound("it has no pods: `replicas` is 0"));
    }
    if workload.subject.as_ref().is_some_and(Subject::is_reusable) {
        let words = "who installs its chart may give it other values";
        return Err(Silence::undecided(Cause::Value, words));
    }
    if model.in_scripts.contains(&workload.report_span.file) {
        let words = "the script that applies it may also make what takes its pods";
        return Err(Silence::undecided(Cause::Value, words));
    }
    if settled::is_example(&workload.scope) {
        return Err(Silence::sound("it is one of several examples"));
    }
    Ok(())
}

/// That the pods do not ask for nodes that only another cloud has.
fn of_this_cloud(demands: &Demands) -> Result<(), Silence> {
    let mut keys = demands.alternatives.iter().flat_map(|it| it.requirements.iter());
    if keys.any(|(key, _)| is_of_another_cloud(key)) {
        return Err(Silence::sound("it asks for nodes of another cloud"));
    }
    Ok(())
}

/// Whether Karpenter may run near a scope, with pools that are not seen.
fn may_have_pools(model: &Model, scope: &Scope) -> bool {
    let (assumed, near) = model.karpenter_near(scope);
    assumed.is_some()
        || near.is_some()
        || !model.installations.is_empty()
        || hidden_controller(model, scope).is_some()
}

/// Whether the pods certainly ask for a label that none but Karpenter's nodes have.
fn ask_for_karpenter(demands: &Demands) -> bool {
    let is_own = |key: &str| OF_KARPENTER.iter().any(|it| key.starts_with(it));
    demands.alternatives.iter().all(|it| {
        it.requirements.iter().any(|(key, set)| {
            let named = OF_AUTO_MODE.iter().any(|it| set.admits(it) == Some(true));
            let may_be_absent = set.is_met_by_absence() || set.is_open();
            let of_auto_mode = key == OF_KARPENTER[0] && named;
            is_own(key) && !may_be_absent && !of_auto_mode
        })
    })
}
