//! Which nodes pods ask for.

pub mod own_nodes;
