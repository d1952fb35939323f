//! Which lists of Kubernetes' own kinds are merged item by item, and by which keys.

/// How a list in a patch meets the list it patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lists {
    /// The patch's list takes its place.
    Replace,
    /// Items with the same keys are merged.
    ByKeys(&'static [&'static str]),
    /// A set of words: both together.
    Union,
}

/// A type of the API by a name of ours; the empty one defines nothing for its fields.
pub(super) type TypeName = &'static str;

/// The type of custom resources and of everything without lists to merge.
pub(super) const PLAIN: TypeName = "";

/// What a field is: owner, field, how it merges, type of the value or of the items.
const FIELDS: &[(TypeName, &str, Lists, TypeName)] = &[
    ("Object", "metadata", Lists::Replace, "Metadata"),
    ("Metadata", "finalizers", Lists::Union, PLAIN),
    ("Metadata", "ownerReferences", Lists::ByKeys(&["uid"]), PLAIN),
    ("Workload", "metadata", Lists::Replace, "Metadata"),
    ("Workload", "spec", Lists::Replace, "Template"),
    ("Template", "template", Lists::Replace, "Pod"),
    ("CronJob", "metadata", Lists::Replace, "Metadata"),
    ("CronJob", "spec", Lists::Replace, "JobTemplate"),
    ("JobTemplate", "jobTemplate", Lists::Replace, "Workload"),
    ("Pod", "metadata", Lists::Replace, "Metadata"),
    ("Pod", "spec", Lists::Replace, "PodSpec"),
    ("PodSpec", "containers", Lists::ByKeys(&["name"]), "Container"),
    ("PodSpec", "initContainers", Lists::ByKeys(&["name"]), "Container"),
    ("PodSpec", "ephemeralContainers", Lists::ByKeys(&["name"]), "Container"),
    ("PodSpec", "volumes", Lists::ByKeys(&["name"]), PLAIN),
    ("PodSpec", "imagePullSecrets", Lists::ByKeys(&["name"]), PLAIN),
    ("PodSpec", "hostAliases", Lists::ByKeys(&["ip"]), PLAIN),
    (
        "PodSpec",
        "topologySpreadConstraints",
        Lists::ByKeys(&["topologyKey", "whenUnsatisfiable"]),
        PLAIN,
    ),
    ("Container", "env", Lists::ByKeys(&["name"]), PLAIN),
    ("Container", "ports", Lists::ByKeys(&["containerPort", "protocol"]), PLAIN),
    ("Container", "volumeMounts", Lists::ByKeys(&["mountPath"]), PLAIN),
    ("Container", "volumeDevices", Lists::ByKeys(&["devicePath"]), PLAIN),
    ("Service", "metadata", Lists::Replace, "Metadata"),
    ("Service", "spec", Lists::Replace, "ServiceSpec"),
    ("ServiceSpec", "ports", Lists::ByKeys(&["port", "protocol"]), PLAIN),
    ("ServiceAccount", "metadata", Lists::Replace, "Metadata"),
    ("ServiceAccount", "secrets", Lists::ByKeys(&["name"]), PLAIN),
    ("Webhooks", "metadata", Lists::Replace, "Metadata"),
    ("Webhooks", "webhooks", Lists::ByKeys(&["name"]), PLAIN),
];

/// The groups of Kubernetes itself whose objects have nothing more to merge than their metadata.
const GROUPS: &[&str] = &[
    "v1",
    "apps/v1",
    "autoscaling/v1",
    "autoscaling/v2beta1",
    "autoscaling/v2beta2",
    "batch/v1",
    "batch/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "networking.k8s.io/v1",
    "rbac.authorization.k8s.io/v1",
    "storage.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "apiextensions.k8s.io/v1",
    "apiregistration.k8s.io/v1",
];

/// The type of an object.
#[must_use]
pub(super) fn of_object(api_version: &str, kind: &str) -> TypeName {
    match (api_version, kind) {
        ("apps/v1", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet")
        | ("batch/v1", "Job")
        | ("v1", "ReplicationController") => "Workload",
        ("batch/v1" | "batch/v1beta1", "CronJob") => "CronJob",
        ("v1", "Pod") => "Pod",
        ("v1", "PodTemplate") => "Template",
        ("v1", "Service") => "Service",
        ("v1", "ServiceAccount") => "ServiceAccount",
        (
            "admissionregistration.k8s.io/v1" | "admissionregistration.k8s.io/v1beta1",
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
        ) => "Webhooks",
        (api, _) if GROUPS.contains(&api) => "Object",
        _ => PLAIN,
    }
}

/// How a field of a type merges and what it holds.
#[must_use]
pub(super) fn field(owner: TypeName, name: &str) -> (Lists, TypeName) {
    if owner == PLAIN {
        return (Lists::Replace, PLAIN);
    }
    let mut fields = FIELDS.iter().filter(|it| it.0 == owner && it.1 == name);
    fields.next().map_or((Lists::Replace, PLAIN), |it| (it.2, it.3))
}
