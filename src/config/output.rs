//! How findings are reported and which of them fail a check: what the command line and the config both say.

use clap::ValueEnum;

use crate::findings::Severity;

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One line a finding.
    Concise,
    /// For programs.
    Json,
    /// For code scanning.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// GitLab's code quality report.
    Gitlab,
    /// Tests, for CI servers.
    Junit,
    /// For Jenkins, reviewdog and editors.
    Checkstyle,
    /// A comment for a pull request.
    Markdown,
    /// A page with a search.
    Html,
}

impl Format {
    /// Whether programs find the edits of fixes in it, which they may make.
    #[must_use]
    pub fn has_edits(self) -> bool {
        matches!(self, Self::Json | Self::Sarif)
    }

    /// What it is called on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Concise => "concise",
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Checkstyle => "checkstyle",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

/// From which severity to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors.
    Error,
    /// Errors and warnings.
    Warning,
    /// Anything.
    Note,
    /// Nothing.
    Never,
}

impl FailOn {
    /// Whether a finding of that severity is a failure.
    #[must_use]
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity >= Severity::Error,
            Self::Warning => severity >= Severity::Warning,
            Self::Note => true,
            Self::Never => false,
        }
    }
}
