//! Checkstyle's XML, which Jenkins, reviewdog and many an editor read.

use std::fmt::Write;

use crate::{
    findings::Severity,
    report::{Report, markup::xml, shown::Shown},
};

/// The report as XML: the findings by file.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"10.0\">\n".to_owned();
    for findings in report.shown.chunk_by(|a, b| a.finding.span.file == b.finding.span.file) {
        let Some(first) = findings.first() else { continue };
        let path = report.path(first.finding.span.file);
        // Writing to memory does not fail, here and below.
        let _ = writeln!(text, "  <file name=\"{}\">", xml(&path));
        for shown in findings {
            text += &error(report, shown);
        }
        text += "  </file>\n";
    }
    text + "</checkstyle>\n"
}

fn error(report: &Report, shown: &Shown) -> String {
    let finding = shown.finding;
    let spot = report.spot(finding.span);
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "info",
    };
    format!(
        "    <error line=\"{}\" column=\"{}\" severity=\"{severity}\" message=\"{}\" source=\"karplint.{}\"/>\n",
        spot.start.line,
        spot.start.column,
        xml(&finding.message),
        finding.rule
    )
}
