//! Workflow commands: annotations that GitHub Actions shows beside the lines of a pull request.

use crate::{
    findings::{Finding, Severity},
    page::Page,
    report::{Report, markup::visible, summary},
    rules,
};

/// One command for each finding, and the summary as a line of the log unless `quiet`.
#[must_use]
pub fn render(report: &Report, quiet: bool) -> String {
    let mut text: String = report.shown.iter().map(|it| command(report, it.finding)).collect();
    if !quiet {
        text += &report.summary(Severity::Note);
        text.push('\n');
        text.extend(summary::remarks(report).iter().map(|it| format!("{}\n", visible(it))));
    }
    text
}

fn command(report: &Report, finding: &Finding) -> String {
    let spot = report.spot(finding.span);
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let (line, column) = (spot.start.line, spot.start.column);
    // GitHub takes columns only within one line.
    let columns = if line == spot.end.line {
        format!(",col={column},endColumn={}", spot.end.column.max(column))
    } else {
        String::new()
    };
    let place = format!("file={},line={line}{columns}", property(&visible(&spot.path)));
    format!(
        "::{word} {place},title={}::{}\n",
        property(finding.rule),
        data(&message(report, finding))
    )
}

/// The message, what to do, the places that make up the problem, and the page.
fn message(report: &Report, finding: &Finding) -> String {
    let help = finding.help.iter().cloned();
    let notes = finding.notes.iter().map(|it| {
        let spot = report.spot(it.span);
        format!("{}:{}: {}", spot.path, spot.start.line, it.message)
    });
    let page = rules::page(finding.rule).map(Page::url);
    let lines = [finding.message.clone()].into_iter().chain(help).chain(notes).chain(page);
    lines.map(|it| visible(&it)).collect::<Vec<_>>().join("\n")
}

/// Text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text of a property, which commas and colons would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
