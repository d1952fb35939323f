//! The report for people: each finding with its source, help and page.

mod excerpt;

use std::{
    collections::HashSet,
    fmt::{self, Write},
};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters,
    ThemeStyles,
};

use crate::{
    findings::{Finding, Safety, Severity},
    report::{
        Report, group,
        markup::visible,
        shown::Shown,
        summary,
        text::excerpt::Excerpts,
        wrap::{hanging, wrapped},
    },
    rules,
};

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Colours.
    pub color: bool,
    /// Frames and symbols beyond ASCII.
    pub unicode: bool,
    /// Columns of a line.
    pub width: usize,
    /// The lowest severity that is shown; what is below is counted.
    pub lowest: Severity,
    /// Whether all places of a group are listed.
    pub lists_all: bool,
}

/// What is before a message on its line: the symbol.
const BEFORE_MESSAGE: usize = 4;
/// What is before help on its line: the word.
const BEFORE_HELP: usize = 8;
/// Further places of a group that are listed.
const PLACES: usize = 8;

/// The findings, errors first, those of one group as one block, and, unless `quiet`, the summary.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub fn render(report: &Report, look: Look, quiet: bool) -> Result<String, fmt::Error> {
    let handler = GraphicalReportHandler::new_themed(theme(look))
        .with_wrap_lines(false)
        .with_urls(false)
        .without_syntax_highlighting();
    let mut text = String::new();
    let mut pages = HashSet::new();
    for group in group::by_severity(&report.shown, look.lowest) {
        let Some((first, others)) = group.split_first() else { continue };
        let diagnostic = Diagnosed::new(report, first.finding, look.width);
        handler.render_report(&mut text, &diagnostic)?;
        let listed = if look.lists_all { others.len() } else { others.len().min(PLACES) };
        for other in &others[..listed] {
            let place = further_place(report, first, other);
            writeln!(text, "  {}", hanging(&place, look.width, "        "))?;
        }
        if others.len() > listed {
            writeln!(text, "  and {} more, `-v` lists them", others.len() - listed)?;
        }
        let page = rules::page(first.finding.rule).filter(|it| pages.insert(it.name));
        if let Some(page) = page {
            writeln!(text, "  page: {}", page.url())?;
        }
        text.push('\n');
    }
    if !quiet {
        text += &summary::render(report, look.lowest, look.width);
    }
    Ok(text)
}

/// A further place of a group, with its message where that is another.
fn further_place(report: &Report, first: &Shown, it: &Shown) -> String {
    let place = report.shown_place(it.finding.span);
    if it.finding.message == first.finding.message {
        return format!("also: {place}");
    }
    format!("also: {place}: {}", visible(&it.finding.message))
}

fn theme(look: Look) -> GraphicalTheme {
    let mut characters =
        if look.unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() };
    if !look.unicode {
        characters.error = "error:".into();
        characters.warning = "warning:".into();
        characters.advice = "note:".into();
    }
    let styles = if look.color { ThemeStyles::ansi() } else { ThemeStyles::none() };
    GraphicalTheme { characters, styles }
}

/// A finding as miette's diagnostic.
#[derive(Debug)]
struct Diagnosed<'a> {
    finding: &'a Finding,
    message: String,
    help: Option<String>,
    excerpts: Excerpts,
}

impl<'a> Diagnosed<'a> {
    fn new(report: &Report, finding: &'a Finding, width: usize) -> Self {
        Self {
            finding,
            message: wrapped(&visible(&finding.message), width - BEFORE_MESSAGE),
            help: help(finding).map(|it| wrapped(&it, width - BEFORE_HELP)),
            excerpts: Excerpts::of(report, finding),
        }
    }
}

/// The help of the finding, and how its fix is applied. Whether it holds is known once it is made.
fn help(finding: &Finding) -> Option<String> {
    let fixed = finding.fix.as_ref().map(|fix| match fix.safety {
        Safety::Safe => "`--fix` offers it",
        Safety::Unsafe => "`--unsafe-fixes` offers it",
    });
    let help = finding.help.as_deref().or(finding.fix.as_ref().map(|it| it.title.as_str()));
    let help = help.map(visible)?;
    Some(fixed.map_or_else(|| help.clone(), |fixed| format!("{help} ({fixed})")))
}

impl fmt::Display for Diagnosed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Diagnosed<'_> {}

impl Diagnostic for Diagnosed<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        Some(Box::new(self.finding.rule))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        self.help.as_ref().map(|it| Box::new(it) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpts)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.excerpts.labels()))
    }
}
