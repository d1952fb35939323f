//! Much of what belongs to Karpenter: its resources of all versions, its releases, the clusters.

use crate::generators::{Texts, in_folders, many, node_pool, one};

pub(super) const KARPENTER: &str = "resource \"helm_release\" \"karpenter\" {\n  name = \"karpenter\"\n  chart = \"karpenter\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  version = \"1.2.0\"\n  namespace = \"kube-system\"\n}\n";

/// Beside a release that does not serve them.
pub(super) fn retired_manifests(count: usize) -> Texts {
    let manifest = |it| {
        format!(
            "resource \"kubernetes_manifest\" \"p{it}\" {{\n  manifest = {{\n    apiVersion = \"karpenter.sh/v1beta1\"\n    kind = \"NodePool\"\n    metadata = {{ name = \"p{it}\" }}\n    spec = {{ template = {{ spec = {{ nodeClassRef = {{ name = \"d\" }}, requirements = [] }} }} }}\n  }}\n}}\n"
        )
    };
    one("main.tf", format!("{KARPENTER}{}", many(count, manifest)))
}

/// That nothing keeps in order with their release.
pub(super) fn unordered_manifests(count: usize) -> Texts {
    let manifest = |it| {
        format!(
            "resource \"kubectl_manifest\" \"p{it}\" {{\n  yaml_body = <<-YAML\n{}  YAML\n}}\n",
            node_pool(it, "team", &format!("t{it}"))
        )
    };
    one("main.tf", format!("{KARPENTER}{}", many(count, manifest)))
}

/// Each of which waits for the one before it, and none for the release.
pub(super) fn chained_manifests(count: usize) -> Texts {
    let manifest = |it: usize| {
        let before = it.saturating_sub(1);
        format!(
            "resource \"kubectl_manifest\" \"p{it}\" {{\n  depends_on = [{}]\n  yaml_body = <<-YAML\n{}  YAML\n}}\n",
            if it == 0 { String::new() } else { format!("kubectl_manifest.p{before}") },
            node_pool(it, "team", &format!("t{it}"))
        )
    };
    one("main.tf", format!("{KARPENTER}{}", many(count, manifest)))
}

pub(super) fn retired_files(count: usize) -> Texts {
    let pool = |it| node_pool(it, "team", "a").replace("sh/v1", "sh/v1beta1");
    vec![
        ("infra/main.tf".to_owned(), KARPENTER.to_owned()),
        ("pools/a.yaml".to_owned(), many(count, pool)),
    ]
}

pub(super) fn former_kinds(count: usize) -> Texts {
    one(
        "a.yaml",
        many(count, |it| {
            format!(
                "---\napiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata:\n  name: p{it}\nspec:\n  providerRef: {{name: d{it}}}\n---\napiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata:\n  name: d{it}\nspec:\n  subnetSelector: {{karpenter.sh/discovery: c{it}}}\n  securityGroupSelector: {{karpenter.sh/discovery: c{it}}}\n"
            )
        }),
    )
}

fn node_class(it: usize) -> String {
    format!(
        "---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata:\n  name: d{it}\nspec:\n  role: r\n  amiSelectorTerms: [{{alias: al2023@latest}}]\n  subnetSelectorTerms: [{{tags: {{karpenter.sh/discovery: d{it}}}}}]\n  securityGroupSelectorTerms: [{{tags: {{karpenter.sh/discovery: d{it}}}}}]\n"
    )
}

pub(super) fn classes(count: usize) -> Texts {
    one("a.yaml", node_pool(0, "team", "a") + &many(count, node_class))
}

pub(super) fn classes_and_tags(count: usize) -> Texts {
    subnets(count).into_iter().chain([("c.yaml".to_owned(), many(count, node_class))]).collect()
}

pub(super) fn classes_and_pools(count: usize) -> Texts {
    in_folders(count, |it| {
        let pool = node_pool(it, "team", &format!("t{it}"));
        pool.replace("name: d}", &format!("name: d{it}}}")) + &node_class(it)
    })
}

/// Classes and pools that nothing puts in order.
pub(super) fn unordered_classes(count: usize) -> Texts {
    let manifest = |name: &str, object: &str| {
        format!(
            "resource \"kubernetes_manifest\" \"{name}\" {{\n  manifest = {object}\n  depends_on = [helm_release.karpenter]\n}}\n"
        )
    };
    let both = |it| {
        let class = format!(
            "{{ apiVersion = \"karpenter.k8s.aws/v1\", kind = \"EC2NodeClass\", metadata = {{ name = \"c{it}\" }}, spec = {{ role = \"r\" }} }}"
        );
        let pool = format!(
            "{{ apiVersion = \"karpenter.sh/v1\", kind = \"NodePool\", metadata = {{ name = \"p{it}\" }}, spec = {{ template = {{ spec = {{ nodeClassRef = {{ group = \"karpenter.k8s.aws\", kind = \"EC2NodeClass\", name = \"c{it}\" }}, requirements = [] }} }} }} }}"
        );
        manifest(&format!("class{it}"), &class) + &manifest(&format!("pool{it}"), &pool)
    };
    one("main.tf", KARPENTER.to_owned() + &many(count, both))
}

pub(super) fn cluster(it: usize) -> String {
    format!(
        "module \"eks{it}\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"20.0.0\"\n  cluster_name = \"c{it}\"\n}}\nmodule \"karpenter{it}\" {{\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  version = \"20.0.0\"\n  cluster_name = module.eks{it}.cluster_name\n}}\n"
    )
}

pub(super) fn roots(count: usize) -> Texts {
    (0..count).map(|it| (format!("r{it}/main.tf"), cluster(it) + KARPENTER)).collect()
}

pub(super) fn clusters(count: usize) -> Texts {
    one("main.tf", many(count, cluster))
}

pub(super) fn releases_by_clusters(count: usize) -> Texts {
    let release = |it: usize| {
        let own = format!("\"k{it}\" {{\n  provider = helm.h{it}");
        format!(
            "provider \"helm\" {{\n  alias = \"h{it}\"\n  kubernetes {{\n    host = module.eks{it}.cluster_endpoint\n  }}\n}}\n{}",
            KARPENTER.replacen("\"karpenter\" {", &own, 1)
        )
    };
    one("main.tf", many(count, |it| cluster(it) + &release(it)))
}

pub(super) fn flux_releases(count: usize) -> Texts {
    one(
        "a.yaml",
        many(count, |it| {
            format!(
                "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata:\n  name: r{it}\n  namespace: karpenter\nspec:\n  type: oci\n  url: oci://public.ecr.aws/karpenter\n---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: k{it}\n  namespace: karpenter\nspec:\n  chart:\n    spec:\n      chart: karpenter\n      version: 1.5.0\n      sourceRef: {{kind: HelmRepository, name: r{it}}}\n"
            )
        }),
    )
}

pub(super) fn subnets(count: usize) -> Texts {
    let pool = node_pool(0, "team", "a");
    let main = many(count, |it| {
        format!(
            "resource \"aws_subnet\" \"s{it}\" {{\n  vpc_id = \"v\"\n  tags = {{ \"karpenter.sh/discovery\" = \"c{it}\" }}\n}}\n"
        )
    });
    vec![("main.tf".to_owned(), main), ("pool.yaml".to_owned(), pool)]
}
