//! Helm charts that a kustomization renders, and plugins, whose work cannot be known.

use std::sync::Arc;

use crate::{
    resolve::kustomize::{
        accumulate::{Accumulated, Builder},
        field::FieldSpec,
        layout::{Entry, Kustomization},
        patch, transform,
    },
    source::Span,
    syntax::yaml,
    value::{Field, Kind, Value},
};

/// A chart to be rendered: an entry of `helmCharts` or a `HelmChartInflationGenerator`.
#[derive(Clone, Debug)]
pub struct ChartEntry {
    /// The entry, with its fields as they are written: `name`, `version`, `repo`, `releaseName`,
    /// `includeCRDs`, `valuesFile`, `additionalValuesFiles`, `valuesInline`, `valuesMerge`.
    pub value: Value,
    /// The namespace it is rendered for: its own, else the kustomization's.
    pub namespace: Option<Value>,
    /// The folder values files are relative to.
    pub folder: Arc<str>,
    /// The entry's place.
    pub place: Span,
}

impl ChartEntry {
    /// A field of the entry.
    #[must_use]
    pub fn get(&self, key: &str) -> Field<'_> {
        self.value.get(key)
    }

    fn new(value: &Value, it: &Kustomization) -> Self {
        let own = value.get("namespace").present();
        Self {
            namespace: own.or_else(|| it.filled("namespace")).cloned(),
            value: value.clone(),
            folder: it.folder.clone(),
            place: value.span,
        }
    }
}

/// Collects `helmCharts` and `generators`.
pub fn collect(it: &Kustomization, builder: &mut Builder<'_>, made: &mut Accumulated) {
    for entry in it.list("helmCharts").iter().chain(it.list("helmChartInflationGenerator")) {
        made.open = true;
        for file in ["valuesFile", "values"] {
            if let Some(path) = entry.get(file).present().and_then(Value::as_str) {
                builder.layout.file(&it.folder, path);
            }
        }
        let more = entry.get("additionalValuesFiles").present().map_or(&[][..], Value::items);
        for path in more.iter().filter_map(Value::as_str) {
            builder.layout.file(&it.folder, path);
        }
        made.charts.push(ChartEntry::new(entry, it));
    }
    for entry in it.list("generators") {
        made.open = true;
        for plugin in documents(it, entry, builder, made) {
            if plugin.get("kind").present().and_then(Value::as_str)
                == Some("HelmChartInflationGenerator")
            {
                made.charts.push(ChartEntry::new(&plugin, it));
            }
        }
    }
}

/// Applies `transformers` of kustomize's own that are simple, and gives up on others. Validators change
/// nothing.
pub fn plugins(it: &Kustomization, builder: &mut Builder<'_>, made: &mut Accumulated) {
    for entry in it.list("transformers") {
        for plugin in documents(it, entry, builder, made) {
            let builtin = plugin.get("apiVersion").present().and_then(Value::as_str);
            let kind = plugin.get("kind").present().and_then(Value::as_str);
            match (builtin, kind) {
                (Some("builtin"), Some("PatchTransformer" | "PatchJson6902Transformer")) => {
                    patch::one(it, &plugin, builder, made);
                }
                (Some("builtin"), Some("LabelTransformer")) => pairs(&plugin, "labels", made),
                (Some("builtin"), Some("AnnotationsTransformer")) => {
                    pairs(&plugin, "annotations", made);
                }
                _ => made.open = true,
            }
        }
    }
    for entry in it.list("validators") {
        documents(it, entry, builder, made);
    }
}

fn pairs(plugin: &Value, key: &str, made: &mut Accumulated) {
    let specs = plugin.get("fieldSpecs").present().map_or(&[][..], Value::items);
    let specs: Vec<_> = specs.iter().filter_map(FieldSpec::read).collect();
    if let Some(pairs) = plugin.get(key).present() {
        transform::add_pairs(pairs, &specs, made);
    }
}

/// The documents of a plugin's configuration: a file, a folder's build, or the text itself.
fn documents(
    it: &Kustomization,
    entry: &Value,
    builder: &mut Builder<'_>,
    made: &mut Accumulated,
) -> Vec<Value> {
    if let Kind::String(text) = &entry.kind
        && text.text.contains('\n')
    {
        return yaml::parse(text, entry.span).values;
    }
    match builder.layout.entry(&it.folder, entry) {
        Entry::File(file) => builder.layout.documents(file).values.clone(),
        Entry::Folder(folder) => {
            let built = builder.build(&folder);
            built.resources.iter().map(|it| it.value.clone()).collect()
        }
        Entry::Remote => {
            made.open = true;
            Vec::new()
        }
        Entry::Missing(message) => {
            builder.missing(made, entry.span, message);
            Vec::new()
        }
    }
}
