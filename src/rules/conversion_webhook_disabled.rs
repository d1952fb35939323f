use crate::{checks::conversion::conversions, findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/conversion-webhook-disabled.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for conversion in conversions(model) {
        let Some((span, steps)) = conversion.is_turned_off() else { continue };
        let (controller, crds) = (conversion.controller, conversion.crds);
        findings
            .report(span, "Conversions fail: the CRDs call the webhook that this turns off")
            .note_elsewhere(crds.version.span(), "CRDs of this version call the webhook")
            .notes(steps)
            .about(controller.subject.as_ref())
            .unless_mentioned(conversion.unless_mentioned)
            .help("Leave the webhook on until Karpenter 1.1, which has none");
    }
}
