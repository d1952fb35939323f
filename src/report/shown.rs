//! A finding that is shown.

use crate::findings::Finding;

/// A finding that is shown.
#[derive(Debug)]
pub struct Shown<'a> {
    /// The finding.
    pub finding: &'a Finding,
    /// Stays the same when lines above move.
    pub fingerprint: String,
}
