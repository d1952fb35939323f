//! What releases do when nobody says otherwise: versioned data with sources, and its typed reader.

pub mod knowledge;

use karplint_core::{source, syntax, value, version};
