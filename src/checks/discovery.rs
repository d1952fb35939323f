//! Tags by which classes select subnets and security groups, held against the tags Terraform writes.

pub(crate) mod mismatch;
mod selected;
pub(crate) mod shared;
mod users;
