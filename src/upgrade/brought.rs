//! Which Karpenter it concerns what a step brings.

use crate::{findings::Finding, project::Project, source::Span, upgrade::karpenter::Karpenter};

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
