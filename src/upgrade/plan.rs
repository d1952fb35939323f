//! The steps of each Karpenter, and what each brings.

use crate::{
    config::Config,
    findings::Finding,
    knowledge::upgrade::{self, Ask},
    lint::{self, LintResult, brought::Known},
    model::{
        Model, installation::Installation, karpenter_object::KarpenterObject, supposed::Supposed,
    },
    project::Project,
    source::Span,
    upgrade::{
        brought::nearest,
        cluster_version::ClusterVersion,
        goal::Goal,
        karpenter::{self, Karpenter},
        kubernetes,
        modules::{ModuleStep, module_steps},
        path::{self, Target},
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
    if let Some(to) = &goal.kubernetes {
        kubernetes::is_ahead(model, to)?;
    }
    let route = |mut karpenter: Karpenter| {
        let Some(from) = karpenter.version().cloned() else {
            return Ok(Upgrade { karpenter, to: goal.karpenter.clone(), steps: Vec::new() });
        };
        let to = goal.of(&from).map_err(|to| beyond(project, &karpenter, &from, to))?;
        let (mut targets, at) = path::between(&from, &to, karpenter.kubernetes());
        if let Some(kubernetes) = &goal.kubernetes {
            if karpenter.clusters.is_empty() {
                karpenter.clusters = ClusterVersion::all(model, project);
            }
            targets.extend(path::minors(at.as_ref().or(karpenter.kubernetes()), kubernetes));
        }
        let steps = steps(model, project, &karpenter, (&from, &targets));
        Ok(Upgrade { karpenter, to: Some(to), steps })
    };
    karpenter::all(model, project).into_iter().map(route).collect()
}

/// The steps to these targets, with what they ask for.
fn steps(
    model: &Model,
    project: &Project,
    karpenter: &Karpenter,
    (from, targets): (&Version, &[Target]),
) -> Vec<Step> {
    let mut at = from.clone();
    let mut steps: Vec<Step> = Vec::new();
    for (index, target) in targets.iter().enumerate() {
        let mut step = Step::to(&at);
        match target {
            Target::Karpenter(version, forbidden_without) => {
                // What an earlier step asks for is done by then.
                let is_asked = |it: &ModuleStep| {
                    steps.iter().flat_map(|it| &it.asks).any(|before| before.r#do == it.ask.r#do)
                };
                let mut of_modules = module_steps((model, project), karpenter, version);
                of_modules.retain(|it| !is_asked(it));
                step.fixes = of_modules.iter().filter_map(|it| it.fix.clone()).collect();
                step.asks = of_modules.into_iter().map(|it| it.ask).collect();
                let asks = upgrade::asks(&at, version).into_iter();
                step.asks.extend(asks.map(|it| with_places((model, project), karpenter, it)));
                at.clone_from(version);
                step.version.clone_from(version);
                step.forbidden_without.clone_from(forbidden_without);
            }
            Target::Kubernetes(version) => {
                // What is asked of the rest is asked once, for the last minor of several.
                if steps.last().is_none_or(|it| it.kubernetes.is_none()) {
                    let last = path::last_minor(targets.get(index..).unwrap_or_default());
                    step.asks = kubernetes::first_asks(model, project, last.unwrap_or(version));
                }
                step.asks.extend(kubernetes::step_asks(project, &karpenter.clusters, version));
                step.kubernetes = Some(version.clone());
            }
        }
        steps.push(step);
    }
    steps
}

/// Places that are named.
const PLACES: usize = 8;

/// An ask about resources of some kinds, with the places where the repository has them.
fn with_places((model, project): (&Model, &Project), karpenter: &Karpenter, mut ask: Ask) -> Ask {
    let is_its = |it: &&KarpenterObject| {
        let all = it.controllers.iter().filter_map(|it| model.installations.get(*it));
        let mut places = all.map(|it| place_of(model, it)).peekable();
        places.peek().is_none() || places.any(|it| it == karpenter.span)
    };
    let is_of_kind = |it: &&KarpenterObject| ask.kinds.iter().any(|kind| *kind == *it.object.kind);
    let objects = model.karpenter_objects.iter().filter(is_of_kind).filter(is_its);
    let mut spans: Vec<Span> = objects.map(|it| it.report_span).collect();
    spans.sort_unstable();
    spans.dedup();
    let named = spans.iter().take(PLACES).map(|it| kubernetes::place(project, *it));
    let named = named.collect::<Vec<_>>().join(", ");
    let places = match spans.len().saturating_sub(PLACES) {
        _ if spans.is_empty() => String::new(),
        0 => format!(" ({named})"),
        more => format!(" ({named} and {more} more)"),
    };
    ask.r#do = ask.r#do.replace("{places}", &places);
    ask
}

/// Where a controller is installed.
fn place_of(model: &Model, installation: &Installation) -> Span {
    let release = installation.release.and_then(|it| model.releases.get(it));
    release.map_or(installation.version.span(), |it| it.report_span)
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
        let Some(kubernetes) = &step.kubernetes else { continue };
        let behind = karpenter.clusters.iter().filter(|it| it.version < *kubernetes);
        let places: Vec<Span> = behind.filter_map(|it| it.span).collect();
        if places.is_empty() {
            supposed.kubernetes = Some(kubernetes.clone());
        }
        supposed.clusters.extend(places.into_iter().map(|it| (it, kubernetes.clone())));
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
