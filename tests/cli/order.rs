//! `karplint show order`.

use std::{collections::BTreeSet, fs, path::Path};

use super::{err, out, run};

/// A controller that does not wait for its pod identity, a pool that does not wait for the controller.
const TERRAFORM: &str = r#"module "karpenter" {
  source  = "terraform-aws-modules/eks/aws//modules/karpenter"
  version = "~> 21.0"
}

resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.8.2"
  values     = [yamlencode({ settings = { clusterName = "shop", interruptionQueue = module.karpenter.queue_name } })]
}

resource "kubectl_manifest" "pool" {
  for_each   = toset(["a", "b"])
  wait       = true
  depends_on = [module.karpenter]
  yaml_body  = <<-YAML
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: { name: ${each.key} }
    spec: { template: { spec: { nodeClassRef: { kind: EC2NodeClass, name: default } } } }
  YAML
}
"#;

/// Releases of Flux and helmfile, and Applications of Argo CD, that wait for one another.
const TOOLS: [(&str, &str); 4] = [
    (
        "flux/karpenter.yaml",
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: crds, namespace: kube-system }
spec: { chart: { spec: { chart: karpenter-crd, version: 1.8.2, sourceRef: { kind: HelmRepository, name: k } } } }
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: karpenter, namespace: kube-system }
spec:
  dependsOn: [{ name: crds }]
  chart: { spec: { chart: karpenter, version: 1.8.2, sourceRef: { kind: HelmRepository, name: k } } }
",
    ),
    (
        "flux/layers.yaml",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: infra, namespace: flux-system }
spec: { path: ./infra }
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: apps, namespace: flux-system }
spec: { path: ./apps, dependsOn: [{ name: infra }] }
",
    ),
    (
        "argo/root.yaml",
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: root, namespace: argocd }
spec: { source: { repoURL: 'https://example.com/repo.git', path: argo/children } }
",
    ),
    (
        "argo/children/karpenter.yaml",
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: crds, namespace: argocd, annotations: { argocd.argoproj.io/sync-wave: '-1' } }
spec: { source: { repoURL: public.ecr.aws/karpenter, chart: karpenter-crd, targetRevision: 1.8.2 } }
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: karpenter, namespace: argocd }
spec: { source: { repoURL: public.ecr.aws/karpenter, chart: karpenter, targetRevision: 1.8.2 } }
",
    ),
];

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn shown(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[&["show", "order"], arguments].concat());
    assert_eq!((output.status.code(), &*err(&output)), (Some(0), ""));
    out(&output)
}

/// The edges, as `from why to`.
fn edges(folder: &Path) -> BTreeSet<String> {
    let said: serde_json::Value =
        serde_json::from_str(&shown(folder, &["--format", "json"])).unwrap();
    assert_eq!(said["schema_version"], 1);
    let edge = |it: &serde_json::Value| {
        let text = |key: &str| it[key].as_str().unwrap().to_owned();
        assert!(it["location"]["start"]["line"].as_u64().unwrap() > 0);
        format!("{} {} {}", text("from"), text("why"), text("to"))
    };
    said["edges"].as_array().unwrap().iter().map(edge).collect()
}

#[test]
fn the_order_of_terraform_is_a_tree() {
    let folder = written(&[("main.tf", TERRAFORM)]);
    let text = shown(folder.path(), &[]);
    let early = "! before helm_release.karpenter (identity-destroyed-early)";
    let pool = "! before kubectl_manifest.pool (nodepool-outlives-controller)";
    let wanted = format!(
        ".\nmodule.karpenter  main.tf:1  {early}\n\
         ├─ helm_release.karpenter  main.tf:6  {pool}\n\
         └─ kubectl_manifest.pool  main.tf:15\n\n\
         ! may be destroyed while something still needs it\n"
    );
    assert_eq!(text, wanted);
}

#[test]
fn the_order_of_terraform_is_data() {
    let folder = written(&[("main.tf", TERRAFORM)]);
    let said: serde_json::Value =
        serde_json::from_str(&shown(folder.path(), &["--format", "json"])).unwrap();
    let node = &said["nodes"][2];
    assert_eq!(
        (&node["id"], &node["kind"]),
        (&"kubectl_manifest.pool".into(), &"kubectl_manifest".into())
    );
    let wanted = serde_json::json!({
        "from": "kubectl_manifest.pool", "to": "helm_release.karpenter", "rule": "nodepool-outlives-controller"
    });
    assert!(said["missing"].as_array().unwrap().contains(&wanted), "{said}");
    let wanted = [
        "helm_release.karpenter reference module.karpenter",
        "kubectl_manifest.pool depends_on module.karpenter",
    ];
    assert_eq!(edges(folder.path()), wanted.map(str::to_owned).into());
}

#[test]
fn other_tools_have_orders_of_their_own() {
    let helmfile = "releases:
  - { name: crds, namespace: kube-system, chart: 'oci://public.ecr.aws/karpenter/karpenter-crd', version: 1.8.2 }
  - name: karpenter
    namespace: kube-system
    chart: oci://public.ecr.aws/karpenter/karpenter
    version: 1.8.2
    needs: [kube-system/crds]
";
    let files = [&TOOLS[..], &[("helmfile.yaml", helmfile)]].concat();
    let folder = written(&files);
    let found = edges(folder.path());
    for wanted in [
        "HelmRelease/kube-system/karpenter dependsOn HelmRelease/kube-system/crds",
        "Kustomization/flux-system/apps dependsOn Kustomization/flux-system/infra",
        "Application/argocd/karpenter sync-wave Application/argocd/crds",
        "Release/kube-system/karpenter needs Release/kube-system/crds",
    ] {
        assert!(found.contains(wanted), "{wanted} in {found:#?}");
    }
    assert!(shown(folder.path(), &["flux"]).contains("HelmRelease/kube-system/karpenter"));
    assert!(!shown(folder.path(), &["flux"]).contains("helmfile"));
}

#[test]
fn eksctl_makes_the_cluster_its_groups_and_karpenter() {
    let config = "apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: { name: shop, region: eu-west-1, version: '1.33' }
karpenter: { version: 1.8.2 }
managedNodeGroups: [{ name: system }]
";
    let folder = written(&[("cluster.yaml", config)]);
    let wanted = [
        "Karpenter/shop needs ClusterConfig/shop",
        "Karpenter/shop needs NodeGroup/shop/system",
        "NodeGroup/shop/system needs ClusterConfig/shop",
    ];
    assert_eq!(edges(folder.path()), wanted.map(str::to_owned).into());
}

#[test]
fn the_order_is_drawn() {
    let folder = written(&[("main.tf", TERRAFORM)]);
    let mermaid = shown(folder.path(), &["--format", "mermaid"]);
    assert!(mermaid.starts_with("flowchart RL\n  n0[\"module.karpenter\"]\n"), "{mermaid}");
    assert!(mermaid.contains("  n1 --> n0\n"), "{mermaid}");
    assert!(mermaid.contains("  n2 -. \"nodepool-outlives-controller\" .-> n1\n"), "{mermaid}");
    let markdown = shown(folder.path(), &["--format", "markdown"]);
    assert!(markdown.contains(&format!("```mermaid\n{mermaid}```\n")), "{markdown}");
    assert!(
        markdown.contains("| `helm_release.karpenter` | `kubectl_manifest.pool` |"),
        "{markdown}"
    );
    let dot = shown(folder.path(), &["--format", "dot"]);
    assert!(dot.contains("  \"helm_release.karpenter\" -> \"module.karpenter\"\n"), "{dot}");
}

#[test]
fn an_address_in_two_roots_has_its_root_before_it() {
    let text = "resource \"terraform_data\" \"a\" {}\n";
    let folder = written(&[("dev/main.tf", text), ("prod/main.tf", text)]);
    let drawn = shown(folder.path(), &["--format", "dot"]);
    assert!(
        drawn.contains("\"dev:terraform_data.a\"") && drawn.contains("\"prod:terraform_data.a\"")
    );
    let nothing = written(&[("notes.txt", "")]);
    assert!(shown(nothing.path(), &[]).starts_with("nothing here is created in an order"));
}

/// A tree is indented by so many levels only, and drawn without recursion.
#[test]
fn a_long_chain_is_shown_whole() {
    let link = |it: usize| {
        format!(
            "resource \"terraform_data\" \"n{it}\" {{\n  input = terraform_data.n{}.id\n}}\n",
            it + 1
        )
    };
    let chain: Vec<String> = (0..2_000).map(link).collect();
    let end = "resource \"terraform_data\" \"n2000\" {}\n";
    let folder = written(&[("main.tf", &(chain.concat() + end))]);
    let tree = shown(folder.path(), &[]);
    assert_eq!(tree.lines().count(), 2_002, "{tree}");
    assert!(tree.lines().all(|it| it.chars().count() < 200));
    assert!(tree.lines().last().is_some_and(|it| it.contains("terraform_data.n0 ")), "{tree}");
}

#[test]
fn the_order_is_a_page_with_a_picture() {
    let named = TERRAFORM.replace("\"pool\"", "\"pool<b>\"");
    let folder = written(&[("main.tf", TERRAFORM), ("other/main.tf", &named)]);
    let page = shown(folder.path(), &["--format", "html"]);
    assert!(page.starts_with("<!doctype html>\n") && page.contains("default-src 'none'"), "{page}");
    let pictures: Vec<&str> = page.split_inclusive("</svg>").collect();
    let pictures = pictures.iter().filter_map(|it| it.get(it.find("<svg")?..));
    let parsed: Vec<_> = pictures.map(|it| roxmltree::Document::parse(it).unwrap()).collect();
    assert_eq!(parsed.len(), 2);
    let count = |class: &str| {
        let is = |it: &roxmltree::Node<'_, '_>| it.attribute("class") == Some(class);
        parsed[0].descendants().filter(is).count()
    };
    // The module and the release are lost early, each with a line to what needs it.
    assert_eq!((count("early"), count("missing")), (2, 2), "{page}");
    assert!(!page.contains("<b>"), "{page}");
}

#[test]
fn the_order_of_one_cluster_leaves_the_others_out() {
    let cluster = |name: &str| {
        format!(
            "module \"eks\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  cluster_name = \"{name}\"\n}}\n"
        )
    };
    let (shop, bank) = (cluster("shop"), cluster("bank"));
    let folder = written(&[("shop/main.tf", &shop), ("bank/main.tf", &bank)]);
    let text = shown(folder.path(), &["--cluster", "bank"]);
    assert_eq!(text, "bank\nmodule.eks  bank/main.tf:1\n");
    let output = run(folder.path(), &["show", "order", "--cluster", "bak"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("there is no cluster `bak`"), "{}", err(&output));
}
