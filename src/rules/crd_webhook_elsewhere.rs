use crate::{
    checks::conversion::{AddressPart, misplaced},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-webhook-elsewhere.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = misplaced(model, controller);
        let Some(miss) = findings.fault(controller.report_span, diagnosis) else { continue };
        let (called, ours, conversion) = (&miss.called, &miss.controller, &miss.conversion);
        let fail = conversion.fails();
        let message = match miss.part {
            AddressPart::Namespace => {
                format!("Conversions {fail}: the CRDs call `{called}`, Karpenter is in `{ours}`")
            }
            AddressPart::Service => {
                format!("Conversions {fail}: the CRDs call service `{called}`, not `{ours}`")
            }
        };
        let finding = findings.report(miss.span, message);
        finding
            .note_elsewhere(miss.at, "where the controller is")
            .note_elsewhere(conversion.crds.version.span(), "CRDs of this version call a webhook")
            .about(controller.subject.as_ref())
            .unless_mentioned(conversion.unless_mentioned.clone())
            .help(if controller.report_span == conversion.crds.report_span {
                "Install into `kube-system` as `karpenter`, or the CRDs by `karpenter-crd`; from 1.1 on, once all is stored as v1, there is no webhook"
            } else {
                "Let `webhook.serviceNamespace` and `serviceName` of `karpenter-crd` name it"
            });
        conversion.qualify(finding);
    }
}
