//! What is wrong with PDBs.

pub(crate) mod near_miss;
pub(crate) mod overlap;
pub(crate) mod unmatched;
pub(crate) mod words;
