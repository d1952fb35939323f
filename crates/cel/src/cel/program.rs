//! An expression that is ready to be checked and evaluated.

use std::sync::Arc;

use crate::cel::{
    bindings::Bindings,
    check,
    cost::{self, Cost},
    data::Outcome,
    eval::{scope::Scope, state::Evaluator},
    parse,
    tree::{Expr, Mistake},
    types::{Schema, Type},
};

/// An expression.
#[derive(Clone, Debug)]
pub struct Program {
    tree: Arc<Expr>,
}

/// What an evaluation gave, and what it cost.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value, or why there is none.
    pub outcome: Outcome,
    /// The cost as Kubernetes counts it.
    pub cost: u64,
}

impl Program {
    /// Reads an expression.
    ///
    /// # Errors
    /// Where it is not CEL.
    pub fn parse(text: &str) -> Result<Self, Mistake> {
        Ok(Self { tree: Arc::new(parse::parse(text)?) })
    }

    /// Its tree.
    #[must_use]
    pub fn tree(&self) -> &Expr {
        &self.tree
    }

    /// The type of its value, and what is wrong with it, before any value is known.
    #[must_use]
    pub fn check(&self, schema: &Schema) -> (Type, Vec<Mistake>) {
        check::check(&self.tree, schema)
    }

    /// Its value, within Kubernetes' limit of cost.
    #[must_use]
    pub fn evaluate(&self, bindings: &Bindings) -> Evaluation {
        self.evaluate_within(bindings, cost::LIMIT)
    }

    /// Its value, within that cost.
    #[must_use]
    pub fn evaluate_within(&self, bindings: &Bindings, limit: u64) -> Evaluation {
        let cost = Cost { spent: 0, limit };
        let mut evaluator = Evaluator { scope: Scope::new(bindings), cost };
        let outcome = evaluator.evaluate(&self.tree);
        Evaluation { outcome, cost: evaluator.cost.spent }
    }
}
