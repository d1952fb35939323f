//! A comment for a pull request: a table of the findings, and each one folded.

use crate::{
    findings::{Finding, Severity},
    report::{
        Report,
        markup::{cell, fenced, markdown, place, unlinked, visible, xml},
        plural,
        shown::Shown,
        summary,
    },
    rules,
    source::Span,
};

/// GitHub rejects longer comments, in characters; GitLab takes a million.
const LONGEST: usize = 65_536;
/// What the sentence about those left out needs.
const ROOM: usize = 200;

/// The comment. Where it would be too long, the least severe findings are only counted.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut sorted: Vec<&Shown> = report.shown.iter().collect();
    sorted.sort_by_key(|it| std::cmp::Reverse(it.finding.severity));
    let remark = |it: &String| format!("\n{}\n", markdown(it));
    let remarks: String = summary::remarks(report).iter().map(remark).collect();
    let head = format!("## karplint\n\n{}\n{remarks}", markdown(&report.summary(Severity::Note)));
    if sorted.is_empty() {
        return head;
    }
    let table = "\n| | Place | What | Rule |\n|---|---|---|---|\n";
    let mut left = LONGEST.saturating_sub(head.len() + table.len() + ROOM);
    let (mut rows, mut details, mut shown) = (String::new(), String::new(), 0);
    for finding in sorted.iter().map(|it| it.finding) {
        let row = row(report, finding);
        let detail = detail(report, finding);
        let Some(less) = left.checked_sub(row.len() + detail.len()) else { break };
        left = less;
        rows += &row;
        details += &detail;
        shown += 1;
    }
    let missing = sorted.len() - shown;
    let more = match missing {
        0 => String::new(),
        _ => format!(
            "\n{} more, the least severe, found no room here.\n",
            plural(missing, "finding")
        ),
    };
    format!("{head}{table}{rows}{more}\n{details}")
}

fn sign(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => ":x: error",
        Severity::Warning => ":warning: warning",
        Severity::Note => ":information_source: note",
    }
}

fn place_of(report: &Report, span: Span) -> String {
    let spot = report.spot(span);
    place(&spot.path, spot.start.line)
}

fn rule(finding: &Finding) -> String {
    let page = rules::page(finding.rule);
    page.map_or_else(|| finding.rule.to_owned(), |it| format!("[{}]({})", it.name, it.url()))
}

fn row(report: &Report, finding: &Finding) -> String {
    let message = cell(&finding.message);
    let (sign, place, rule) =
        (sign(finding.severity), place_of(report, finding.span), rule(finding));
    format!("| {sign} | {place} | {message} | {rule} |\n")
}

fn detail(report: &Report, finding: &Finding) -> String {
    let spot = report.spot(finding.span);
    let lines = report.lines(finding.span);
    let width = lines.last().map_or(1, |it| it.number.to_string().len());
    let line = |number: usize, text: &str, mark: char| {
        format!("{mark} {number:>width$} | {}", visible(text))
    };
    let source: Vec<String> = lines
        .iter()
        .map(|it| line(it.number, it.text, if it.is_meant { '>' } else { ' ' }))
        .collect();
    let notes = finding
        .notes
        .iter()
        .map(|it| format!("- {}: {}\n", place_of(report, it.span), markdown(&it.message)));
    let help = finding.help.iter().map(|it| format!("\n**{}.**\n", markdown(it)));
    let notes: String = notes.collect();
    let help: String = help.collect();
    let title = format!("{}:{} {}", spot.path, spot.start.line, finding.rule);
    format!(
        "<details><summary>{}</summary>\n\n{}\n\n{}{notes}{help}\n</details>\n",
        xml(&unlinked(&visible(&title))),
        markdown(&finding.message),
        fenced(&source.join("\n"), ""),
    )
}
