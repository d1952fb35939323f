//! Which findings are shown.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{Finding, Severity},
    report::baseline::Baseline,
    source::{Files, Span},
};

/// What is shown of an outcome.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// From this severity upwards.
    pub severity: Severity,
    /// The fingerprints a baseline accepts.
    pub baseline: Option<&'a Baseline>,
    /// Only what these changes brought.
    pub changes: Option<&'a Changes>,
    /// Also what lies outside of the paths asked for.
    pub everywhere: bool,
}

/// What differs from an earlier state of the project.
#[derive(Debug, Default)]
pub struct Changes {
    /// The changed lines by path, as ranges of numbers counted from 0.
    pub lines: HashMap<String, Vec<std::ops::Range<usize>>>,
    /// The fingerprints of the findings of that state, under the names their files have now.
    pub before: HashSet<String>,
}

impl Choice<'_> {
    /// Everything.
    #[must_use]
    pub fn everything() -> Self {
        Self { severity: Severity::Note, baseline: None, changes: None, everywhere: false }
    }
}

impl Changes {
    /// Whether the changes brought a finding: it is new, or it, or a related place, is on a changed line.
    #[must_use]
    pub fn brought(&self, files: &Files, finding: &Finding, fingerprint: &str) -> bool {
        let places = finding.notes.iter().map(|it| it.span).chain([finding.span]);
        !self.before.contains(fingerprint) || places.into_iter().any(|it| self.touch(files, it))
    }

    fn touch(&self, files: &Files, span: Span) -> bool {
        let file = files.get(span.file);
        let Some(changed) = self.lines.get(file.path()) else { return false };
        let first = file.line_of(span.start as usize);
        let last = file.line_of((span.end as usize).saturating_sub(1).max(span.start as usize));
        changed.iter().any(|it| it.start <= last && first < it.end)
    }
}
