use crate::{
    checks::rendering::{FailureKind, renderings},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/chart-does-not-render.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (release, rendering) in renderings(model) {
        let Some(failure) = findings.fault(release.report_span, rendering) else { continue };
        let message = format!("The chart does not render: {}", failure.message);
        findings
            .report(failure.span, message)
            .note(release.report_span, "this release installs it")
            .about(release.subject.as_ref())
            .help(match failure.kind {
                FailureKind::Syntax => {
                    "Correct the template: Helm cannot parse it, whatever the values"
                }
                FailureKind::Template => {
                    "Define the template in the chart, or in a chart that it depends on: no value changes this"
                }
                FailureKind::File => {
                    "Put the file that this reads into the folder of the chart, outside of `templates`"
                }
                FailureKind::Chart => {
                    "Correct the chart, or install another: no value changes this"
                }
                FailureKind::Values => {
                    "Give the release the value that this asks for, or correct the template"
                }
            });
    }
}
