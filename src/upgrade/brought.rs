//! What a step brings: findings that were not there at the version before.

use std::collections::HashSet;

use crate::{
    findings::{Finding, Severity},
    project::Project,
    source::Span,
    upgrade::karpenter::Karpenter,
};

/// What is found at one version. A finding is the same at another one if only numbers of its message differ, or
/// if the same is to be done about it.
#[derive(Debug, Default)]
pub(super) struct Known(HashSet<(&'static str, Span, String)>);

impl Known {
    /// Those findings.
    #[must_use]
    pub(super) fn of(findings: &[Finding]) -> Self {
        Self(findings.iter().flat_map(keys).collect())
    }

    /// Those findings, too.
    pub(super) fn add(&mut self, findings: &[Finding]) {
        self.0.extend(findings.iter().flat_map(keys));
    }

    /// What must be changed among other findings that are not known.
    pub(super) fn others(&self, findings: Vec<Finding>) -> Vec<Finding> {
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
pub(super) fn without_numbers(text: &str) -> String {
    text.chars().filter(|it| !it.is_ascii_digit() && *it != '.').collect()
}

/// Which of several Karpenters a finding is about: those nearest to it, by their places in the list.
#[must_use]
pub(super) fn nearest(
    project: &Project,
    finding: &Finding,
    karpenters: &[(usize, &Karpenter)],
) -> Vec<usize> {
    let path = project.files.get(finding.span.file).path();
    let related = finding.notes.iter().map(|it| it.span);
    let spans: Vec<Span> = related.chain([finding.span]).collect();
    let near: Vec<_> = karpenters.iter().map(|(_, it)| it.nearness(path, &spans)).collect();
    let best = near.iter().max();
    let nearest = karpenters.iter().zip(&near).filter(|(_, it)| Some(*it) == best);
    nearest.map(|((index, _), _)| *index).collect()
}
