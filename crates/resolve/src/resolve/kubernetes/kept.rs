//! Which objects of manifests are kept.

use crate::{knowledge, resolve::kubernetes::Object};

/// The kinds that are kept; all others are dropped as soon as their file is read.
const KINDS: &[&str] = &[
    "StatefulSet",
    "Deployment",
    "DaemonSet",
    "Pod",
    "ReplicaSet",
    "Rollout",
    "Job",
    "CronJob",
    "PodDisruptionBudget",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "StorageClass",
    "HorizontalPodAutoscaler",
    "ScaledObject",
    "ClusterPolicy",
    "Policy",
    "CustomResourceDefinition",
    "NodePool",
    "NodeClaim",
    "Node",
    "EC2NodeClass",
    "Provisioner",
    "AWSNodeTemplate",
    "NodeOverlay",
    "Machine",
];

/// Whether an object is of a kind that is kept.
pub(super) fn is_kept(object: &Object) -> bool {
    KINDS.contains(&&*object.kind)
        // Also those that are misspelt.
        || object.is_of_karpenter()
        || knowledge::operator::of(&object.api_version, &object.kind).is_some()
}
