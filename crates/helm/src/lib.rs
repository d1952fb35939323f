//! Helm charts rendered in the process: each byte of the output knows its template and its value.

pub mod helm;

use karplint_core::{findings, glob, hash, source, syntax, time, value};
