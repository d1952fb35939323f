//! The fields kustomize itself knows: where labels, annotations, namespaces and replicas belong.

use crate::resolve::kustomize::field::FieldSpec;

const fn spec(group: &'static str, kind: &'static str, path: &'static str) -> FieldSpec {
    FieldSpec::new(group, kind, path)
}

/// Namespaces inside objects.
pub(super) const NAMESPACES: &[FieldSpec] = &[
    spec("", "Namespace", "metadata/name"),
    spec("apiregistration.k8s.io", "APIService", "spec/service/namespace").created(),
    spec(
        "apiextensions.k8s.io",
        "CustomResourceDefinition",
        "spec/conversion/webhook/clientConfig/service/namespace",
    ),
];

/// Replica counts.
pub(super) const REPLICAS: &[FieldSpec] = &[
    spec("", "Deployment", "spec/replicas").created(),
    spec("", "ReplicationController", "spec/replicas").created(),
    spec("", "ReplicaSet", "spec/replicas").created(),
    spec("", "StatefulSet", "spec/replicas").created(),
];

const TEMPLATES: &[(&str, &str, &str)] = &[
    ("", "ReplicationController", "spec/template/metadata"),
    ("", "Deployment", "spec/template/metadata"),
    ("", "ReplicaSet", "spec/template/metadata"),
    ("", "DaemonSet", "spec/template/metadata"),
    ("apps", "StatefulSet", "spec/template/metadata"),
    ("batch", "Job", "spec/template/metadata"),
    ("batch", "CronJob", "spec/jobTemplate/metadata"),
    ("batch", "CronJob", "spec/jobTemplate/spec/template/metadata"),
];

fn templates(field: &str) -> Vec<FieldSpec> {
    let made = |(group, kind, path): &(&'static str, &'static str, &'static str)| {
        let mut spec = FieldSpec::new(group, kind, "").created();
        spec.path = format!("{path}/{field}").into();
        spec
    };
    let mut specs: Vec<FieldSpec> = TEMPLATES.iter().map(made).collect();
    let own = format!("metadata/{field}");
    let mut first = FieldSpec::new("", "", "").created();
    first.path = own.into();
    specs.insert(0, first);
    specs
}

/// Where annotations belong: on every object and on pod templates.
#[must_use]
pub(super) fn annotations() -> Vec<FieldSpec> {
    let mut specs = templates("annotations");
    // Unlike labels, annotations ask for no group of a stateful set.
    for spec in specs.iter_mut().filter(|it| it.kind == "StatefulSet") {
        spec.group = "".into();
    }
    specs
}

/// Where labels belong that are not used for selecting.
#[must_use]
pub(super) fn template_labels() -> Vec<FieldSpec> {
    let mut specs = templates("labels");
    specs.push(
        FieldSpec::new("apps", "StatefulSet", "spec/volumeClaimTemplates[]/metadata/labels")
            .created(),
    );
    specs
}

const SELECTORS: &[FieldSpec] = &[
    spec("", "ReplicationController", "spec/selector").created(),
    spec("", "Deployment", "spec/selector/matchLabels").created(),
    spec("", "ReplicaSet", "spec/selector/matchLabels").created(),
    spec("", "DaemonSet", "spec/selector/matchLabels").created(),
    spec("apps", "StatefulSet", "spec/selector/matchLabels").created(),
    spec("batch", "Job", "spec/selector/matchLabels"),
    spec("batch", "CronJob", "spec/jobTemplate/spec/selector/matchLabels"),
    spec("policy", "PodDisruptionBudget", "spec/selector/matchLabels"),
    spec("networking.k8s.io", "NetworkPolicy", "spec/podSelector/matchLabels"),
    spec("networking.k8s.io", "NetworkPolicy", "spec/ingress/from/podSelector/matchLabels"),
    spec("networking.k8s.io", "NetworkPolicy", "spec/egress/to/podSelector/matchLabels"),
];

/// Selectors inside the pod templates of deployments and stateful sets.
const POD_SELECTORS: &[&str] = &[
    "affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector",
    "affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector",
    "affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector",
    "affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector",
    "topologySpreadConstraints/labelSelector",
];

/// Where labels belong that are used for selecting, too.
#[must_use]
pub(super) fn common_labels() -> Vec<FieldSpec> {
    let mut specs = template_labels();
    specs.extend_from_slice(SELECTORS);
    let mut service = FieldSpec::new("", "Service", "spec/selector").created();
    service.version = "v1".into();
    specs.push(service);
    for kind in ["Deployment", "StatefulSet"] {
        for path in POD_SELECTORS {
            let mut spec = FieldSpec::new("apps", kind, "");
            spec.path = format!("spec/template/spec/{path}/matchLabels").into();
            specs.push(spec);
        }
    }
    specs
}
