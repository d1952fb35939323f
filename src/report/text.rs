//! The report for people: each finding with its source, help and page.

mod excerpt;

use std::fmt::{self, Write};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode, ThemeCharacters,
    ThemeStyles,
};

use crate::{
    findings::{Finding, Safety, Severity},
    report::{
        Report,
        markup::visible,
        text::excerpt::{Excerpts, wrapped},
        undecided,
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
}

/// The width of messages: a line without the symbol before it.
const MESSAGE: usize = 76;
/// The width of help: a line without the word before it.
const HELP: usize = 72;

/// All findings and, unless `quiet`, the summary line.
///
/// # Errors
/// None in practice: writing to memory does not fail.
pub fn render(report: &Report, look: Look, quiet: bool) -> Result<String, fmt::Error> {
    let handler = GraphicalReportHandler::new_themed(theme(look))
        .with_wrap_lines(false)
        .with_urls(false)
        .without_syntax_highlighting();
    let mut text = String::new();
    for shown in &report.shown {
        let diagnostic = Diagnosed::new(report, shown.finding);
        handler.render_report(&mut text, &diagnostic)?;
        if let Some(page) = rules::page(shown.finding.rule) {
            writeln!(text, "  page: {}", page.url())?;
        }
        text.push('\n');
    }
    if !quiet {
        text += &report.summary();
        text.push('\n');
        if let Some(open) = undecided::summary(report) {
            writeln!(text, "{open}")?;
        }
    }
    Ok(text)
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
    fn new(report: &Report, finding: &'a Finding) -> Self {
        Self {
            finding,
            message: wrapped(&visible(&finding.message), MESSAGE),
            help: help(finding).map(|it| wrapped(&it, HELP)),
            excerpts: Excerpts::of(report, finding),
        }
    }
}

/// The help of the finding, and how its fix is applied.
fn help(finding: &Finding) -> Option<String> {
    let fixed = finding.fix.as_ref().map(|fix| match fix.safety {
        Safety::Safe => "`--fix` does it",
        Safety::Unsafe => "`--unsafe-fixes` does it",
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
