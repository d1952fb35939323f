//! The steps of each Karpenter, and what each brings.

use crate::{
    config::Config,
    findings::Finding,
    knowledge::upgrade::{self, Ask, Follower, Moment, path},
    lint::{self, LintResult, brought::Known},
    model::{Model, addon::Addon, supposed::Supposed},
    project::Project,
    upgrade::{
        brought::nearest,
        goal::Goal,
        karpenter::{self, Karpenter},
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
            Step {
                asks: upgrade::asks(&before, &it.version),
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

/// What the step of Kubernetes asks for; `None` where every cluster has that version.
///
/// # Errors
/// A sentence, when a cluster has a newer one.
fn kubernetes_step(
    model: &Model,
    project: &Project,
    to: &Version,
) -> Result<Option<Vec<Ask>>, String> {
    let known = model.clusters.iter().filter_map(|it| it.version.as_ref()?.known());
    let known: Vec<&Version> = known.chain(&model.assumed.kubernetes_version).collect();
    let (newest, oldest) = (known.iter().max(), known.iter().min());
    if let Some(newest) = newest.filter(|it| it.line() > to.line()) {
        let (minor, wanted) = (newest.minor, to.minor);
        return Err(format!("a cluster has Kubernetes 1.{minor} already, newer than 1.{wanted}"));
    }
    let same = oldest.is_some_and(|it| it.line() == to.line());
    let asks = || {
        let addons = addon_asks(model, project, to);
        addons.into_iter().chain(kubernetes_asks(oldest.copied(), to)).collect()
    };
    Ok((!same).then(asks))
}

/// What is asked of the add-ons before the control plane has that version: those it is too new for move, and
/// of others that are pinned, only EKS says.
fn addon_asks(model: &Model, project: &Project, to: &Version) -> Vec<Ask> {
    let ask = |addon: &Addon| {
        let version = addon.allowed.as_ref()?.is_exact()?;
        let file = project.files.get(addon.report_span.file);
        let line = file.line_of(addon.report_span.start as usize) + 1;
        let place = format!("{}:{line}", file.path());
        if let Some(follower) = upgrade::followers().iter().find(|it| it.addon == addon.name) {
            return follower_behind(follower, &place, &version, to);
        }
        let kubernetes = format!("{}.{}", to.major, to.minor);
        upgrade::addon_ask(&addon.name, &place, &version.to_string(), &kubernetes)
    };
    let mut asks: Vec<Ask> = model.addons.iter().filter_map(ask).collect();
    asks.dedup_by(|a, b| a.r#do == b.r#do);
    asks
}

fn follower_behind(
    follower: &Follower,
    place: &str,
    version: &Version,
    to: &Version,
) -> Option<Ask> {
    let oldest = to.minor.checked_sub(follower.behind).filter(|it| version.minor < *it)?;
    let (name, behind) = (&follower.addon, follower.behind);
    Some(Ask {
        r#do: format!("Move the add-on `{name}` ({place}) from {version} to 1.{oldest} or newer"),
        why: format!("it may be {behind} minors behind the control plane at most"),
        when: Moment::Before,
        source: follower.source.clone(),
        checked: follower.checked.clone(),
    })
}

fn kubernetes_asks(from: Option<&Version>, to: &Version) -> Vec<Ask> {
    let minors = from.map_or(to.minor..=to.minor, |it| it.minor + 1..=to.minor);
    let minors: Vec<String> = minors.map(|it| format!("1.{it}")).collect();
    upgrade::kubernetes_asks(&minors.join(", then "))
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
