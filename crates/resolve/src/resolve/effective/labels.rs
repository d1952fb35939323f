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

impl Configuration {
    /// The labels known of the pods. Those with the chart's own name are another when the name is
    /// overridden, or when the chart is installed under the name of an alias.
    pub(super) fn labels(&self) -> Labels {
        let own_name = self.release.is_some()
            && self.surface.written("name_override", &self.values).is_missing();
        let names = ["app.kubernetes.io/name", "app"];
        let certain = |(key, _): &(&String, &String)| own_name || !names.contains(&key.as_str());
        let span = self.report_span;
        let entry = |key: &str, value: Value| Entry { key: key.into(), key_span: span, value };
        let known = |key: &str, value: &str| entry(key, Value::computed(value, span));
        let unknown = || Symbol::new("", "labels of the chart");
        let mut entries: Vec<Entry> = Vec::new();
        for key in self.pod.other_labels.iter().map(String::as_str).chain(GIVEN_LABELS) {
            entries.push(entry(key, Value::unknown(unknown(), span)));
        }
        let fixed = self.pod.labels.iter().filter(certain).map(|(key, value)| known(key, value));
        let instance = self.pod.instance_label.as_deref().zip(self.release.as_deref());
        entries.extend(fixed.chain(instance.map(|(key, value)| known(key, value))));
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
