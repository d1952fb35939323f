//! The cluster as its authors described it.

pub mod model;

use karplint_core::{findings, source, syntax, time, value, version};
use karplint_knowledge::knowledge;
use karplint_resolve::resolve;
