use crate::{
    checks::varying::is_version_varying, findings::Findings, knowledge::publication, model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/known-bad-release.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for release in model.controllers().filter(|it| !is_version_varying(model, it)) {
        let Some(allowed) = release.allowed() else { continue };
        let Some(fault) = publication::fault(&allowed) else { continue };
        let Some(version) = release.version.known() else { continue };
        findings
            .report(release.version.span(), format!("Karpenter `{version}` {}", fault.what))
            .notes(release.version.steps())
            .about(release.subject.as_ref())
            .help(if release.version.is_written() {
                format!("Take {} or a later patch of the same minor release", fault.fixed)
            } else {
                format!("This is the module's default: set `chart_version`, to {} say", fault.fixed)
            });
    }
}
