//! Charts of this repository: what they depend on, and with which values.

use std::{collections::BTreeSet, sync::Arc};

use memchr::memmem;

use crate::{
    findings::subject::{Rendered, Subject},
    resolve::{
        gitops::repository::{Gathered, Repository, anything, version, written},
        helm,
        release::{
            Installer, Means, Release, address, chart_version::ChartVersion, surface::Surface,
            unit::Unit,
        },
        scope::Scope,
        setting::Setting,
    },
    source::{FileId, Files, SourceFile, Span, account::Limit},
    syntax::ParseError,
    value::{Entry, Field, Kind, Value},
    version::{Version, constraint::Constraint},
};

/// How deep charts of this repository are followed into each other.
const MAX_DEPTH: usize = 4;

/// A dependency of a chart, with the values it gets.
#[derive(Clone, Debug)]
struct Subchart {
    /// The key of its values: its alias, else its name.
    key: Arc<str>,
    /// Its name, for what is missing.
    report_span: Span,
    /// The chart's name.
    chart: Value,
    /// The version or constraint as it is written.
    version: Option<Value>,
    /// The version in `Chart.lock`.
    resolved: Option<Value>,
    /// Where it comes from.
    repository: Option<Value>,
    /// The folder, when it is a chart of this repository.
    folder: Option<String>,
    /// Its values: what the chart's `values.yaml` and the release give it.
    values: Value,
    /// Whether the values of the chart around it switch it off.
    is_off: bool,
    /// What is set beside them, for none of the dependencies.
    beside: Vec<Entry>,
    /// What could not be read of them.
    parse_errors: Vec<ParseError>,
}

/// What a chart in this repository depends on, given the values of its release. Dependencies that are
/// switched off are left out, but Karpenter where the chart stands alone. When no installation of it is found (`alone`), what the value files beside
/// it set (`values-prod.yaml`) may hold, too.
fn subcharts(
    repository: &Repository<'_>,
    folder: &str,
    given: &Value,
    alone: bool,
) -> Vec<Subchart> {
    let Some(list) = listed(repository, folder) else { return Vec::new() };
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
    let beside = for_no_dependency(&list, &merged.value);
    for entry in list.items() {
        let Some(name) = entry.get("name").present() else { continue };
        let Some(known) = name.as_str() else { continue };
        let alias = entry.get("alias").present().unwrap_or(name);
        let Some(key) = alias.as_str() else { continue };
        let is_off = is_off(entry, &merged.value);
        // Where nothing is seen to install the chart, whoever does may turn on what it is also for.
        if is_off && !(alone && matches!(known, "karpenter" | "karpenter-crd")) {
            continue;
        }
        let mut parse_errors = documents.parse_errors.clone();
        parse_errors.extend(merged.parse_errors.iter().cloned());
        found.push(Subchart {
            key: key.into(),
            report_span: name.span,
            chart: name.clone(),
            version: version(repository.files, entry.get("version"), name.span),
            resolved: locked
                .and_then(|it| locked_version(repository.files, it, known))
                .filter(|it| !is_stale(entry, it)),
            repository: written(entry.get("repository"), name.span),
            folder: local(repository, folder, entry),
            values: values_of(&merged.value, key, name.span),
            is_off,
            beside: if known == "karpenter" { beside.clone() } else { Vec::new() },
            parse_errors,
        });
    }
    found
}

/// The values of a chart that are for none of its dependencies; none where these are not all known.
fn for_no_dependency(dependencies: &Value, values: &Value) -> Vec<Entry> {
    let mut keys: BTreeSet<&str> = ["global", "tags"].into();
    for entry in dependencies.items() {
        let named = entry.get("alias").present().or_else(|| entry.get("name").present());
        let Some(key) = named.and_then(Value::as_str) else { return Vec::new() };
        keys.insert(key);
        let condition = entry.get("condition").present().and_then(Value::as_str);
        let paths = condition.unwrap_or_default().split(',');
        keys.extend(paths.filter_map(|it| it.trim().split('.').next()));
    }
    values.entries().iter().filter(|it| !keys.contains(&*it.key)).cloned().collect()
}

/// The list of dependencies, in `Chart.yaml` or, before version 3 of Helm, beside it.
fn listed(repository: &Repository<'_>, folder: &str) -> Option<Value> {
    ["Chart.yaml", "requirements.yaml"].iter().find_map(|name| {
        let id = repository.file(folder, name)?;
        let document = repository.document(id, false);
        document.value.as_ref()?.get("dependencies").present().cloned()
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

/// Whether a lock holds a dependency to a version that the chart does not ask for any more. Helm refuses to build from
/// it: "the lock file (Chart.lock) is out of sync".
fn is_stale(dependency: &Value, locked: &Value) -> bool {
    let asked = dependency.get("version").present().and_then(Value::as_str);
    // `1.2` stands for all of its patches.
    let is_line = |it: &str| Version::parse(it).is_some() && it.matches('.').count() < 2;
    let asked = asked.filter(|it| !is_line(it)).and_then(Constraint::parse);
    let version = locked.as_str().and_then(Version::parse);
    asked.zip(version).is_some_and(|(asked, version)| !asked.allows(&version))
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

/// What the chart of a release depends on, if it lies in this repository: installed by the same Helm release,
/// with its values.
#[must_use]
pub(crate) fn dependencies(repository: &Repository<'_>, release: &Release) -> Vec<Release> {
    let mut all = Vec::new();
    follow(repository, release, 0, &mut all);
    all
}

fn follow(repository: &Repository<'_>, release: &Release, depth: usize, all: &mut Vec<Release>) {
    let Some(folder) = release.local_chart.as_deref().filter(|_| depth < MAX_DEPTH) else {
        return;
    };
    let alone = release.surface() == Surface::ChartDependency;
    for subchart in subcharts(repository, folder, &release.values, alone) {
        if all.len() >= Limit::ChartParts.most() {
            repository.files.account().reach(Limit::ChartParts, release.report_span);
            return;
        }
        let dependency = dependency(release, subchart);
        follow(repository, &dependency, depth + 1, all);
        all.push(dependency);
    }
}

/// A part of the chart of a release. It has no name of its own: the release has one, and the part another in
/// its labels.
fn dependency(release: &Release, subchart: Subchart) -> Release {
    let Subchart { chart, report_span, repository, mut parse_errors, .. } = subchart;
    parse_errors.extend(release.parse_errors.iter().cloned());
    let (written, locked) = (subchart.version.as_ref(), subchart.resolved.as_ref());
    // Of Terraform, a block is reported, with what it calls.
    let (report_span, block) = match release.code() {
        Some(_) => (release.report_span, release.block),
        None => (report_span, report_span),
    };
    let is_local = subchart.folder.is_some();
    let rendered = subchart.is_off.then_some(Rendered::SwitchedOn);
    let subject = |it: Subject| Subject { rendered: rendered.or(it.rendered), ..it };
    Release {
        name: None,
        values_key: Some(subchart.key),
        set_beside: subchart.beside,
        chart: chart.as_str().filter(|_| !is_local).unwrap_or_default().into(),
        local_chart: subchart.folder,
        repository: address(repository.as_ref(), None),
        repository_span: repository.map(|it| it.span),
        version: ChartVersion::of_dependency(written, locked, subchart.report_span),
        report_span,
        block,
        force_update: Setting::unknown(report_span),
        values: subchart.values,
        part_of: release.local_chart.clone(),
        is_optional: release.is_optional || subchart.is_off,
        subject: release.subject.clone().map(subject),
        parse_errors,
        first_values: None,
        ..release.clone()
    }
}

/// The dependencies of charts that nothing in this repository is seen to install.
#[must_use]
pub(crate) fn releases(
    repository: &Repository<'_>,
    yaml_files: &[FileId],
    installed: &BTreeSet<String>,
) -> Vec<Release> {
    let umbrellas = yaml_files.iter().filter_map(|id| umbrella(repository, *id, installed));
    let mut all: Vec<Release> = umbrellas.flat_map(|it| dependencies(repository, &it)).collect();
    // Argo CD applies a chart's CRDs at each sync, and its Applications may be in templates.
    let may_upgrade = !all.is_empty() && shows_argo(repository.files);
    for release in &mut all {
        let place = release.report_span;
        // The CRDs of a dependency cannot be skipped.
        release.skip_crds = Setting::default(false, place);
        release.upgrade_crds =
            if may_upgrade { Setting::unknown(place) } else { Setting::default(false, place) };
    }
    all
}

/// A chart that lists dependencies, as a release of its own; `None` if it is installed or copied.
fn umbrella(
    repository: &Repository<'_>,
    id: FileId,
    installed: &BTreeSet<String>,
) -> Option<Release> {
    let file = repository.files.get(id);
    let is_chart = file.name() == "Chart.yaml";
    if !is_chart || installed.contains(file.folder()) || is_vendored(repository, file.folder()) {
        return None;
    }
    let lists = |it: &str| memmem::find(it.as_bytes(), b"dependencies:").is_some();
    let beside = repository.file(file.folder(), "requirements.yaml").is_some();
    if !beside && file.text_if(lists).is_none() {
        return None;
    }
    let whole = Span::new(id, 0, file.text().len());
    let own = repository.document(id, false);
    let name = own.value.as_ref().and_then(|it| it.get("name").present());
    let place = name.map_or(whole, |it| it.span);
    let unit = Unit::new(Surface::ChartDependency, Value::map(Vec::new(), whole));
    let scope = Scope::new(None, &file.folder().into());
    let templates = format!("{}/templates/", file.folder());
    let templates = templates.trim_start_matches('/');
    let has_templates = repository.files.iter().any(|(_, it)| it.path().starts_with(templates));
    Some(Release {
        local_chart: Some(file.folder().into()),
        installer: if has_templates { Installer::Anybody } else { Installer::Here },
        subject: Some(Subject::default()),
        ..Release::new(Means::Tool(Arc::new(unit)), scope, place)
    })
}

/// Whether any file that was read names Argo CD's API.
fn shows_argo(files: &Files) -> bool {
    let names = |it: &SourceFile| memmem::find(it.text().as_bytes(), b"argoproj.io/").is_some();
    files.iter().any(|(_, it)| it.is_loaded() && names(it))
}

/// Whether a chart is a copy inside the `charts` folder of another.
fn is_vendored(repository: &Repository<'_>, folder: &str) -> bool {
    folder.match_indices("charts/").any(|(at, _)| {
        let outer = folder.get(..at).unwrap_or_default();
        (outer.is_empty() || outer.ends_with('/')) && repository.file(outer, "Chart.yaml").is_some()
    })
}
