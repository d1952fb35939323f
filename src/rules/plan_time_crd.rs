use crate::{
    checks::plan_time::{TooLate, brought_too_late, planned},
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/plan-time-crd.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (resource, open) in planned(model) {
        let Some(diagnosis) = brought_too_late(model, resource) else { continue };
        let diagnosis = diagnosis.and_then(|it| open.map_or(Ok(it), Err));
        let fault = findings.fault(resource.report_span, diagnosis);
        let Some(TooLate { release, documented, switch }) = fault else { continue };
        let kind = resource.kinds.first().map_or("NodePool", String::as_str);
        let message = match switch {
            Some(name) => {
                format!("The plan fails that sets `{name}`: it brings the CRD of {kind}, too")
            }
            None => {
                format!("The first plan fails: the CRD of {kind} comes with a release of this root")
            }
        };
        let finding = findings
            .report(resource.report_span, message)
            .about(&resource.subject)
            .note(release.report_span, "installs the CRD, when it is applied")
            .help(
                "Use `kubectl_manifest` or a chart of your own, apply it in a root of its own, \
                 or apply the release first (`-target`)",
            );
        if let Some(comment) = documented {
            let words = format!("the order is known: {}", comment.words);
            finding.at_most(Severity::Note).note(comment.span, words);
        }
    }
}
