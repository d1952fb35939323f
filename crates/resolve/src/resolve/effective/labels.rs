//! The labels of a chart's pods.

use std::sync::Arc;

use crate::{
    resolve::{effective::configuration::Configuration, pod::selector::Labels},
    value::{Entry, Field, Kind, Map, Symbol, Value},
};

/// The labels that Kubernetes' own controllers give to pods.
const GIVEN_LABELS: [&str; 4] = [
    "apps.kubernetes.io/pod-index",
    "controller-revision-hash",
    "pod-template-hash",
    "statefulset.kubernetes.io/pod-name",
];

/// The labels with the chart's name.
const NAMES: [&str; 2] = ["app.kubernetes.io/name", "app"];

impl Configuration {
    /// The labels of the pods. Those with the chart's own name are others when the name is overridden, or when
    /// the chart is installed under the name of an alias.
    pub(super) fn labels(&self) -> Labels {
        // Templates take an empty text for none.
        let is_given = match self.surface.written("name_override", &self.values) {
            Field::Missing => false,
            Field::Present(value) => !value.is_null() && value.as_str() != Some(""),
            Field::Unknown => true,
        };
        let own_name = !self.is_renamed && !is_given;
        let span = self.report_span;
        let entry = |key: &str, value: Value| Entry { key: key.into(), key_span: span, value };
        let unknown = || Symbol::new("", "labels of the chart");
        let mut entries: Vec<Entry> = Vec::new();
        for key in self.pod.other_labels.iter().map(String::as_str).chain(GIVEN_LABELS) {
            entries.push(entry(key, Value::unknown(unknown(), span)));
        }
        let labelled = |key: &str, value: Option<&str>| match value {
            Some(value) => entry(key, Value::computed(value, span)),
            None => entry(key, Value::unknown(unknown(), span)),
        };
        let own = |key: &str| own_name || !NAMES.contains(&key);
        let fixed = self.pod.labels.iter();
        entries.extend(fixed.map(|(key, value)| labelled(key, own(key).then_some(value.as_str()))));
        let instance = self.pod.instance_label.iter();
        entries.extend(instance.map(|key| labelled(key, self.release.as_deref())));
        let mut open = self.pod.other_labels.is_empty();
        for path in self.surface.paths("pod_labels") {
            match self.values.at(path) {
                Field::Missing | Field::Present(Value { kind: Kind::Null, .. }) => {}
                Field::Present(Value { kind: Kind::Map(map), .. }) => {
                    open |= map.rest.is_some();
                    entries.extend(map.entries.iter().cloned());
                }
                Field::Present(_) | Field::Unknown => open = true,
            }
        }
        let map = Map { entries, rest: open.then(unknown) };
        Labels::read(Field::Present(&Value::new(Kind::Map(Arc::new(map)), span)))
    }
}
