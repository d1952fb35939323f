//! `karplint upgrade`.

use std::{fs, path::Path};

use serde_json::Value;

use super::{err, out, run};

/// A controller of 0.37 with its CRDs, both by one variable.
const TERRAFORM: &str = r#"variable "karpenter_version" {
  default = "0.37.5"
}

resource "helm_release" "crds" {
  name       = "karpenter-crd"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter-crd"
  version    = var.karpenter_version
}

resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = var.karpenter_version
  skip_crds  = true
  depends_on = [helm_release.crds]
  values     = [yamlencode({ logConfig = { enabled = true }, settings = { clusterName = "shop", interruptionQueue = "shop" } })]
}
"#;

/// A pool of v1beta1, and pods that hold nodes by an annotation of before.
const POOL: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: { apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: web }
  limits: { cpu: 100 }
  disruption: { consolidationPolicy: WhenUnderutilized }
---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: { name: web }
spec:
  amiFamily: AL2023
  role: nodes
  subnetSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
  securityGroupSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
";

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn planned(folder: &Path, arguments: &[&str], code: i32) -> Value {
    let output = run(folder, &[&["upgrade", "--format", "json"], arguments].concat());
    assert_eq!(output.status.code(), Some(code), "{}", err(&output));
    let plan: Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(plan["schema_version"], 1);
    plan
}

fn versions(upgrade: &Value) -> Vec<&str> {
    upgrade["steps"].as_array().unwrap().iter().map(|it| it["version"].as_str().unwrap()).collect()
}

/// The changes of a step, as `rule path:line`.
fn changes(step: &Value) -> Vec<String> {
    let change = |it: &Value| {
        let place = &it["location"];
        let (rule, path) = (it["rule"].as_str().unwrap(), place["path"].as_str().unwrap());
        format!("{rule} {path}:{}", place["start"]["line"])
    };
    step["changes"].as_array().unwrap().iter().map(change).collect()
}

#[test]
fn a_plan_has_the_shape_of_the_contract() {
    let folder = written(&[("main.tf", TERRAFORM), ("pool.yaml", POOL)]);
    let plan = planned(folder.path(), &["--to", "1.14"], 1);
    let [upgrade] = plan["upgrades"].as_array().unwrap().as_slice() else {
        panic!("one upgrade: {plan}")
    };
    assert_eq!((&upgrade["from"], &upgrade["to"]), (&"0.37.5".into(), &"1.14.1".into()));
    assert_eq!(upgrade["location"]["path"], "main.tf");
    assert_eq!(upgrade["location"]["start"]["line"], 13);
    assert_eq!(versions(upgrade), ["1.0.14", "1.14.1"]);
    let [first, last] = upgrade["steps"].as_array().unwrap().as_slice() else {
        panic!("two steps: {upgrade}")
    };
    assert_eq!(first["forbidden_without"], Value::Null);
    assert_eq!(last["forbidden_without"], "1.0.14");
    assert_eq!(changes(first), ["dead-chart-value main.tf:21"]);
    let retired = ["retired-karpenter-api pool.yaml:1", "retired-karpenter-api pool.yaml:12"];
    assert_eq!(changes(last), retired);
    for key in ["rule", "severity", "message", "location", "related", "help", "fix"] {
        assert!(last["changes"][0].get(key).is_some(), "{key}");
    }
    let asks = last["cluster"].as_array().unwrap();
    assert!(asks.len() > 3);
    for ask in asks {
        for key in ["do", "why"] {
            assert!(ask[key].as_str().is_some_and(|it| it.len() > 10), "{ask}");
        }
        assert!(ask["source"].as_str().is_some_and(|it| it.starts_with("https://")), "{ask}");
    }
}

#[test]
fn the_version_line_is_no_change() {
    let sound = TERRAFORM.replace("logConfig = { enabled = true }, ", "");
    let folder = written(&[("main.tf", &sound)]);
    let plan = planned(folder.path(), &["--to", "0.37.8"], 0);
    assert_eq!(versions(&plan["upgrades"][0]), ["0.37.8"]);
    let plan = planned(folder.path(), &["--to", "0.37.5"], 0);
    assert_eq!(versions(&plan["upgrades"][0]), Vec::<&str>::new());
}

#[test]
fn a_version_that_is_not_known_has_no_steps() {
    let unknown = TERRAFORM.replace("  default = \"0.37.5\"\n", "");
    let folder = written(&[("main.tf", &unknown)]);
    let plan = planned(folder.path(), &["--to", "latest"], 0);
    let upgrade = &plan["upgrades"][0];
    assert_eq!(upgrade["from"], serde_json::json!({ "unknown": "var.karpenter_version" }));
    assert_eq!(upgrade["to"], "1.14.1");
    assert_eq!(versions(upgrade), Vec::<&str>::new());
}

#[test]
fn what_cannot_be_planned_is_a_failure() {
    let folder = written(&[("main.tf", TERRAFORM)]);
    for (arguments, wanted) in [
        (&["--to", "1.14.9"][..], "there is no Karpenter `1.14.9` that is known"),
        (&["--to", "9.9"], "there is no Karpenter `9.9`"),
        (&["--to", "soon"], "`soon` is no version"),
        (&["--to", "0.36.0"], "main.tf:13: Karpenter is 0.37.5 already, newer than 0.36.0"),
        (&["--kubernetes", "1.99"], "no Karpenter is known for `1.99`"),
        (&[], "--to <VERSION>"),
    ] {
        let output = run(folder.path(), &[&["upgrade"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(wanted), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn kubernetes_alone_moves_karpenter_first() {
    let cluster = "module \"eks\" {
  source          = \"terraform-aws-modules/eks/aws\"
  version         = \"20.37.0\"
  cluster_name    = \"shop\"
  cluster_version = \"1.29\"
}
";
    let folder = written(&[("main.tf", TERRAFORM), ("cluster.tf", cluster)]);
    let plan = planned(folder.path(), &["--kubernetes", "1.34"], 1);
    let upgrade = &plan["upgrades"][0];
    assert_eq!(versions(upgrade), [&["1.0.14"][..], &["1.6.8"; 6]].concat());
    for (index, minor) in ["1.30", "1.31", "1.32", "1.33", "1.34"].iter().enumerate() {
        let step = &upgrade["steps"][2 + index];
        assert_eq!(step["kubernetes"], *minor);
        let first = step["cluster"][0]["do"].as_str().unwrap();
        assert!(first.ends_with(&format!("at a time: {minor} (cluster.tf:5)")), "{first}");
    }
    // Kubernetes beyond what a version works with is a change of that step.
    let plan = planned(folder.path(), &["--to", "1.4", "--kubernetes", "1.34"], 1);
    let beyond = &plan["upgrades"][0]["steps"][5];
    assert_eq!(beyond["kubernetes"], "1.33");
    assert_eq!(changes(beyond), ["kubernetes-version-unsupported main.tf:2"]);
    let output = run(folder.path(), &["upgrade", "--kubernetes", "1.28"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("a cluster has Kubernetes 1.29 already"), "{}", err(&output));
}

#[test]
fn fixes_walk_step_by_step() {
    let folder = written(&[("main.tf", TERRAFORM), ("pool.yaml", POOL)]);
    let diff = run(folder.path(), &["upgrade", "--to", "1.14", "--diff"]);
    assert_eq!(diff.status.code(), Some(1));
    assert!(out(&diff).contains("-  default = \"0.37.5\"\n+  default = \"1.0.14\"\n"));
    assert!(fs::read_to_string(folder.path().join("main.tf")).unwrap().contains("0.37.5"));
    let done = run(folder.path(), &["upgrade", "--to", "1.14", "--unsafe-fixes"]);
    assert_eq!(done.status.code(), Some(1), "the second step has changes");
    assert_eq!(err(&done), "changed 1 file: main.tf\n");
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    assert!(read("main.tf").contains("\"1.0.14\"") && !read("main.tf").contains("logConfig"));
    assert!(read("pool.yaml").contains("karpenter.sh/v1beta1"), "1.0 serves it");
    let done = run(folder.path(), &["upgrade", "--to", "1.14", "--unsafe-fixes"]);
    assert_eq!(done.status.code(), Some(0), "{}", out(&done));
    assert!(read("main.tf").contains("\"1.14.1\"") && !read("pool.yaml").contains("v1beta1"));
    let check = run(folder.path(), &["check", "--fail-on", "error", "--quiet"]);
    assert_eq!(check.status.code(), Some(0), "{}", out(&check));
}

#[test]
fn a_plan_is_read_by_people_too() {
    let folder = written(&[("main.tf", TERRAFORM), ("pool.yaml", POOL)]);
    let shown = |format: &str| {
        let output = run(folder.path(), &["upgrade", "--to", "1.0", "--format", format]);
        assert_eq!(output.status.code(), Some(1));
        out(&output)
    };
    let text = shown("text");
    let wanted = "helm_release.karpenter  main.tf:13
  0.37.5 → 1.0.14

1. 1.0.14

   In the repository:
   ! main.tf:21:30  dead-chart-value
     `logConfig` has no effect since chart 1.0.0
     help: Remove it (`--unsafe-fixes` does it)
   • main.tf:2: write `1.0.14`
   On the cluster, before it:
   ☐ Apply the CRDs of 1.0.14 before the controller: `helm upgrade --install
     karpenter-crd oci://public.ecr.aws/karpenter/karpenter-crd --version
     1.0.14`
";
    assert!(text.starts_with(wanted), "{text}");
    assert!(
        text.ends_with("1 change in 1 step; `--fix` makes the edits of the first step\n"),
        "{text}"
    );
    let markdown = shown("markdown");
    let wanted = "## The way to the next Karpenter

### `helm_release.karpenter`: 0.37.5 → 1.0.14

`main.tf:13`

#### 1. 1.0.14

In the repository:

- [ ] `main.tf:21`: `logConfig` has no effect since chart 1.0.0. Remove it (`--unsafe-fixes` does it) \
([dead-chart-value](https://github.com/karplint/karplint/blob/main/rules/dead-chart-value.md))
- [ ] `main.tf:2`: write `1.0.14`

On the cluster, before it:

- [ ] Apply the CRDs of 1.0.14 before the controller: ";
    assert!(markdown.starts_with(wanted), "{markdown}");
    let html = shown("html");
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"));
    assert!(!html.contains("<script") && !html.contains("src="), "nothing is loaded");
    let nothing = written(&[("a.yaml", "a: 1\n")]);
    let said = out(&run(nothing.path(), &["upgrade", "--to", "1.0"]));
    assert_eq!(said, "nothing here installs Karpenter\n");
}

#[test]
fn kubernetes_moves_one_minor_at_a_time() {
    let clusters = [
        (
            "cluster.tf",
            "module \"eks\" {\n  source          = \"terraform-aws-modules/eks/aws\"\n  version         = \"20.37.0\"\n  cluster_version = var.kubernetes\n}\n\nvariable \"kubernetes\" {\n  default = \"1.29\"\n}\n",
            "\"1.29\"",
            "\"1.30\"",
        ),
        (
            "cluster.tf",
            "resource \"aws_eks_cluster\" \"this\" {\n  name    = \"shop\"\n  version = 1.29\n}\n",
            "1.29",
            "\"1.30\"",
        ),
        (
            "cluster.yaml",
            "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: { name: shop, region: eu-west-1, version: '1.29' }\n",
            "'1.29'",
            "'1.30'",
        ),
    ];
    for (path, cluster, old, new) in clusters {
        let folder =
            written(&[("main.tf", &TERRAFORM.replace("0.37.5", "1.4.0")), (path, cluster)]);
        let arguments = ["upgrade", "--to", "1.4.0", "--kubernetes", "1.31", "--fix"];
        let done = run(folder.path(), &arguments);
        assert!(out(&done).contains("1. Kubernetes 1.30\n"), "{}", out(&done));
        let now = fs::read_to_string(folder.path().join(path)).unwrap();
        assert_eq!(now, cluster.replace(old, new), "{} {}", out(&done), err(&done));
        run(folder.path(), &arguments);
        let now = fs::read_to_string(folder.path().join(path)).unwrap();
        assert_eq!(now, cluster.replace(old, &new.replace("1.30", "1.31")));
    }
}

#[test]
fn addons_that_follow_kubernetes_move_first() {
    let cluster = r#"module "eks" {
  source          = "terraform-aws-modules/eks/aws"
  version         = "20.37.0"
  cluster_version = "1.29"
  cluster_addons  = { kube-proxy = { addon_version = "v1.28.8-eksbuild.5" } }
}
"#;
    let folder = written(&[("main.tf", TERRAFORM), ("cluster.tf", cluster)]);
    for (kubernetes, wanted) in [("1.32", true), ("1.31", false)] {
        let plan = planned(folder.path(), &["--to", "1.4", "--kubernetes", kubernetes], 1);
        let steps = plan["upgrades"][0]["steps"].as_array().unwrap();
        let asks = steps[2]["cluster"].as_array().unwrap();
        let first =
            "Move the add-on `kube-proxy` (cluster.tf:5) from 1.28.8-eksbuild.5 to 1.29 or newer";
        assert_eq!(asks[0]["do"] == first, wanted, "{kubernetes}: {}", asks[0]);
    }
}

#[test]
fn addons_whose_versions_are_not_known_are_asked_about() {
    let cluster = r#"module "eks" {
  source          = "terraform-aws-modules/eks/aws"
  version         = "20.37.0"
  cluster_version = "1.29"
  cluster_addons = {
    coredns = { addon_version = "v1.10.1-eksbuild.7" }
    vpc-cni = { most_recent = true }
  }
}
"#;
    let folder = written(&[("main.tf", TERRAFORM), ("cluster.tf", cluster)]);
    let plan = planned(folder.path(), &["--to", "1.4", "--kubernetes", "1.31"], 1);
    let steps = plan["upgrades"][0]["steps"].as_array().unwrap();
    let asks = steps[2]["cluster"].as_array().unwrap();
    let wanted = "See whether the add-on `coredns` (cluster.tf:6) of version 1.10.1-eksbuild.7 works with \
                  Kubernetes 1.31: `aws eks describe-addon-versions --addon-name coredns \
                  --kubernetes-version 1.31`";
    assert_eq!(asks[0]["do"], wanted);
    assert!(asks[0]["why"].as_str().unwrap().contains("not known here"), "{}", asks[0]);
    let rest = asks[1..].iter().map(|it| it["do"].as_str().unwrap_or_default());
    assert!(!rest.clone().any(|it| it.contains("the add-on `")), "{asks:?}");
}

/// A release on each surface, the version it has and the one it gets.
const SURFACES: [(&str, &str, &str, &str); 7] = [
    (
        "argo.yaml",
        "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: karpenter, namespace: argocd }
spec: { source: { repoURL: public.ecr.aws/karpenter, chart: karpenter, targetRevision: v0.33.1 } }
",
        "targetRevision: v0.33.1",
        "targetRevision: 1.0.14",
    ),
    (
        "flux.yaml",
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: karpenter, namespace: kube-system }
spec:
  chart: { spec: { chart: karpenter, version: 0.37.5, sourceRef: { kind: HelmRepository, name: karpenter } } }
",
        "version: 0.37.5",
        "version: 1.0.14",
    ),
    (
        "helmfile.yaml",
        "releases:
  - { name: karpenter, namespace: kube-system, chart: 'oci://public.ecr.aws/karpenter/karpenter', version: 0.37.5 }
",
        "version: 0.37.5",
        "version: 1.0.14",
    ),
    (
        "kustomization.yaml",
        "helmCharts:
  - { name: karpenter, repo: 'oci://public.ecr.aws/karpenter', version: 0.37.5, releaseName: karpenter }
",
        "version: 0.37.5",
        "version: 1.0.14",
    ),
    (
        "up.sh",
        "#!/bin/sh
KARPENTER_VERSION=0.37.5
helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version \"$KARPENTER_VERSION\" -n kube-system
",
        "KARPENTER_VERSION=0.37.5",
        "KARPENTER_VERSION=1.0.14",
    ),
    (
        "local.tf",
        "locals {
  versions = { karpenter = \"0.37.5\" }
}
resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = local.versions.karpenter
}
",
        "karpenter = \"0.37.5\"",
        "karpenter = \"1.0.14\"",
    ),
    (
        "Chart.yaml",
        "apiVersion: v2
name: platform
version: 0.1.0
dependencies:
  - { name: karpenter, version: 0.37.5, repository: 'oci://public.ecr.aws/karpenter' }
",
        "version: 0.37.5",
        "version: 1.0.14",
    ),
];

#[test]
fn a_version_is_written_where_it_came_from() {
    for (path, text, old, new) in SURFACES {
        let folder = written(&[(path, text)]);
        let done = run(folder.path(), &["upgrade", "--to", "1.0.14", "--fix"]);
        assert!(matches!(done.status.code(), Some(0 | 1)), "{path}: {}", err(&done));
        assert!(out(&done).contains("→ 1.0.14\n"), "{path}: {}", out(&done));
        let now = fs::read_to_string(folder.path().join(path)).unwrap();
        assert_eq!(now, text.replace(old, new), "{path}");
    }
}

/// A file, and what it is after the first step to 1.0.14.
fn stepped(path: &str, before: &str) -> String {
    let folder = written(&[(path, before)]);
    let done = run(folder.path(), &["upgrade", "--to", "1.0.14", "--fix"]);
    assert!(matches!(done.status.code(), Some(0 | 1)), "{path}: {}", err(&done));
    fs::read_to_string(folder.path().join(path)).unwrap()
}

#[test]
fn the_v_goes_with_the_versions_that_have_it() {
    let before = r#"variable "release" {
  default = "0.33.1"
}
resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "v${var.release}"
}
"#;
    let wanted = before.replace("0.33.1", "1.0.14").replace("v${var", "${var");
    assert_eq!(stepped("main.tf", before), wanted);
}

#[test]
fn a_version_that_a_module_chooses_is_written() {
    let call = |inputs: &str| {
        format!(
            "module \"addons\" {{
  source           = \"aws-ia/eks-blueprints-addons/aws\"
  version          = \"1.16.4\"
  cluster_name     = \"shop\"
  enable_karpenter = true
{inputs}}}
"
        )
    };
    let before = call("  karpenter = {\n    namespace = \"karpenter\"\n  }\n");
    let with = "    namespace = \"karpenter\"\n    chart_version = \"1.0.14\"\n";
    assert_eq!(
        stepped("main.tf", &before),
        before.replace("    namespace = \"karpenter\"\n", with)
    );
    let found = stepped("main.tf", &call(""));
    assert!(found.contains("  karpenter        = { chart_version = \"1.0.14\" }\n"), "{found}");
}

#[test]
fn what_no_edit_writes_is_said_in_words() {
    let chart = "apiVersion: v2
name: platform
version: 0.1.0
dependencies:
  - { name: karpenter, version: 0.37.5, repository: 'oci://public.ecr.aws/karpenter' }
";
    let lock = "dependencies:
- name: karpenter
  repository: oci://public.ecr.aws/karpenter
  version: 0.37.5
digest: sha256:0000000000000000000000000000000000000000000000000000000000000000
";
    let rendered = "apiVersion: apps/v1
kind: Deployment
metadata: { name: karpenter, namespace: kube-system }
spec:
  selector: { matchLabels: { app: karpenter } }
  template:
    metadata: { labels: { app: karpenter } }
    spec: { containers: [{ name: controller, image: 'public.ecr.aws/karpenter/controller:0.37.5' }] }
";
    let locked = [("platform/Chart.yaml", chart), ("platform/Chart.lock", lock)];
    let cases: [(&[(&str, &str)], &str); 2] = [
        (&locked, "by hand, in Chart.yaml, then run `helm dependency update platform`"),
        (&[("karpenter.yaml", rendered)], "by rendering the chart anew"),
    ];
    for (files, words) in cases {
        let folder = written(files);
        let plan =
            run(folder.path(), &["upgrade", "--to", "1.0.14", "--format", "markdown", "--fix"]);
        assert!(
            out(&plan).contains(&format!("write `1.0.14` {words}")),
            "{} {}",
            out(&plan),
            err(&plan)
        );
        for (path, text) in files {
            assert_eq!(fs::read_to_string(folder.path().join(path)).unwrap(), *text);
        }
    }
}

#[test]
fn charts_are_asked_about_with_kubernetes() {
    let apps = "releases:
  - { name: ca, namespace: kube-system, chart: autoscaler/cluster-autoscaler, version: 9.43.0 }
  - { name: argocd, namespace: argocd, chart: argo/argo-cd, version: 7.7.0 }
  - { name: own, namespace: own, chart: ./charts/own }
";
    let chart = "apiVersion: v2\nname: own\nversion: 0.1.0\nkubeVersion: '>=1.23.0-0 <1.31.0-0'\n";
    let folder = written(&[
        ("main.tf", TERRAFORM),
        ("helmfile.yaml", apps),
        ("charts/own/Chart.yaml", chart),
        ("charts/own/values.yaml", "a: 1\n"),
        (
            "cluster.tf",
            "resource \"aws_eks_cluster\" \"this\" {\n  name    = \"shop\"\n  version = \"1.29\"\n}\n",
        ),
    ]);
    let plan = planned(folder.path(), &["--to", "1.4", "--kubernetes", "1.31"], 1);
    let steps = plan["upgrades"][0]["steps"].as_array().unwrap();
    let asks = steps[2]["cluster"].as_array().unwrap();
    let asks: Vec<&str> = asks.iter().map(|it| it["do"].as_str().unwrap()).collect();
    for wanted in [
        "Move the chart `charts/own` (helmfile.yaml:4) to a version that works with Kubernetes 1.31: its \
         `kubeVersion` is `>=1.23.0-0 <1.31.0-0`",
        "Let the chart `cluster-autoscaler` (helmfile.yaml:2) install 1.31, by its version or by `image.tag`",
        "See whether these charts work with Kubernetes 1.31: `argo-cd` 7.7.0 (helmfile.yaml:3)",
        "Upgrade the control plane, one minor at a time: 1.30 (cluster.tf:3)",
    ] {
        assert!(asks.contains(&wanted), "{wanted}: {asks:#?}");
    }
}

#[test]
fn a_module_is_raised_where_the_way_needs_it() {
    let module = r#"
module "karpenter" {
  source  = "terraform-aws-modules/eks/aws//modules/karpenter"
  version = "~> 20.30"

  cluster_name          = "shop"
  enable_v1_permissions = true
}
"#;
    let text = format!("{TERRAFORM}{module}")
        .replace("0.37.5", "1.5.0")
        .replace("logConfig = { enabled = true }, ", "");
    let folder = written(&[("main.tf", &text)]);
    let done = run(folder.path(), &["upgrade", "--to", "1.14", "--unsafe-fixes"]);
    let now = fs::read_to_string(folder.path().join("main.tf")).unwrap();
    let wanted = text
        .replace("1.5.0", "1.14.1")
        .replace("~> 20.30", "~> 21.19")
        .replace("  enable_v1_permissions = true\n", "")
        .replace("  cluster_name          =", "  cluster_name =");
    assert_eq!(now, wanted, "{} {}", out(&done), err(&done));
}

#[test]
fn an_old_module_is_asked_about_with_what_changes_in_it() {
    let module = r#"
module "karpenter" {
  source  = "terraform-aws-modules/eks/aws//modules/karpenter"
  version = "19.21.0"

  cluster_name           = "shop"
  irsa_oidc_provider_arn = module.eks.oidc_provider_arn
  create_iam_role        = false
}

output "role" {
  value = module.karpenter.irsa_arn
}
"#;
    let folder =
        written(&[("main.tf", &format!("{TERRAFORM}{module}").replace("0.37.5", "v0.31.4"))]);
    let plan = planned(folder.path(), &["--to", "0.33"], 0);
    let first = plan["upgrades"][0]["steps"][0]["cluster"][0]["do"].as_str().unwrap();
    let wanted = "Move `module.karpenter` (main.tf:26) from 19.21.0 to 20.0.0 or newer; `enable_irsa` is false \
                  where it is not written: the role trusts Pod Identity only; `create_iam_role` is called \
                  `create_node_iam_role`; the output `irsa_arn` is called `iam_role_arn` (`--unsafe-fixes` does it)";
    assert_eq!(first, wanted);
    run(folder.path(), &["upgrade", "--to", "0.33", "--unsafe-fixes"]);
    let now = fs::read_to_string(folder.path().join("main.tf")).unwrap();
    for text in [
        "version = \"20.0.0\"",
        "enable_irsa",
        "create_node_iam_role",
        "module.karpenter.iam_role_arn",
    ] {
        assert!(now.contains(text), "{text}: {now}");
    }
}

#[test]
fn what_is_asked_names_its_places() {
    let blueprints = r#"module "addons" {
  source           = "aws-ia/eks-blueprints-addons/aws"
  version          = "1.9.2"
  enable_karpenter = true
  karpenter        = { chart_version = "v0.31.4" }
}
"#;
    let old = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: { name: web }\nspec: { providerRef: { name: web } }\n";
    let folder = written(&[("main.tf", blueprints), ("pools/web.yaml", old)]);
    let plan = planned(folder.path(), &["--to", "0.32"], 0);
    let asks = plan["upgrades"][0]["steps"][0]["cluster"].as_array().unwrap();
    let asks: Vec<&str> = asks.iter().map(|it| it["do"].as_str().unwrap()).collect();
    let wanted =
        "Move `module.addons` (main.tf:3) from 1.9.2 to 1.11.0 or newer (`--unsafe-fixes` does it)";
    assert_eq!(asks[0], wanted);
    let pools = asks.iter().find(|it| it.starts_with("Apply an EC2NodeClass")).unwrap();
    assert!(pools.contains("AWSNodeTemplate and Provisioner (pools/web.yaml:3), and"), "{pools}");
    // What should have been done before is asked, too.
    let late = blueprints.replace("v0.31.4", "v0.33.1");
    let plan = planned(written(&[("main.tf", &late)]).path(), &["--to", "0.37"], 1);
    assert!(
        plan["upgrades"][0]["steps"][0]["cluster"][0]["do"].as_str().unwrap().starts_with("Move")
    );
}

#[test]
fn values_of_a_set_move_with_the_version() {
    let before = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "https://charts.karpenter.sh"
  chart      = "karpenter"
  version    = "0.16.3"

  set {
    name  = "clusterName"
    value = "shop"
  }
}
"#;
    let folder = written(&[("main.tf", before)]);
    run(folder.path(), &["upgrade", "--to", "0.32", "--fix"]);
    let now = fs::read_to_string(folder.path().join("main.tf")).unwrap();
    assert!(now.contains("    name  = \"settings.clusterName\"\n"), "{now}");
}

#[test]
fn the_retired_repository_is_left_with_the_version() {
    for (path, old, repository, leads) in [
        (
            "main.tf",
            "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"https://charts.karpenter.sh\"
  chart      = \"karpenter\"
  version    = \"0.16.3\"
}
",
            "https://charts.karpenter.sh",
            "oci://public.ecr.aws/karpenter",
        ),
        (
            "argo.yaml",
            "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: karpenter, namespace: argocd }
spec: { source: { repoURL: 'https://charts.karpenter.sh/', chart: karpenter, targetRevision: 0.16.3 } }
",
            "https://charts.karpenter.sh/",
            "public.ecr.aws/karpenter",
        ),
        (
            "Chart.yaml",
            "apiVersion: v2
name: platform
version: 0.1.0
dependencies:
  - { name: karpenter, version: 0.16.3, repository: \"https://charts.karpenter.sh\" }
",
            "https://charts.karpenter.sh",
            "oci://public.ecr.aws/karpenter",
        ),
    ] {
        let folder = written(&[(path, old)]);
        let done = run(folder.path(), &["upgrade", "--to", "0.31.4", "--fix"]);
        let now = fs::read_to_string(folder.path().join(path)).unwrap();
        let wanted = old.replace(repository, leads).replace("0.16.3", "v0.31.4");
        assert_eq!(now, wanted, "{path}: {} {}", out(&done), err(&done));
    }
}

/// Raises a release from the retired repository.
fn leaves_retired(path: &str, before: &str, after: &[(&str, &str)]) {
    let folder = written(&[(path, before)]);
    let done = run(folder.path(), &["upgrade", "--to", "0.31", "--fix"]);
    let now = fs::read_to_string(folder.path().join(path)).unwrap();
    let wanted = after.iter().fold(before.to_owned(), |it, (old, new)| it.replace(old, new));
    assert_eq!(now, wanted, "{path}: {} {}", out(&done), err(&done));
}

#[test]
fn a_retired_repository_is_left_in_the_words_of_each_tool() {
    for (path, before, after) in [
        (
            "karpenter.yaml",
            "apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: { name: karpenter, namespace: flux-system }
spec:
  interval: 1h
  url: https://charts.karpenter.sh
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: karpenter, namespace: flux-system }
spec:
  chart: { spec: { chart: karpenter, version: 0.16.3, sourceRef: { kind: HelmRepository, name: karpenter } } }
",
            [
                ("  url: https://charts.karpenter.sh\n", "  url: oci://public.ecr.aws/karpenter\n  type: oci\n"),
                ("version: 0.16.3", "version: v0.31.5"),
            ],
        ),
        (
            "helmfile.yaml",
            "repositories:
  - name: karpenter
    url: https://charts.karpenter.sh/
releases:
  - name: karpenter
    namespace: karpenter
    chart: karpenter/karpenter
    version: 0.16.3
",
            [
                ("url: https://charts.karpenter.sh/\n", "url: public.ecr.aws/karpenter\n    oci: true\n"),
                ("version: 0.16.3", "version: v0.31.5"),
            ],
        ),
    ] {
        leaves_retired(path, before, &after);
    }
}

#[test]
fn commands_leave_a_retired_repository() {
    for (path, before, after) in [
        (
            "up.sh",
            "#!/bin/sh
helm repo add karpenter https://charts.karpenter.sh/
helm upgrade --install karpenter karpenter/karpenter --version 0.16.3 --namespace karpenter
",
            [
                ("karpenter karpenter/karpenter", "karpenter oci://public.ecr.aws/karpenter/karpenter"),
                ("--version 0.16.3", "--version v0.31.5"),
            ],
        ),
        (
            "flag.sh",
            "#!/bin/sh
helm upgrade --install karpenter karpenter --repo https://charts.karpenter.sh --version 0.16.3 -n karpenter
",
            [
                ("karpenter karpenter --repo https://charts.karpenter.sh", "karpenter oci://public.ecr.aws/karpenter/karpenter"),
                ("--version 0.16.3", "--version v0.31.5"),
            ],
        ),
        (
            "lines.sh",
            "#!/bin/sh
helm upgrade --install karpenter karpenter \\
  --repo=https://charts.karpenter.sh \\
  --version 0.16.3 -n karpenter
",
            [
                ("karpenter karpenter \\\n  --repo=https://charts.karpenter.sh", "karpenter oci://public.ecr.aws/karpenter/karpenter"),
                ("--version 0.16.3", "--version v0.31.5"),
            ],
        ),
    ] {
        leaves_retired(path, before, &after);
    }
}

#[test]
fn values_of_tfvars_move_with_the_version() {
    let folder = written(&[
        ("main.tf", &TERRAFORM.replace("  default = \"0.37.5\"\n", "")),
        ("terraform.tfvars", "karpenter_version = \"0.37.5\"\n"),
    ]);
    run(folder.path(), &["upgrade", "--to", "1.0", "--fix"]);
    let now = fs::read_to_string(folder.path().join("terraform.tfvars")).unwrap();
    assert_eq!(now, "karpenter_version = \"1.0.14\"\n");
}

#[test]
fn each_karpenter_has_its_own_way() {
    let newer = TERRAFORM.replace("0.37.5", "1.5.0");
    let folder = written(&[("a/main.tf", TERRAFORM), ("a/pool.yaml", POOL), ("b/main.tf", &newer)]);
    let plan = planned(folder.path(), &["--to", "1.14"], 1);
    let upgrades = plan["upgrades"].as_array().unwrap();
    let found: Vec<_> =
        upgrades.iter().map(|it| (it["location"]["path"].as_str(), versions(it))).collect();
    let wanted =
        [(Some("a/main.tf"), vec!["1.0.14", "1.14.1"]), (Some("b/main.tf"), vec!["1.14.1"])];
    assert_eq!(found, wanted);
    let of_pool = changes(&upgrades[0]["steps"][1]);
    assert!(of_pool.iter().all(|it| it.contains("a/pool.yaml")), "{of_pool:?}");
    assert!(changes(&upgrades[1]["steps"][0]).iter().all(|it| !it.contains("a/")));
}

/// A repository of the age of 0.27, with everything that has changed since.
#[test]
fn a_repository_of_0_27_walks_to_the_newest() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/upgrade/from-0.27");
    let folder = tempfile::tempdir().unwrap();
    for part in [
        "infra/main.tf",
        "infra/values.yaml",
        "karpenter/pools.yaml",
        "apps/press.yaml",
        "apps/csi.yaml",
    ] {
        let to = folder.path().join(part);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(fixture.join(part), to).unwrap();
    }
    let main = folder.path().join("infra/main.tf");
    // No release of Karpenter from 1.11 on works with Kubernetes 1.25: the cluster moves before the last step.
    for written in ["0.32.10", "0.37.8", "1.0.14", "1.26", "1.14.1"] {
        let done = run(folder.path(), &["upgrade", "--to", "latest", "--unsafe-fixes"]);
        assert!(matches!(done.status.code(), Some(0 | 1)), "{}", err(&done));
        assert!(fs::read_to_string(&main).unwrap().contains(&format!("{written}\"")), "{written}");
        let check = run(folder.path(), &["check", "--fail-on", "error", "--quiet"]);
        assert_eq!(check.status.code(), Some(0), "{written}: {}", out(&check));
    }
    let values = fs::read_to_string(folder.path().join("infra/values.yaml")).unwrap();
    for text in ["\nlogLevel: info\n", "\nlogOutputPaths: [stdout]\n"] {
        assert!(values.contains(text), "{text}: {values}");
    }
    assert!(!values.contains("logConfig") && !values.contains("  logLevel"), "{values}");
    let said = out(&run(folder.path(), &["upgrade", "--to", "latest"]));
    assert!(said.contains("it is 1.14.1 already, nothing to do"), "{said}");
    let pools = fs::read_to_string(folder.path().join("karpenter/pools.yaml")).unwrap();
    for text in
        ["# Whatever is cheap.", "expireAfter: 2592000s", "alias: bottlerocket@latest", "kubelet:"]
    {
        assert!(pools.contains(text), "{text}: {pools}");
    }
    assert!(!pools.contains("v1beta1") && !pools.contains("v1alpha"), "{pools}");
}
