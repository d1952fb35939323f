//! How long each stage of a run takes.

use std::time::{Duration, Instant};

/// Measures from one stage to the next.
pub(super) struct Clock {
    since: Instant,
    /// The stages so far.
    pub timings: Vec<(&'static str, Duration)>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { since: Instant::now(), timings: Vec::new() }
    }
}

impl Clock {
    /// Ends a stage.
    pub(super) fn stage(&mut self, name: &'static str) {
        self.timings.push((name, self.since.elapsed()));
        self.since = Instant::now();
    }
}
