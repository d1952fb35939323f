//! The cluster as its authors described it.

pub mod model;

use karplint_core::{findings, hash, project, source, syntax, time, value, version};
use karplint_knowledge::knowledge;
use karplint_resolve::resolve;
