//! `karplint show overview`, which is also what `karplint show` shows.

use std::path::Path;

use serde_json::{Value, json};

use super::{err, out, repository, run};

const FILES: &[(&str, &str)] = &[
    (
        "infra/main.tf",
        r#"variable "zone" {}
variable "size" { default = 4 }

module "eks" {
  source                 = "terraform-aws-modules/eks/aws"
  version                = "~> 21.0"
  name                   = "shop"
  kubernetes_version     = "1.33"
  enable_irsa            = true
  addons                 = { coredns = { addon_version = "v1.12.1-eksbuild.2" }, kube-proxy = {} }
  eks_managed_node_groups = {
    system = {
      instance_types = ["m7g.large"]
      min_size       = 2
      max_size       = var.size
      labels         = { role = "system" }
      taints         = { system = { key = "karpenter.sh/controller", value = "true", effect = "NO_SCHEDULE" } }
    }
  }
  fargate_profiles = { dns = { selectors = [{ namespace = "kube-system" }] } }
}

resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "kube-system"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.8.2"
  values     = [yamlencode({ settings = { clusterName = "shop" } })]
}
"#,
    ),
    (
        "pools/general.yaml",
        "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  limits: { cpu: 100 }
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements:
        - { key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand] }
        - { key: topology.kubernetes.io/zone, operator: In, values: ['{{ zone }}'] }
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  role: shop-nodes
  amiSelectorTerms: [{ alias: al2023@v20260101 }]
  subnetSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
  securityGroupSelectorTerms: [{ id: sg-0123456789abcdef0 }]
",
    ),
    (
        "apps/ledger.yaml",
        "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger, namespace: finance }
spec:
  selector: { matchLabels: { app: ledger } }
  template:
    metadata: { labels: { app: ledger } }
    spec: { containers: [{ name: ledger, image: ledger }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: queue, namespace: finance }
spec:
  selector: { matchLabels: { app: queue } }
  template:
    metadata: { labels: { app: queue } }
    spec: { containers: [{ name: queue, image: queue }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: queue, namespace: finance }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: queue } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: finance }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web }, annotations: { karpenter.sh/do-not-disrupt: 'true' } }
    spec: { containers: [{ name: web, image: web }] }
",
    ),
];

fn shown(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[&["show"], arguments].concat());
    assert_eq!((output.status.code(), &*err(&output)), (Some(0), ""));
    out(&output)
}

#[test]
fn the_overview_is_read_in_a_terminal() {
    let folder = repository(FILES);
    let text = shown(folder.path(), &[]);
    for wanted in [
        "  Kubernetes 1.33 · Karpenter 1.8.2 in kube-system (CRDs ? 1.8.2 or what was\n  \
         installed before it), infra/main.tf:23\n\n",
        "  NodePools 1\n  general  pools/general.yaml:3\n    class          default\n    requires       \
         capacity-type in (spot, on-demand), zone in (? {{ zone }})\n    limits         cpu=100\n    \
         expires after  720h\n    consolidates   WhenEmptyOrUnderutilized after 0s\n    budgets        10%\n",
        "    subnets          karpenter.sh/discovery=shop\n",
        "  coredns     v1.12.1-eksbuild.2  infra/main.tf:10\n",
        "  Workloads 5, of which 2 keep data\n",
        "  ledger  StatefulSet  finance    yes         nothing       apps/ledger.yaml:3\n",
        "  queue   StatefulSet  finance    yes         budget        apps/ledger.yaml:12\n",
        "  and 3 that keep none: `--format json` lists them\n",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
    assert_eq!(shown(folder.path(), &["overview", "."]), text);
    let part = shown(folder.path(), &["overview", "apps"]);
    assert!(part.contains("Workloads 3") && !part.contains("NodePools"), "{part}");
}

fn without_locations(value: &Value) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    Value::Object(
        map.iter()
            .filter(|it| it.0 != "location")
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

#[test]
fn the_overview_is_data() {
    let folder = repository(FILES);
    let said: Value = serde_json::from_str(&shown(folder.path(), &["--format", "json"])).unwrap();
    assert_eq!(said["schema_version"], 1);
    let cluster = &said["clusters"][0];
    assert_eq!((&cluster["name"], &cluster["folder"]), (&json!("shop"), &json!("infra")));
    assert_eq!(cluster["kubernetes_version"], "1.33");
    let of = |key: &str, index: usize| without_locations(&cluster[key][index]);
    let karpenter = json!({
        "version": "1.8.2",
        "crd_version": { "unknown": "1.8.2 or what was installed before it" },
        "namespace": "kube-system",
    });
    assert_eq!(without_locations(&cluster["karpenter"]), karpenter);
    assert_eq!(cluster["karpenter"]["location"]["path"], "infra/main.tf");
    let group = json!({
        "name": "system", "kind": "managed", "labels": { "role": "system" }, "min": 2, "max": 4,
        "taints": [{ "key": "karpenter.sh/controller", "value": "true", "effect": "NoSchedule" }],
        "instance_types": ["m7g.large"],
    });
    assert_eq!(of("node_groups", 0), group);
    assert_eq!(cluster["node_groups"][1]["kind"], "fargate");
    assert_eq!(cluster["node_groups"][1]["selectors"], json!([{ "namespace": "kube-system" }]));
    let pool = json!({
        "name": "general",
        "requirements": [
            { "key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"] },
            { "key": "topology.kubernetes.io/zone", "operator": "In", "values": [{ "unknown": "{{ zone }}" }] },
        ],
        "labels": {}, "taints": [], "startup_taints": [], "weight": null, "limits": { "cpu": 100 },
        "budgets": [{ "nodes": "10%" }], "expire_after": "720h",
        "consolidation": { "policy": "WhenEmptyOrUnderutilized", "after": "0s" },
        "node_class": "default",
    });
    assert_eq!(of("node_pools", 0), pool);
    assert_eq!(cluster["node_classes"][0]["role"], "shop-nodes");
    assert_eq!(of("addons", 0), json!({ "name": "coredns", "version": "v1.12.1-eksbuild.2" }));
    let release = json!({
        "name": "karpenter", "chart": "karpenter", "repository": "oci://public.ecr.aws/karpenter",
        "version": "1.8.2", "namespace": "kube-system", "surface": "terraform",
    });
    assert_eq!(of("releases", 0), release);
    let protection = |index: usize| cluster["workloads"][index]["protected_by"].clone();
    assert_eq!(
        [protection(0), protection(1), protection(2)],
        [json!(null), json!("budget"), json!("annotation")]
    );
    let ledger = json!({
        "kind": "StatefulSet", "namespace": "finance", "name": "ledger", "stateful": true, "protected_by": null,
    });
    assert_eq!(of("workloads", 0), ledger);
}

#[test]
fn the_overview_is_a_comment() {
    let folder = repository(FILES);
    let text = shown(folder.path(), &["--format", "markdown"]);
    for wanted in [
        "## shop\n\nKubernetes 1.33, Karpenter 1.8.2 in kube-system",
        "### NodePools\n\n| name | class | requires | limits |",
        "<details><summary><b>Workloads</b> 5</summary>\n\n| name | kind |",
    ] {
        assert!(text.contains(wanted), "{wanted} in\n{text}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let pool = |name: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: {name} }}\nspec: {{ template: {{ spec: {{ nodeClassRef: {{ name: default }} }} }} }}\n"
        )
    };
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: karpenter, namespace: kube-system }
spec:
  chart: { spec: { chart: karpenter, sourceRef: { kind: HelmRepository, name: k } } }
  values: { settings: { clusterName: \"${CLUSTER}\" } }
";
    let folder = repository(&[("pools/a.yaml", &pool("a")), ("pools/b.yaml", &pool("b"))]);
    let said = |folder: &Path| -> Value {
        serde_json::from_str(&shown(folder, &["--format", "json"])).unwrap()
    };
    let lone = said(folder.path());
    assert_eq!(lone["clusters"].as_array().map(Vec::len), Some(1));
    assert_eq!(lone["clusters"][0]["name"], json!({ "unknown": "not written" }));
    assert_eq!(lone["clusters"][0]["karpenter"], Value::Null);
    assert_eq!(lone["clusters"][0]["node_pools"].as_array().map(Vec::len), Some(2));
    std::fs::write(folder.path().join("pools/release.yaml"), release).unwrap();
    let used = said(folder.path());
    let cluster = &used["clusters"][0];
    assert_eq!(cluster["name"], json!({ "unknown": "${CLUSTER}" }));
    assert_eq!(
        cluster["karpenter"]["version"],
        json!({ "unknown": "the newest, as none is written" })
    );
    assert_eq!(cluster["node_pools"].as_array().map(Vec::len), Some(2));
    let nothing = repository(&[("notes.txt", "")]);
    assert_eq!(said(nothing.path())["clusters"], json!([]));
    assert!(shown(nothing.path(), &[]).starts_with("No cluster"));
}
