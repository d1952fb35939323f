//! Helm charts that a kustomization renders.

use std::sync::Arc;

use crate::{
    resolve::kustomize::layout::Kustomization,
    source::Span,
    value::{Field, Value},
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
    /// The folder charts are looked for in, relative to the kustomization's.
    pub home: Arc<str>,
    /// The entry's place.
    pub place: Span,
}

impl ChartEntry {
    /// A field of the entry.
    #[must_use]
    pub fn get(&self, key: &str) -> Field<'_> {
        self.value.get(key)
    }

    /// The entry of a kustomization.
    #[must_use]
    pub fn new(value: &Value, it: &Kustomization) -> Self {
        let own = value.get("namespace").present();
        let home = it.filled("helmGlobals").and_then(|it| it.get("chartHome").present());
        Self {
            namespace: own.or_else(|| it.filled("namespace")).cloned(),
            value: value.clone(),
            folder: it.folder.clone(),
            home: home.and_then(Value::as_str).unwrap_or("charts").into(),
            place: value.span,
        }
    }
}
