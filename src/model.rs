//! The cluster as its authors described it.

/// The cluster.
#[derive(Debug, Default)]
pub struct Model {}
