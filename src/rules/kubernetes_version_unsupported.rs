use crate::{
    checks::compatibility::{controllers_with_cluster, incompatible},
    findings::Findings,
    model::Model,
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
        let (oldest, newest) = (minor(pair.supported.start()), minor(pair.supported.end()));
        let cluster = minor(&pair.kubernetes);
        let message = format!(
            "Karpenter {karpenter} works with Kubernetes {oldest} to {newest}, not with {cluster}"
        );
        let finding = findings.report(pair.release.version.span(), message);
        for place in &pair.clusters {
            finding.note(*place, format!("the cluster has Kubernetes {cluster}"));
        }
        finding.notes(pair.release.version.steps()).about(pair.release.subject.as_ref());
        let upgrade = Version::parse(karpenter).map(|it| pair.upgrade(&it)).unwrap_or_default();
        finding.help(match upgrade.as_slice() {
            [] => format!("Use an older Karpenter, or bring the cluster to Kubernetes {oldest}"),
            [before @ .., last] => {
                let stops: Vec<String> =
                    before.iter().map(|it| format!("{it}, then to ")).collect();
                format!("Upgrade Karpenter to {}{last} or newer", stops.concat())
            }
        });
    }
}

fn minor(version: &Version) -> String {
    format!("{}.{}", version.major, version.minor)
}
