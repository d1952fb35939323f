use crate::{
    checks::{
        fargate::unselected,
        naming,
        unplaceable::{Unplaceable, unplaceable},
    },
    findings::{Findings, mention::Claim},
    model::{Model, placement::decision::RefusalCause},
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/pod-unplaceable.md"), check };

/// More would bury the finding they explain.
const SHOWN: usize = 6;

fn check(model: &Model, findings: &mut Findings) {
    let (found, others) = unplaceable(model);
    for (workload, silence) in others {
        findings.silent(workload, silence);
    }
    for unplaceable in found {
        report(&unplaceable, findings);
    }
    for pods in model.controller_pods() {
        let Some(diagnosis) = unselected(model, &pods) else { continue };
        let Some(namespace) = findings.fault(pods.report_span(), diagnosis) else { continue };
        let message = "Karpenter stays Pending: no Fargate profile selects its pods";
        let finding = findings.report(pods.report_span(), message).about(pods.subject());
        finding.help(format!(
            "Let a Fargate profile select namespace `{namespace}`, or give the cluster a node group"
        ));
    }
}

fn report(unplaceable: &Unplaceable<'_>, findings: &mut Findings) {
    let workload = unplaceable.workload;
    findings.asked_of(workload.report_span);
    let name = naming::workload(workload);
    let (span, message) = match unplaceable.demand.clone() {
        Some((RefusalCause::Label(key), span)) => {
            (span, format!("No node has the label `{key}` that {name} asks for"))
        }
        Some((RefusalCause::Resource(resource), span)) => {
            (span, format!("No node has as much `{resource}` as {name} asks for"))
        }
        Some((_, span)) => (span, format!("No node has what {name} asks for")),
        None => (workload.report_span, format!("No node takes the pods of {name}")),
    };
    let finding = findings.report(span, message);
    let mut reasons = Vec::new();
    for (taker, refusal) in unplaceable.refusals.iter().take(SHOWN) {
        let reason = format!("{}: {}", taker.title(), refusal.words);
        finding.note_elsewhere(refusal.because.unwrap_or(taker.report_span), reason.clone());
        reasons.push(reason);
    }
    if let Some(more) = unplaceable.refusals.len().checked_sub(SHOWN).filter(|it| *it > 0) {
        reasons.push(format!("and {more} more"));
    }
    if let Some((RefusalCause::Label(key), _)) = &unplaceable.demand {
        finding.unless_mentioned(Claim::NodeLabel(key.clone()));
    }
    finding.help(reasons.join("; ")).about(workload.subject.as_ref());
}
