use crate::{
    checks::{
        compatibility::incompatible,
        known_fault::{known_fault, only_image},
        rendered_controller,
    },
    findings::{Findings, silence::Silence},
    knowledge::publication::{KnownFault, tag},
    model::Model,
    resolve::release::Release,
    rules::{Rule, kubernetes_version_unsupported::way_to},
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/known-bad-release.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for release in model.controllers() {
        let diagnosis = known_fault(model, release).and_then(|it| in_use(model, it));
        let Some(fault) = findings.fault(release.report_span, diagnosis) else { continue };
        let Some(version) = release.version.named() else { continue };
        findings
            .report(release.version.span(), format!("Karpenter {version} {}", fault.what))
            .notes(release.version.steps())
            .about(release.subject.as_ref())
            .help(if let Some(way) = way_to_cluster(model, release) {
                way
            } else if release.version.is_written() {
                later_patch(fault.fixed)
            } else {
                format!(
                    "This is the module's default: set `chart_version`, to {} say",
                    tag(fault.fixed)
                )
            });
    }
    for controller in rendered_controller::rendered(model) {
        let (installation, rendered) = controller;
        let diagnosis = rendered_controller::known_fault(model, controller);
        let diagnosis = diagnosis.and_then(|it| in_use(model, it));
        let Some(fault) = findings.fault(rendered.report_span, diagnosis) else { continue };
        let Some(version) = installation.version.known() else { continue };
        let message = format!("Karpenter `{version}` {}", fault.what);
        findings
            .report(installation.version.span(), message)
            .notes(installation.version.steps())
            .about(rendered.subject.as_ref())
            .help(later_patch(fault.fixed));
    }
}

/// A fault that no class escapes: that of the order of images needs several of them.
fn in_use(model: &Model, fault: KnownFault) -> Result<KnownFault, Silence> {
    match only_image(model, &fault) {
        Some(image) => {
            let silence = Silence::sound("the bug is in the order of several images");
            Err(silence.at(image, "and the class has this one"))
        }
        None => Ok(fault),
    }
}

/// Where no patch of the same minor works with the cluster, the way to a release that does: another rule says why.
fn way_to_cluster(model: &Model, release: &Release) -> Option<String> {
    way_to(&incompatible(model, release).ok()?)
}

fn later_patch(fixed: &str) -> String {
    format!("Take `{}` or a later patch of the same minor release", tag(fixed))
}
