//! One of the projects a report is about.

use std::collections::HashSet;

use crate::{
    config::file::ConfigMistake,
    findings::silence::Unreported,
    lint::LintResult,
    project::{Project, kind::FileKind, skipped::Skipped},
    report::{
        baseline::{AcceptedFinding, Baseline},
        choice::{Changes, Choice},
        fingerprint,
        shown::Shown,
    },
    source::{FileId, Span, parent},
};

/// A project that was checked.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The files and where they are.
    pub project: &'a Project,
    /// All that was found.
    pub outcome: &'a LintResult,
    /// What of it is shown.
    pub choice: Choice<'a>,
    /// What its configs say and the project contradicts.
    pub config_warnings: &'a [ConfigMistake],
}

/// What is shown of a project.
#[derive(Debug)]
pub struct Chosen<'a> {
    /// The findings, in order.
    pub shown: Vec<Shown<'a>>,
    /// What was skipped among the paths asked for.
    pub skipped: Vec<&'a Skipped>,
    /// How many findings there are allowed.
    pub allowed: usize,
    /// The subjects there that rules looked at and did not report.
    pub unreported: Vec<&'a Unreported>,
    /// How many files were asked for.
    pub files: usize,
    /// How many findings the baseline accepts.
    pub accepted: usize,
    /// How many findings are older than the changes.
    pub unchanged: usize,
}

impl<'a> Part<'a> {
    /// The findings in the files that were asked for, those of the choice.
    #[must_use]
    pub fn chosen(&self) -> Chosen<'a> {
        let Self { project, outcome, choice, .. } = *self;
        let inside = |span: Span| choice.everywhere || self.holds(span);
        let mut shown = self.found();
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
        let checked = |id: FileId, path: &str| {
            self.is_asked_for(path) && (FileKind::of(path).is_some() || found(id))
        };
        let files = project.files.iter().filter(|(id, file)| checked(*id, file.path())).count();
        Chosen {
            unchanged: asked_for - accepted - shown.len(),
            shown,
            accepted,
            skipped: outcome.skipped.iter().filter(|it| self.is_asked_for(&it.path)).collect(),
            allowed: outcome.allowed.iter().filter(|it| inside(it.span)).count(),
            unreported: outcome.unreported.iter().filter(|it| inside(it.span)).collect(),
            files,
        }
    }

    /// All findings with their fingerprints.
    fn found(&self) -> Vec<Shown<'a>> {
        let LintResult { findings, .. } = self.outcome;
        let fingerprints = fingerprint::of_all(&self.project.files, findings, &|it| it);
        let all = findings.iter().zip(fingerprints);
        all.map(|(finding, fingerprint)| Shown { finding, fingerprint }).collect()
    }

    /// Whether a place lies in the files that were asked for.
    #[must_use]
    pub fn holds(&self, span: Span) -> bool {
        self.is_asked_for(self.project.files.get(span.file).path())
    }

    fn is_asked_for(&self, path: &str) -> bool {
        let terraform =
            matches!(FileKind::of(path), Some(FileKind::Terraform | FileKind::Variables));
        self.project.is_asked_for(path) || terraform && self.outcome.planned.contains(parent(path))
    }
}

/// What the baselines accept and no rule reports any more in any of the projects, in the files asked for
/// and in deleted ones.
#[must_use]
pub fn gone<'a>(parts: &[Part<'a>]) -> Vec<&'a AcceptedFinding> {
    let found: Vec<Shown> = parts.iter().flat_map(Part::found).collect();
    let found: HashSet<&str> = found.iter().map(|it| it.fingerprint.as_str()).collect();
    let mut gone: Vec<&AcceptedFinding> = Vec::new();
    for baseline in parts.iter().filter_map(|it| it.choice.baseline) {
        for accepted in baseline.gone(&found) {
            let path = accepted.path.as_str();
            let missing = parts.iter().all(|it| it.project.files.find(path).is_none());
            let asked = || parts.iter().any(|it| it.is_asked_for(path));
            // One baseline may serve several projects.
            if (missing || asked()) && !gone.contains(&accepted) {
                gone.push(accepted);
            }
        }
    }
    gone
}
