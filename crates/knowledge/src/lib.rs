//! What releases do by default: versioned data with sources, and its typed reader.

pub mod knowledge;

use karplint_core::{hash, source, syntax, value, version};
