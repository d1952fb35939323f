//! Tests of CRDs that Terraform fetches.

use super::of_root;
use crate::{
    resolve::terraform::{self, options::TerraformOptions},
    source::{Files, SourceFile},
};

const BEFORE: &str = r#"
terraform {
  backend "s3" {}
}
locals {
  release = "v1.2.3"
  raw     = "https://raw.githubusercontent.com/aws/karpenter-provider-aws"
  names   = ["karpenter.sh_nodepools", "karpenter.k8s.aws_ec2nodeclasses"]
  urls    = { for it in local.names : it => "${local.raw}/${local.release}/pkg/apis/crds/${it}.yaml" }
}
data "http" "pools" {
  url = "https://raw.githubusercontent.com/aws/karpenter/v0.16.0/charts/karpenter/crds/karpenter.sh_provisioners.yaml"
}
data "http" "each" {
  for_each = local.urls
  url      = each.value
}
data "http" "counted" {
  count = 2
  url   = "${local.raw}/${local.release}/pkg/apis/crds/${local.names[count.index]}.yaml"
}
data "http" "open" {
  url = "${local.raw}/v${var.release}/pkg/apis/crds/karpenter.sh_nodepools.yaml"
}
data "http" "other" {
  url = "https://example.com/v1.2.3/crds/things.yaml"
}
data "kubectl_file_documents" "pools" {
  content = data.http.pools.response_body
}
variable "release" {}
"#;

/// What is applied in one root: each version, and by how many manifests.
fn shown(manifest: &str) -> Vec<String> {
    let text = format!("{BEFORE}\n{manifest}");
    let files = Files::new(vec![SourceFile::new("live/main.tf", &*text)]);
    let terraform = terraform::resolve(&files, &TerraformOptions::default());
    let roots = terraform.roots.iter().enumerate();
    let found = roots.flat_map(|(index, root)| of_root(index, root));
    let shown = found.map(|it| {
        let version = it.version.known().map_or("?", String::as_str);
        let off = if it.is_optional { " off" } else { "" };
        format!("{version} by {}{off}", it.manifests.len())
    });
    shown.collect()
}

#[test]
fn manifests_of_fetched_crds_are_found() {
    for (arguments, wanted) in [
        ("yaml_body = data.http.pools.response_body", "0.16.0 by 1"),
        ("yaml_body = data.http.pools.body", "0.16.0 by 1"),
        ("for_each = data.http.each\n yaml_body = each.value.response_body", "1.2.3 by 2"),
        (
            "for_each = local.urls\n yaml_body = data.http.each[each.key].response_body",
            "1.2.3 by 2",
        ),
        ("count = 2\n yaml_body = data.http.counted[count.index].response_body", "1.2.3 by 2"),
        (
            "for_each = data.kubectl_file_documents.pools.manifests\n yaml_body = each.value",
            "0.16.0 by 1",
        ),
        ("yaml_body = element(data.kubectl_file_documents.pools.documents, 0)", "0.16.0 by 1"),
        (
            "for_each = toset(split(\"---\", data.http.pools.response_body))\n yaml_body = each.key",
            "0.16.0 by 1",
        ),
        ("yaml_body = data.http.open.response_body", "? by 1"),
        (
            "count = var.release == \"\" ? 1 : 0\n yaml_body = data.http.pools.response_body",
            "0.16.0 by 1",
        ),
        ("yaml_body = data.http.other.response_body", ""),
        ("yaml_body = file(\"crd.yaml\")", ""),
        ("depends_on = [data.http.pools]\n yaml_body = \"kind: Pod\"", ""),
    ] {
        let manifest = format!("resource \"kubectl_manifest\" \"crds\" {{\n {arguments}\n}}\n");
        assert_eq!(shown(&manifest).join(", "), wanted, "{arguments}");
    }
    let decoded = "resource \"kubernetes_manifest\" \"crds\" {\n manifest = yamldecode(data.http.pools.response_body)\n}\n";
    assert_eq!(shown(decoded), ["0.16.0 by 1"]);
}
