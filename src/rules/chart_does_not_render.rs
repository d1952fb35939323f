use crate::{checks::rendering::failures, findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/chart-does-not-render.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for failure in failures(model) {
        let message = format!("The chart does not render: {}", failure.message);
        findings
            .report(failure.span, message)
            .note(failure.release.report_span, "this release installs it")
            .about(failure.release.subject.as_ref())
            .help("Give the release the value that this asks for, or correct the template");
    }
}
