//! What the API server calls a kind: its resource, and whether its objects are in namespaces.

use crate::{inventory::objects::BuiltObject, resolve::kubernetes::Object, value::Value};

/// A resource of the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resource {
    /// `deployments`.
    pub(super) plural: String,
    /// Whether its objects are in namespaces, if that is known.
    pub(super) is_namespaced: Option<bool>,
}

/// Kinds whose objects are in no namespace, by group.
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["ComponentStatus", "Namespace", "Node", "PersistentVolume"]),
    ("admissionregistration.k8s.io", &[]),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"]),
    ("apiregistration.k8s.io", &["APIService"]),
    ("authentication.k8s.io", &["TokenReview", "SelfSubjectReview"]),
    (
        "authorization.k8s.io",
        &["SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"],
    ),
    ("certificates.k8s.io", &["CertificateSigningRequest", "ClusterTrustBundle"]),
    ("flowcontrol.apiserver.k8s.io", &["FlowSchema", "PriorityLevelConfiguration"]),
    ("internal.apiserver.k8s.io", &["StorageVersion"]),
    ("karpenter.k8s.aws", &["EC2NodeClass"]),
    ("karpenter.sh", &["NodePool", "NodeClaim", "NodeOverlay"]),
    ("networking.k8s.io", &["IngressClass", "IPAddress", "ServiceCIDR"]),
    ("node.k8s.io", &["RuntimeClass"]),
    ("policy", &["PodSecurityPolicy"]),
    ("rbac.authorization.k8s.io", &["ClusterRole", "ClusterRoleBinding"]),
    ("resource.k8s.io", &["DeviceClass", "ResourceSlice", "DeviceTaintRule"]),
    ("scheduling.k8s.io", &["PriorityClass"]),
    (
        "storage.k8s.io",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"],
    ),
];

/// Groups of Kubernetes itself whose kinds all have namespaces, unless [`CLUSTER_SCOPED`] names them.
const OWN: &[&str] = &[
    "apps",
    "autoscaling",
    "batch",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
];

/// The resource of an object's kind. A definition of the kind in the repository knows better than the name does.
pub(super) fn resource(object: &Object, definition: Option<&Definition>) -> Resource {
    let (group, kind) = (object.group(), &*object.kind);
    if let Some(definition) = definition {
        return definition.resource.clone();
    }
    let is_namespaced = if group == "admissionregistration.k8s.io" {
        Some(false)
    } else {
        match CLUSTER_SCOPED.iter().find(|it| it.0 == group) {
            Some((_, kinds)) => Some(!kinds.contains(&kind)),
            None if OWN.contains(&group) => Some(true),
            // An object that names a namespace has one.
            None => object.value.at("metadata.namespace").present().map(|_| true),
        }
    };
    Resource { plural: plural(kind), is_namespaced }
}

/// A kind's resource as Kubernetes guesses it.
fn plural(kind: &str) -> String {
    let name = kind.to_ascii_lowercase();
    match name.as_str() {
        "endpoints" => name,
        _ if name.ends_with('s') => format!("{name}es"),
        _ if name.ends_with('y') && !name.ends_with("ay") => {
            format!("{}ies", name.trim_end_matches('y'))
        }
        _ => format!("{name}s"),
    }
}

/// A kind that a `CustomResourceDefinition` of the repository defines.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    group: String,
    kind: String,
    resource: Resource,
    /// The schema of each version.
    versions: Vec<(String, Value)>,
}

impl Definition {
    /// The definition that an object is.
    pub(super) fn read(built: &BuiltObject<'_>) -> Option<Self> {
        if &*built.object.kind != "CustomResourceDefinition" {
            return None;
        }
        let value = &built.object.value;
        let text = |path: &str| value.at(path).present().and_then(Value::as_str).map(str::to_owned);
        let version = |it: &Value| {
            let name = it.get("name").present()?.as_str()?;
            let schema = it.at("schema.openAPIV3Schema").present()?;
            Some((name.to_owned(), schema.clone()))
        };
        let versions = value.at("spec.versions").present().map_or(&[][..], Value::items);
        Some(Self {
            group: text("spec.group")?,
            kind: text("spec.names.kind")?,
            resource: Resource {
                plural: text("spec.names.plural")?,
                is_namespaced: Some(text("spec.scope")? == "Namespaced"),
            },
            versions: versions.iter().filter_map(version).collect(),
        })
    }

    /// Whether it defines the kind of an object.
    pub(super) fn is_of(&self, object: &Object) -> bool {
        self.group == object.group() && *self.kind == *object.kind
    }

    /// The schema of an object of it.
    pub(super) fn schema_of(&self, object: &Object) -> Option<&Value> {
        let version = object.api_version.rsplit('/').next()?;
        self.versions.iter().find(|it| it.0 == version).map(|it| &it.1)
    }
}

#[cfg(test)]
mod tests {
    use super::plural;

    #[test]
    fn kinds_have_the_plurals_of_their_resources() {
        for (kind, wanted) in [
            ("Deployment", "deployments"),
            ("Ingress", "ingresses"),
            ("NetworkPolicy", "networkpolicies"),
            ("Endpoints", "endpoints"),
            ("Gateway", "gateways"),
            ("EC2NodeClass", "ec2nodeclasses"),
            ("NodePool", "nodepools"),
        ] {
            assert_eq!(plural(kind), wanted);
        }
    }
}
