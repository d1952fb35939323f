//! Detection: pure functions from the model to diagnoses, one topic a file.

pub mod admission;
pub mod ambiguous_pools;
pub mod block_devices;
pub mod consolidation;
pub mod discovery;
pub mod frozen;
pub mod images;
pub mod limits;
pub mod migration;
pub mod refusal;
pub mod retirement;
pub mod serving;
pub mod settled;
pub mod startup_taint;
pub mod unknown_class;
