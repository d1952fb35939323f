//! Kubernetes objects as typed resources of Terraform's kubernetes provider.

use std::sync::Arc;

use crate::{
    resolve::kubernetes::Object,
    value::{Entry, Kind, List, Map, Text, Value},
};

/// The typed resources that are read, with the API version and the kind of what they describe.
const TYPED: &[(&str, &str, &str)] = &[
    ("kubernetes_stateful_set", "apps/v1", "StatefulSet"),
    ("kubernetes_stateful_set_v1", "apps/v1", "StatefulSet"),
    ("kubernetes_deployment", "apps/v1", "Deployment"),
    ("kubernetes_deployment_v1", "apps/v1", "Deployment"),
    ("kubernetes_daemonset", "apps/v1", "DaemonSet"),
    ("kubernetes_daemon_set_v1", "apps/v1", "DaemonSet"),
    ("kubernetes_pod", "v1", "Pod"),
    ("kubernetes_pod_v1", "v1", "Pod"),
    ("kubernetes_job", "batch/v1", "Job"),
    ("kubernetes_job_v1", "batch/v1", "Job"),
    ("kubernetes_cron_job", "batch/v1", "CronJob"),
    ("kubernetes_cron_job_v1", "batch/v1", "CronJob"),
    ("kubernetes_horizontal_pod_autoscaler", "autoscaling/v1", "HorizontalPodAutoscaler"),
    ("kubernetes_horizontal_pod_autoscaler_v1", "autoscaling/v1", "HorizontalPodAutoscaler"),
    ("kubernetes_horizontal_pod_autoscaler_v2", "autoscaling/v2", "HorizontalPodAutoscaler"),
    (
        "kubernetes_horizontal_pod_autoscaler_v2beta2",
        "autoscaling/v2beta2",
        "HorizontalPodAutoscaler",
    ),
    ("kubernetes_persistent_volume_claim", "v1", "PersistentVolumeClaim"),
    ("kubernetes_persistent_volume_claim_v1", "v1", "PersistentVolumeClaim"),
    ("kubernetes_pod_disruption_budget", "policy/v1", "PodDisruptionBudget"),
    ("kubernetes_pod_disruption_budget_v1", "policy/v1", "PodDisruptionBudget"),
];

/// The resources that write a text to a file.
pub(super) const WRITTEN: [&str; 2] = ["local_file", "local_sensitive_file"];

/// The kinds of Terraform resources that hold Kubernetes objects: whole, as a text for a file, or field by field.
pub fn terraform_kinds() -> impl Iterator<Item = &'static str> {
    let whole = ["kubectl_manifest", "kubernetes_manifest", "k8s_manifest"];
    whole.into_iter().chain(WRITTEN).chain(TYPED.iter().map(|(name, ..)| *name))
}

/// The object that a typed resource of Terraform's kubernetes provider describes, in Kubernetes' own
/// spelling; `None` for types karplint does not read.
///
/// The provider writes every mapping of the API as a block and every field in snake case.
#[must_use]
pub fn from_typed_resource(kind: &str, body: &Value) -> Option<Object> {
    let (_, api_version, kind) = TYPED.iter().find(|(name, ..)| *name == kind)?;
    let (api_version, kind) = (*api_version, *kind);
    let value = in_namespace(from_blocks(body, 0));
    Some(Object { api_version: api_version.into(), kind: kind.into(), value })
}

/// The object in the namespace that the provider takes where none is written (`metadata` of
/// hashicorp/terraform-provider-kubernetes: `namespace`, default `default`).
fn in_namespace(object: Value) -> Value {
    let Some(map) = object.as_map() else { return object };
    let entries = map.entries.iter().map(|entry| match entry.value.as_map() {
        Some(metadata)
            if &*entry.key == "metadata"
                && metadata.rest.is_none()
                && metadata.entry("namespace").is_none() =>
        {
            let kind = Kind::String(Text::computed(DEFAULT_NAMESPACE));
            let value = Value { kind, ..entry.value.clone() };
            let added = Entry { key: "namespace".into(), key_span: entry.key_span, value };
            let entries = metadata.entries.iter().cloned().chain([added]).collect();
            let kind = Kind::Map(Arc::new(Map { entries, rest: None }));
            Entry { value: Value { kind, ..entry.value.clone() }, ..entry.clone() }
        }
        _ => entry.clone(),
    });
    let map = Map { entries: entries.collect(), rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..object }
}

/// Where objects are that say nothing of it.
const DEFAULT_NAMESPACE: &str = "default";

/// Blocks the provider repeats for the items of a list; all others are one mapping.
const REPEATED: &[(&str, &str)] = &[
    ("container", "containers"),
    ("init_container", "initContainers"),
    ("volume", "volumes"),
    ("toleration", "tolerations"),
    ("volume_claim_template", "volumeClaimTemplates"),
    ("match_expressions", "matchExpressions"),
    ("node_selector_term", "nodeSelectorTerms"),
    ("env", "env"),
    ("port", "ports"),
    ("volume_mount", "volumeMounts"),
];

/// Fields whose content is the user's, key by key.
const FREE: &[&str] = &["labels", "annotations", "match_labels", "node_selector"];

fn from_blocks(body: &Value, depth: usize) -> Value {
    let Kind::Map(map) = &body.kind else { return body.clone() };
    if depth > 24 {
        return body.clone();
    }
    let entries = map.entries.iter().map(|entry| from_block(entry, depth)).collect();
    let rest = map.rest.clone();
    Value { kind: Kind::Map(Arc::new(Map { entries, rest })), ..body.clone() }
}

fn from_block(entry: &Entry, depth: usize) -> Entry {
    let repeated = REPEATED.iter().find(|(block, _)| *block == &*entry.key);
    let key = repeated.map_or_else(|| camel_case(&entry.key).into(), |(_, key)| Arc::from(*key));
    let value = match &entry.value.kind {
        _ if FREE.contains(&&*entry.key) => texts(&entry.value),
        Kind::List(list) if repeated.is_some() => {
            let items = list.items.iter().map(|it| from_blocks(it, depth + 1)).collect();
            let list = List { items, rest: list.rest.clone(), is_set: false };
            Value { kind: Kind::List(Arc::new(list)), ..entry.value.clone() }
        }
        Kind::List(list) if list.items.len() == 1 && list.items[0].as_map().is_some() => {
            from_blocks(&list.items[0], depth + 1)
        }
        _ => from_blocks(&entry.value, depth + 1),
    };
    Entry { key, key_span: entry.key_span, value }
}

/// A mapping of texts: the provider turns whatever is written into text.
fn texts(value: &Value) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    let text = |it: &Value| match &it.kind {
        Kind::Bool(plain) => Some(plain.to_string()),
        Kind::Number(plain) => Some(plain.to_string()),
        _ => None,
    };
    let entries = map.entries.iter().map(|entry| match text(&entry.value) {
        Some(text) => {
            let kind = Kind::String(Text::computed(text));
            Entry { value: Value { kind, ..entry.value.clone() }, ..entry.clone() }
        }
        None => entry.clone(),
    });
    let map = Map { entries: entries.collect(), rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..value.clone() }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| {
        let mut letters = word.chars();
        let capital = letters.next().map(|it| it.to_ascii_uppercase());
        text + &capital.into_iter().chain(letters).collect::<String>()
    })
}
