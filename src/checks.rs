//! Detection: pure functions from the model to diagnoses, one topic a file.

pub mod blanket_toleration;
pub mod chart_value;
pub mod compatibility;
pub mod controller_nodes;
pub mod conversion;
pub mod crd_order;
pub mod crds;
pub mod do_not_disrupt;
pub mod drain;
pub mod identity;
pub mod misplaced_annotation;
pub mod pdb;
pub mod protection;
pub mod reach;
pub mod shared_pool;
pub mod stale_toleration;
pub mod startup_taint;
pub mod varying;
