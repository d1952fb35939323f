//! What functions of the library are, and how much they may make.

use crate::cel::data::{Operand, Outcome};

/// A function: arguments to a result.
pub(crate) type Native = fn(&[Operand]) -> Outcome;

/// Longer texts are not made, bytes.
pub(crate) const MOST_BYTES: usize = 10_000_000;
/// Longer lists are not made.
pub(crate) const MOST_ITEMS: usize = 1_000_000;
