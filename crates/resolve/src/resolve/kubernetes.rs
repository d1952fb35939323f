//! Kubernetes objects, wherever they are written.

mod answer;
mod pdb_needs;
pub mod held;
pub mod manifests;
pub mod part;
mod kept;
mod prune;
pub(crate) mod template;
pub mod typed;
mod worth;

use std::sync::Arc;

use memchr::memmem;

use crate::{
    findings::subject::{ObjectRef, Subject},
    resolve::{
        kubernetes::part::Part,
        scope::{ClusterTarget, Scope},
        terraform::object::GraphNode,
    },
    source::Span,
    syntax::yaml::Omission,
    value::{Field, Value},
};

/// A Kubernetes object.
#[derive(Clone, Debug)]
pub struct Object {
    /// `apps/v1`; empty when it is not known.
    pub api_version: Arc<str>,
    /// `StatefulSet`.
    pub kind: Arc<str>,
    /// The whole object.
    pub value: Value,
}

/// The schemas of resource definitions, which are most of many manifests.
pub(crate) static SCHEMAS: Omission =
    Omission { line: "kind: CustomResourceDefinition", key: "openAPIV3Schema" };

/// The groups of Karpenter's resources.
pub const KARPENTER_GROUPS: [&str; 2] = ["karpenter.sh", "karpenter.k8s.aws"];

/// Whether a text names a key or a kind of Karpenter's API: `karpenter.sh/v1`, `karpenter.k8s.aws/instance-cpu`.
#[must_use]
pub fn names_karpenter_api(text: &str) -> bool {
    let is_named = |at: usize| {
        let rest = &text.as_bytes()[at..];
        rest.starts_with(b"karpenter.sh/") || rest.starts_with(b"karpenter.k8s.aws/")
    };
    memmem::find_iter(text.as_bytes(), b"karpenter.").any(is_named)
}

impl Object {
    /// Whether it is of one of Karpenter's groups, whatever its kind.
    #[must_use]
    pub fn is_of_karpenter(&self) -> bool {
        KARPENTER_GROUPS.contains(&self.group())
    }

    /// The API group: `karpenter.sh` of `karpenter.sh/v1`; empty for the core group.
    #[must_use]
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }

    /// Where to point when something about the whole object is wrong: its name, else its `metadata`, else
    /// its first line.
    #[must_use]
    pub fn report_span(&self) -> Span {
        let metadata = self.value.get("metadata");
        match metadata.get("name") {
            Field::Present(name) => name.span,
            _ => metadata.present().map_or(self.value.name, |it| it.name),
        }
    }

    /// The known text of `metadata.name`.
    #[must_use]
    pub fn anchor_text(&self) -> Option<&str> {
        self.value.at("metadata.name").present().and_then(Value::as_str)
    }

    /// Its name in messages, if it has one.
    #[must_use]
    pub fn reference(&self) -> Option<ObjectRef> {
        let text = |path| self.value.at(path).present().and_then(Value::as_str).map(Arc::from);
        let (namespace, name) = (text("metadata.namespace"), text("metadata.name")?);
        Some(ObjectRef { kind: Arc::clone(&self.kind), namespace, name })
    }

    /// The path of the template of its pods, if Kubernetes or Argo makes pods of it; empty for a pod itself.
    #[must_use]
    pub fn template_path(&self) -> Option<&'static str> {
        template_path(&self.kind)
    }

    /// The template of its pods; a pod is its own.
    #[must_use]
    pub fn template(&self) -> Option<Field<'_>> {
        Some(match self.template_path()? {
            "" => Field::Present(&self.value),
            path => self.value.at(path),
        })
    }
}

/// The path of the template of the pods that are made of objects of a kind.
fn template_path(kind: &str) -> Option<&'static str> {
    match kind {
        "StatefulSet" | "Deployment" | "DaemonSet" | "ReplicaSet" | "Rollout" | "Job" => {
            Some("spec.template")
        }
        "CronJob" => Some("spec.jobTemplate.spec.template"),
        "Pod" => Some(""),
        _ => None,
    }
}

/// An object and where it is written.
#[derive(Clone, Debug)]
pub struct Located {
    /// The object.
    pub object: Object,
    /// The Terraform root it belongs to.
    pub root: Option<usize>,
    /// The resource that holds it.
    pub node: Option<GraphNode>,
    /// The folder of the root, or of the file.
    pub folder: Arc<str>,
    /// Which of the clusters that the root reaches it goes to.
    pub cluster: ClusterTarget,
    /// Whether the resource's `count` is 0 with the values that are known of variables.
    pub is_off: bool,
    /// The resource's header; for files the object's own place.
    pub header: Span,
    /// The Terraform resource that holds it; empty for files.
    pub holder: Subject,
    /// The chart of others that makes it.
    pub part: Option<Arc<Part>>,
}

impl Located {
    /// Where it belongs; `build` is the kustomization that builds it.
    #[must_use]
    pub fn scope(&self, build: Option<usize>) -> Scope {
        Scope::new(self.root, &self.folder).in_build(build).in_cluster(self.cluster)
    }

    /// Whether it is perhaps not there.
    #[must_use]
    pub fn is_perhaps(&self) -> bool {
        self.is_off || !self.holder.conditions.is_empty()
    }

    /// What a finding about it is about.
    #[must_use]
    pub fn subject(&self) -> Subject {
        Subject { object: self.object.reference(), ..self.holder.clone() }
    }
}

/// The objects of a document; of a `List`, its items.
#[must_use]
pub fn objects(document: &Value) -> Vec<Object> {
    let mut found = Vec::new();
    collect(document, 0, &mut found);
    found
}

fn collect(value: &Value, depth: usize, found: &mut Vec<Object>) {
    let text = |key: &str| value.get(key).present().and_then(Value::as_str).map(Arc::from);
    let Some(kind): Option<Arc<str>> = text("kind") else { return };
    if let Field::Present(items) = value.get("items")
        && kind.ends_with("List")
        && depth < 4
    {
        for item in items.items() {
            collect(item, depth + 1, found);
        }
        return;
    }
    let api_version = text("apiVersion").unwrap_or_default();
    found.push(Object { api_version, kind, value: value.clone() });
}
