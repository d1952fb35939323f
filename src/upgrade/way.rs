//! The way of a Karpenter to another version.

use crate::{
    findings::Fix,
    knowledge::upgrade::{Ask, Moment},
    lint::LintResult,
    source::{Files, Span},
    upgrade::{
        cluster_version::{ClusterVersion, minor},
        karpenter::{Karpenter, Running},
        version_place::VersionPlace,
    },
    version::Version,
};

/// The way of one Karpenter.
#[derive(Debug)]
pub struct Upgrade {
    /// It, as it runs now.
    pub karpenter: Karpenter,
    /// Where it shall be; `None` where nothing names a version and the one that runs is not known.
    pub to: Option<Version>,
    /// The steps, the first one first.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug)]
pub struct Step {
    /// Karpenter's version at its end.
    pub version: Version,
    /// The version of Kubernetes, where that is what the step changes.
    pub kubernetes: Option<Version>,
    /// The stop before it that may not be left out.
    pub forbidden_without: Option<Version>,
    /// What must change in the repository, as the findings of a run.
    pub changes: LintResult,
    /// What must be done on the cluster.
    pub asks: Vec<Ask>,
    /// What raises the modules that are asked about.
    pub fixes: Vec<Fix>,
}

impl Upgrade {
    /// "0.37.2 → 1.0.14 → 1.14.1", with another sign between.
    pub(super) fn way(&self, arrow: &str) -> String {
        let steps = self.steps.iter().filter(|it| it.kubernetes.is_none());
        let steps = steps.map(|it| it.version.to_string());
        let versions: Vec<String> = [self.from()].into_iter().chain(steps).collect();
        versions.join(arrow)
    }

    /// The version that runs, or what is written in its place.
    pub(super) fn from(&self) -> String {
        match &self.karpenter.from {
            Running::Version(version) => version.to_string(),
            Running::Unknown(text) => text.clone(),
        }
    }

    /// How many changes there are.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.steps.iter().map(|it| it.changes.findings.len()).sum()
    }

    /// Where the version of the first open step is written, and how: `` write `1.0.14` ``; for those that `--fix`
    /// cannot write, with what does.
    pub(super) fn version_lines(&self, files: &Files, step: &Step) -> Vec<(Span, String)> {
        if let Some(version) = &step.kubernetes {
            return self.kubernetes_lines(files, version);
        }
        let places = self.karpenter.places.iter();
        let line = |it: &VersionPlace| {
            let by = it.by_hand(files, &step.version).map_or(String::new(), |it| format!(" {it}"));
            (it.span, format!("write `{}`{by}", it.text(&step.version)))
        };
        let mut lines: Vec<(Span, String)> = places.map(line).collect();
        lines.sort();
        lines.dedup();
        lines
    }

    fn kubernetes_lines(&self, files: &Files, version: &Version) -> Vec<(Span, String)> {
        let behind = self.karpenter.clusters.iter().filter(|it| it.version < *version);
        let line = |it: &ClusterVersion| {
            // At a later step the line has another version by then.
            let before = Version::new(version.major, version.minor.saturating_sub(1), 0);
            let is_next = it.version.line() == before.line();
            let is_written = !is_next || !it.edits(files, version).is_empty();
            let by_hand =
                if is_written { "" } else { " by hand: it is put together of several values" };
            Some((it.span?, format!("write `{}`{by_hand}", minor(version))))
        };
        behind.filter_map(line).collect()
    }
}

impl Step {
    /// One to that version of Karpenter, without more.
    #[must_use]
    pub(super) fn to(version: &Version) -> Self {
        Self {
            version: version.clone(),
            kubernetes: None,
            forbidden_without: None,
            changes: LintResult::default(),
            asks: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// What it asks for before or after the controller is replaced.
    pub fn asks_at(&self, when: Moment) -> impl Iterator<Item = &Ask> {
        self.asks.iter().filter(move |it| it.when == when)
    }

    /// "0.37.8", or "Kubernetes 1.35".
    pub(super) fn title(&self) -> String {
        let kubernetes = self.kubernetes.as_ref();
        kubernetes
            .map_or_else(|| self.version.to_string(), |it| format!("Kubernetes {}", minor(it)))
    }
}
