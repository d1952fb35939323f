//! Copies of Karpenter's own charts in the repository: a release of one is a release of Karpenter.

use crate::{
    knowledge::publication,
    resolve::{
        gitops::repository::Repository,
        helm,
        release::{CopiedCrds, Release, chart_version::ChartVersion},
    },
    source::{Files, is_below},
    value::{Entry, Kind, Value, cause::Cause},
    version::Version,
};

/// Where upstream's charts say that they come from. Azure's chart of the same name says another.
const SOURCES: [&str; 2] = ["github.com/aws/karpenter", "github.com/awslabs/karpenter"];

/// Gives releases of such copies the name, the version and the values of the chart.
pub(super) fn recognise(files: &Files, releases: &mut [Release]) {
    let repository = Repository::new(files);
    for release in releases.iter_mut().filter(|it| it.chart.is_empty()) {
        let Some(folder) = release.local_chart.clone() else { continue };
        let Some((name, version)) = description(&repository, &folder) else { continue };
        release.chart = name.into();
        release.version = ChartVersion::of_copy(&version);
        release.values = with_defaults(&repository, &folder, release);
        look_for_crds(files, &folder, release);
    }
    let is_part = |it: &&mut Release| it.is_controller() && it.is_wrapped();
    for release in releases.iter_mut().filter(is_part) {
        let copy = release.part_of.as_deref().map(|it| format!("{it}/charts/{}", release.chart));
        let copy = copy.filter(|_| release.local_chart.is_none());
        if let Some(copy) = copy.filter(|it| description(&repository, it).is_some()) {
            look_for_crds(files, &copy, release);
        }
    }
}

/// Finds out whether a copy holds what Helm installs as the chart's CRDs, which people leave out as they cut it down.
fn look_for_crds(files: &Files, folder: &str, release: &mut Release) {
    let holds = |name: &str| {
        files.iter().any(|(_, it)| {
            let inside = it.path().strip_prefix(folder).map(|it| it.trim_start_matches('/'));
            inside.is_some_and(|it| is_below(it, name))
        })
    };
    if !release.is_controller() || holds("crds") {
        return;
    }
    release.lacks_crds = if holds("templates") { CopiedCrds::LeftOut } else { CopiedCrds::NotSeen };
    if !release.skip_crds.known_to_be(&true) {
        release.skip_crds = release.skip_crds.clone().doubted(Cause::MissingFile);
    }
}

/// The name and version of a chart that is a copy of one of Karpenter's.
fn description(repository: &Repository<'_>, folder: &str) -> Option<(String, Value)> {
    let document = repository.document(repository.file(folder, "Chart.yaml")?, false);
    let chart = document.value.as_ref()?;
    let name = chart.get("name").present()?.as_str()?;
    let sources = chart.get("sources").present().map_or(&[][..], Value::items);
    let is_source = |it: &str| SOURCES.iter().any(|source| it.contains(source));
    let is_own = matches!(name, "karpenter" | "karpenter-crd")
        && chart.get("dependencies").is_missing()
        && sources.iter().filter_map(Value::as_str).any(is_source);
    is_own.then(|| released(chart))?.map(|it| (name.to_owned(), it))
}

/// The version of Karpenter that a copy of its chart installs. That of the chart is the copy's where its owner counts it
/// up; what it installs stays the same.
fn released(chart: &Value) -> Option<Value> {
    let written = |key: &str| {
        let version = chart.get(key).present()?;
        Some((version, Version::parse(version.as_str()?.trim_start_matches('v'))?))
    };
    let (own, app) = (written("version"), written("appVersion"));
    // Of releases before the list is known only that chart and program had one version.
    let is_of_before = |it: &Version| {
        let is_same = own.as_ref().zip(app.as_ref()).is_some_and(|(own, app)| own.1 == app.1);
        is_same && publication::oldest().is_some_and(|oldest| it < oldest)
    };
    let is_known = |it: &Version| publication::is_released(it) || is_of_before(it);
    let mut written = [&app, &own].into_iter().flatten();
    written.find(|it| is_known(&it.1)).map(|it| it.0.clone())
}

/// The values of a release over those that the copy sets. What these leave empty is not set.
fn with_defaults(repository: &Repository<'_>, folder: &str, release: &Release) -> Value {
    let own = repository.file(folder, "values.yaml");
    let own = own.and_then(|id| repository.document(id, false).value.as_ref().and_then(filled));
    match own {
        Some(own) => helm::merge::merge(own, &release.values),
        None => release.values.clone(),
    }
}

/// A value without its empty parts; `None` if nothing is left.
fn filled(value: &Value) -> Option<Value> {
    match &value.kind {
        Kind::Null => None,
        Kind::String(text) if text.text.is_empty() => None,
        Kind::List(list) if list.items.is_empty() => None,
        Kind::Map(map) => {
            let part = |it: &Entry| Some(Entry { value: filled(&it.value)?, ..it.clone() });
            let entries: Vec<Entry> = map.entries.iter().filter_map(part).collect();
            (!entries.is_empty())
                .then(|| Value { kind: Value::map(entries, value.span).kind, ..value.clone() })
        }
        _ => Some(value.clone()),
    }
}
