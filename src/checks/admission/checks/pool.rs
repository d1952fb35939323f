//! Checks of `NodePools`: disruption, limits, the kubelet.

use crate::{
    checks::admission::{
        checks::culprit::{
            Culprit, entry, has, is_absent, is_closed_list, is_written, items, text,
        },
        path::Path,
    },
    value::{Field, Value, stand_in::is_stand_in},
};

/// Whether a budget has one of `schedule` and `duration` without the other.
fn is_half(budget: &Value) -> Option<bool> {
    Some(has(budget, "schedule")? != has(budget, "duration")?)
}

/// The budgets with one of `schedule` and `duration`.
pub(super) fn half_windows(budgets: &Value) -> Vec<Culprit> {
    let half = items(budgets).filter(|(_, it)| is_half(it) == Some(true));
    half.filter_map(|(path, it)| {
        let written = entry(it, "schedule").or_else(|| entry(it, "duration"))?;
        Some(Culprit::key(&path, written))
    })
    .collect()
}

/// The list, where each budget is such a half.
pub(super) fn only_half_windows(budgets: &Value) -> Vec<Culprit> {
    let everywhere =
        is_closed_list(budgets) && budgets.items().iter().all(|it| is_half(it) == Some(true));
    everywhere.then(|| Culprit::value(Path::default(), budgets)).into_iter().collect()
}

/// `consolidateAfter` beside `WhenUnderutilized`.
pub(super) fn after_underutilized(disruption: &Value) -> Vec<Culprit> {
    let of_policy = text(disruption, "consolidationPolicy") == Some("WhenUnderutilized");
    let after = entry(disruption, "consolidateAfter").filter(|_| of_policy);
    let refused =
        after.filter(|it| it.value.as_str().is_some_and(|it| it != "Never" && !is_stand_in(it)));
    let culprit = |it| Culprit::value(Path::default().name("consolidateAfter"), it);
    refused.map(|it| culprit(&it.value)).into_iter().collect()
}

/// `WhenEmpty` without `consolidateAfter`.
pub(super) fn empty_without_after(disruption: &Value) -> Vec<Culprit> {
    let of_policy = text(disruption, "consolidationPolicy") == Some("WhenEmpty");
    let refused = of_policy && is_absent(disruption, "consolidateAfter");
    let culprit = || Culprit::absent(&Path::default(), "consolidateAfter", disruption);
    refused.then(culprit).into_iter().collect()
}

/// `ttlSecondsAfterEmpty` beside consolidation that is on.
pub(super) fn ttl_with_consolidation(spec: &Value) -> Vec<Culprit> {
    let is_on = spec.at("consolidation.enabled").present().and_then(Value::as_bool) == Some(true);
    let ttl = entry(spec, "ttlSecondsAfterEmpty").filter(|it| !it.value.is_unknown());
    let refused = ttl.filter(|_| is_on);
    refused.map(|it| Culprit::key(&Path::default(), it)).into_iter().collect()
}

/// The limits other than `nodes` beside `replicas`.
pub(super) fn limits_of_static(spec: &Value) -> Vec<Culprit> {
    if !is_written(spec, "replicas") {
        return Vec::new();
    }
    let limits = spec.get("limits").present().map_or(&[][..], Value::entries);
    let refused = limits.iter().filter(|it| &*it.key != "nodes" && !it.value.is_unknown());
    refused.map(|it| Culprit::key(&Path::default().name("limits"), it)).collect()
}

/// A high threshold that is not above the low one.
pub(super) fn thresholds(kubelet: &Value) -> Vec<Culprit> {
    let value = |name: &str| kubelet.get(name).present();
    let high = value("imageGCHighThresholdPercent");
    let low = value("imageGCLowThresholdPercent").and_then(Value::as_number);
    let refused =
        high.filter(|high| high.as_number().zip(low).is_some_and(|(high, low)| high <= low));
    let path = Path::default().name("imageGCHighThresholdPercent");
    refused.map(|it| Culprit::value(path, it)).into_iter().collect()
}

/// The keys of one map that are not in the other.
pub(super) fn unpaired(kubelet: &Value, name: &str, other: &str) -> Vec<Culprit> {
    let Some(map) = kubelet.get(name).present() else { return Vec::new() };
    let is_there = |key: &str| match kubelet.get(other) {
        Field::Missing => Some(false),
        Field::Present(other) => has(other, key),
        Field::Unknown => None,
    };
    let known = map.entries().iter().filter(|it| !it.value.is_unknown());
    let lone = known.filter(|it| is_there(&it.key) == Some(false));
    lone.map(|it| Culprit::key(&Path::default().name(name), it)).collect()
}
