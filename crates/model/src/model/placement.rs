//! Which nodes pods ask for.

pub mod own_nodes;

pub use crate::resolve::pod::placement::Placement;
