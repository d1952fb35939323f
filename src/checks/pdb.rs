//! What is wrong with PDBs.

pub mod blocking;
pub mod near_miss;
pub mod overlap;
pub mod unmatched;
pub mod words;
