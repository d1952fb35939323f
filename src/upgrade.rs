//! The way of each Karpenter to another version: the steps, and what each asks for in the repository and on the
//! cluster.
//!
//! Every rule is asked about the repository as it is, with the versions of the step in place of those that are
//! written: what it says then and did not say at the step before is what the step brings.

pub mod goal;
pub mod version_place;
pub mod cluster_version;
pub mod karpenter;
pub mod way;
mod brought;
mod kubernetes;
mod modules;
mod path;
pub mod plan;
pub mod rewrite;
pub mod shown;
mod text;
mod json;
mod markdown;
mod html;
pub mod render;
