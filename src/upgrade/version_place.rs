//! Where versions of Karpenter are written, and how another one is written there.

use crate::{
    edits::edits,
    findings::{
        change::{Change, NewValue},
        edit::Edit,
    },
    knowledge::upgrade::tag,
    model::{Model, installation::Installation, supposed::Written},
    project::Project,
    resolve::{
        release::{Release, applied_crds::AppliedCrds, chart_version::Pin, upstream},
        terraform::module_source::ModuleSource,
    },
    source::{Files, Span, parent},
    value::{Kind, Value},
    version::Version,
};

/// Where a version is written.
#[derive(Clone, Debug)]
pub struct VersionPlace {
    /// What has the version, and the version as it is written.
    pub written: Written,
    /// Where the version itself is written.
    pub span: Span,
    /// The texts that would change; none where that cannot be told.
    texts: Vec<Span>,
    /// The `v` before it, where that is written elsewhere.
    prefix: Option<Span>,
    /// What writes a version where none is written: the mapping that takes it, and its path there.
    missing_from: Option<(Value, &'static str)>,
    /// Whether the text is the tag of a chart in a registry.
    is_tag: bool,
    /// How it is changed where no edit does it.
    by_hand: String,
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

    /// How the version is written where no edit does it for sure: "by hand, in …".
    #[must_use]
    pub fn by_hand(&self, files: &Files, version: &Version) -> Option<&str> {
        self.edits(files, version).is_empty().then_some(&self.by_hand)
    }

    /// The edits that write the version; none where that cannot be made sure.
    #[must_use]
    pub fn edits(&self, files: &Files, version: &Version) -> Vec<Edit> {
        let new = self.text(version);
        if let Some((mapping, path)) = &self.missing_from {
            let change = Change::set(mapping, path, NewValue::text(new));
            return edits(files, &[change]).unwrap_or_default();
        }
        let edits = |span: &Span| self.edits_at(files, *span, &new);
        self.texts.iter().flat_map(edits).collect()
    }

    /// The edits that write a version at one of its places.
    fn edits_at(&self, files: &Files, span: Span, new: &str) -> Vec<Edit> {
        let (old, text) = (&self.written.1, files.text(span));
        if text == old {
            return vec![Edit { span, text: new.to_owned() }];
        }
        // The `v` is written elsewhere, and has to fit.
        if old.strip_prefix('v') != Some(text) {
            return Vec::new();
        }
        let number = Edit { span, text: new.trim_start_matches('v').to_owned() };
        let prefix = self.prefix.filter(|it| files.text(*it) == "v");
        match (new.starts_with('v'), prefix) {
            (true, _) => vec![number],
            (false, Some(span)) => vec![number, Edit { span, text: String::new() }],
            (false, None) => Vec::new(),
        }
    }

    pub(super) fn of_release(model: &Model, project: &Project, release: &Release) -> Option<Self> {
        let version = &release.version;
        let written = version.known()?.clone();
        let serves_others = |span: &Span| {
            let mut others = model.releases.iter().filter(|it| !it.is_of_karpenter());
            others.any(|it| it.version.literal == Some(*span))
        };
        let parts = version.value().and_then(parts);
        let literal = version.literal.or(parts.map(|it| it.1));
        // What a lock holds does not change with the text.
        let literal = literal.filter(|it| version.pin != Pin::Lock && !serves_others(it));
        let is_own = |it: &Span| {
            let file = project.files.get(it.file);
            project.is_asked_for(file.path()) && file.text().get(it.range()).is_some()
        };
        let missing_from = missing_from(release).filter(|_| is_own(&version.span()));
        // Newer versions come from the registry.
        let is_tag = release.tags().is_some()
            || missing_from.is_some()
            || release.is_from_retired_repository();
        Some(Self {
            written: (release.report_span, written),
            span: version.span(),
            texts: literal.filter(is_own).into_iter().collect(),
            prefix: parts.filter(|_| version.literal.is_none()).map(|it| it.0).filter(is_own),
            missing_from,
            is_tag,
            by_hand: by_hand(project, release),
        })
    }

    /// CRDs that a script applies from the addresses of one version.
    pub(super) fn of_crds(files: &Files, crds: &AppliedCrds) -> Option<Self> {
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
        let texts = upstream::REPOSITORIES.into_iter().flat_map(address);
        let mut texts: Vec<Span> = texts.collect();
        texts.extend(crds.version.literal);
        texts.sort_unstable();
        texts.dedup();
        Some(Self {
            written: (crds.report_span, written),
            span: crds.version.span(),
            texts,
            prefix: None,
            missing_from: None,
            is_tag: false,
            by_hand: "by hand, in the addresses of the CRDs".to_owned(),
        })
    }

    /// The image of a Deployment: what a chart was rendered to is rendered anew, not edited.
    pub(super) fn of_installation(installation: &Installation) -> Option<Self> {
        let (span, written) = (installation.version.span(), installation.version.known()?.clone());
        Some(Self {
            written: (span, written),
            span,
            texts: Vec::new(),
            prefix: None,
            missing_from: None,
            is_tag: true,
            by_hand: "by rendering the chart anew: `helm template` made this file".to_owned(),
        })
    }
}

/// Where the `v` and the number of a version are written that is a part of a text: `"v${var.version}"`.
fn parts(version: &Value) -> Option<(Span, Span)> {
    let Kind::String(text) = &version.kind else { return None };
    let known = text.known()?;
    let start = known.len() - known.trim_start_matches('v').len();
    let number = text.locate(start, known.len(), version.span);
    let prefix = text.locate(0, start, version.span);
    (number != version.span || start == 0).then_some((prefix, number))
}

/// What takes the version of a release that a module chooses: the inputs of its call, and the path there.
fn missing_from(release: &Release) -> Option<(Value, &'static str)> {
    let call = &release.code().filter(|_| !release.version.is_written())?.object;
    let source = ModuleSource::of(call);
    let is_open = release.version.pin == Pin::Elsewhere && call.foreign.is_none();
    let path = if source.is(ModuleSource::BLUEPRINTS_ADDONS) {
        "karpenter.chart_version"
    } else if source.is(ModuleSource::BLUEPRINTS_ADDON) {
        "chart_version"
    } else {
        return None;
    };
    is_open.then(|| (call.body.clone(), path))
}

/// How the version of a release is changed where no edit does it.
fn by_hand(project: &Project, release: &Release) -> String {
    match release.version.pin {
        Pin::Lock => {
            let folder = parent(project.files.get(release.version.span().file).path());
            let folder = if folder.is_empty() { "." } else { folder };
            format!(
                "by hand, in Chart.yaml, then run `helm dependency update {folder}`: Chart.lock holds it"
            )
        }
        Pin::Newest => "by hand: no version is written".to_owned(),
        Pin::Elsewhere => "by hand: what sets it is not seen".to_owned(),
        _ => "by hand: it serves something else, too, or is put together of several values"
            .to_owned(),
    }
}
