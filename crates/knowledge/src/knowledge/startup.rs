//! Taints that nodes start with.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StartupTaints {
    taints: Vec<StartupTaint>,
    endings: Vec<String>,
}

/// A taint that keeps pods off a new node until an agent runs there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartupTaint {
    /// Its key; value and effect are the author's choice.
    pub key: String,
    /// Who takes it away: "the Cilium agent".
    pub agent: String,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

static READ: LazyLock<Read<StartupTaints>> =
    LazyLock::new(|| document("startup-taints.yaml", include_str!("startup-taints.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Every taint that an agent takes away once it runs.
#[must_use]
pub fn taints() -> &'static [StartupTaint] {
    &READ.data.taints
}

/// Whether something takes taints of that key away once a node is ready: an agent that is known, or one of
/// others, as the key says.
#[must_use]
pub fn is_temporary(key: &str) -> bool {
    taint(key).is_some() || READ.data.endings.iter().any(|it| key.ends_with(it.as_str()))
}

/// The taint of that key, if an agent takes it away once it runs.
#[must_use]
pub fn taint(key: &str) -> Option<&'static StartupTaint> {
    taints().iter().find(|it| it.key == key)
}
