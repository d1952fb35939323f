//! The cluster as its authors described it, and the edits that change what they wrote.

pub mod edits;
pub mod model;

use karplint_core::{findings, source, syntax, time, value, version};
use karplint_knowledge::knowledge;
use karplint_resolve::resolve;
