//! The XML of `JUnit`, which every CI server shows as tests: a finding is a test that failed.

use std::fmt::Write;

use crate::{
    findings::{Finding, Severity},
    page::Page,
    report::{Report, markup::xml},
    rules,
};

/// The report as XML: a suite for each file with findings, and one test that passed where there are none.
#[must_use]
pub fn render(report: &Report) -> String {
    let failures = report.shown.iter().filter(|it| is_failure(it.finding)).count();
    let tests = report.shown.len().max(1);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    // Writing to memory does not fail, here and below.
    let _ = writeln!(
        text,
        "<testsuites name=\"karplint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    );
    if report.shown.is_empty() {
        text += "  <testsuite name=\"karplint\" tests=\"1\" failures=\"0\" errors=\"0\">\n";
        let _ = writeln!(
            text,
            "    <testcase classname=\"karplint\" name=\"{}\"/>",
            xml(&report.summary(Severity::Note))
        );
        text += "  </testsuite>\n";
    }
    for findings in report.shown.chunk_by(|a, b| a.finding.span.file == b.finding.span.file) {
        let Some(first) = findings.first() else { continue };
        let path = report.path(first.finding.span.file);
        let failures = findings.iter().filter(|it| is_failure(it.finding)).count();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">",
            xml(&path),
            findings.len()
        );
        for shown in findings {
            text += &case(report, shown.finding, &path);
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

/// A note does not fail a test.
fn is_failure(finding: &Finding) -> bool {
    finding.severity > Severity::Note
}

fn case(report: &Report, finding: &Finding, path: &str) -> String {
    let spot = report.spot(finding.span);
    let line = spot.start.line;
    let name = format!("{} at line {line}", finding.rule);
    let body = body(report, finding);
    let inside = if is_failure(finding) {
        format!(
            "<failure type=\"{}\" message=\"{}\">{}</failure>",
            finding.severity.word(),
            xml(&finding.message),
            xml(&body)
        )
    } else {
        format!("<system-out>{}</system-out>", xml(&body))
    };
    format!(
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{line}\">\n      {inside}\n    </testcase>\n",
        xml(finding.rule),
        xml(&name),
        xml(path)
    )
}

fn body(report: &Report, finding: &Finding) -> String {
    let head = format!("{}: {}", report.shown_place(finding.span), finding.message);
    let notes =
        finding.notes.iter().map(|it| format!("{}: {}", report.shown_place(it.span), it.message));
    let help = finding.help.iter().cloned();
    let page = rules::page(finding.rule).map(Page::url);
    let lines = [head].into_iter().chain(notes).chain(help).chain(page);
    lines.collect::<Vec<_>>().join("\n")
}
