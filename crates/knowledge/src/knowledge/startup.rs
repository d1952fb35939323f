//! Taints that nodes start with.

use crate::knowledge::all;

/// A taint that keeps pods off a new node until an agent runs there.
#[derive(Debug)]
pub struct StartupTaint {
    /// Its key; value and effect are the author's choice.
    pub key: String,
    /// Who takes it away: "the Cilium agent".
    pub agent: String,
    /// Where that is written.
    pub source: String,
    /// The day somebody looked.
    pub checked: String,
}

/// Every taint that an agent takes away once it runs.
#[must_use]
pub fn taints() -> &'static [StartupTaint] {
    &all().startup_taints
}

/// The taint of that key, if an agent takes it away once it runs.
#[must_use]
pub fn taint(key: &str) -> Option<&'static StartupTaint> {
    taints().iter().find(|it| it.key == key)
}
