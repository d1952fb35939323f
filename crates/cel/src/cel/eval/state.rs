//! What an evaluation carries along.

use crate::cel::{cost::Cost, data::Outcome, eval::scope::Scope, tree::Expr};

/// An evaluation.
pub(crate) struct Evaluator<'a> {
    /// What names mean.
    pub(crate) scope: Scope<'a>,
    /// What it may cost.
    pub(crate) cost: Cost,
}

/// The evaluation of a node, for what evaluates parts of one.
pub(super) type Evaluate<'a> = fn(&mut Evaluator<'a>, &'a Expr) -> Outcome;
