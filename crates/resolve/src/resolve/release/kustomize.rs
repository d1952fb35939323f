//! Charts that kustomizations render.

use crate::{
    resolve::{
        helm,
        kustomize::{Kustomize, chart::ChartEntry},
        release::{
            Installer, Means, Release, address,
            crd_switch::CrdSwitch,
            described::Unit,
            first_values::{FirstValues, ValuesForm},
            literal,
            pin::{ChartSource, Pin},
            surface::Surface,
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
    for (index, build) in kustomize.builds.iter().enumerate() {
        let scope = Scope { root: None, build: Some(index), folder: build.folder.clone() };
        let unit = Unit { span: Span::new(build.file, 0, 0), element: 0 };
        found.extend(build.charts.iter().filter_map(|it| release(files, it, &scope, unit)));
    }
    found
}

fn release(files: &Files, entry: &ChartEntry, scope: &Scope, unit: Unit) -> Option<Release> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let name = entry.get("name").present()?;
    let report_span = name.span;
    let crds = Setting::of(entry.get("includeCRDs"), Some(false), report_span, Value::as_bool);
    let values = helm::values(&documents(files, entry), &[], report_span);
    let pin = match entry.get("version") {
        Field::Present(_) => Pin::Written,
        Field::Missing => Pin::Newest,
        Field::Unknown => Pin::Elsewhere,
    };
    Some(Release {
        name: entry.get("releaseName").present().and_then(Value::as_str).map(Into::into),
        chart: name.as_str()?.into(),
        repository: address(entry.get("repo").present(), None),
        local_chart: entry
            .get("repo")
            .is_missing()
            .then(|| String::from(name.as_str().unwrap_or_default())),
        values_key: None,
        installer: Installer::Here,
        scope: scope.clone(),
        report_span,
        block: report_span,
        version: Setting::of(entry.get("version"), None, report_span, text),
        version_literal: entry.get("version").present().and_then(literal),
        source: ChartSource::new(entry.get("repo").present(), pin),
        namespace: match &entry.namespace {
            Some(namespace) => Setting::written(namespace, text),
            None => Setting::unknown(report_span),
        },
        // What is not rendered is skipped, and what is rendered is applied each time.
        skip_crds: crds.turned(),
        upgrade_crds: crds,
        force_update: Setting::unknown(report_span),
        values: values.value,
        parse_errors: values.parse_errors,
        reusable: false,
        has_external_values: [unit.span.file, report_span.file]
            .iter()
            .any(|it| is_patched(files, *it)),
        may_target_other_cluster: false,
        first_values: Some(FirstValues::new(&entry.value, &["valuesInline"], ValuesForm::Mapping)),
        crd_switch: Some(CrdSwitch::key(&entry.value, "includeCRDs")),
        subject: None,
        means: Means::GitOps(Surface::Kustomize, usize::MAX, unit),
    })
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
        return Value::unknown(Symbol::new("", "values file"), path.span);
    };
    let text = files.get(id).text();
    let whole = Span::new(id, 0, text.len());
    Value::new(Kind::String(Text::verbatim(text, whole)), whole)
}
