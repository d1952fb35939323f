//! Pools between which only their names decide.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    checks::settled,
    model::{Model, node_pool::NodePool},
    resolve::{
        scope::{DeployUnit, Scope},
        setting::Setting,
    },
    source::Span,
    value::Value,
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
    /// The others, which are written before it.
    pub earlier: Vec<&'a NodePool>,
}

/// The pools that launch the same nodes for the same pods as one that is written before them, so that
/// neither taints nor weight decide which of them does.
#[must_use]
pub(crate) fn ambiguous_pools(model: &Model) -> Vec<Ambiguous<'_>> {
    let alternatives = folders_of_alternatives(model);
    let mut units: HashMap<DeployUnit<'_>, Vec<&NodePool>> = HashMap::new();
    for pool in model.node_pools.iter().filter(|it| is_of_one_cluster(model, &it.scope)) {
        units.entry(pool.scope.deploy_unit()).or_default().push(pool);
    }
    let settled: HashSet<*const NodePool> = settled::pools(model)
        .filter(|it| !it.is_optional && settled::pool(model, it).is_ok())
        .map(std::ptr::from_ref)
        .collect();
    let mut found = BTreeMap::new();
    for mut pools in units.into_values().filter(|it| have_distinct_names(it)) {
        pools.retain(|it| settled.contains(&std::ptr::from_ref(*it)));
        pools.sort_by_key(|it| place(it.report_span));
        for (index, pool) in pools.iter().enumerate() {
            let is_chosen_from = alternatives.contains(&pool.scope.deploy_unit());
            let before = pools[..index].iter().copied();
            let before =
                before.filter(|it| !is_chosen_from || it.report_span.file == pool.report_span.file);
            let earlier: Vec<&NodePool> = before.filter(|it| are_alike(it, pool)).collect();
            if !earlier.is_empty() {
                // One block may make several pools.
                let key = (place(pool.report_span), pool.scope.build);
                found.entry(key).or_insert(Ambiguous { pool, earlier });
            }
        }
    }
    found.into_values().collect()
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

/// Whether nothing but the name decides between two pools of one deploy unit.
fn are_alike(one: &NodePool, other: &NodePool) -> bool {
    let in_files = matches!(one.scope.deploy_unit(), DeployUnit::Folder(..));
    let may_be_of_two_stages = in_files && stage(one) != stage(other);
    !may_be_of_two_stages
        && one.class_group.known() == other.class_group.known()
        && weight(one).known().is_some_and(|it| weight(other).known_to_be(it))
        && one.taints.are_those_of(&other.taints)
        && one.offerings.overlaps(&other.offerings)
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
