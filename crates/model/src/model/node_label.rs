//! The labels of Karpenter's nodes: those that all of them have, those that none has, and old names.

use crate::{model::requirement::Undeclared, version::Version};

/// The label that names a node's pool.
pub const NODE_POOL: &str = "karpenter.sh/nodepool";
/// The label that named it before; no release since 0.33 sets it.
pub const PROVISIONER: &str = "karpenter.sh/provisioner-name";
/// The label by which people tell the nodes that are meant for the controller.
pub const CONTROLLER: &str = "karpenter.sh/controller";
/// The label that names a node's class, since 1.0.
pub const NODE_CLASS: &str = "karpenter.k8s.aws/ec2nodeclass";
/// The label of a node group of EKS.
const NODE_GROUP: &str = "eks.amazonaws.com/nodegroup";
/// What EKS gives the nodes of its own groups, besides.
/// <https://docs.aws.amazon.com/eks/latest/userguide/managed-node-groups.html>
const OF_NODE_GROUPS: &[&str] = &[
    "eks.amazonaws.com/capacityType",
    "eks.amazonaws.com/nodegroup-image",
    "eks.amazonaws.com/sourceLaunchTemplateId",
    "eks.amazonaws.com/sourceLaunchTemplateVersion",
];
/// The label that names the node itself.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// Labels that Karpenter reads in place of others.
/// <https://github.com/kubernetes-sigs/karpenter/blob/v1.14.1/pkg/apis/v1/labels.go>
const ALIASES: &[(&str, &str)] = &[
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("topology.ebs.csi.aws.com/zone", "topology.kubernetes.io/zone"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// Labels that each node has, whatever its pool says.
const ALWAYS: &[&str] = &[
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "kubernetes.io/arch",
    "kubernetes.io/os",
    HOSTNAME,
    "node.kubernetes.io/instance-type",
    "karpenter.sh/capacity-type",
    NODE_POOL,
];

/// The name that Karpenter reads in place of an old one.
#[must_use]
pub fn today(key: &str) -> &str {
    ALIASES.iter().find(|(old, _)| *old == key).map_or(key, |(_, new)| *new)
}

/// Whether each node has the label, whatever its pool says.
#[must_use]
pub fn is_always_there(key: &str) -> bool {
    ALWAYS.contains(&key)
}

/// The domains of the labels that other clouds give to their nodes: GKE, AKS, `DigitalOcean`, Oracle, Alibaba, IBM.
const OF_OTHER_CLOUDS: &[&str] = &[
    "cloud.google.com",
    "gke.io",
    "kubernetes.azure.com",
    "doks.digitalocean.com",
    "oraclecloud.com",
    "alibabacloud.com",
    "ibm-cloud.kubernetes.io",
];

/// Whether any node may have the label with any value its pool allows.
#[must_use]
pub fn is_common(key: &str) -> bool {
    let key = today(key);
    let own = [HOSTNAME, NODE_POOL].contains(&key);
    (is_always_there(key) && !own) || key == "topology.k8s.aws/zone-id"
}

/// Whether no node has the label: EKS gives it to its own groups, or a `NodePool` is not allowed to (the
/// whole domain `karpenter.sh` is reserved).
#[must_use]
pub fn is_never_there(key: &str) -> bool {
    [NODE_GROUP, "eks.amazonaws.com/compute-type", CONTROLLER].contains(&key)
}

/// Whether another cloud gives the label to its nodes.
#[must_use]
pub fn is_of_another_cloud(key: &str) -> bool {
    let domain = key.split_once('/').map_or("", |it| it.0);
    let is_below = |it: &str| domain == it || domain.ends_with(&format!(".{it}"));
    OF_OTHER_CLOUDS.iter().copied().any(is_below)
}

/// What Karpenter makes of a label that a pool says nothing about: of those it knows any value will do,
/// any other no node has.
#[must_use]
pub fn is_undeclared_there(key: &str) -> Option<bool> {
    const KNOWN: &[&str] = &["karpenter.k8s.aws/", "topology.k8s.aws/"];
    if key == HOSTNAME {
        return None;
    }
    if is_always_there(key) || KNOWN.iter().any(|it| key.starts_with(it)) {
        return Some(true);
    }
    let unsure = key == "node.kubernetes.io/windows-build"
        || (key.starts_with("karpenter.sh/") && key != CONTROLLER)
        || (key.starts_with("eks.amazonaws.com/")
            && key != NODE_GROUP
            && !OF_NODE_GROUPS.contains(&key));
    (!unsure).then_some(false)
}

/// The labels that Karpenter for AWS knows, below its domain, each with the first release that does.
/// <https://github.com/aws/karpenter-provider-aws/blob/v1.14.1/pkg/apis/v1/labels.go>
const OF_AWS: &[(&str, (u64, u64))] = &[
    ("instance-category", (0, 32)),
    ("instance-family", (0, 32)),
    ("instance-generation", (0, 32)),
    ("instance-size", (0, 32)),
    ("instance-cpu", (0, 32)),
    ("instance-memory", (0, 32)),
    ("instance-network-bandwidth", (0, 32)),
    ("instance-gpu-name", (0, 32)),
    ("instance-gpu-manufacturer", (0, 32)),
    ("instance-gpu-count", (0, 32)),
    ("instance-gpu-memory", (0, 32)),
    ("instance-accelerator-name", (0, 32)),
    ("instance-accelerator-manufacturer", (0, 32)),
    ("instance-accelerator-count", (0, 32)),
    ("instance-hypervisor", (0, 32)),
    ("instance-encryption-in-transit-supported", (0, 32)),
    ("instance-local-nvme", (0, 32)),
    ("instance-cpu-manufacturer", (0, 36)),
    ("instance-ebs-bandwidth", (0, 37)),
    ("instance-cpu-sustained-clock-speed-mhz", (1, 1)),
    ("capacity-reservation-id", (1, 3)),
    ("capacity-reservation-type", (1, 6)),
    ("instance-capability-flex", (1, 7)),
    ("instance-tenancy", (1, 9)),
    ("capacity-reservation-interruptible", (1, 10)),
    ("placement-group-id", (1, 11)),
    ("placement-group-partition", (1, 11)),
];

/// What nodes of a pool that does not name a label have for it: of a label that Karpenter knows, any value; of
/// others, none has any. A release that is not known is the newest.
#[must_use]
pub fn undeclared(key: &str, version: Option<&Version>) -> Undeclared {
    let is_known = match key.strip_prefix("karpenter.k8s.aws/") {
        Some(name) => OF_AWS
            .iter()
            .find(|(it, _)| *it == name)
            .map(|(_, since)| version.is_none_or(|it| it.line() >= *since)),
        None => is_undeclared_there(key),
    };
    match is_known {
        Some(true) => Undeclared::Any,
        Some(false) => Undeclared::Absent,
        None => Undeclared::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_always_there, is_common, is_never_there, is_undeclared_there, undeclared};
    use crate::{model::requirement::Undeclared, version::Version};

    #[test]
    fn labels_are_those_of_karpenters_nodes() {
        for (key, always, common, never, undeclared) in [
            ("kubernetes.io/os", true, true, false, Some(true)),
            ("beta.kubernetes.io/os", false, true, false, Some(false)),
            ("topology.ebs.csi.aws.com/zone", false, true, false, Some(false)),
            ("kubernetes.io/hostname", true, false, false, None),
            ("karpenter.sh/nodepool", true, false, false, Some(true)),
            ("karpenter.sh/capacity-type", true, true, false, Some(true)),
            ("karpenter.sh/controller", false, false, true, Some(false)),
            ("karpenter.sh/registered", false, false, false, None),
            ("eks.amazonaws.com/nodegroup", false, false, true, Some(false)),
            ("eks.amazonaws.com/compute-type", false, false, true, None),
            ("eks.amazonaws.com/capacityType", false, false, false, Some(false)),
            ("topology.k8s.aws/zone-id", false, true, false, Some(true)),
            ("karpenter.k8s.aws/instance-cpu", false, false, false, Some(true)),
            ("node.kubernetes.io/windows-build", false, false, false, None),
            ("team", false, false, false, Some(false)),
        ] {
            let said = (is_always_there(key), is_common(key), is_never_there(key));
            assert_eq!(said, (always, common, never), "{key}");
            assert_eq!(is_undeclared_there(key), undeclared, "{key}");
        }
    }

    #[test]
    fn labels_are_known_from_a_release_on() {
        let old = Version::new(0, 35, 0);
        for (key, then, today) in [
            ("karpenter.k8s.aws/instance-cpu", Undeclared::Any, Undeclared::Any),
            ("karpenter.k8s.aws/instance-tenancy", Undeclared::Absent, Undeclared::Any),
            ("karpenter.k8s.aws/instance-pods", Undeclared::Unknown, Undeclared::Unknown),
            ("topology.kubernetes.io/zone", Undeclared::Any, Undeclared::Any),
            ("team", Undeclared::Absent, Undeclared::Absent),
        ] {
            assert_eq!(undeclared(key, Some(&old)), then, "{key}");
            assert_eq!(undeclared(key, None), today, "{key}");
        }
    }
}
