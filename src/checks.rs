//! Detection: pure functions from the model to diagnoses, one topic a file.

pub mod admission;
pub mod ambiguous_pools;
pub mod blanket_toleration;
pub mod block_devices;
pub mod consolidation;
pub mod discovery;
pub mod do_not_disrupt;
pub mod drain;
pub mod frozen;
pub mod images;
pub mod limits;
pub mod migration;
pub mod misplaced_annotation;
pub mod pdb;
pub mod protection;
pub mod reach;
pub mod refusal;
pub mod retirement;
pub mod serving;
pub mod settled;
pub mod shared_pool;
pub mod stale_toleration;
pub mod startup_taint;
pub mod unknown_class;
