//! What a change of version brings: findings that were not there with the versions before.

use std::collections::HashSet;

use crate::{
    findings::{Finding, Severity},
    source::Span,
};

/// What is found at one version. A finding is the same at another one if only numbers of its message differ, or
/// if the same is to be done about it.
#[derive(Debug, Default)]
pub(crate) struct Known(HashSet<(&'static str, Span, String)>);

impl Known {
    /// Those findings.
    #[must_use]
    pub(crate) fn of(findings: &[Finding]) -> Self {
        Self(findings.iter().flat_map(keys).collect())
    }

    /// Those findings, too.
    pub(crate) fn add(&mut self, findings: &[Finding]) {
        self.0.extend(findings.iter().flat_map(keys));
    }

    /// What must be changed among other findings that are not known.
    pub(crate) fn others(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let is_known = |it: &Finding| keys(it).any(|it| self.0.contains(&it));
        let is_new = |it: &Finding| it.severity > Severity::Note && !is_known(it);
        findings.into_iter().filter(is_new).collect()
    }
}

fn keys(finding: &Finding) -> impl Iterator<Item = (&'static str, Span, String)> {
    let texts = [Some(&finding.message), finding.help.as_ref()].into_iter().flatten();
    texts.map(|it| (finding.rule, finding.span, without_numbers(it)))
}

/// A text without the versions in it.
#[must_use]
pub(crate) fn without_numbers(text: &str) -> String {
    text.chars().filter(|it| !it.is_ascii_digit() && *it != '.').collect()
}
