//! The steps of each Karpenter, and what each brings.

use crate::{
    config::Config,
    findings::Finding,
    knowledge::upgrade::{self, path},
    lint::{self, LintResult, brought::Known},
    model::{Model, supposed::Supposed},
    project::Project,
    upgrade::{
        brought::nearest,
        goal::Goal,
        karpenter::{self, Karpenter},
        kubernetes::kubernetes_step,
        modules::module_asks,
        way::{Step, Upgrade},
    },
    version::Version,
};

/// The way of each Karpenter among the paths asked for.
///
/// # Errors
/// A sentence, when one of them is beyond the goal already.
pub fn plan(project: &Project, config: &Config, goal: &Goal) -> Result<Vec<Upgrade>, String> {
    let LintResult { findings, model, .. } = lint::run(project, config);
    let mut upgrades = routes(&model, project, goal)?;
    let longest = upgrades.iter().map(|it| it.steps.len()).max().unwrap_or_default();
    let (mut known, mut asked) = (Known::of(&findings), Vec::new());
    let mut supposed = Supposed::default();
    for index in 0..longest {
        suppose(&mut supposed, &upgrades, index);
        let findings = lint::run_supposing(project, config, &supposed).findings;
        let at_step = Known::of(&findings);
        let brought = known.others(findings);
        known = at_step;
        // What an earlier step asks for is done by then.
        asked.extend(brought.iter().cloned());
        known.add(&asked);
        assign(project, &mut upgrades, index, brought);
    }
    Ok(upgrades)
}

/// The ways without what their steps bring.
///
/// # Errors
/// A sentence, when one of them is beyond the goal already.
pub(super) fn routes(
    model: &Model,
    project: &Project,
    goal: &Goal,
) -> Result<Vec<Upgrade>, String> {
    let kubernetes =
        goal.kubernetes.as_ref().map(|to| kubernetes_step(model, project, to)).transpose()?;
    let route = |karpenter: Karpenter| {
        let Some(from) = karpenter.version() else {
            return Ok(Upgrade { karpenter, to: goal.karpenter.clone(), steps: Vec::new() });
        };
        let to = goal.of(from).map_err(|to| beyond(project, &karpenter, from, to))?;
        let mut at = from.clone();
        let step = |it: upgrade::Step| {
            let before = std::mem::replace(&mut at, it.version.clone());
            let step = (&before, &it.version);
            let mut asks = module_asks((model, project), &karpenter, step);
            asks.extend(upgrade::asks(step.0, step.1));
            Step {
                asks,
                version: it.version,
                kubernetes: None,
                forbidden_without: it.forbidden_without,
                changes: LintResult::default(),
            }
        };
        let mut steps: Vec<Step> = path(from, &to).into_iter().map(step).collect();
        let last = kubernetes.as_ref().and_then(Option::as_ref);
        steps.extend(last.map(|asks| Step {
            version: to.clone(),
            kubernetes: goal.kubernetes.clone(),
            forbidden_without: None,
            changes: LintResult::default(),
            asks: asks.clone(),
        }));
        Ok(Upgrade { karpenter, to: Some(to), steps })
    };
    karpenter::all(model, project).into_iter().map(route).collect()
}

fn beyond(project: &Project, karpenter: &Karpenter, from: &Version, to: &Version) -> String {
    let file = project.files.get(karpenter.span.file);
    let line = file.line_of(karpenter.span.start as usize) + 1;
    format!(
        "{}:{line}: Karpenter is {from} already, newer than {to}; going back is no upgrade",
        file.path()
    )
}

/// Every Karpenter at the end of that step, or of its last.
fn suppose(supposed: &mut Supposed, upgrades: &[Upgrade], index: usize) {
    for Upgrade { karpenter, steps, .. } in upgrades {
        let Some(step) = steps.get(index) else { continue };
        for place in &karpenter.places {
            supposed.karpenter.insert(place.written.clone(), place.text(&step.version));
        }
        if step.kubernetes.is_some() {
            supposed.kubernetes.clone_from(&step.kubernetes);
        }
    }
}

/// Gives each step what it brings.
fn assign(project: &Project, upgrades: &mut [Upgrade], index: usize, findings: Vec<Finding>) {
    let its = upgrades.iter().enumerate().filter(|(_, it)| it.steps.len() > index);
    let its: Vec<(usize, &Karpenter)> = its.map(|(at, it)| (at, &it.karpenter)).collect();
    let is_asked = |it: &Finding| project.is_asked_for(project.files.get(it.span.file).path());
    let findings = findings.into_iter().filter(is_asked);
    let assigned: Vec<(Vec<usize>, Finding)> =
        findings.map(|it| (nearest(project, &it, &its), it)).collect();
    for (owners, finding) in assigned {
        for owner in owners {
            let step = upgrades.get_mut(owner).and_then(|it| it.steps.get_mut(index));
            if let Some(it) = step {
                it.changes.findings.push(finding.clone());
            }
        }
    }
}
