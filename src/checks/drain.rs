//! Drains: how long they may take, and for which pods that is too long or too short.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ptr,
};

use crate::{
    findings::{
        change::{Change, NewValue},
        silence::Silence,
    },
    model::{
        Model,
        disruption::{
            Event, Outcome,
            judge::{are_cut_short, judge},
            nodes::Nodes,
            pods::{Guards, Pods},
        },
        node_pool::{
            Lifetime, NodePool, PoolVersion,
            near::{PoolSet, agreed},
        },
        pdb::blocking::{Blocker, blocking_pdbs},
        reach::is_drained,
        workload::{Workload, WorkloadKind},
    },
    source::Span,
    value::cause::Cause,
    version::Version,
};

/// How many workloads are shown for a pool.
const SHOWN: usize = 3;

/// A pool whose drains have no end.
#[derive(Debug)]
pub(crate) struct EndlessDrain<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// The first of the pods that no drain gets rid of.
    pub stuck: Vec<Stuck<'a>>,
}

/// Pods that nothing evicts.
#[derive(Clone, Debug)]
pub(crate) struct Stuck<'a> {
    /// What creates them.
    pub workload: &'a Workload,
    /// Where that which keeps them is written.
    pub span: Span,
    /// What keeps them.
    pub cause: StuckBy<'a>,
}

impl Stuck<'_> {
    /// Whether nothing evicts them only until an autoscaler makes more of them.
    pub(crate) fn is_for_a_while(&self) -> bool {
        matches!(self.cause, StuckBy::PdbAtFewest(_))
    }
}

/// What keeps pods from being evicted.
#[derive(Clone, Debug)]
pub(crate) enum StuckBy<'a> {
    /// `karpenter.sh/do-not-disrupt`.
    Annotation,
    /// A PDB that never allows an eviction.
    Pdb(Blocker<'a>),
    /// A PDB that allows none while an autoscaler keeps to its minimum.
    PdbAtFewest(Blocker<'a>),
}

/// A pool whose drains end before its pods have stopped.
#[derive(Debug)]
pub(crate) struct ShortGrace<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// How many seconds a drain may take.
    pub grace: f64,
    /// The slowest of the pods that are cut short, each with the seconds it takes to stop.
    pub cut: Vec<(&'a Workload, f64)>,
}

/// What events do with pods on the nodes of each pool: the table that `show disruption` prints.
struct DrainTable<'m> {
    model: &'m Model,
    guards: Guards<'m>,
    nodes: HashMap<*const NodePool, Nodes<'m>>,
}

impl<'m> DrainTable<'m> {
    fn of(model: &'m Model) -> Self {
        let nodes = model.node_pools.iter().map(|it| (ptr::from_ref(it), Nodes::of(model, it)));
        Self { model, guards: Guards::of(model), nodes: nodes.collect() }
    }

    fn pods(&self, workload: &Workload) -> Option<Pods<'m>> {
        let index = self.model.workloads.iter().position(|it| ptr::eq(it, workload))?;
        Pods::of(&self.guards, index)
    }

    fn nodes(&self, pool: &NodePool) -> Option<&Nodes<'m>> {
        self.nodes.get(&ptr::from_ref(pool))
    }
}

/// The pools whose nodes expire and then hang on pods that nothing may evict.
#[must_use]
pub(crate) fn endless_drains(model: &Model) -> Vec<EndlessDrain<'_>> {
    let stuck = shown_at_most(model, stuck_pods(model), |it| it.workload, |it| it.span);
    if stuck.is_empty() {
        return Vec::new();
    }
    let table = DrainTable::of(model);
    let mut drains: BTreeMap<_, (&NodePool, Vec<&Stuck<'_>>)> = BTreeMap::new();
    for pods in &stuck {
        let Some(own) = table.pods(pods.workload) else { continue };
        let endless = |it: &NodePool| {
            let blocked = |it| judge(Event::Expiration, &own, it).outcome == Outcome::Blocked;
            let apart = model.scalers.lone_charts.are_apart(&pods.workload.scope, &it.scope);
            !apart
                && pods.workload.scope.speaks_of(&it.scope)
                && waits_for_pods(model, it)
                && table.nodes(it).is_some_and(blocked)
        };
        for pool in model.pools_with(pods.workload, endless) {
            let drain = drains.entry((pool.report_span, pool.scope.build));
            drain.or_insert_with(|| (pool, Vec::new())).1.push(pods);
        }
    }
    let drains = drains.into_values().map(|(pool, stuck)| {
        let together = |it: &&Stuck<'_>| it.workload.scope.build == pool.scope.build;
        let agreed = agreed(stuck, |it| it.workload, together);
        let mut seen = HashSet::new();
        let each = agreed.into_iter().filter(|it| seen.insert(it.span));
        EndlessDrain { pool, stuck: each.take(SHOWN).cloned().collect() }
    });
    drains.filter(|it| !it.stuck.is_empty()).collect()
}

/// What lets a drain of the pool end: after a day, as nodes of EKS Auto Mode do, or later where the pods named
/// take longer to stop.
#[must_use]
pub(crate) fn drain_limit<'a>(
    pool: &NodePool,
    pods: impl Iterator<Item = &'a Workload>,
) -> Option<Change> {
    let slowest = pods.filter_map(|it| it.grace.known().copied()).fold(0.0, f64::max);
    let hours = (slowest / 3600.0).ceil().max(24.0);
    let grace = NewValue::text(format!("{hours}h"));
    let path = "spec.template.spec.terminationGracePeriod";
    let change = Change::set(&pool.object, path, grace).behind(&["expireAfter"]);
    (pool.api == PoolVersion::V1).then_some(change)
}

/// The pools whose drains end before some stateful pods have stopped.
#[must_use]
pub(crate) fn short_graces(model: &Model) -> Vec<ShortGrace<'_>> {
    if !model.node_pools.iter().any(|it| limit(it).is_some()) {
        return Vec::new();
    }
    let stateful = model.workloads.iter().filter(|it| it.is_stateful() && is_drained(model, it));
    let known = stateful.filter_map(|it| Some((it, *it.grace.known()?)));
    let mut slowest: Vec<(&Workload, f64)> = known.collect();
    slowest.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let slowest = shown_at_most(model, slowest, |(it, _)| it, |(it, _)| it.report_span);
    let table = DrainTable::of(model);
    let mut short: BTreeMap<_, ShortGrace<'_>> = BTreeMap::new();
    for (workload, needs) in slowest {
        let Some(pods) = table.pods(workload) else { continue };
        let too_short = |it: &NodePool| {
            workload.scope.speaks_of(&it.scope)
                && table.nodes(it).is_some_and(|it| are_cut_short(&pods, it))
                && waits_for_pods(model, it)
        };
        for pool in model.pools_with(workload, too_short) {
            let Some(grace) = limit(pool) else { continue };
            let found = short.entry((pool.report_span, pool.scope.build));
            let found = found.or_insert_with(|| ShortGrace { pool, grace, cut: Vec::new() });
            found.cut.push((workload, needs));
        }
    }
    let short = short.into_values().map(|it| {
        let build = it.pool.scope.build;
        let mut cut = agreed(it.cut, |(it, _)| it, |(it, _)| it.scope.build == build);
        let mut seen = HashSet::new();
        cut.retain(|(it, _)| seen.insert(it.report_span));
        cut.truncate(SHOWN);
        ShortGrace { cut, ..it }
    });
    short.filter(|it| !it.cut.is_empty()).collect()
}

/// The other pools with a limit for drains, and why none of their pods is known to be cut short.
#[must_use]
pub(crate) fn long_graces(model: &Model, short: &[ShortGrace<'_>]) -> Vec<(Span, Silence)> {
    let short: HashSet<Span> = short.iter().map(|it| it.pool.report_span).collect();
    let mut open: HashMap<Span, &Workload> = HashMap::new();
    let stateful = model.workloads.iter().filter(|it| it.is_stateful() && is_drained(model, it));
    for workload in stateful.filter(|it| it.grace.known().is_none()) {
        for pool in model.pools_with(workload, |it| limit(it).is_some()) {
            open.entry(pool.report_span).or_insert(workload);
        }
    }
    let others = model.node_pools.iter().filter(|it| !short.contains(&it.report_span));
    let limited = others.filter(|it| it.grace.is_written());
    let why = |pool: &NodePool| {
        let limit = match pool.grace.decided("`terminationGracePeriod`") {
            Ok(limit) => limit,
            Err(silence) => return silence,
        };
        match open.get(&pool.report_span) {
            Some(workload) if limit.is_some() && waits_for_pods(model, pool) => {
                let words = "how long some of its pods take to stop is not known";
                Silence::undecided(Cause::Value, words).at(workload.report_span, "these pods")
            }
            _ => Silence::sound("no stateful pods that surely run on it take longer to stop"),
        }
    };
    limited.map(|it| (it.report_span, why(it))).collect()
}

/// That nodes of the pool expire, and their drains may then take any time.
fn drains_without_limit(model: &Model, pool: &NodePool) -> Result<(), Silence> {
    if !waits_for_pods(model, pool) {
        return Err(Silence::sound("with this Karpenter such pods delay no drain"));
    }
    if *pool.expire_after.decided("`expireAfter`")? == Lifetime::Endless {
        return Err(Silence::sound("its nodes never expire"));
    }
    if pool.grace.decided("`terminationGracePeriod`")?.is_some() {
        let silence = Silence::sound("`terminationGracePeriod` ends its drains");
        return Err(silence.at(pool.grace.span(), "the limit"));
    }
    match pool.is_of_auto_mode() {
        Some(false) => Ok(()),
        Some(true) => Err(Silence::sound("EKS Auto Mode ends its drains after a day")),
        None => Err(Silence::undecided(Cause::Value, "the kind of its node class is not known")),
    }
}

/// The other pools, with the reasons why their drains end.
#[must_use]
pub(crate) fn ending_drains(model: &Model, endless: &[EndlessDrain<'_>]) -> Vec<(Span, Silence)> {
    let place = |it: &NodePool| (it.report_span, it.scope.build);
    let endless: HashSet<_> = endless.iter().map(|it| place(it.pool)).collect();
    let none = || Silence::sound("no pods that surely run on it are kept from eviction for ever");
    let others = model.node_pools.iter().filter(|it| !endless.contains(&place(it)));
    let why = |it: &NodePool| drains_without_limit(model, it).err().unwrap_or_else(none);
    others.map(|it| (it.report_span, why(it))).collect()
}

/// The seconds a drain of the pool may take, when a number is written.
fn limit(pool: &NodePool) -> Option<f64> {
    pool.grace.known().copied().flatten()
}

/// The pods that no drain evicts: by an annotation without end, or a PDB that never allows it.
fn stuck_pods(model: &Model) -> Vec<Stuck<'_>> {
    let annotated = model.workloads.iter().filter_map(|workload| {
        let annotation = workload.do_not_disrupt.as_ref();
        let span = annotation.filter(|it| it.known_to_be("true"))?.span();
        Some(Stuck { workload, span, cause: StuckBy::Annotation })
    });
    let may_grow = |it: &&Workload| model.scalers.of(it).iter().any(|it| !it.is_fixed);
    let blocked = blocking_pdbs(model).into_iter().flat_map(|it| {
        let at_fewest = it.pods.is_some() && it.workloads.iter().any(may_grow);
        let cause = if at_fewest { StuckBy::PdbAtFewest } else { StuckBy::Pdb };
        let (span, cause) = (it.span, cause(it.pdb));
        let stuck = move |workload| Stuck { workload, span, cause: cause.clone() };
        it.workloads.into_iter().map(stuck)
    });
    let mut stuck: Vec<_> =
        annotated.chain(blocked).filter(|it| stays(model, it.workload)).collect();
    // Those are shown first that surely run, and for ever.
    stuck.sort_by_key(|it| (it.workload.is_inert(), it.is_for_a_while()));
    stuck
}

/// Leaves out pods that would not be shown, because enough others of their pool set are, before each pool is
/// asked. Those that kustomizations build stay: all of them have to agree.
fn shown_at_most<'a, T>(
    model: &Model,
    mut pods: Vec<T>,
    workload: impl Fn(&T) -> &'a Workload,
    place: impl Fn(&T) -> Span,
) -> Vec<T> {
    let mut shown: HashMap<PoolSet, HashSet<Span>> = HashMap::new();
    pods.retain(|it| {
        let own = workload(it);
        let pool_set = model.pool_set(own).filter(|_| own.scope.build.is_none());
        pool_set.is_none_or(|pool_set| {
            let shown = shown.entry(pool_set).or_default();
            shown.len() < SHOWN && shown.insert(place(it))
        })
    });
    pods
}

/// Whether the pods stay until they are evicted. Jobs run to their end, and pods without controller may;
/// a daemon set is a fault of its own.
fn stays(model: &Model, workload: &Workload) -> bool {
    let serves = matches!(
        workload.kind,
        WorkloadKind::StatefulSet
            | WorkloadKind::Deployment
            | WorkloadKind::ReplicaSet
            | WorkloadKind::Custom
    );
    serves && is_drained(model, workload)
}

/// Whether the Karpenter near a pool waits for such pods when a node expires: since 1.0.
fn waits_for_pods(model: &Model, pool: &NodePool) -> bool {
    let (version, _) = model.karpenter_near(&pool.scope);
    match (pool.api, version) {
        (PoolVersion::V1, version) => version.is_none_or(|it| it >= Version::new(1, 0, 0)),
        (PoolVersion::V1Beta1, version) => version.is_some_and(|it| it.line() == (1, 0)),
    }
}
