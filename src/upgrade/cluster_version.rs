//! Where versions of Kubernetes are written, and how another one is written there.

use crate::{
    checks::compatibility::kubernetes_versions_of,
    edits::edits,
    findings::{change::Change, edit::Edit},
    model::{Model, cluster::Cluster},
    project::Project,
    resolve::release::Release,
    source::{Files, Span},
    value::Kind,
    version::Version,
};

/// The version of Kubernetes that clusters have.
#[derive(Clone, Debug)]
pub struct ClusterVersion {
    /// The version.
    pub version: Version,
    /// Where it is written; `None` where only the configuration says it.
    pub span: Option<Span>,
    /// Whether it is written as a number.
    is_number: bool,
    /// Whether karplint may write there.
    is_asked_for: bool,
}

impl ClusterVersion {
    /// Those of the clusters a release is for, if all of them are known.
    pub(super) fn all_of(model: &Model, project: &Project, release: &Release) -> Vec<Self> {
        let found = kubernetes_versions_of(model, release).unwrap_or_default().into_iter();
        let mut all: Vec<Self> =
            found.map(|(version, span)| Self::new(model, project, version, span)).collect();
        all.sort_by_key(|it| it.span);
        all.dedup_by_key(|it| it.span);
        all
    }

    /// Those of all clusters that are known, and what the configuration says.
    pub(super) fn all(model: &Model, project: &Project) -> Vec<Self> {
        let known = |it: &Cluster| {
            let version = it.version.as_ref()?;
            Some(Self::new(model, project, version.known()?.clone(), Some(version.span())))
        };
        let assumed = model.assumed.kubernetes_version.clone();
        let assumed = assumed.map(|it| Self::new(model, project, it, None));
        let mut all: Vec<Self> = model.clusters.iter().filter_map(known).chain(assumed).collect();
        all.sort_by_key(|it| it.span);
        all.dedup_by_key(|it| it.span);
        all
    }

    fn new(model: &Model, project: &Project, version: Version, span: Option<Span>) -> Self {
        let clusters = model.clusters.iter().filter_map(|it| it.version.as_ref());
        let values = clusters.filter(|it| Some(it.span()) == span).filter_map(|it| it.value());
        let is_number = values.into_iter().any(|it| matches!(it.kind, Kind::Number(_)));
        let asked = |it: Span| project.is_asked_for(project.files.get(it.file).path());
        Self { version, span, is_number, is_asked_for: span.is_some_and(asked) }
    }

    /// The edits that write a version; none where that cannot be made sure.
    #[must_use]
    pub fn edits(&self, files: &Files, version: &Version) -> Vec<Edit> {
        let Some(span) = self.span.filter(|_| self.is_asked_for) else { return Vec::new() };
        let (old, new) = (minor(&self.version), minor(version));
        // As a number 1.30 is 1.3.
        let quoted = self.is_number && new.ends_with('0');
        let written = if quoted { format!("\"{new}\"") } else { new };
        let change = Change::reword(span, &old, &written);
        edits(files, &[change]).unwrap_or_default()
    }
}

/// "1.31"
#[must_use]
pub fn minor(version: &Version) -> String {
    format!("{}.{}", version.major, version.minor)
}
