use crate::{
    checks::{conversion::conversions, varying::is_namespace_varying},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/crd-webhook-elsewhere.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for conversion in conversions(model) {
        let (controller, crds) = (conversion.controller, conversion.crds);
        if is_namespace_varying(model, controller) || is_namespace_varying(model, crds) {
            continue;
        }
        let namespace = conversion.misses_namespace();
        let miss = namespace.clone().or_else(|| conversion.misses_service());
        let Some(miss) = miss else { continue };
        let (called, ours) = (&miss.called, &miss.controller);
        let message = if namespace.is_some() {
            format!("Conversions fail: the CRDs call `{called}`, Karpenter is in `{ours}`")
        } else {
            format!("Conversions fail: the CRDs call service `{called}`, not `{ours}`")
        };
        findings
            .report(miss.span, message)
            .note_elsewhere(miss.at, "the controller is here")
            .note_elsewhere(crds.version.span(), "CRDs of this version call a webhook")
            .about(controller.subject.as_ref())
            .unless_mentioned(conversion.unless_mentioned.clone())
            .help(if controller.report_span == crds.report_span {
                "Install into `kube-system` as `karpenter`, or the CRDs by `karpenter-crd`"
            } else {
                "Let `webhook.serviceNamespace` and `serviceName` of `karpenter-crd` name it"
            });
    }
}
