//! Where Kubernetes' own kinds name one another.

use crate::resolve::kustomize::{config::NameReference, field::FieldSpec};

/// Where the pod specifications of each kind are.
const PODS: &[(&str, &str)] = &[
    ("Pod", "spec"),
    ("PodTemplate", "template/spec"),
    ("Deployment", "spec/template/spec"),
    ("ReplicaSet", "spec/template/spec"),
    ("ReplicationController", "spec/template/spec"),
    ("DaemonSet", "spec/template/spec"),
    ("StatefulSet", "spec/template/spec"),
    ("Job", "spec/template/spec"),
    ("CronJob", "spec/jobTemplate/spec/template/spec"),
];

/// Fields of pods: what they name, whether also in pod templates and replica sets (else in replication
/// controllers), the field.
const IN_PODS: &[(&str, bool, &str)] = &[
    ("ConfigMap", true, "volumes/configMap/name"),
    ("ConfigMap", true, "containers/env/valueFrom/configMapKeyRef/name"),
    ("ConfigMap", true, "initContainers/env/valueFrom/configMapKeyRef/name"),
    ("ConfigMap", true, "containers/envFrom/configMapRef/name"),
    ("ConfigMap", true, "initContainers/envFrom/configMapRef/name"),
    ("ConfigMap", true, "volumes/projected/sources/configMap/name"),
    ("Secret", true, "volumes/secret/secretName"),
    ("Secret", true, "containers/env/valueFrom/secretKeyRef/name"),
    ("Secret", true, "initContainers/env/valueFrom/secretKeyRef/name"),
    ("Secret", true, "containers/envFrom/secretRef/name"),
    ("Secret", true, "initContainers/envFrom/secretRef/name"),
    ("Secret", true, "imagePullSecrets/name"),
    ("Secret", true, "volumes/projected/sources/secret/name"),
    ("ServiceAccount", false, "serviceAccountName"),
    ("PersistentVolumeClaim", false, "volumes/persistentVolumeClaim/claimName"),
    ("PriorityClass", false, "priorityClassName"),
];

/// Other fields: group and kind of what is named, group and kind of who names it, the field.
const OTHERS: &[(&str, &str, &str, &str, &str)] = &[
    ("", "Deployment", "", "HorizontalPodAutoscaler", "spec/scaleTargetRef/name"),
    ("", "ReplicationController", "", "HorizontalPodAutoscaler", "spec/scaleTargetRef/name"),
    ("", "ReplicaSet", "", "HorizontalPodAutoscaler", "spec/scaleTargetRef/name"),
    ("", "StatefulSet", "", "HorizontalPodAutoscaler", "spec/scaleTargetRef/name"),
    ("", "ConfigMap", "", "Node", "spec/configSource/configMap"),
    ("", "ConfigMap", "", "Role", "rules/resourceNames"),
    ("", "ConfigMap", "", "ClusterRole", "rules/resourceNames"),
    (
        "",
        "ConfigMap",
        "",
        "Ingress",
        "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap",
    ),
    ("", "Secret", "", "Ingress", "spec/tls/secretName"),
    ("", "Secret", "", "Ingress", "metadata/annotations/ingress.kubernetes.io\\/auth-secret"),
    ("", "Secret", "", "Ingress", "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret"),
    (
        "",
        "Secret",
        "",
        "Ingress",
        "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret",
    ),
    ("", "Secret", "", "ServiceAccount", "imagePullSecrets/name"),
    ("", "Secret", "", "StorageClass", "parameters/secretName"),
    ("", "Secret", "", "StorageClass", "parameters/adminSecretName"),
    ("", "Secret", "", "StorageClass", "parameters/userSecretName"),
    ("", "Secret", "", "StorageClass", "parameters/secretRef"),
    ("", "Secret", "", "Role", "rules/resourceNames"),
    ("", "Secret", "", "ClusterRole", "rules/resourceNames"),
    (
        "",
        "Secret",
        "serving.knative.dev",
        "Service",
        "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
    ),
    ("", "Secret", "", "PersistentVolume", "spec/azureFile/secretName"),
    ("", "Service", "apps", "StatefulSet", "spec/serviceName"),
    ("", "Service", "", "Ingress", "spec/rules/http/paths/backend/serviceName"),
    ("", "Service", "", "Ingress", "spec/backend/serviceName"),
    ("", "Service", "", "Ingress", "spec/rules/http/paths/backend/service/name"),
    ("", "Service", "", "Ingress", "spec/defaultBackend/service/name"),
    ("", "Service", "apiregistration.k8s.io", "APIService", "spec/service/name"),
    (
        "",
        "Service",
        "admissionregistration.k8s.io",
        "ValidatingWebhookConfiguration",
        "webhooks/clientConfig/service",
    ),
    (
        "",
        "Service",
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        "webhooks/clientConfig/service",
    ),
    (RBAC, "Role", RBAC, "RoleBinding", "roleRef/name"),
    (RBAC, "ClusterRole", RBAC, "RoleBinding", "roleRef/name"),
    (RBAC, "ClusterRole", RBAC, "ClusterRoleBinding", "roleRef/name"),
    ("", "ServiceAccount", RBAC, "RoleBinding", "subjects"),
    ("", "ServiceAccount", RBAC, "ClusterRoleBinding", "subjects"),
    ("", "PersistentVolume", "", "PersistentVolumeClaim", "spec/volumeName"),
    ("", "PersistentVolume", "", "ClusterRole", "rules/resourceNames"),
    (STORAGE, "StorageClass", "", "PersistentVolume", "spec/storageClassName"),
    (STORAGE, "StorageClass", "", "PersistentVolumeClaim", "spec/storageClassName"),
    (STORAGE, "StorageClass", "", "StatefulSet", "spec/volumeClaimTemplates/spec/storageClassName"),
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicy",
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
        "spec/policyName",
    ),
];

const RBAC: &str = "rbac.authorization.k8s.io";
const STORAGE: &str = "storage.k8s.io";

/// Kinds kustomize asks for in their first version only.
const IN_V1: &[&str] = &[
    "ConfigMap",
    "Secret",
    "Service",
    "ServiceAccount",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "StorageClass",
    "PriorityClass",
];

/// All of them.
#[must_use]
pub(super) fn defaults() -> Vec<NameReference> {
    let mut found = Vec::new();
    for (target, templates, field) in IN_PODS {
        let group = if *target == "PriorityClass" { "scheduling.k8s.io" } else { "" };
        let holds = |kind: &str| match kind {
            "PodTemplate" | "ReplicaSet" => *templates,
            "ReplicationController" => !templates,
            _ => true,
        };
        let pods = PODS.iter().filter(|(kind, _)| holds(kind));
        let referrers = pods.map(|(kind, pod)| {
            let mut spec = FieldSpec::new("", kind, "");
            spec.path = format!("{pod}/{field}").into();
            spec
        });
        found.push(NameReference {
            target: target_of(group, target),
            referrers: referrers.collect(),
        });
    }
    for (group, target, by_group, by, path) in OTHERS {
        let referrers = vec![FieldSpec::new(by_group, by, path)];
        found.push(NameReference { target: target_of(group, target), referrers });
    }
    found
}

fn target_of(group: &'static str, kind: &'static str) -> FieldSpec {
    let mut spec = FieldSpec::new(group, kind, "");
    if IN_V1.contains(&kind) {
        spec.version = "v1".into();
    }
    spec
}
