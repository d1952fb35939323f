//! karplint: a static linter for Karpenter on EKS.
//!
//! The order of the modules below is the architecture: a module uses only those above it.

pub mod source;
pub mod value;
pub mod version;
pub mod findings;
pub mod project;
pub mod syntax;
pub mod knowledge;
pub mod resolve;
pub mod model;
pub mod page;
pub mod rules;
pub mod config;
pub mod lint;
pub mod fix;
pub mod report;
pub mod cli;
