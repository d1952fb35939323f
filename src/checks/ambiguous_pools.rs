//! Pools between which only their names decide.

mod chosen;
mod rivals;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    checks::{
        ambiguous_pools::{
            chosen::{Chosen, labels_between},
            rivals::{Candidate, Rivals},
        },
        refusal::refusals,
        settled,
    },
    findings::silence::Silence,
    model::{
        Model,
        karpenter_object::KarpenterObject,
        node_pool::{NodePool, PoolVersion},
    },
    resolve::{
        scope::{DeployUnit, Scope},
        setting::Setting,
    },
    source::{Span, account::Limit},
    value::{Value, cause::Cause},
};

/// What stages are called. Pools of two of them in a folder of plain files may be for two clusters.
const STAGES: &[&str] = &[
    "dev",
    "development",
    "lab",
    "live",
    "preprod",
    "prod",
    "production",
    "qa",
    "sandbox",
    "stage",
    "staging",
    "stg",
    "test",
    "uat",
];

/// A pool that launches the same nodes as others.
#[derive(Debug)]
pub(crate) struct Ambiguous<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// The first others that are written before it.
    pub earlier: Vec<&'a NodePool>,
}

impl<'a> Ambiguous<'a> {
    /// The labels by each of which pods that are not read may choose it or none of the others.
    pub(crate) fn labels(&self) -> Vec<&'a str> {
        labels_between(self.pool, &self.earlier)
    }
}

/// What is found of pools.
#[derive(Debug, Default)]
pub(crate) struct Compared<'a> {
    /// Those that launch the same nodes as others, in order.
    pub found: Vec<Ambiguous<'a>>,
    /// The first that is compared with none, because there are too many.
    pub beyond: Option<(&'a NodePool, Silence)>,
}

/// The pools that launch the same nodes for the same pods as one that is written before them, so that
/// neither taints nor weight decide which of them does.
#[must_use]
pub(crate) fn ambiguous_pools(model: &Model) -> Compared<'_> {
    let alternatives = folders_of_alternatives(model);
    let mut units: HashMap<DeployUnit<'_>, Vec<&NodePool>> = HashMap::new();
    // What nothing applies is nowhere beside others.
    let applied = model.node_pools.iter().filter(|it| it.scope.left_out.is_none());
    for pool in applied.filter(|it| is_of_one_cluster(model, &it.scope)) {
        units.entry(pool.scope.deploy_unit()).or_default().push(pool);
    }
    let settled: HashSet<*const NodePool> = settled::pools(model)
        .filter(|it| !it.is_optional && settled::pool(model, it).is_ok())
        .map(std::ptr::from_ref)
        .collect();
    let chosen = Chosen::of(model);
    let mut found = BTreeMap::new();
    let (mut pairs, mut beyond) = (Limit::PoolPairs.most(), None);
    let mut units: Vec<_> = units.into_iter().filter(|(_, it)| have_distinct_names(it)).collect();
    // Terraform may apply the pools of a file that also lies there by itself.
    units.sort_by_cached_key(|(_, pools)| {
        pools.iter().map(|it| (place(it.report_span), it.scope.root)).min()
    });
    for (unit, mut pools) in units {
        pools.retain(|it| settled.contains(&std::ptr::from_ref(*it)));
        pools.sort_by_key(|it| place(it.report_span));
        let mut groups: BTreeMap<Group<'_>, Vec<Candidate<'_>>> = BTreeMap::new();
        for pool in pools {
            if let Some((group, launches)) = Group::of(pool).zip(pool.offerings.launches()) {
                groups.entry(group).or_default().push(Candidate { pool, launches });
            }
        }
        let are_alternatives = alternatives.contains(&unit);
        for list in groups.values() {
            let compared = in_group(model, list, are_alternatives, &chosen, &mut pairs);
            beyond = beyond.or(compared.beyond);
            for it in compared.found {
                // One block may make several pools.
                let key = (place(it.pool.report_span), it.pool.scope.build);
                found.entry(key).or_insert(it);
            }
        }
    }
    let mut found: Vec<Ambiguous<'_>> = found.into_values().collect();
    leave_out_refused(model, &mut found);
    Compared { found, beyond }
}

/// Takes away pools that the API server refuses: what is written of them does not stay so.
fn leave_out_refused(model: &Model, found: &mut Vec<Ambiguous<'_>>) {
    if found.is_empty() {
        return;
    }
    let mut objects: HashMap<Span, Vec<&KarpenterObject>> = HashMap::new();
    for object in &model.karpenter_objects {
        objects.entry(object.report_span).or_default().push(object);
    }
    let is_refused = |pool: &NodePool| {
        let mut own = objects.get(&pool.report_span).into_iter().flatten();
        own.any(|it| refusals(model, it).iter().any(|it| !it.is_dropped))
    };
    found.retain_mut(|it| {
        it.earlier.retain(|it| !is_refused(it));
        !it.earlier.is_empty() && !is_refused(it.pool)
    });
}

fn too_many() -> Silence {
    let words = "too many NodePools are applied together to compare them all";
    Silence::undecided(Cause::Unreadable, words)
}

/// More say no more about a pool.
const ENOUGH: usize = 3;

/// The pools of a group that launch the same nodes as others of it.
fn in_group<'a>(
    model: &Model,
    list: &[Candidate<'a>],
    are_alternatives: bool,
    chosen: &Chosen<'_>,
    pairs: &mut usize,
) -> Compared<'a> {
    let mut found = Vec::new();
    let mut rivals = Rivals::of(list);
    for it in list {
        let file = it.pool.report_span.file;
        let mut earlier = Vec::new();
        for other in rivals.before_next() {
            let is_apart = are_alternatives || !is_applied_with_others(model, it.pool);
            if is_apart && other.pool.report_span.file != file {
                continue;
            }
            let Some(left) = pairs.checked_sub(1) else {
                return Compared { found, beyond: Some((it.pool, too_many())) };
            };
            *pairs = left;
            if other.pool.taints.are_those_of(&it.pool.taints)
                && other.launches.overlap(&it.launches)
                && !chosen.tell_apart(other.pool, it.pool)
            {
                earlier.push(other.pool);
            }
            if earlier.len() == ENOUGH {
                break;
            }
        }
        if !earlier.is_empty() {
            found.push(Ambiguous { pool: it.pool, earlier });
        }
    }
    Compared { found, beyond: None }
}

/// Whether a pool is surely applied together with those of other files: plain files may be applied one by one.
fn is_applied_with_others(model: &Model, pool: &NodePool) -> bool {
    let is_rendered = || pool.subject.as_ref().is_some_and(|it| it.rendered.is_some());
    !matches!(pool.scope.deploy_unit(), DeployUnit::Folder(..))
        || model.pools_of_gitops.contains(&pool.report_span.file)
        || is_rendered()
}

/// Whether what belongs to a scope is surely applied to one cluster.
fn is_of_one_cluster(model: &Model, scope: &Scope) -> bool {
    match scope.root {
        Some(root) => model.clusters.iter().filter(|it| it.scope.root == Some(root)).count() <= 1,
        None => !settled::is_example(scope),
    }
}

/// The folders whose files are alternatives, not applied together: two of them define the same pool
/// or class.
fn folders_of_alternatives(model: &Model) -> HashSet<DeployUnit<'_>> {
    let pools = model
        .node_pools
        .iter()
        .filter_map(|it| Some((&it.scope, "NodePool", it.name.known()?.as_str(), it.report_span)));
    let classes = model.node_classes.iter().filter_map(|it| {
        Some((&it.scope, "EC2NodeClass", it.name.known()?.as_str(), it.report_span))
    });
    let mut files = HashMap::new();
    let mut found = HashSet::new();
    for (scope, kind, name, span) in pools.chain(classes) {
        let unit = scope.deploy_unit();
        let first = *files.entry((unit, kind, name)).or_insert(span.file);
        if matches!(unit, DeployUnit::Folder(..)) && first != span.file {
            found.insert(unit);
        }
    }
    found
}

/// What pools of one deploy unit have in common between which only taints, requirements and names decide.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Group<'a> {
    /// Those of an older version are kept for before an upgrade, or are for another cluster.
    api: PoolVersion,
    /// The stage, among plain files.
    stage: Option<&'a str>,
    of_class: Option<&'a str>,
    weight: u64,
}

impl<'a> Group<'a> {
    /// That of a pool whose weight is known.
    fn of(pool: &'a NodePool) -> Option<Self> {
        let in_files = matches!(pool.scope.deploy_unit(), DeployUnit::Folder(..));
        Some(Self {
            api: pool.api,
            stage: if in_files { stage(pool) } else { None },
            of_class: pool.class_group.known().map(String::as_str),
            // Zero has two forms.
            weight: (weight(pool).known()? + 0.0).to_bits(),
        })
    }
}

/// The stage the name of a pool contains.
fn stage(pool: &NodePool) -> Option<&str> {
    pool.title.split(['-', '_', '.']).find(|it| STAGES.contains(it))
}

/// Which pools Karpenter tries first: those of more weight. Without one it is 0.
fn weight(pool: &NodePool) -> Setting<f64> {
    let weight = pool.object.at("spec.weight");
    Setting::of(weight, Some(0.0), pool.report_span, Value::as_number)
}

/// Whether the names of all pools are known and distinct. The same name twice is for two clusters.
fn have_distinct_names(pools: &[&NodePool]) -> bool {
    let mut names = HashSet::new();
    pools.iter().all(|it| it.name.known().is_some_and(|it| names.insert(it)))
}

/// Files are numbered by their paths.
fn place(span: Span) -> (u32, u32) {
    (span.file.0, span.start)
}
