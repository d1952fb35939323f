//! What pods declare: labels, tolerations, placement, and the PDBs that come with them.

pub mod creator;
pub mod pdb;
pub mod placement;
pub mod selector;
pub mod toleration;
