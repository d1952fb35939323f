use crate::{
    checks::{
        drained_agent::{Evicted, evicted},
        unseen_pods::unverified,
    },
    findings::{Findings, Safety, Severity},
    model::{Model, component::ComponentUse},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/disruption-taint-untolerated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, silence) in unverified(model, |it, _| it.critical) {
        findings.silent(place, silence);
    }
    for usage in model.components.iter().filter(|it| it.pod.critical) {
        let place = usage.toleration_anchor();
        let Some(it) = findings.fault(place, evicted(model, usage)) else { continue };
        let Evicted { taint, release } = it;
        let key = &taint.key;
        let message = format!("The {} pods are evicted while their node drains", usage.pod.title);
        let finding = findings.report(place, message);
        finding.about(usage.subject.as_ref());
        if usage.leaves_last() {
            finding.at_most(Severity::Warning);
        }
        if let Some((release, version)) = release.and_then(|it| Some((it, it.exact_version()?))) {
            let (major, minor) = version.line();
            finding.note(release.version.span(), format!("Karpenter {major}.{minor} sets `{key}`"));
        }
        if usage.misspelt(&taint).is_some() {
            finding.help(format!(
                "Write effect `NoSchedule`: `{}` matches no taint",
                taint.effect.eks_word()
            ));
        } else {
            finding.help(format!(
                "Add a toleration with key `{key}`, operator `Exists`, effect `NoSchedule`"
            ));
        }
        let changes = ComponentUse::tolerating(&[usage], &taint);
        finding.offer(format!("Tolerate `{key}`"), Safety::Safe, changes);
    }
}
