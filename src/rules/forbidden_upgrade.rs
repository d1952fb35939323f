use crate::{
    checks::version_step::{
        ForbiddenStep, Obstacle,
        kubernetes::{LeftBehind, clusters},
        steps,
    },
    findings::{Findings, Severity},
    knowledge::{kubernetes::first_release_for, upgrade},
    model::Model,
    rules::Rule,
    version::Version,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/forbidden-upgrade.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in steps(model) {
        let Some(step) = findings.fault(place, diagnosis) else { continue };
        let finding = findings.report(step.span, message(&step));
        finding.notes(step.steps.iter().cloned()).about(step.subject).help(help(&step));
        if matches!(step.obstacle, Obstacle::Back(back) if !back.stored) {
            finding.at_most(Severity::Warning);
        }
    }
    for (place, diagnosis) in clusters(model) {
        let Some(cluster) = findings.fault(place, diagnosis) else { continue };
        let version = minor(&cluster.kubernetes);
        let running = &cluster.running;
        let message = format!("Karpenter {running}, which runs, does not work with {version}");
        let finding = findings.report(cluster.span, message);
        finding.note(cluster.controller.version.span(), "the Karpenter of this cluster");
        finding.help(order(&cluster, &version));
        if cluster.is_followed {
            finding.at_most(Severity::Warning);
        }
    }
}

fn message(step: &ForbiddenStep<'_>) -> String {
    let what = if step.is_of_crds { "The CRDs of Karpenter" } else { "Karpenter" };
    let (from, to) = (&step.from, &step.to);
    match step.obstacle {
        Obstacle::Skipped(_) => format!("{what} cannot go from {from} to {to} at once"),
        Obstacle::Back(_) => format!("{what} cannot go back from {from} to {to}"),
    }
}

fn help(step: &ForbiddenStep<'_>) -> String {
    let (from, to) = (&step.from, &step.to);
    match step.obstacle {
        Obstacle::Skipped(barrier) => {
            let path: Vec<String> =
                upgrade::path(from, to).iter().map(|it| it.version.to_string()).collect();
            let path = path.join(", then ");
            format!("From {from} go to {path}, each in a change of its own: {}", barrier.why)
        }
        Obstacle::Back(back) => {
            let only: Vec<String> = back.only.iter().map(ToString::to_string).collect();
            let only = only.join(", ");
            format!("From {from} go back to {only} or a later patch of these: {}", back.why)
        }
    }
}

fn order(cluster: &LeftBehind<'_>, version: &str) -> String {
    let first = first_release_for(&cluster.kubernetes);
    match (cluster.is_followed, first) {
        (true, _) => format!("Apply the new Karpenter first, and {version} in a later change"),
        (_, Some(first)) => {
            format!("Bring Karpenter to {first} or newer first, in a change of its own")
        }
        (_, None) => format!("Wait with {version} for a Karpenter that works with it"),
    }
}

fn minor(version: &Version) -> String {
    format!("Kubernetes {}.{}", version.major, version.minor)
}
