//! Views of what a repository describes, beside its findings.

pub mod order;
