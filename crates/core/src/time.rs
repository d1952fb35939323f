//! Durations and dates, read as Go and Terraform read them.

pub mod date;
pub mod duration;
