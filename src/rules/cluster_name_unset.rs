use crate::{
    checks::{
        chart_value::unset::{Needed, unset},
        rendered_controller,
    },
    findings::{Findings, Safety},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/cluster-name-unset.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = unset(model, controller, Needed::ClusterName);
        let Some(unset) = findings.fault(controller.report_span, diagnosis) else { continue };
        let message = if unset.refused {
            "The chart is not installed without the cluster's name"
        } else {
            "Karpenter does not start without the cluster's name"
        };
        let finding = findings.report(unset.span, message);
        if let Some((place, version)) = &unset.version {
            finding.note_elsewhere(*place, format!("chart {version} is installed"));
        }
        if let Some(former) = &unset.former {
            let name = &former.path;
            let words = match &unset.missing_key {
                Some(key) => format!("`{name}` has no effect outside of `{key}`"),
                None => format!("`{name}` has no effect in this version"),
            };
            finding.note_elsewhere(former.span, words);
            let rename = former.whole.as_ref().and_then(|it| it.rename.clone());
            finding.offer(format!("Use `{}`", unset.path), Safety::Safe, rename);
        }
        finding.about(unset.subject.as_ref());
        finding.help(match &unset.missing_key {
            Some(key) if unset.to_indent => format!(
                "Indent the values for Karpenter below `{key}`: they lack that key, where this chart reads its own"
            ),
            _ => unset.help("the EKS cluster"),
        });
    }
    for controller in rendered_controller::rendered(model) {
        let diagnosis = rendered_controller::unset(model, controller, Needed::ClusterName);
        let Some(unset) = findings.fault(controller.1.report_span, diagnosis) else { continue };
        findings
            .report(unset.span, "Karpenter does not start without the cluster's name")
            .about(unset.subject.as_ref())
            .help(unset.help("the EKS cluster"));
    }
}
