//! The Karpenters of a repository, and where their versions are written.

use std::collections::BTreeSet;

use crate::{
    checks::varying::is_version_varying,
    findings::edit::Edit,
    knowledge::upgrade::tag,
    model::{Model, installation::Installation, supposed::Written},
    project::Project,
    resolve::release::{Release, applied_crds::AppliedCrds, chart_version::Pin},
    source::{Files, Span, aside, parent},
    value::{Kind, Value},
    version::Version,
};

/// A controller of Karpenter that something in the repository installs.
#[derive(Clone, Debug)]
pub struct Karpenter {
    /// What installs it.
    pub span: Span,
    /// Its name: `helm_release.karpenter`.
    pub title: String,
    /// The version that runs.
    pub from: Running,
    /// Where versions are written that move together: its own, and those of its CRDs.
    pub places: Vec<VersionPlace>,
    /// The folders of what is applied with it.
    folders: BTreeSet<String>,
}

/// The version that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// This one.
    Version(Version),
    /// What is written in its place.
    Unknown(String),
}

/// Where a version is written.
#[derive(Clone, Debug)]
pub struct VersionPlace {
    /// What has the version, and the version as it is written.
    pub written: Written,
    /// Where the version itself is written.
    pub span: Span,
    /// The texts that would change; none where that cannot be told.
    texts: Vec<Span>,
    /// Whether the text is the tag of a chart in a registry.
    is_tag: bool,
}

impl Karpenter {
    /// The version that runs, if it is known.
    #[must_use]
    pub fn version(&self) -> Option<&Version> {
        match &self.from {
            Running::Version(version) => Some(version),
            Running::Unknown(_) => None,
        }
    }

    /// How much a place has to do with it: nothing counts more than its own places, then what is applied with
    /// it, then how deep the folder is that both are in.
    #[must_use]
    pub(super) fn nearness(&self, path: &str, spans: &[Span]) -> (bool, bool, usize) {
        let own = |it: &Span| *it == self.span || self.places.iter().any(|own| own.span == *it);
        let folder = parent(path);
        let depth = self.folders.iter().map(|it| shared_folders(it, folder)).max();
        (spans.iter().any(own), self.folders.contains(folder), depth.unwrap_or_default())
    }
}

/// How many folders two paths of folders have in common.
fn shared_folders(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}

impl VersionPlace {
    /// That version as it would be written here.
    #[must_use]
    pub fn text(&self, version: &Version) -> String {
        match self.written.1.strip_prefix('v') {
            _ if self.is_tag => tag(version),
            Some(_) => format!("v{version}"),
            None => version.to_string(),
        }
    }

    /// Whether the version can be written for sure.
    #[must_use]
    pub fn is_editable(&self) -> bool {
        !self.texts.is_empty()
    }

    /// The edits that write the version; none where that cannot be made sure.
    #[must_use]
    pub fn edits(&self, files: &Files, version: &Version) -> Vec<Edit> {
        let (old, new) = (&self.written.1, self.text(version));
        let edit = |span: &Span| {
            let text = files.text(*span);
            if text == old {
                return Some(Edit { span: *span, text: new.clone() });
            }
            // The `v` is written elsewhere, and has to fit.
            let number = |it: &str| it.strip_prefix('v').map(str::to_owned);
            let same = old.strip_prefix('v') == Some(text) && new.starts_with('v');
            Some(Edit { span: *span, text: number(&new)? }).filter(|_| same)
        };
        self.texts.iter().filter_map(edit).collect()
    }

    fn of_release(model: &Model, project: &Project, release: &Release) -> Option<Self> {
        let version = &release.version;
        let written = version.known()?.clone();
        let serves_others = |span: &Span| {
            let mut others = model.releases.iter().filter(|it| !it.is_of_karpenter());
            others.any(|it| it.version.literal == Some(*span))
        };
        let literal = version.literal.or_else(|| number(version.value()?));
        // What a lock holds does not change with the text.
        let literal = literal.filter(|it| version.pin != Pin::Lock && !serves_others(it));
        let is_own = |it: &Span| {
            let file = project.files.get(it.file);
            project.is_asked_for(file.path()) && file.text().get(it.range()).is_some()
        };
        Some(Self {
            written: (release.report_span, written),
            span: version.span(),
            texts: literal.filter(is_own).into_iter().collect(),
            // Newer versions come from the registry.
            is_tag: release.tag().is_some() || release.is_from_retired_repository(),
        })
    }

    /// CRDs that a script applies from the addresses of one version.
    fn of_crds(files: &Files, crds: &AppliedCrds) -> Option<Self> {
        let written = crds.version.known()?.clone();
        let file = files.get(crds.report_span.file);
        let number = written.strip_prefix('v').unwrap_or(&written);
        let address = |it: &str| {
            let (before, after) = (format!("{it}/v{number}/"), it.len() + 1);
            let at = move |(at, _): (usize, &str)| {
                Span::new(crds.report_span.file, at + after, at + after + number.len() + 1)
            };
            file.text().match_indices(&before).map(at).collect::<Vec<Span>>()
        };
        let texts = ["aws/karpenter-provider-aws", "aws/karpenter"].into_iter().flat_map(address);
        let mut texts: Vec<Span> = texts.collect();
        texts.extend(crds.version.literal);
        texts.sort_unstable();
        texts.dedup();
        Some(Self {
            written: (crds.report_span, written),
            span: crds.version.span(),
            texts,
            is_tag: false,
        })
    }

    /// The image of a Deployment: what a chart was rendered to is rendered anew, not edited.
    fn of_installation(installation: &Installation) -> Option<Self> {
        let (span, written) = (installation.version.span(), installation.version.known()?.clone());
        Some(Self { written: (span, written), span, texts: Vec::new(), is_tag: true })
    }
}

/// Where the number of a version is written that is a part of a text: `"v${var.version}"`.
fn number(version: &Value) -> Option<Span> {
    let Kind::String(text) = &version.kind else { return None };
    let known = text.known()?;
    let start = known.len() - known.trim_start_matches('v').len();
    let span = text.locate(start, known.len(), version.span);
    (span != version.span || start == 0).then_some(span)
}

/// All of them among the paths asked for, once for each place and version.
#[must_use]
pub fn all(model: &Model, project: &Project) -> Vec<Karpenter> {
    let files = &project.files;
    let path = |it: Span| files.get(it.file).path();
    let is_asked = |it: Span| project.is_asked_for(path(it)) && aside::of(path(it)).is_none();
    let releases =
        model.controllers().filter(|it| is_asked(it.report_span) && !it.is_third_party());
    let releases = releases.map(|it| of_release(model, project, it));
    let plain = model.installations.iter().filter(|it| it.release.is_none());
    let plain = plain.filter(|it| is_asked(it.version.span()));
    let plain = plain.map(|it| of_installation(files, it));
    let mut seen = BTreeSet::new();
    let mut is_new = |it: &Karpenter| {
        let version = match &it.from {
            Running::Version(version) => version.to_string(),
            Running::Unknown(text) => text.clone(),
        };
        seen.insert((it.span, version))
    };
    let mut all: Vec<Karpenter> = releases.chain(plain).filter(|it| is_new(it)).collect();
    all.sort_by_key(|it| (path(it.span), it.span.start));
    all
}

fn of_release(model: &Model, project: &Project, release: &Release) -> Karpenter {
    let files = &project.files;
    let varies = is_version_varying(model, release);
    let known = release.exact_version().filter(|_| !varies);
    let root = release.scope.root.and_then(|it| model.terraform.roots.get(it));
    let folders = match root {
        Some(root) => root.folders().into_iter().map(str::to_owned).collect(),
        None => BTreeSet::from([release.scope.folder.to_string()]),
    };
    let own = |it: &Release| std::ptr::eq(it, release);
    let pairs = model.crd_pairs.iter().filter(|it| own(it.controller(&model.releases)));
    let crds = pairs.map(|it| it.crds(&model.releases));
    let places = [release].into_iter().chain(crds);
    let places = places.filter_map(|it| VersionPlace::of_release(model, project, it));
    let applied = model.applied_pairs.iter().filter(|it| own(it.controller(&model.releases)));
    let applied = applied.map(|it| it.crds(&model.applied_crds));
    let applied = applied.filter_map(|it| VersionPlace::of_crds(files, it));
    Karpenter {
        span: release.report_span,
        title: release.title().to_owned(),
        from: known.map_or_else(|| Running::Unknown(unknown(files, release)), Running::Version),
        places: places.chain(applied).collect(),
        folders,
    }
}

fn of_installation(files: &Files, installation: &Installation) -> Karpenter {
    let span = installation.version.span();
    let text = || installation.version.known().cloned().unwrap_or_default();
    Karpenter {
        span,
        title: "karpenter".to_owned(),
        from: installation
            .exact_version()
            .map_or_else(|| Running::Unknown(text()), Running::Version),
        places: VersionPlace::of_installation(installation).into_iter().collect(),
        folders: BTreeSet::from([parent(files.get(span.file).path()).to_owned()]),
    }
}

/// What is written where a version is not known.
fn unknown(files: &Files, release: &Release) -> String {
    let version = &release.version;
    let value = version.value();
    // A reference to what environments set.
    let reference = value.and_then(|it| it.steps().next()).map(|it| files.text(it.span).to_owned());
    let symbol = value.and_then(|it| match &it.kind {
        Kind::Unknown(symbol) => symbol.expression().map(str::to_owned),
        Kind::String(text) => text.holes.first()?.expression().map(str::to_owned),
        _ => None,
    });
    let range = || version.known().cloned().filter(|_| release.exact_version().is_none());
    let none = || match version.pin {
        Pin::Newest => "no version is written, so the newest is taken".to_owned(),
        _ => "not written here".to_owned(),
    };
    range().or(symbol).or(reference).unwrap_or_else(none)
}
