//! Pools between which only their names decide.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    model::{
        Model,
        node_pool::NodePool,
        scope::{DeployUnit, Scope},
    },
    resolve::setting::Setting,
    source::Span,
    value::Value,
};

/// Folders of pools that are shown to choose from, not to be applied together.
const SHOWN: &[&str] = &[
    "archive", "archived", "demo", "demos", "docs", "example", "examples", "sample", "samples",
    "test", "tests",
];

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

/// A pool that other pools may stand in for.
#[derive(Debug)]
pub struct Ambiguous<'a> {
    /// The pool.
    pub pool: &'a NodePool,
    /// The others, which are written before it.
    pub earlier: Vec<&'a NodePool>,
}

impl Model {
    /// The pools that launch the same nodes for the same pods as one that is written before them, so that
    /// neither taints nor weight decide which of them does.
    #[must_use]
    pub fn ambiguous_pools(&self) -> Vec<Ambiguous<'_>> {
        let mut homes: HashMap<DeployUnit<'_>, Vec<&NodePool>> = HashMap::new();
        for pool in self.node_pools.iter().filter(|it| self.is_of_one_cluster(&it.scope)) {
            homes.entry(pool.scope.deploy_unit()).or_default().push(pool);
        }
        let settled: HashSet<*const NodePool> =
            self.settled_pools().filter(|it| !it.is_optional).map(std::ptr::from_ref).collect();
        let mut found = BTreeMap::new();
        for mut pools in homes.into_values().filter(|it| are_named_apart(it)) {
            pools.retain(|it| settled.contains(&std::ptr::from_ref(*it)));
            pools.sort_by_key(|it| place(it.report_span));
            for (index, pool) in pools.iter().enumerate() {
                let before = pools[..index].iter().copied();
                let earlier: Vec<&NodePool> = before.filter(|it| it.is_alike(pool)).collect();
                if !earlier.is_empty() {
                    // One block may make several pools.
                    let key = (place(pool.report_span), pool.scope.build);
                    found.entry(key).or_insert(Ambiguous { pool, earlier });
                }
            }
        }
        found.into_values().collect()
    }

    /// Whether what stands there is surely applied to one cluster.
    fn is_of_one_cluster(&self, scope: &Scope) -> bool {
        match scope.root {
            Some(root) => {
                self.clusters.iter().filter(|it| it.scope.root == Some(root)).count() <= 1
            }
            None => !scope.folder.split('/').any(|it| SHOWN.contains(&it)),
        }
    }
}

impl NodePool {
    /// Whether nothing but the name decides between it and another pool of its home.
    fn is_alike(&self, other: &Self) -> bool {
        let in_files = matches!(self.scope.deploy_unit(), DeployUnit::Folder(_));
        let may_be_of_two_stages = in_files && self.stage() != other.stage();
        !may_be_of_two_stages
            && self.class_group.known() == other.class_group.known()
            && self.weighs_as_much(other)
            && self.taints.are_those_of(&other.taints)
            && self.offer.overlaps(&other.offer)
    }

    /// The stage its name speaks of.
    fn stage(&self) -> Option<&str> {
        self.title.split(['-', '_', '.']).find(|it| STAGES.contains(it))
    }

    /// Which pools Karpenter tries first: those of more weight; none that is written is none at all.
    fn weight(&self) -> Setting<f64> {
        let weight = self.object.at("spec.weight");
        Setting::of(weight, Some(0.0), self.report_span, Value::as_number)
    }

    fn weighs_as_much(&self, other: &Self) -> bool {
        self.weight().known().is_some_and(|it| other.weight().known_to_be(it))
    }
}

/// Whether the names of all pools are known, each another. The same name twice is for two clusters.
fn are_named_apart(pools: &[&NodePool]) -> bool {
    let mut names = HashSet::new();
    pools.iter().all(|it| it.name.known().is_some_and(|it| names.insert(it)))
}

/// Files are numbered by their paths.
fn place(span: Span) -> (u32, u32) {
    (span.file.0, span.start)
}
