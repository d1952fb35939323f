//! What folders, files and classes are for by their names: another cloud, or machines of one's own.

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
const OWN_MACHINES: &[&str] = &["k3s", "microk8s", "onprem", "premises", "rke", "rke2"];

/// The words that name that of AWS.
const OWN_SERVICES: &[&str] = &["aws", "ec2", "eks", "karpenter"];

/// What a folder is for by its name, if not for AWS: `green-gke-k8s`, `on-premises`. One that names AWS as well, at
/// any level, is for both.
#[must_use]
pub(super) fn named_for(folder: &str) -> Option<&'static str> {
    let has = |names: &[&str]| folder.split(['/', '-', '_', '.']).any(|it| names.contains(&it));
    match (has(OTHER_SERVICES), has(OWN_MACHINES)) {
        _ if has(OWN_SERVICES) => None,
        (true, _) => Some(FOR_ANOTHER_CLOUD),
        (false, true) => Some("for a cluster outside EKS (k3s, RKE, on-premises)"),
        (false, false) => None,
    }
}
