//! Charts of this repository: what they depend on, and with which values.

use std::{collections::BTreeSet, sync::Arc};

use memchr::memmem;

use crate::{
    findings::subject::Subject,
    resolve::{
        gitops::repository::{Gathered, Repository, anything, version, written},
        helm,
        release::{
            described::{ChartRelease, Crds, Parent, Switch, Unit},
            surface::Surface,
        },
    },
    source::{FileId, Files, Span},
    syntax::ParseError,
    value::{Field, Kind, Value},
};

/// How deep charts of this repository are followed into each other.
const MAX_DEPTH: usize = 4;

/// A dependency of a chart, with the values it gets.
#[derive(Clone, Debug)]
pub(crate) struct Subchart {
    /// The file that lists it.
    pub file: FileId,
    /// The key of its values: its alias, else its name.
    pub key: Arc<str>,
    /// Its name, for what is missing.
    pub report_span: Span,
    /// Its entry.
    pub entry: Value,
    /// The chart's name.
    pub chart: Value,
    /// The version or constraint as it is written.
    pub version: Option<Value>,
    /// The version in `Chart.lock`.
    pub resolved: Option<Value>,
    /// Where it comes from.
    pub repository: Option<Value>,
    /// The folder, when it is a chart of this repository.
    pub folder: Option<String>,
    /// Its values: what the chart's `values.yaml` and the release give it.
    pub values: Value,
    /// What could not be read of them.
    pub parse_errors: Vec<ParseError>,
}

/// What a chart in this repository depends on, given the values of its release. Dependencies that are
/// switched off are left out. When no installation of it is found (`alone`), what the value files beside
/// it set (`values-prod.yaml`) may hold, too.
#[must_use]
pub(crate) fn subcharts(
    repository: &Repository<'_>,
    folder: &str,
    given: &Value,
    alone: bool,
) -> Vec<Subchart> {
    let Some((file, list)) = listed(repository, folder) else { return Vec::new() };
    let mut documents = Gathered::default();
    if let Some(id) = repository.file(folder, "values.yaml") {
        documents.file(repository, id, false);
    }
    if alone {
        let beside = repository.value_files_beside(folder);
        documents.one_of(repository, &beside);
    }
    documents.documents.push(given.clone());
    let merged = helm::values(&documents.documents, &[], given.name);
    let lock = repository
        .file(folder, "Chart.lock")
        .or_else(|| repository.file(folder, "requirements.lock"))
        .and_then(|id| repository.document(id, false).value.clone());
    let locked = lock.as_ref().and_then(|it| it.get("dependencies").present());
    let mut found = Vec::new();
    for entry in list.items() {
        let Some(name) = entry.get("name").present() else { continue };
        let Some(known) = name.as_str() else { continue };
        let alias = entry.get("alias").present().unwrap_or(name);
        let Some(key) = alias.as_str() else { continue };
        if is_off(entry, &merged.value) {
            continue;
        }
        let mut parse_errors = documents.parse_errors.clone();
        parse_errors.extend(merged.parse_errors.iter().cloned());
        found.push(Subchart {
            file,
            key: key.into(),
            report_span: name.span,
            chart: name.clone(),
            version: version(repository.files, entry.get("version"), name.span),
            resolved: locked.and_then(|it| locked_version(repository.files, it, known)),
            repository: written(entry.get("repository"), name.span),
            folder: local(repository, folder, entry),
            values: values_of(&merged.value, key, name.span),
            entry: entry.clone(),
            parse_errors,
        });
    }
    found
}

/// The list of dependencies, in `Chart.yaml` or, before version 3 of Helm, beside it.
fn listed(repository: &Repository<'_>, folder: &str) -> Option<(FileId, Value)> {
    ["Chart.yaml", "requirements.yaml"].iter().find_map(|name| {
        let id = repository.file(folder, name)?;
        let document = repository.document(id, false);
        let list = document.value.as_ref()?.get("dependencies").present()?.clone();
        Some((id, list))
    })
}

/// The values under a dependency's key.
fn values_of(values: &Value, key: &str, place: Span) -> Value {
    match values.get(key) {
        Field::Present(value) if value.is_unknown() => anything(value.span).named(value.name),
        Field::Present(value) => value.clone(),
        Field::Missing => Value::map(Vec::new(), place),
        Field::Unknown => anything(place),
    }
}

/// The version `Chart.lock` holds a dependency to.
fn locked_version(files: &Files, locked: &Value, name: &str) -> Option<Value> {
    let is_named = |it: &&Value| it.get("name").present().and_then(Value::as_str) == Some(name);
    let mut found = locked.items().iter().filter(is_named);
    let only = found.next()?;
    // Two aliases of one chart may be held to different versions.
    found.next().is_none().then(|| version(files, only.get("version"), only.span))?
}

/// The folder of a dependency that lies in this repository.
fn local(repository: &Repository<'_>, folder: &str, entry: &Value) -> Option<String> {
    let address = entry.get("repository").present()?.as_str()?;
    repository.chart(folder, address.strip_prefix("file://")?)
}

/// Whether a dependency's condition, else its tags, switch it off.
fn is_off(entry: &Value, values: &Value) -> bool {
    let condition = entry.get("condition").present().and_then(Value::as_str).unwrap_or_default();
    for path in condition.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        match values.at(path) {
            Field::Present(Value { kind: Kind::Bool(on), .. }) => return !on,
            Field::Unknown | Field::Present(Value { kind: Kind::Unknown(_), .. }) => return false,
            _ => {}
        }
    }
    let tags = entry.get("tags").present().map_or(&[][..], Value::items);
    let mut off = false;
    for tag in tags.iter().filter_map(Value::as_str) {
        match values.get("tags").get(tag) {
            Field::Present(Value { kind: Kind::Bool(false), .. }) => off = true,
            Field::Missing => {}
            _ => return false,
        }
    }
    off
}

/// The releases, each followed by what the local chart it installs depends on.
#[must_use]
pub(crate) fn with_dependencies(
    repository: &Repository<'_>,
    releases: Vec<ChartRelease>,
) -> Vec<ChartRelease> {
    let mut all = Vec::with_capacity(releases.len());
    for release in releases {
        follow(repository, release, 0, &mut all);
    }
    all
}

fn follow(
    repository: &Repository<'_>,
    release: ChartRelease,
    depth: usize,
    all: &mut Vec<ChartRelease>,
) {
    let Some(folder) = release.local_chart.clone().filter(|_| depth < MAX_DEPTH) else {
        all.push(release);
        return;
    };
    let alone = release.surface == Surface::ChartDependency;
    for subchart in subcharts(repository, &folder, &release.values, alone) {
        let Subchart {
            report_span, entry, chart, version, resolved, values, mut parse_errors, ..
        } = subchart;
        parse_errors.extend(release.parse_errors.iter().cloned());
        let local_chart: Option<Arc<str>> = subchart.folder.map(Arc::from);
        let dependency = ChartRelease {
            file: subchart.file,
            report_span,
            body: entry.clone(),
            whole: entry,
            chart: local_chart.is_none().then_some(chart),
            local_chart,
            version,
            resolved,
            repository: subchart.repository,
            values,
            parse_errors,
            wrapped: true,
            ..release.clone()
        };
        follow(repository, dependency, depth + 1, all);
    }
    all.push(release);
}

/// The dependencies of charts that nothing in this repository is seen to install.
#[must_use]
pub(crate) fn releases(
    repository: &Repository<'_>,
    yaml_files: &[FileId],
    installed: &BTreeSet<Arc<str>>,
) -> Vec<ChartRelease> {
    let mut all = Vec::new();
    for id in yaml_files {
        let file = repository.files.get(*id);
        let chart = file.path().rsplit('/').next() == Some("Chart.yaml");
        if !chart || installed.contains(file.folder()) || is_vendored(repository, file.folder()) {
            continue;
        }
        let lists = |it: &str| memmem::find(it.as_bytes(), b"dependencies:").is_some();
        let beside = repository.file(file.folder(), "requirements.yaml").is_some();
        if !beside && file.text_if(lists).is_none() {
            continue;
        }
        let whole = Span::new(*id, 0, file.text().len());
        let own = repository.document(*id, false);
        let name = own.value.as_ref().and_then(|it| it.get("name").present());
        let place = name.map_or(whole, |it| it.span);
        let nothing = Value::map(Vec::new(), place);
        let umbrella = ChartRelease {
            surface: Surface::ChartDependency,
            root: None,
            folder: file.folder().into(),
            file: *id,
            name: name.and_then(Value::as_str).unwrap_or_default().into(),
            report_span: place,
            body: nothing.clone(),
            whole: nothing.clone(),
            chart: None,
            local_chart: Some(file.folder().into()),
            version: None,
            resolved: None,
            repository: None,
            namespace: None,
            scope: None,
            may_target_other_cluster: false,
            wrapped: false,
            crds: Crds {
                skip: Switch::by_default(None, place),
                upgrade: Switch::by_default(None, place),
            },
            values: nothing,
            parse_errors: Vec::new(),
            waits_for: Vec::new(),
            unit: Unit { span: whole, element: 0 },
            parent: Some(Parent::Chart(*id)),
            subject: Subject::default(),
        };
        let before = all.len();
        follow(repository, umbrella, 0, &mut all);
        // The chart itself is no release of anything.
        all.truncate(all.len().saturating_sub(1).max(before));
    }
    all
}

/// Whether a chart is a copy inside the `charts` folder of another.
fn is_vendored(repository: &Repository<'_>, folder: &str) -> bool {
    folder.match_indices("charts/").any(|(at, _)| {
        let outer = folder.get(..at).unwrap_or_default();
        (outer.is_empty() || outer.ends_with('/')) && repository.file(outer, "Chart.yaml").is_some()
    })
}
