use crate::{
    findings::{Findings, Severity},
    model::{Model, place::Placed},
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/disruption-taint-untolerated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for usage in model.components.iter().filter(|it| it.pod.critical) {
        let (version, release) = model.karpenter_near(usage.place());
        let Some(taint) = model.disruption_taint(version.as_ref()) else { continue };
        if usage.tolerates(&taint) != Some(false) {
            continue;
        }
        let message = format!("The {} pods are evicted while their node drains", usage.pod.title);
        let finding = findings.report(usage.toleration_anchor(), message);
        finding.instance(usage.instance.as_ref());
        if let (Some(release), Some(version)) = (release, version) {
            let (major, minor) = version.line();
            let says = format!("Karpenter {major}.{minor} sets `{}`", taint.key);
            finding.note(release.version.span(), says);
        }
        finding.help(format!(
            "Add a toleration with key `{}`, operator `Exists`, effect `NoSchedule`",
            taint.key
        ));
        if !model.uses_karpenter {
            finding.at_most(Severity::Note);
        }
    }
}
