//! Helm charts to be rendered, and plugins: kustomize's own that are simple are applied, others are open.

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        chart::ChartEntry,
        field::FieldSpec,
        layout::{Kustomization, KustomizeProject},
        patch, transform,
    },
    value::Value,
};

/// Collects `helmCharts`.
pub(super) fn charts(
    it: &Kustomization,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    for entry in it.list("helmCharts").iter().chain(it.list("helmChartInflationGenerator")) {
        made.unseen = true;
        for file in ["valuesFile", "values"] {
            if let Some(path) = entry.get(file).present().and_then(Value::as_str) {
                layout.file(&it.folder, path);
            }
        }
        let more = entry.get("additionalValuesFiles").present().map_or(&[][..], Value::items);
        for path in more.iter().filter_map(Value::as_str) {
            layout.file(&it.folder, path);
        }
        made.charts.push(ChartEntry::new(entry, it));
    }
}

/// Collects the charts of `generators`, whose configurations are given.
pub(super) fn generate(it: &Kustomization, plugins: &[Value], made: &mut Accumulated) {
    made.unseen |= !it.list("generators").is_empty();
    for plugin in plugins {
        let kind = plugin.get("kind").present().and_then(Value::as_str);
        if kind == Some("HelmChartInflationGenerator") {
            made.charts.push(ChartEntry::new(plugin, it));
        }
    }
}

/// Applies those of `transformers`, whose configurations are given, that are kustomize's own and simple.
pub(super) fn transform(
    it: &Kustomization,
    plugins: &[Value],
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    for plugin in plugins {
        let builtin = plugin.get("apiVersion").present().and_then(Value::as_str);
        let kind = plugin.get("kind").present().and_then(Value::as_str);
        match (builtin, kind) {
            (Some("builtin"), Some("PatchTransformer" | "PatchJson6902Transformer")) => {
                patch::one(it, plugin, layout, made);
            }
            (Some("builtin"), Some("LabelTransformer")) => pairs(plugin, "labels", made),
            (Some("builtin"), Some("AnnotationsTransformer")) => {
                pairs(plugin, "annotations", made);
            }
            _ => made.open = true,
        }
    }
}

fn pairs(plugin: &Value, key: &str, made: &mut Accumulated) {
    let specs = plugin.get("fieldSpecs").present().map_or(&[][..], Value::items);
    let specs: Vec<_> = specs.iter().filter_map(FieldSpec::read).collect();
    if let Some(pairs) = plugin.get(key).present() {
        transform::add_pairs(pairs, &specs, made);
    }
}
