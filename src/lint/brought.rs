//! What a change of version brings: findings that were not there with the versions before.

use std::collections::HashSet;

use crate::{
    findings::{Finding, Severity},
    source::Span,
};

/// What is found with certain versions. A finding is the same with others if only numbers of its message differ.
#[derive(Debug, Default)]
pub(super) struct Known(HashSet<(&'static str, Span, String)>);

impl Known {
    /// Those findings.
    #[must_use]
    pub(super) fn of(findings: &[Finding]) -> Self {
        Self(findings.iter().map(key).collect())
    }

    /// What must be changed among other findings that are not known.
    pub(super) fn others(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let is_new = |it: &Finding| it.severity > Severity::Note && !self.0.contains(&key(it));
        findings.into_iter().filter(is_new).collect()
    }
}

fn key(finding: &Finding) -> (&'static str, Span, String) {
    let is_of_number = |it: char| it.is_ascii_digit() || it == '.';
    let message = finding.message.chars().filter(|it| !is_of_number(*it)).collect();
    (finding.rule, finding.span, message)
}
