//! One line a finding: `path:line:column: severity rule message`.

use crate::report::{Report, group, markup::visible, summary, text::Look};

/// All findings, errors first, and, unless `quiet`, the summary.
#[must_use]
pub fn render(report: &Report, look: Look, quiet: bool) -> String {
    let mut text = String::new();
    for it in group::by_severity(&report.shown, look.lowest()).into_iter().flatten() {
        let finding = it.finding;
        let (place, word) = (report.shown_place(finding.span), finding.severity.word());
        text += &format!("{place}: {word} {} {}\n", finding.rule, visible(&finding.message));
    }
    if !quiet {
        text += &summary::render(report, look.shows_notes);
    }
    text
}
