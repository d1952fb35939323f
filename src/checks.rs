//! Detection: pure functions from the model to diagnoses, one topic a file.

pub mod chart_value;
pub mod compatibility;
pub mod conversion;
pub mod crd_order;
pub mod crds;
pub mod identity;
pub mod varying;
