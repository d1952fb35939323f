//! CEL, the expression language of Kubernetes' admission policies, over values that know where they are written.
//!
//! The dialect is that of Kubernetes 1.34: [`cel::declarations`] lists every function. A [`cel::program::Program`]
//! is parsed from a text, checked against the types of its variables and evaluated. What an evaluation hands back
//! has a place: a false expression points at the operand that makes it false.
//!
//! Three things differ from other evaluators. A value that is not known statically is no error and no value but
//! [`cel::fault::Fault::Unknown`], and every operator says what it knows in spite of it. Values of files keep
//! their places and steps. And the tree is small: macros are nodes of it and are not rewritten, so a mistake
//! points at what was written.

pub mod cel;

use karplint_core::{source, time, value};
