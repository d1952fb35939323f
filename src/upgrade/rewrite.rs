//! The edits of the first step: the versions, and what has to change with them.

use std::collections::HashSet;

use crate::{
    config::Config,
    findings::{Finding, Fix, Safety, Severity, edit::Edit},
    fix::{self, Fixed, Fixing},
    knowledge::upgrade::barrier,
    lint::{self, brought::without_numbers},
    project::Project,
    source::FileId,
    upgrade::{brought::nearest, goal::Goal, karpenter::Karpenter, plan, way::Upgrade},
};

/// Makes the edits of each first step in memory. The ways begin with that step still, with what is left of its
/// changes.
///
/// # Errors
/// A sentence, when a Karpenter is beyond the goal already.
pub fn take_first_step(
    project: &mut Project,
    config: &Config,
    goal: &Goal,
    safety: Safety,
) -> Result<(Vec<Upgrade>, Vec<Fixed>), String> {
    let before = lint::run(project, config);
    let taken = plan::routes(&before.model, project, goal)?;
    let known = Lines::of(project, &before.findings);
    let of_versions = write_versions(project, &taken, safety);
    let lint = |project: &Project, known| lint::run_again(project, config, &[], known);
    let mut outcome = lint(project, None);
    let Fixing { fixed: of_fixes, .. } =
        fix::until_quiet(project, &lint, &mut outcome, safety, &|project, outcome| {
            let asked = |it: &Edit| project.is_asked_for(project.files.get(it.span.file).path());
            let mut others = known.others(project, &outcome.findings);
            others.retain(|it| it.fix.iter().flat_map(|it| &it.edits).all(asked));
            others
        });
    let left = known.others(project, &outcome.findings);
    let mut upgrades = plan::plan(project, config, goal)?;
    put_before(project, &mut upgrades, taken, left);
    Ok((upgrades, together(of_versions, of_fixes)))
}

/// Writes the versions of the first steps, with those of the modules that have to move, and gives the files with
/// their texts before.
fn write_versions(project: &mut Project, upgrades: &[Upgrade], safety: Safety) -> Vec<Fixed> {
    let edits_of = |it: &Upgrade| -> Vec<Edit> {
        let Some(step) = it.steps.first() else { return Vec::new() };
        if let Some(version) = &step.kubernetes {
            let behind = it.karpenter.clusters.iter().filter(|it| it.version < *version);
            return behind.flat_map(|it| it.edits(&project.files, version)).collect();
        }
        let places = it.karpenter.places.iter();
        places.flat_map(|it| it.edits(&project.files, &step.version)).collect()
    };
    // One text may be the version of several.
    let mut edits: Vec<Edit> = upgrades.iter().flat_map(edits_of).collect();
    edits.sort_by_key(|it| it.span);
    edits.dedup();
    let alone = |it: Edit| Fix { title: String::new(), safety: Safety::Safe, edits: vec![it] };
    let modules = upgrades.iter().filter_map(|it| it.steps.first()).flat_map(|it| &it.fixes);
    let fixes: Vec<Fix> = edits.into_iter().map(alone).chain(modules.cloned()).collect();
    let mut changed = Vec::new();
    for (id, text) in fix::apply_fixes(&project.files, &fixes, safety) {
        changed.push(Fixed { id, before: project.files.get(id).text().to_owned() });
        project.files.replace(id, text);
    }
    changed
}

/// The files that versions and fixes changed, each with its first text.
fn together(first: Vec<Fixed>, then: Vec<Fixed>) -> Vec<Fixed> {
    let mut all = first;
    let known: HashSet<FileId> = all.iter().map(|it| it.id).collect();
    all.extend(then.into_iter().filter(|it| !known.contains(&it.id)));
    all.sort_unstable_by_key(|it| it.id);
    all
}

/// Puts the steps that were taken before those that are left.
fn put_before(
    project: &Project,
    upgrades: &mut [Upgrade],
    taken: Vec<Upgrade>,
    left: Vec<Finding>,
) {
    let mut stepped: Vec<usize> = Vec::new();
    for (index, (now, before)) in upgrades.iter_mut().zip(taken).enumerate() {
        let Some(first) = before.steps.into_iter().next() else { continue };
        let is_written = match &first.kubernetes {
            Some(version) => now.karpenter.kubernetes() >= Some(version),
            None => now.karpenter.version() == Some(&first.version),
        };
        if !is_written {
            continue;
        }
        let from = before.karpenter.version().cloned();
        if let (Some(from), Some(next)) = (from, now.steps.first_mut())
            && barrier(&from, &next.version).is_some()
        {
            next.forbidden_without = Some(first.version.clone());
        }
        now.karpenter.from = before.karpenter.from;
        now.steps.insert(0, first);
        stepped.push(index);
    }
    let its: Vec<(usize, Karpenter)> = stepped
        .into_iter()
        .filter_map(|it| Some((it, upgrades.get(it)?.karpenter.clone())))
        .collect();
    let its: Vec<(usize, &Karpenter)> = its.iter().map(|(at, it)| (*at, it)).collect();
    for finding in left {
        for owner in nearest(project, &finding, &its) {
            let step = upgrades.get_mut(owner).and_then(|it| it.steps.first_mut());
            if let Some(it) = step {
                it.changes.findings.push(finding.clone());
            }
        }
    }
}

/// Findings by the texts of their lines: places move when lines are edited.
struct Lines(HashSet<(&'static str, FileId, String, String)>);

impl Lines {
    fn of(project: &Project, findings: &[Finding]) -> Self {
        Self(findings.iter().map(|it| Self::key(project, it)).collect())
    }

    fn key(project: &Project, finding: &Finding) -> (&'static str, FileId, String, String) {
        let file = project.files.get(finding.span.file);
        let line = file.line_text(file.line_of(finding.span.start as usize));
        let message = without_numbers(&finding.message);
        (finding.rule, finding.span.file, message, without_numbers(line))
    }

    /// What must be changed among other findings than these, in the paths asked for.
    fn others(&self, project: &Project, findings: &[Finding]) -> Vec<Finding> {
        let is_asked = |it: &Finding| project.is_asked_for(project.files.get(it.span.file).path());
        let is_new = |it: &&Finding| {
            it.severity > Severity::Note
                && is_asked(it)
                && !self.0.contains(&Self::key(project, it))
        };
        findings.iter().filter(is_new).cloned().collect()
    }
}
