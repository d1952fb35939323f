//! The cluster as its authors described it.

pub mod selector;
pub mod toleration;
