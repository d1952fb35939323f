//! What one rule says of each subject it looked at.

use std::fmt::{self, Write};

use crate::{
    findings::{Finding, note::Note, silence::Silence},
    report::{Report, plural},
    source::{Span, column::ColumnUnit},
    visible::visible,
};

/// The width of the first column.
const WIDTH: usize = 12;

/// A verdict on one subject, ready to print.
struct Line<'a> {
    span: Span,
    /// What the rule asked about, of a finding.
    subject: Option<Span>,
    verdict: &'static str,
    words: &'a str,
    notes: &'a [Note],
    /// What allows a finding.
    by: Option<Span>,
}

/// How many places are named where the rule looks at nothing that was asked for.
const MOST: usize = 5;

/// The verdicts of the rule on what lies in the paths asked for, by place; those of one line where one is asked
/// for. A finding counts where it is, where its subject is and where a related place is. The report holds the
/// verdicts of this rule on the whole of each project.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub(crate) fn render(
    report: &Report,
    rule: &str,
    line: Option<usize>,
) -> Result<String, fmt::Error> {
    let mut all = lines(report);
    all.sort_by_cached_key(|it| {
        (report.part_of(it.span.file), report.file(it.span.file).path(), it.span.start)
    });
    let is_asked = |it: &Span| {
        report.parts[report.part_of(it.file)].holds(*it)
            && line.is_none_or(|line| line_of(report, *it) == line)
    };
    let (asked, others): (Vec<Line>, Vec<Line>) =
        all.into_iter().partition(|it| it.places().any(|it| is_asked(&it)));
    if asked.is_empty() {
        return Ok(nothing(report, rule, &others));
    }
    let mut text = String::new();
    for Line { span, verdict, words, notes, subject, by } in asked {
        writeln!(text, "{verdict:WIDTH$}{}", report.shown_place(span))?;
        writeln!(text, "{:WIDTH$}{}", "", visible(words))?;
        let subject = subject.filter(|it| line_of(report, *it) != line_of(report, span));
        for place in subject.into_iter().filter(|it| notes.iter().all(|note| note.span != *it)) {
            writeln!(text, "{:WIDTH$}{}: what the rule looked at", "", report.shown_place(place))?;
        }
        for Note { span, message } in notes {
            writeln!(text, "{:WIDTH$}{}: {}", "", report.shown_place(*span), visible(message))?;
        }
        if let Some(by) = by {
            writeln!(text, "{:WIDTH$}{}: what allows it", "", report.shown_place(by))?;
        }
    }
    Ok(text)
}

/// That the rule looks at nothing in the paths asked for, and where it does.
fn nothing(report: &Report, rule: &str, others: &[Line<'_>]) -> String {
    let asked = plural(report.files, "file");
    let head = format!("{rule} has nothing to look at in the {asked} asked for");
    if others.is_empty() {
        return head + ", nor elsewhere in the project\n";
    }
    let places = others.iter().take(MOST);
    let places = places.map(|it| format!("{:WIDTH$}{}\n", it.verdict, report.shown_place(it.span)));
    let more = others.len().saturating_sub(MOST);
    let more = if more > 0 { format!("and {more} more\n") } else { String::new() };
    format!("{head}; elsewhere in the project:\n{}{more}", places.collect::<String>())
}

impl Line<'_> {
    /// All places that it speaks of.
    fn places(&self) -> impl Iterator<Item = Span> {
        let notes = self.notes.iter().map(|it| it.span);
        [self.span].into_iter().chain(self.subject).chain(notes)
    }
}

fn lines<'a>(report: &Report<'a>) -> Vec<Line<'a>> {
    let allowed = |finding: &Finding| {
        let mut all = report.parts.iter().flat_map(|it| &it.outcome.allowed);
        all.find(|it| it.rule == finding.rule && it.span == finding.span).map(|it| it.by)
    };
    let reported = report.shown.iter().map(|it| {
        let by = allowed(it.finding);
        Line {
            span: it.finding.span,
            subject: it.finding.asked,
            verdict: if by.is_some() { "allowed" } else { "reported" },
            words: &it.finding.message,
            notes: &it.finding.notes,
            by,
        }
    });
    let unreported = report.unreported.iter().map(|it| {
        let verdict = match &it.silence {
            Silence::Sound(_) => "sound",
            Silence::Undecided(..) => "not decided",
        };
        let reason = it.silence.reason();
        let (words, notes) = (&reason.words, &reason.notes);
        Line { span: it.span, subject: None, verdict, words, notes, by: None }
    });
    reported.chain(unreported).collect()
}

fn line_of(report: &Report, span: Span) -> usize {
    report.file(span.file).position(span.start as usize, ColumnUnit::Characters).line
}
