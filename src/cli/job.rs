//! A project of a run of `karplint check`.

use crate::{
    config::{Config, file::ConfigMistake},
    findings::Severity,
    fix::Fixed,
    gate::refusal::Refusal,
    lint::LintResult,
    model::version_change::InstalledVersions,
    project::Project,
    report::{
        baseline::Baseline,
        choice::{Changes, Choice},
    },
    source::{FileId, Span},
};

/// A project of this run.
pub(super) struct Job {
    /// The project, with the texts that fixes gave it.
    pub project: Project,
    /// Its configuration.
    pub config: Config,
    /// What the baseline accepts.
    pub accepted: Option<Baseline>,
    /// What a branch changed.
    pub changes: Option<Changes>,
    /// The versions of the earlier state.
    pub versions: Vec<InstalledVersions>,
    /// What was found.
    pub outcome: LintResult,
    /// The files that fixes changed.
    pub fixed: Vec<Fixed>,
    /// The files that fixes would change and that are left as they are, with the reasons.
    pub left_alone: Vec<(FileId, Refusal)>,
    /// The findings whose fixes do not hold.
    pub unproven: Vec<Span>,
    /// What is wrong with the configs and keeps nobody from checking.
    pub config_warnings: Vec<ConfigMistake>,
}

impl Job {
    /// The findings that are reported from that severity on.
    #[must_use]
    pub(super) fn choice(&self, severity: Severity) -> Choice<'_> {
        let (baseline, changes) = (self.accepted.as_ref(), self.changes.as_ref());
        Choice { severity, baseline, changes, everywhere: false }
    }
}
