//! What is shown of an outcome, and the choice of format.

pub(crate) mod baseline;
pub mod checkstyle;
pub mod choice;
pub mod concise;
pub(crate) mod fingerprint;
pub mod github;
pub mod gitlab;
pub(crate) mod group;
pub mod html;
pub mod json;
pub mod junit;
mod lines;
pub mod markdown;
pub(crate) mod markup;
pub mod sarif;
pub(crate) mod shown;
pub mod statistics;
pub(crate) mod summary;
pub mod text;
pub(crate) mod undecided;
pub(crate) mod way;
pub(crate) mod why;

use std::path::Path;

use crate::{
    findings::{Severity, note::Note, silence::Unreported},
    lint::LintResult,
    project::{Project, kind::FileKind, skipped::Skipped},
    report::{
        baseline::{AcceptedFinding, Baseline},
        choice::{Changes, Choice},
        shown::Shown,
        way::DisplayPaths,
    },
    source::{FileId, Span, column::ColumnUnit, parent},
};

/// Everything a format needs.
#[derive(Debug)]
pub struct Report<'a> {
    /// The files and where they are.
    pub project: &'a Project,
    /// All that was found.
    pub outcome: &'a LintResult,
    /// The findings to show, in order.
    pub shown: Vec<Shown<'a>>,
    /// What was skipped among the paths asked for.
    pub skipped: Vec<&'a Skipped>,
    /// How many findings there are allowed.
    pub allowed: usize,
    /// What could not be evaluated there.
    pub unknowns: Vec<&'a Note>,
    /// The subjects there that rules looked at and did not report.
    pub unreported: Vec<&'a Unreported>,
    /// How many files were asked for.
    pub files: usize,
    /// How many findings the baseline accepts.
    pub accepted: usize,
    /// What the baseline accepts and no rule reports any more, in the files asked for and in
    /// deleted ones.
    pub gone: Vec<&'a AcceptedFinding>,
    /// How many findings are older than the changes.
    pub unchanged: usize,
    /// The path from the working directory to the project's root.
    way: DisplayPaths,
}

impl<'a> Report<'a> {
    /// The findings of `outcome` in the files that were asked for, those of the choice.
    #[must_use]
    pub fn new(
        project: &'a Project,
        outcome: &'a LintResult,
        working_directory: &Path,
        choice: Choice<'a>,
    ) -> Self {
        let asked = |path: &str| {
            let terraform =
                matches!(FileKind::of(path), Some(FileKind::Terraform | FileKind::Variables));
            project.is_asked_for(path) || terraform && outcome.planned.contains(parent(path))
        };
        let inside = |span: Span| asked(project.files.get(span.file).path());
        let fingerprints = fingerprint::of_all(&project.files, &outcome.findings, &|it| it);
        let all = outcome.findings.iter().zip(fingerprints);
        let mut shown: Vec<Shown> =
            all.map(|(finding, fingerprint)| Shown { finding, fingerprint }).collect();
        let gone = choice.baseline.map_or_else(Vec::new, |baseline| {
            let found = shown.iter().map(|it| it.fingerprint.as_str()).collect();
            let missing = |path: &str| project.files.find(path).is_none();
            let mut gone = baseline.gone(&found);
            gone.retain(|it| asked(&it.path) || missing(&it.path));
            gone
        });
        shown.retain(|it| it.finding.severity >= choice.severity && inside(it.finding.span));
        let asked_for = shown.len();
        let accepted = choice.baseline.map(Baseline::fingerprints).unwrap_or_default();
        shown.retain(|it| !accepted.contains(it.fingerprint.as_str()));
        let accepted = asked_for - shown.len();
        let brought = |it: &Shown, changes: &Changes| {
            changes.brought(&project.files, it.finding, &it.fingerprint)
        };
        shown.retain(|it| choice.changes.is_none_or(|changes| brought(it, changes)));
        // A template is no file of a kind, but a finding may lie in it.
        let found = |id: FileId| shown.iter().any(|it| it.finding.span.file == id);
        let checked =
            |id: FileId, path: &str| asked(path) && (FileKind::of(path).is_some() || found(id));
        let files = project.files.iter().filter(|(id, file)| checked(*id, file.path())).count();
        Self {
            project,
            outcome,
            unchanged: asked_for - accepted - shown.len(),
            shown,
            accepted,
            gone,
            skipped: outcome.skipped.iter().filter(|it| asked(&it.path)).collect(),
            allowed: outcome.allowed.iter().filter(|it| inside(**it)).count(),
            unknowns: outcome.unknowns.iter().filter(|it| inside(it.span)).collect(),
            unreported: outcome.unreported.iter().filter(|it| inside(it.span)).collect(),
            files,
            way: DisplayPaths::new(&project.root, working_directory),
        }
    }

    /// Whether the project shows that Karpenter is used.
    #[must_use]
    pub fn uses_karpenter(&self) -> bool {
        self.outcome.model.uses_karpenter
    }

    /// The questions that were not decided.
    pub fn undecided(&self) -> impl Iterator<Item = &'a Unreported> {
        self.unreported.iter().copied().filter(|it| it.silence.cause().is_some())
    }

    /// How many findings of that severity are shown.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.shown.iter().filter(|it| it.finding.severity == severity).count()
    }

    /// The highest severity shown.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.shown.iter().map(|it| it.finding.severity).max()
    }

    /// A path relative to the root as the user would write it: relative to the working directory.
    #[must_use]
    pub fn shown_path(&self, path: &str) -> String {
        self.way.shown(path)
    }

    /// A place as `path:line:column`, the path as the user would write it.
    #[must_use]
    pub fn shown_place(&self, span: Span) -> String {
        let file = self.project.files.get(span.file);
        let at = file.position(span.start as usize, ColumnUnit::Characters);
        format!("{}:{}:{}", self.shown_path(file.path()), at.line, at.column)
    }

    /// "2 errors, 1 warning in 14 files (1 allowed)".
    #[must_use]
    pub fn summary(&self) -> String {
        let kinds = [Severity::Error, Severity::Warning, Severity::Note];
        let counts = kinds.map(|it| (self.count(it), it.word())).into_iter().filter(|it| it.0 > 0);
        if self.files == 0 {
            return "nothing to check: no Terraform, YAML or JSON file here".to_owned();
        }
        let mut found: Vec<_> = counts.map(|(count, word)| plural(count, word)).collect();
        if found.is_empty() {
            found.push("no findings".to_owned());
        }
        let mut remarks = Vec::new();
        if self.allowed > 0 {
            remarks.push(format!("{} allowed", self.allowed));
        }
        if self.accepted > 0 {
            remarks.push(format!("{} in the baseline", self.accepted));
        }
        if self.unchanged > 0 {
            remarks.push(format!("{} were there before", self.unchanged));
        }
        if !self.skipped.is_empty() {
            remarks.push(format!("{} not read", plural(self.skipped.len(), "file")));
        }
        if !self.unknowns.is_empty() {
            let releases = plural(self.unknowns.len(), "release");
            let verb = if self.unknowns.len() == 1 { "has" } else { "have" };
            remarks.push(format!("{releases} {verb} an unknown version"));
        }
        let remarks =
            if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join(", ")) };
        format!("{} in {}{remarks}", found.join(", "), plural(self.files, "file"))
    }
}

/// "1 file", "2 files".
#[must_use]
pub fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
