//! Objects on their way through the kustomizations, and the names they have had.

use std::sync::Arc;

use crate::{
    resolve::kustomize::edit::text,
    source::FileId,
    value::{Field, Value},
};

/// What an object is called. Two objects of a build never share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Id {
    /// `apps`; empty for the core group.
    pub group: Arc<str>,
    /// `v1`.
    pub version: Arc<str>,
    /// `StatefulSet`.
    pub kind: Arc<str>,
    /// The namespace, `default` when none is written, `None` for cluster-scoped kinds.
    pub namespace: Option<Arc<str>>,
    /// `metadata.name`.
    pub name: Arc<str>,
}

/// An object of a build.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    /// The object as it is by now.
    pub value: Value,
    /// What it was called before, oldest first.
    pub previous: Vec<Id>,
    /// The prefixes its name was given.
    pub prefixes: Vec<Arc<str>>,
    /// The suffixes its name was given.
    pub suffixes: Vec<Arc<str>>,
    /// The file it was read from, then those of the patches that changed it.
    pub sources: Vec<FileId>,
    /// Whether its name gets a hash of its content at the end.
    pub hashed: bool,
    /// Whether a patch that is not known, or cannot be applied, may change it.
    pub in_doubt: bool,
}

impl Resource {
    /// An object as a file has it.
    #[must_use]
    pub(super) fn new(value: Value, source: FileId) -> Self {
        Self {
            value,
            previous: Vec::new(),
            prefixes: Vec::new(),
            suffixes: Vec::new(),
            sources: vec![source],
            hashed: false,
            in_doubt: false,
        }
    }

    /// What it is called now.
    #[must_use]
    pub(super) fn id(&self) -> Id {
        let metadata = self.value.get("metadata");
        let (group, version) = self.group_version();
        let kind = self.kind();
        let namespace = if is_cluster_scoped(&group, &version, &kind) {
            None
        } else {
            let written = shown(metadata.get("namespace"));
            Some(written.filter(|it| !it.is_empty()).unwrap_or_else(|| "default".into()))
        };
        let name = self.name();
        Id { group, version, kind, namespace, name }
    }

    /// `metadata.name`.
    #[must_use]
    pub(super) fn name(&self) -> Arc<str> {
        shown(self.value.get("metadata").get("name")).unwrap_or_default()
    }

    /// What it was called in its file.
    #[must_use]
    pub(super) fn original(&self) -> Id {
        self.previous.first().cloned().unwrap_or_else(|| self.id())
    }

    /// Every name it has had, the present one last.
    #[must_use]
    pub(super) fn ids(&self) -> Vec<Id> {
        self.previous.iter().cloned().chain([self.id()]).collect()
    }

    /// Keeps the present name as a previous one.
    pub(super) fn remember(&mut self) {
        let id = self.id();
        if self.previous.last() != Some(&id) {
            self.previous.push(id);
        }
    }

    /// The namespace as it is written, if it is.
    #[must_use]
    pub(super) fn written_namespace(&self) -> Option<Arc<str>> {
        shown(self.value.get("metadata").get("namespace"))
    }

    /// `StatefulSet`.
    #[must_use]
    pub(super) fn kind(&self) -> Arc<str> {
        shown(self.value.get("kind")).unwrap_or_default()
    }

    /// The group and the version.
    #[must_use]
    pub(super) fn group_version(&self) -> (Arc<str>, Arc<str>) {
        let api = shown(self.value.get("apiVersion")).unwrap_or_default();
        match api.split_once('/') {
            Some((group, version)) => (group.into(), version.into()),
            None => ("".into(), api),
        }
    }

    /// Notes that something written in a file changed it.
    pub(super) fn touched_by(&mut self, file: FileId) {
        if !self.sources.contains(&file) {
            self.sources.push(file);
        }
    }
}

fn shown(field: Field<'_>) -> Option<Arc<str>> {
    field.present().and_then(text)
}

/// Cluster-scoped kinds of Kubernetes itself: group, kinds.
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["ComponentStatus", "Namespace", "Node", "PersistentVolume"]),
    (
        "admissionregistration.k8s.io",
        &[
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
        ],
    ),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("certificates.k8s.io", &["CertificateSigningRequest"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("networking.k8s.io", &["IngressClass"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["PodSecurityPolicy"]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    ("storage.k8s.io", &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"]),
];

/// Whether kustomize takes this kind as cluster-scoped; custom kinds never.
#[must_use]
pub(super) fn is_cluster_scoped(group: &str, version: &str, kind: &str) -> bool {
    // The versions kustomize knows these kinds in; in any other they count as custom.
    let known = match group {
        "flowcontrol.apiserver.k8s.io" | "policy" => version == "v1beta1",
        "" => version == "v1",
        _ if kind.starts_with("ValidatingAdmissionPolicy") => version == "v1",
        _ => matches!(version, "v1" | "v1beta1"),
    };
    known && CLUSTER_SCOPED.iter().any(|(it, kinds)| *it == group && kinds.contains(&kind))
}
