//! Charts that kustomizations render.

use std::{collections::HashMap, sync::Arc};

use crate::{
    resolve::{
        gitops::repository::missing_file,
        helm,
        kustomize::{Kustomize, chart::ChartEntry},
        release::{
            Means, Release, address,
            chart_version::{ChartVersion, Pin},
            crd_switch::CrdSwitch,
            first_values::{FirstValues, ValuesForm},
            surface::Surface,
            unit::Unit,
        },
        scope::Scope,
        setting::Setting,
    },
    source::{FileId, Files, Span, join},
    value::{Field, Kind, Symbol, Text, Value},
};

/// All of them.
pub(super) fn releases(files: &Files, kustomize: &Kustomize) -> Vec<Release> {
    let mut found = Vec::new();
    let mut patched: HashMap<FileId, bool> = HashMap::new();
    let mut is_patched = |file| *patched.entry(file).or_insert_with(|| is_patched(files, file));
    for (index, build) in kustomize.builds.iter().enumerate() {
        let scope = Scope::new(None, &build.folder).in_build(Some(index));
        let whole = Value::map(Vec::new(), Span::new(build.file, 0, 0));
        let unit = Arc::new(Unit::new(Surface::Kustomize, whole));
        for chart in &build.charts {
            found.extend(release(files, chart, &scope, &unit).map(|it| {
                let places = [build.file, it.report_span.file];
                Release { has_external_values: places.into_iter().any(&mut is_patched), ..it }
            }));
        }
    }
    found
}

fn release(files: &Files, entry: &ChartEntry, scope: &Scope, unit: &Arc<Unit>) -> Option<Release> {
    let name = entry.get("name").present()?;
    let chart = name.as_str()?;
    let report_span = name.span;
    let repository = entry.get("repo");
    let crds = Setting::of(entry.get("includeCRDs"), Some(false), report_span, Value::as_bool);
    let values = helm::values(&documents(files, entry), &[], report_span);
    let pin = match entry.get("version") {
        Field::Present(_) => Pin::Written,
        Field::Missing => Pin::Newest,
        Field::Unknown => Pin::Elsewhere,
    };
    let means = Means::Tool(Arc::clone(unit));
    Some(Release {
        name: entry.get("releaseName").present().and_then(Value::as_str).map(Into::into),
        chart: chart.into(),
        repository: address(repository.present(), None),
        repository_span: repository.present().map(|it| it.span),
        local_chart: repository.is_missing().then(|| local(files, entry, chart)),
        version: ChartVersion::new(entry.get("version").present(), pin, report_span),
        namespace: Setting::text(entry.namespace.as_ref(), report_span),
        // What is not rendered is skipped, and what is rendered is applied each time.
        skip_crds: crds.turned(),
        upgrade_crds: crds,
        values: values.value,
        parse_errors: values.parse_errors,
        first_values: Some(FirstValues::new(&entry.value, &["valuesInline"], ValuesForm::Mapping)),
        crd_switch: Some(CrdSwitch::key(&entry.value, "includeCRDs")),
        ..Release::new(means, scope.clone(), report_span)
    })
}

/// The folder of a chart that no repository is named for; its name where that is not here.
fn local(files: &Files, entry: &ChartEntry, chart: &str) -> String {
    let folder = join(&entry.folder, &format!("{}/{chart}", entry.home));
    let is_chart = |it: &String| join(it, "Chart.yaml").is_some_and(|it| files.find(&it).is_some());
    folder.filter(is_chart).unwrap_or_else(|| chart.to_owned())
}

/// Whether a kustomization may change what its charts make of the values.
fn is_patched(files: &Files, file: FileId) -> bool {
    const KEYS: [&str; 4] = ["patch", "replacements", "transformers", "components"];
    let changes = |line: &str| KEYS.iter().any(|it| line.starts_with(it));
    files.get(file).text().lines().any(changes)
}

/// The values in the order in which they count, the last one most.
fn documents(files: &Files, entry: &ChartEntry) -> Vec<Value> {
    let inline = entry.get("valuesInline").present().cloned();
    let more = entry.get("additionalValuesFiles").present().map_or(&[][..], Value::items);
    let written = entry.get("valuesFile").present().into_iter().chain(more);
    let from_files: Vec<Value> = written.map(|it| file(files, entry, it)).collect();
    match entry.get("valuesMerge").present().and_then(Value::as_str) {
        Some("replace") if inline.is_some() => inline.into_iter().collect(),
        Some("merge") => inline.into_iter().chain(from_files).collect(),
        _ => from_files.into_iter().chain(inline).collect(),
    }
}

/// The text of a values file; unknown when it is not in the repository.
fn file(files: &Files, entry: &ChartEntry, path: &Value) -> Value {
    let id = path.as_str().and_then(|it| files.find(&join(&entry.folder, it)?));
    let Some(id) = id else {
        return path.as_str().map_or_else(
            || Value::unknown(Symbol::new("", "values file"), path.span),
            |it| missing_file(it, path.span),
        );
    };
    let text = files.get(id).text();
    let whole = Span::new(id, 0, text.len());
    Value::new(Kind::String(Text::verbatim(text, whole)), whole)
}
