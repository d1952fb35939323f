//! What folders, files and classes are for by their names: another cloud, or machines of one's own.

use crate::{
    resolve::terraform::{object::Mode, root::Root},
    value::Value,
};

/// Why nothing is judged that another cloud runs.
pub(super) const FOR_ANOTHER_CLOUD: &str = "for another cloud";

/// The words that name another cloud, or its managed Kubernetes.
const OTHER_SERVICES: &[&str] = &[
    "aks",
    "azure",
    "civo",
    "digitalocean",
    "doks",
    "gcp",
    "gke",
    "hetzner",
    "linode",
    "lke",
    "oke",
    "openshift",
    "ovh",
    "ovhcloud",
    "scaleway",
];

/// The words that name a Kubernetes on machines of one's own.
const OWN_MACHINES: &[&str] = &[
    "baremetal",
    "k0s",
    "k3s",
    "kubeadm",
    "microk8s",
    "onprem",
    "premises",
    "rke",
    "rke2",
    "talos",
];

/// The words that name that of AWS.
const OWN_SERVICES: &[&str] = &["aws", "ec2", "eks", "karpenter"];

/// What a root module is for that reaches its cluster by a kubeconfig: each of its contexts, or else the folder of the
/// module, names another Kubernetes than EKS, and nothing of it asks for a cluster of EKS.
#[must_use]
pub(super) fn root_named_for(root: &Root) -> Option<&'static str> {
    if root.kubeconfigs.is_empty() {
        return None;
    }
    let mut of_eks =
        [Mode::Data, Mode::Resource].map(|it| root.of(it, "aws_eks_cluster")).into_iter();
    if of_eks.any(|mut it| it.next().is_some()) {
        return None;
    }
    let named = |it: &Value| it.as_str().and_then(named_for);
    let by_context = root.kubeconfigs.iter().map(named).collect::<Option<Vec<_>>>();
    by_context.and_then(|it| it.first().copied()).or_else(|| named_for(&root.folder))
}

/// What a folder is for by its name, if not for AWS: `green-gke-k8s`, `on-premises`. One that names AWS as well, at
/// any level, is for both.
#[must_use]
pub(super) fn named_for(folder: &str) -> Option<&'static str> {
    let has =
        |names: &[&str]| folder.split(['/', '-', '_', '.', ':', '@']).any(|it| names.contains(&it));
    let on_own_machines = has(OWN_MACHINES) || folder.contains("bare-metal");
    match (has(OTHER_SERVICES), on_own_machines) {
        _ if has(OWN_SERVICES) => None,
        (true, _) => Some(FOR_ANOTHER_CLOUD),
        (false, true) => Some("for a cluster outside EKS (k3s, RKE, on-premises)"),
        (false, false) => None,
    }
}
