//! What the rules say of all subjects.

use std::collections::HashSet;

use crate::findings::{Finding, silence::Unreported};

/// The rule that speaks for the admission policies of a cluster.
const OF_POLICIES: &str = "denied-by-policy";

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
        // Each policy of the cluster answers for itself, under one rule.
        let (of_policies, of_rules): (Vec<_>, Vec<_>) =
            self.unreported.into_iter().partition(|it| it.rule == OF_POLICIES);
        let mut answered: HashSet<_> = self.findings.iter().map(|it| (it.rule, it.span)).collect();
        self.unreported = of_rules;
        self.unreported.retain(|it| answered.insert((it.rule, it.span)));
        let mut said = HashSet::new();
        let is_new = |it: &Unreported| said.insert((it.span, it.silence.reason().words.clone()));
        self.unreported.extend(of_policies.into_iter().filter(is_new));
        self
    }
}
