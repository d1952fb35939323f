//! Which of several pools pods ask for.

use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashSet},
};

use crate::{
    model::{
        Model,
        node_pool::NodePool,
        workload::{Workload, WorkloadKind},
    },
    value::Value,
};

/// The labels that every pool has with a value of its own, so that asking for one says nothing of two others.
const OF_EACH: &[&str] = &["karpenter.sh/nodepool", "karpenter.k8s.aws/ec2nodeclass"];

/// The labels that pods ask nodes for.
#[derive(Default)]
struct Labels<'m> {
    /// With their values.
    pairs: HashSet<(&'m str, &'m str)>,
    /// By their keys.
    keys: HashSet<&'m str>,
    /// Texts that a chart may make such requirements of.
    texts: Vec<&'m str>,
}

/// What the pods of a repository ask of their nodes.
pub(super) struct Chosen<'m> {
    model: &'m Model,
    /// Gathered when pools are first asked about.
    labels: OnceCell<Labels<'m>>,
}

impl<'m> Chosen<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        Self { model, labels: OnceCell::new() }
    }

    /// Whether pods choose between two pools: some by a label that has another value in each, or all that tolerate
    /// the taints of both.
    pub(super) fn tell_apart(&self, a: &NodePool, b: &NodePool) -> bool {
        self.by_label(a, b) || self.by_taint(a, b)
    }

    fn by_label(&self, a: &NodePool, b: &NodePool) -> bool {
        let labels = self.labels.get_or_init(|| labels(self.model));
        differing(a, b).any(|(key, own, other)| {
            let mut values = own.union(other).map(String::as_str);
            if OF_EACH.contains(&key) {
                values.any(|it| labels.pairs.contains(&(key, it)))
            } else {
                labels.keys.contains(key) || labels.texts.iter().any(|it| names(it, key))
            }
        })
    }

    fn by_taint(&self, a: &NodePool, b: &NodePool) -> bool {
        let hard = || a.taints.list.iter().map(|it| &it.0).filter(|it| it.keeps_pods_away());
        let tolerates =
            |it: &&Workload| hard().all(|taint| it.tolerations.tolerate(taint) != Some(false));
        let fits = |pool: &NodePool, it: &Workload| pool.labels_fit_placement(&it.placement);
        let chooses = |it: &Workload| fits(a, it) != Some(true) || fits(b, it) != Some(true);
        let pods = self.model.workloads.iter().filter(|it| it.kind != WorkloadKind::DaemonSet);
        let mut pods = pods.filter(tolerates).peekable();
        hard().next().is_some() && pods.peek().is_some() && pods.all(chooses)
    }
}

/// The labels that have other values in one pool than in another, with those of both.
fn differing<'p>(
    a: &'p NodePool,
    b: &'p NodePool,
) -> impl Iterator<Item = (&'p str, &'p BTreeSet<String>, &'p BTreeSet<String>)> {
    let others = b.offerings.requirements();
    a.offerings.requirements().iter().filter_map(move |(key, own)| {
        let (own, other) = (own.listed()?, others.get(key)?.listed()?);
        own.is_disjoint(other).then_some((key, own, other))
    })
}

/// The labels by each of which pods may choose between a pool and all of some others.
pub(super) fn labels_between<'p>(pool: &'p NodePool, others: &[&'p NodePool]) -> Vec<&'p str> {
    let differs = |key: &str, other: &NodePool| differing(pool, other).any(|it| it.0 == key);
    let own = pool.offerings.requirements().iter().map(|it| it.0);
    own.filter(|key| !OF_EACH.contains(key) && others.iter().all(|it| differs(key, it))).collect()
}

/// What the pods of workloads, charts and add-ons ask for.
fn labels(model: &Model) -> Labels<'_> {
    let mut found = Labels::default();
    let of_pods = model.workloads.iter().filter_map(|it| it.pod_spec.as_ref());
    let of_charts = model.releases.iter().map(|it| &it.values);
    let of_addons = model.addons.iter().map(|it| &it.values);
    of_pods.chain(of_charts).chain(of_addons).for_each(|it| gather(it, &mut found));
    found.keys = found.pairs.iter().map(|it| it.0).collect();
    found
}

/// Adds what is written under `nodeSelector` and `nodeSelectorTerms`, however deep.
fn gather<'m>(value: &'m Value, found: &mut Labels<'m>) {
    for entry in value.entries() {
        match &*entry.key {
            "nodeSelector" => {
                let pairs = entry.value.entries().iter();
                found.pairs.extend(pairs.filter_map(|it| Some((&*it.key, it.value.as_str()?))));
            }
            "nodeSelectorTerms" => {
                let expressions = |it: &'m Value| it.get("matchExpressions").present();
                let lists = entry.value.items().iter().filter_map(expressions);
                lists.flat_map(Value::items).for_each(|it| found.pairs.extend(listed(it)));
            }
            _ => gather(&entry.value, found),
        }
    }
    value.items().iter().for_each(|it| gather(it, found));
    let is_made = |it: &&str| it.contains("nodeSelectorTerms");
    found.texts.extend(value.as_str().filter(is_made));
}

/// Whether a text requires a label: `key: role`.
fn names(text: &str, key: &str) -> bool {
    let is_it = |it: &str| it.trim_matches(['"', '\'']) == key;
    let mut lines = text.lines().filter_map(|it| it.split_once("key:"));
    lines.any(|(_, it)| it.split([',', '}']).next().is_some_and(|it| is_it(it.trim())))
}

/// The label of an expression with each value that it lists.
fn listed(expression: &Value) -> impl Iterator<Item = (&str, &str)> {
    let key = expression.get("key").present().and_then(Value::as_str);
    let values = expression.get("values").present().map(Value::items).unwrap_or_default();
    let is_in = expression.get("operator").present().and_then(Value::as_str) == Some("In");
    let values = values.iter().filter(move |_| is_in).filter_map(Value::as_str);
    values.filter_map(move |it| Some((key?, it)))
}
