//! Trees to values with origins: what Terraform, Helm and Kubernetes make of the files.

pub mod helm;
pub mod kubernetes;
pub mod kustomize;
pub mod rendered;
pub mod terraform;
pub mod gitops;
