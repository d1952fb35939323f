use crate::{
    checks::{
        compatibility::{Incompatible, Supported, controllers_with_cluster, incompatible},
        rendered_controller::{path_to, rendered, unsupported},
    },
    findings::{Findings, Severity},
    knowledge::{
        kubernetes::first_release_for,
        publication::tag,
        upgrade::{barrier, newest},
    },
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
        let Some(karpenter) = pair.release.version.plainly() else { continue };
        let cluster = minor(&pair.kubernetes);
        if pair.example.is_some() {
            report_example(findings, &pair, &karpenter);
            continue;
        }
        let message = message(&karpenter, &pair.supported, &cluster);
        let finding = findings.report(pair.release.version.span(), message);
        for (version, place) in &pair.clusters {
            finding.note(*place, format!("the cluster has Kubernetes {}", minor(version)));
        }
        finding.notes(pair.release.version.steps()).about(pair.release.subject.as_ref());
        finding.help(way_to(&pair).unwrap_or_else(|| back(&pair.supported)));
    }
    check_rendered(model, findings);
}

/// A cluster that only an example of the module gives it.
fn report_example(findings: &mut Findings, pair: &Incompatible<'_>, karpenter: &str) {
    let Some(at) = pair.example else { return };
    let Supported { oldest, newest } = &pair.supported;
    let message = message(karpenter, &pair.supported, &minor(&pair.kubernetes));
    let is_older = oldest.as_ref().is_some_and(|it| pair.kubernetes.line() < it.line());
    let wanted = oldest.as_ref().filter(|_| is_older).unwrap_or(newest);
    let finding = findings.report(at, message);
    finding.at_most(Severity::Warning);
    finding.note(
        pair.release.version.span(),
        "the Karpenter that the module of this example installs",
    );
    finding.about(pair.release.subject.as_ref());
    finding.help(format!("Give the example a cluster with Kubernetes {}", minor(wanted)));
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
        let is_newer = pair.kubernetes.line() > pair.supported.newest.line();
        let exact = installation.exact_version().filter(|_| is_newer);
        let way = exact.and_then(|it| help(&it, &path_to(&it, &pair.kubernetes), &pair.kubernetes));
        let help = way.unwrap_or_else(|| back(&pair.supported));
        finding.about(controller.subject.as_ref()).help(help);
    }
}

fn message(karpenter: &str, supported: &Supported, cluster: &str) -> String {
    let newest = minor(&supported.newest);
    let range = match &supported.oldest {
        Some(oldest) => format!("Kubernetes {} to {newest}", minor(oldest)),
        None => format!("no Kubernetes newer than {newest}"),
    };
    format!("Karpenter {karpenter} works with {range}, not with {cluster}")
}

/// The releases of Karpenter to stop at, up to one that works with a cluster that is too new for this one.
pub(super) fn way_to(pair: &Incompatible<'_>) -> Option<String> {
    let from = Version::parse(pair.release.version.known()?)?;
    help(&from, &pair.upgrade(&from), &pair.kubernetes)
}

/// That way in words: one release for who starts with Karpenter, and where it is a way of several or what is newer than
/// its end may not come next, all of them for who runs an older one.
fn help(from: &Version, upgrade: &[Version], kubernetes: &Version) -> Option<String> {
    let (last, before) = upgrade.split_last()?;
    // As the versions of the chart are written.
    let written = |it: &Version| tag(&it.to_string());
    let newest_patch = written(last);
    let target = match first_release_for(kubernetes) {
        Some(first) if first.line() == last.line() && first < last => {
            let oldest = if first.patch == 0 { minor(first) } else { written(first) };
            format!("{oldest} or newer (newest patch: {newest_patch})")
        }
        _ => format!("{newest_patch} or newer"),
    };
    let at = before.last().unwrap_or(from);
    let ends = newest().is_some_and(|it| barrier(at, it).is_some());
    if before.is_empty() && !ends {
        return Some(format!("Upgrade Karpenter to {target}"));
    }
    let stops: Vec<String> = before.iter().map(|it| format!("{}, then to ", written(it))).collect();
    let stops = stops.concat();
    let end = if ends { ", and only then to a newer one" } else { "" };
    Some(format!(
        "Install Karpenter {target}, and let `karplint upgrade` say what older objects become. Where {from} runs already, upgrade it to {stops}{newest_patch}{end}"
    ))
}

/// What is left for a cluster that is too old.
fn back(supported: &Supported) -> String {
    match &supported.oldest {
        Some(oldest) => {
            format!("Use an older Karpenter, or bring the cluster to Kubernetes {}", minor(oldest))
        }
        None => "Upgrade Karpenter to a release that works with the cluster".to_owned(),
    }
}

fn minor(version: &Version) -> String {
    format!("{}.{}", version.major, version.minor)
}
