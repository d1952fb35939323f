//! Files, values with places, findings, and syntax trees: what every other part of karplint is built on.

pub mod glob;
pub mod hash;
pub mod visible;
pub mod source;
pub mod gate;
pub mod value;
pub mod version;
pub mod time;
pub mod findings;
pub mod project;
pub mod syntax;
