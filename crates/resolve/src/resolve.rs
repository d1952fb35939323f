//! Trees to values with origins: what Terraform, Helm and Kubernetes make of the files.

pub mod answers;
pub mod scope;
pub mod setting;
pub mod pod;
pub mod helm;
pub mod effective;
pub mod kubernetes;
pub mod kustomize;
pub mod charts;
pub mod rendered;
pub mod terraform;
pub mod cloudformation;
pub mod pulumi;
pub mod gitops;
pub mod release;
#[cfg(test)]
mod samples;
