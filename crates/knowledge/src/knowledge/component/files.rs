//! The files that describe components, and in which of them a name is.
//!
//! Components are asked for by the name of a chart, an add-on, an object, an image or an input. To read all
//! files for an answer would take longer than the rest of a run over a small repository: only those are read
//! that have the name in one of the [`LISTS`]. A test holds that every name is found.

use std::sync::LazyLock;

use memchr::memmem;

use crate::hash::HashMap;

/// The name of each file, and its text.
pub(super) const FILES: [(&str, &str); 39] = [
    ("karpenter.yaml", include_str!("../karpenter.yaml")),
    (
        "amazon-cloudwatch-observability.yaml",
        include_str!("../amazon-cloudwatch-observability.yaml"),
    ),
    ("aws-ebs-csi-driver.yaml", include_str!("../aws-ebs-csi-driver.yaml")),
    ("aws-efs-csi-driver.yaml", include_str!("../aws-efs-csi-driver.yaml")),
    ("aws-fsx-csi-driver.yaml", include_str!("../aws-fsx-csi-driver.yaml")),
    ("aws-load-balancer-controller.yaml", include_str!("../aws-load-balancer-controller.yaml")),
    ("aws-mountpoint-s3-csi-driver.yaml", include_str!("../aws-mountpoint-s3-csi-driver.yaml")),
    ("calico-node.yaml", include_str!("../calico-node.yaml")),
    ("cert-manager.yaml", include_str!("../cert-manager.yaml")),
    ("cilium.yaml", include_str!("../cilium.yaml")),
    ("coredns.yaml", include_str!("../coredns.yaml")),
    ("eks-pod-identity-agent.yaml", include_str!("../eks-pod-identity-agent.yaml")),
    ("external-dns.yaml", include_str!("../external-dns.yaml")),
    ("external-secrets.yaml", include_str!("../external-secrets.yaml")),
    ("kube-proxy.yaml", include_str!("../kube-proxy.yaml")),
    ("metrics-server.yaml", include_str!("../metrics-server.yaml")),
    ("node-local-dns.yaml", include_str!("../node-local-dns.yaml")),
    ("snapshot-controller.yaml", include_str!("../snapshot-controller.yaml")),
    ("tetragon.yaml", include_str!("../tetragon.yaml")),
    ("tigera-operator.yaml", include_str!("../tigera-operator.yaml")),
    ("vpc-cni.yaml", include_str!("../vpc-cni.yaml")),
    ("charts/applications.yaml", include_str!("../charts/applications.yaml")),
    ("charts/bitnami-sql.yaml", include_str!("../charts/bitnami-sql.yaml")),
    ("charts/bitnami-stores.yaml", include_str!("../charts/bitnami-stores.yaml")),
    ("charts/bitnami-documents.yaml", include_str!("../charts/bitnami-documents.yaml")),
    ("charts/bitnami-queues.yaml", include_str!("../charts/bitnami-queues.yaml")),
    ("charts/bitnami-services.yaml", include_str!("../charts/bitnami-services.yaml")),
    ("charts/cloudpirates.yaml", include_str!("../charts/cloudpirates.yaml")),
    ("charts/collectors.yaml", include_str!("../charts/collectors.yaml")),
    ("charts/controllers.yaml", include_str!("../charts/controllers.yaml")),
    ("charts/hashicorp.yaml", include_str!("../charts/hashicorp.yaml")),
    ("charts/nats.yaml", include_str!("../charts/nats.yaml")),
    ("charts/observability.yaml", include_str!("../charts/observability.yaml")),
    ("charts/pipelines.yaml", include_str!("../charts/pipelines.yaml")),
    ("charts/platforms.yaml", include_str!("../charts/platforms.yaml")),
    ("charts/search.yaml", include_str!("../charts/search.yaml")),
    ("charts/stores.yaml", include_str!("../charts/stores.yaml")),
    ("charts/tools.yaml", include_str!("../charts/tools.yaml")),
    ("charts/vectors.yaml", include_str!("../charts/vectors.yaml")),
];

/// What is before the names in a line: several in brackets, or one.
const LISTS: [&str; 4] = ["charts", "addons", "objects", "images"];
const ONE: &str = "input: ";

/// The positions of the files that have the name, in their order; of an image, its last segment counts.
pub(super) fn naming(name: &str) -> &'static [usize] {
    BY_NAME.get(name).map_or(&[], Vec::as_slice)
}

static BY_NAME: LazyLock<HashMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::default();
    // All lists end alike, so that one search finds them.
    let (lists, ones) = (memmem::Finder::new("s: ["), memmem::Finder::new(ONE));
    for (at, (_, text)) in FILES.into_iter().enumerate() {
        for name in names(text, &lists, &ones) {
            let files = by_name.entry(name).or_default();
            if files.last() != Some(&at) {
                files.push(at);
            }
        }
    }
    by_name
});

fn names<'t>(
    text: &'t str,
    lists: &memmem::Finder<'_>,
    ones: &memmem::Finder<'_>,
) -> impl Iterator<Item = &'t str> {
    let line = |at: usize| text.get(at..)?.lines().next();
    let begins = |at: usize| text[..at].trim_end_matches(' ').ends_with('\n') || at == 0;
    let lists = lists.find_iter(text.as_bytes()).filter_map(move |at| {
        let list = LISTS.into_iter().find(|it| text[..=at].ends_with(it))?;
        begins(at + 1 - list.len()).then(|| line(at + "s: ".len()))?
    });
    let ones = ones.find_iter(text.as_bytes()).filter(move |at| begins(*at));
    let lists = lists.chain(ones.filter_map(move |at| line(at + ONE.len())));
    let names = lists.flat_map(|it| it.trim_matches(['[', ']']).split(", "));
    names.map(|it| it.rsplit('/').next().unwrap_or(it)).filter(|it| !it.is_empty())
}
