use crate::{
    checks::conversion::{TurnedOff, turned_off},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/conversion-webhook-disabled.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = turned_off(model, controller);
        let Some(off) = findings.fault(controller.report_span, diagnosis) else { continue };
        let (conversion, help) = (&off.conversion, help(&off));
        let fail = conversion.fails();
        let message = format!("Conversions {fail}: the CRDs call the webhook that this turns off");
        let finding = findings.report(off.span, message);
        finding
            .note_elsewhere(conversion.crds.version.span(), "CRDs of this version call the webhook")
            .notes(off.steps)
            .about(controller.subject.as_ref())
            .unless_mentioned(conversion.unless_mentioned.clone())
            .help(help);
        conversion.qualify(finding);
    }
}

/// What makes conversions work: a webhook that is on, where the CRDs call it.
fn help(off: &TurnedOff<'_>) -> &'static str {
    match (off.is_elsewhere, off.conversion.is_of_one_chart()) {
        (false, _) => "Leave the webhook on until Karpenter 1.1, which has none",
        (true, true) => {
            "Leave the webhook on until Karpenter 1.1, which has none, and install into `kube-system` as `karpenter`, \
             where these CRDs call it, or install them by `karpenter-crd`"
        }
        (true, false) => {
            "Leave the webhook on until Karpenter 1.1, which has none, and let `webhook.serviceNamespace` and \
             `serviceName` of `karpenter-crd` name it"
        }
    }
}
