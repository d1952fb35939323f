//! One line a finding: `path:line:column: severity rule message`.

use crate::report::{Report, group, markup::visible, shown::Shown, summary, text::Look};

/// All findings, errors first, and, unless `quiet`, the summary.
#[must_use]
pub fn render(report: &Report, look: Look, quiet: bool) -> String {
    let line = |it: &Shown| {
        let finding = it.finding;
        let (place, word) = (report.shown_place(finding.span), finding.severity.word());
        format!("{place}: {word} {} {}\n", finding.rule, visible(&finding.message))
    };
    let findings = group::by_severity(&report.shown, look.lowest).into_iter().flatten();
    let mut text: String = findings.map(line).collect();
    if !quiet {
        text += &summary::render(report, look.lowest, look.width);
    }
    text
}
