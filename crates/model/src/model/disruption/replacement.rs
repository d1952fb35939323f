//! When consolidation replaces a node by a cheaper one: else it only removes nodes whose pods fit elsewhere.
//!
//! <https://karpenter.sh/docs/concepts/disruption/#consolidation>, and kubernetes-sigs/karpenter v1.14.1
//! `pkg/controllers/disruption/consolidation.go`.

use crate::{
    findings::note::Note,
    knowledge::instances::instances,
    model::{
        disruption::gate::{CAPACITY_TYPE, gate},
        node_pool::NodePool,
    },
    resolve::release::Release,
};

/// How many types have to be cheaper before a single spot node is replaced by another one.
const FLEXIBLE: usize = 15;

/// What has to be so before a node of the pool is replaced.
#[must_use]
pub(super) fn conditions(pool: &NodePool, release: Option<&Release>) -> Vec<Note> {
    if pool.is_in_doubt || pool.is_of_auto_mode() != Some(false) {
        return Vec::new();
    }
    [balanced(pool), spot(pool, release)].into_iter().flatten().chain(flexible(pool)).collect()
}

fn balanced(pool: &NodePool) -> Option<Note> {
    let policy = pool.object.at("spec.disruption.consolidationPolicy").present()?;
    let message = "`Balanced`: only where it saves enough for the pods that move".to_owned();
    (policy.as_str() == Some("Balanced")).then_some(Note { span: policy.span, message })
}

/// A spot node is replaced by another one only behind a feature gate.
fn spot(pool: &NodePool, release: Option<&Release>) -> Option<Note> {
    let set = pool.offerings.requirements().get(CAPACITY_TYPE)?;
    let only = set.listed().is_some_and(|it| it.iter().all(|it| it == "spot") && !it.is_empty());
    if !only {
        return None;
    }
    let off = |span| {
        let message = "spot nodes are removed, not replaced by cheaper ones: the feature gate \
                       `spotToSpotConsolidation` is off"
            .to_owned();
        Some(Note { span, message })
    };
    match gate(release, &["spotToSpotConsolidation"]) {
        Some((Some(false), span)) => off(span),
        Some((Some(true), _)) => few_types(pool),
        Some((None, _)) => None,
        None => off(release?.report_span),
    }
}

fn few_types(pool: &NodePool) -> Option<Note> {
    let own = pool.offerings.requirements();
    let demands = own.of_types();
    let count = instances().types.iter().filter(|it| demands.take(it) != Some(false)).count();
    if own.is_open() || count > FLEXIBLE {
        return None;
    }
    let message = format!(
        "a spot node is replaced only where {FLEXIBLE} instance types are cheaper: the pool has {count}"
    );
    Some(Note { span: pool.spec, message })
}

/// `minValues` counts for what replaces a node, too.
fn flexible(pool: &NodePool) -> impl Iterator<Item = Note> {
    pool.offerings.requirements().iter().filter_map(|(key, set)| {
        let least = set.min_values().filter(|it| *it > 1)?;
        let place = pool.offerings.places(key).first()?;
        let message = format!("replaced only where cheaper types have {least} values of `{key}`");
        Some(Note { span: place.span, message })
    })
}
