//! The taints by which Karpenter's versions drain.

use crate::{
    knowledge::karpenter::disruption_taint,
    value::Value,
    version::{Version, constraint::Constraint},
};

/// A taint Karpenter itself uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KarpenterTaint {
    /// The key.
    pub key: &'static str,
    /// The value; empty if the taint has none.
    pub value: &'static str,
    /// The effect, as Kubernetes spells it.
    pub effect: &'static str,
}

/// The taint on a node that Karpenter drains; `None` before 0.32, when it had no taint of its own.
/// Without a version the newest is meant.
#[must_use]
pub fn of_version(version: Option<&Version>) -> Option<KarpenterTaint> {
    let facts = disruption_taint();
    match version {
        Some(version) => read(facts.at(Some(version))?),
        None => read(&facts.list().last()?.value),
    }
}

/// The taints of the versions allowed, each once; `None` is the time before Karpenter had one of
/// its own.
#[must_use]
pub fn of_versions(allowed: &Constraint) -> Vec<Option<KarpenterTaint>> {
    disruption_taint().possible(Some(allowed)).map(|it| read(&it.value)).collect()
}

/// Whether the key is that of a taint by which some version of Karpenter drains.
#[must_use]
pub fn is_key(key: &str) -> bool {
    disruption_taint().list().iter().filter_map(|it| read(&it.value)).any(|it| it.key == key)
}

fn read(value: &'static Value) -> Option<KarpenterTaint> {
    let text = |key: &str| value.get(key).present().and_then(Value::as_str);
    Some(KarpenterTaint { key: text("key")?, value: text("value")?, effect: text("effect")? })
}
