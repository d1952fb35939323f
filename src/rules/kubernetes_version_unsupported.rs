use std::ops::RangeInclusive;

use crate::{
    checks::{
        compatibility::{controllers_with_cluster, incompatible},
        rendered_controller::{path_to, rendered, unsupported},
    },
    findings::Findings,
    model::{Model, scope::Scoped},
    rules::Rule,
    version::Version,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/kubernetes-version-unsupported.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in controllers_with_cluster(model) {
        let diagnosis = incompatible(model, controller);
        let Some(pair) = findings.fault(controller.report_span, diagnosis) else { continue };
        let Some(karpenter) = pair.release.version.known() else { continue };
        let cluster = minor(&pair.kubernetes);
        let message = message(karpenter, &pair.supported, &cluster);
        let finding = findings.report(pair.release.version.span(), message);
        for place in &pair.clusters {
            finding.note(*place, format!("the cluster has Kubernetes {cluster}"));
        }
        finding.notes(pair.release.version.steps()).about(pair.release.subject.as_ref());
        let upgrade = Version::parse(karpenter).map(|it| pair.upgrade(&it)).unwrap_or_default();
        finding.help(help(&upgrade, pair.supported.start()));
    }
    check_rendered(model, findings);
}

/// Those that no release here installs.
fn check_rendered(model: &Model, findings: &mut Findings) {
    for (installation, controller) in rendered(model) {
        if model.kubernetes_near(installation.scope()).is_none() {
            continue;
        }
        let diagnosis = unsupported(model, installation);
        let Some(pair) = findings.fault(controller.report_span, diagnosis) else { continue };
        let Some(karpenter) = installation.version.known() else { continue };
        let cluster = minor(&pair.kubernetes);
        let message = message(karpenter, &pair.supported, &cluster);
        let finding = findings.report(installation.version.span(), message);
        if let Some(place) = pair.place {
            finding.note(place, format!("the cluster has Kubernetes {cluster}"));
        }
        let is_newer = pair.kubernetes.line() > pair.supported.end().line();
        let exact = installation.exact_version().filter(|_| is_newer);
        let upgrade = exact.map(|it| path_to(&it, &pair.kubernetes)).unwrap_or_default();
        finding.about(controller.subject.as_ref()).help(help(&upgrade, pair.supported.start()));
    }
}

fn message(karpenter: &str, supported: &RangeInclusive<Version>, cluster: &str) -> String {
    let (oldest, newest) = (minor(supported.start()), minor(supported.end()));
    format!("Karpenter {karpenter} works with Kubernetes {oldest} to {newest}, not with {cluster}")
}

/// The way to a pair that works: releases of Karpenter to stop at, else another cluster.
fn help(upgrade: &[Version], oldest: &Version) -> String {
    match upgrade {
        [] => {
            let oldest = minor(oldest);
            format!("Use an older Karpenter, or bring the cluster to Kubernetes {oldest}")
        }
        [before @ .., last] => {
            let stops: Vec<String> = before.iter().map(|it| format!("{it}, then to ")).collect();
            format!("Upgrade Karpenter to {}{last} or newer", stops.concat())
        }
    }
}

fn minor(version: &Version) -> String {
    format!("{}.{}", version.major, version.minor)
}
