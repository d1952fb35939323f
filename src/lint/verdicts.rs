//! What the rules say of all subjects.

use std::collections::HashSet;

use crate::findings::{Finding, silence::Unreported};

/// Findings, and the subjects without one.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// What is reported.
    pub findings: Vec<Finding>,
    /// What is sound or not decided.
    pub unreported: Vec<Unreported>,
}

impl Verdicts {
    /// One entry for each rule and subject: of a subject that several instances or variants answer, a
    /// finding counts first, then what is not decided.
    #[must_use]
    pub(super) fn once_each(mut self) -> Self {
        self.unreported.sort_by_key(|it| it.silence.cause().is_none());
        let mut answered: HashSet<_> = self.findings.iter().map(|it| (it.rule, it.span)).collect();
        self.unreported.retain(|it| answered.insert((it.rule, it.span)));
        self
    }
}
