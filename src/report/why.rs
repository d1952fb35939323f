//! What one rule says of each subject it looked at.

use std::fmt::{self, Write};

use crate::{
    findings::{note::Note, silence::Silence},
    report::{Report, plural},
    source::{Span, column::ColumnUnit},
};

/// The width of the first column.
const WIDTH: usize = 12;

/// A verdict on one subject, ready to print.
struct Line<'a> {
    span: Span,
    verdict: &'static str,
    words: &'a str,
    notes: &'a [Note],
}

/// All verdicts of the rule, by place; those of one line where one is asked for. The report holds the
/// verdicts of this rule alone.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub(crate) fn render(
    report: &Report,
    rule: &str,
    line: Option<usize>,
) -> Result<String, fmt::Error> {
    let mut lines = lines(report);
    lines.retain(|it| line.is_none_or(|line| line_of(report, it.span) == line));
    lines.sort_by_cached_key(|it| {
        (report.part_of(it.span.file), report.file(it.span.file).path(), it.span.start)
    });
    let mut text = String::new();
    if lines.is_empty() {
        writeln!(text, "{rule} has nothing to look at in {}", plural(report.files, "file"))?;
    }
    for Line { span, verdict, words, notes } in lines {
        writeln!(text, "{verdict:WIDTH$}{}", report.shown_place(span))?;
        writeln!(text, "{:WIDTH$}{words}", "")?;
        for Note { span, message } in notes {
            writeln!(text, "{:WIDTH$}{}: {message}", "", report.shown_place(*span))?;
        }
    }
    Ok(text)
}

fn lines<'a>(report: &Report<'a>) -> Vec<Line<'a>> {
    let reported = report.shown.iter().map(|it| Line {
        span: it.finding.span,
        verdict: "reported",
        words: &it.finding.message,
        notes: &it.finding.notes,
    });
    let unreported = report.unreported.iter().map(|it| {
        let verdict = match &it.silence {
            Silence::Sound(_) => "sound",
            Silence::Undecided(..) => "not decided",
        };
        let reason = it.silence.reason();
        Line { span: it.span, verdict, words: &reason.words, notes: &reason.notes }
    });
    reported.chain(unreported).collect()
}

fn line_of(report: &Report, span: Span) -> usize {
    report.file(span.file).position(span.start as usize, ColumnUnit::Characters).line
}
