//! The library in one call: a folder in, findings with their places out.
//!
//! ```
//! use std::path::Path;
//!
//! let checked = karplint::check::folder(Path::new("fixtures/crds/terraform"))?;
//! for finding in checked.findings() {
//!     println!("{}:{}:{}: {}", finding.path, finding.line, finding.column, finding.message);
//! }
//! # assert!(checked.findings().any(|it| it.rule == "crds-not-skipped"));
//! # Ok::<(), String>(())
//! ```

use std::path::Path;

use crate::{
    findings::Severity,
    lint::{self, LintResult},
    load::{self, Loaded, Manner},
    project::{Project, boundary::Boundary},
    source::column::ColumnUnit,
};

/// A folder that was checked.
#[derive(Debug)]
pub struct Checked {
    project: Project,
    outcome: LintResult,
}

/// One finding, as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// The rule's name: `crds-not-skipped`.
    pub rule: &'a str,
    /// How bad it is, at the level that the configuration gives it.
    pub severity: Severity,
    /// The file, relative to the project's root, with `/` between folders.
    pub path: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: &'a str,
    /// What to do about it.
    pub help: Option<&'a str>,
}

/// Checks a folder with the `.karplint.yaml` files that are in force there. The whole repository around it is
/// read, because modules, overlays and values lie elsewhere; only findings inside the folder are given.
///
/// # Errors
/// When the folder cannot be read or the configuration has mistakes; a line for each.
pub fn folder(path: &Path) -> Result<Checked, String> {
    let boundary = Boundary::around(path).map_err(|error| error.to_string())?;
    let loaded = load::load(&boundary, Manner { here: Some(path), ..Manner::default() });
    let Loaded { project, config, .. } = loaded.map_err(|problem| problem.to_string())?;
    let outcome = lint::run(&project, &config);
    Ok(Checked { project, outcome })
}

impl Checked {
    /// What is wrong, by path and position; what comments and the configuration allow is left out.
    pub fn findings(&self) -> impl Iterator<Item = Found<'_>> {
        let found = self.outcome.findings.iter().map(|it| {
            let file = self.project.files.get(it.span.file);
            let position = file.position(it.span.start as usize, ColumnUnit::Characters);
            Found {
                rule: it.rule,
                severity: it.severity,
                path: file.path(),
                line: position.line,
                column: position.column,
                message: &it.message,
                help: it.help.as_deref(),
            }
        });
        found.filter(|it| self.project.is_asked_for(it.path))
    }

    /// The files and folders that were passed over, each with the reason.
    pub fn skipped(&self) -> impl Iterator<Item = (&str, &str)> {
        self.outcome.skipped.iter().map(|it| (it.path.as_str(), it.reason.as_str()))
    }
}
