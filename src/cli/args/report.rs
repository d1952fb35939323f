//! What may be written on the command line about reports.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::config::{did_you_mean, output::Format};

/// Reports that were written.
#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Join the JSON reports of many repositories: counts by rule and by owner, and what is new
    Merge(Merge),
}

/// Join the JSON reports of many repositories.
#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Reports of `karplint check --format json`. The name of a repository is `OWNER/REPOSITORY`; without one, those
    /// of the file and of its folder: `payments/shop.json`
    #[arg(required = true, value_name = "[NAME=]FILE", value_parser = NamedReport::parse)]
    pub reports: Vec<NamedReport>,
    /// An earlier merged report in JSON: what it lacks is marked as new
    #[arg(long, value_name = "FILE")]
    pub since: Option<PathBuf>,
    /// The form of the merged report
    #[arg(long, value_enum, default_value_t)]
    pub format: MergedFormat,
    /// Write it to a file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A report and the name of its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedReport {
    /// The name, where one is given.
    pub name: Option<String>,
    /// The report.
    pub file: PathBuf,
}

impl NamedReport {
    /// Reads `shop.json` or `payments/shop=out.json`.
    #[expect(clippy::unnecessary_wraps, reason = "clap asks for it")]
    fn parse(text: &str) -> Result<Self, String> {
        Ok(match text.split_once('=') {
            Some((name, file)) => Self { name: Some(name.to_owned()), file: PathBuf::from(file) },
            None => Self { name: None, file: PathBuf::from(text) },
        })
    }
}

/// The form of a merged report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergedFormat {
    /// For programs, and for the next `--since`.
    #[default]
    Json,
    /// A page.
    Html,
    /// A log with a run for each repository.
    Sarif,
}

/// A report that is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportRequest {
    /// Its form.
    pub format: Format,
    /// Where it goes; standard output, or what `--output` says, if that is not written.
    pub file: Option<PathBuf>,
}

impl ReportRequest {
    /// Reads `sarif` or `sarif=out.sarif`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, file) = match text.split_once('=') {
            Some((_, "")) => return Err("a file's name belongs behind the `=`".to_owned()),
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = Format::from_str(name, false).map_err(|_| {
            let names: Vec<&str> = Format::value_variants().iter().map(|it| it.name()).collect();
            let hint = did_you_mean(name, names.iter().copied());
            format!("there is no such form{hint}; there are {}", names.join(", "))
        })?;
        Ok(Self { format, file })
    }
}
