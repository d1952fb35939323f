//! Tags by which classes select subnets and security groups, held against the tags Terraform writes.

pub mod mismatch;
pub mod shared;
