//! `karplint show objects`.

use std::{path::Path, process::Command};

use karplint_test_tools::can_run;
use serde_json::{Value, json};

use super::{err, out, repository, run};

/// A base with an overlay, a Secret, and what a plain file and Terraform hold.
const FILES: &[(&str, &str)] = &[
    (
        "apps/base/web.yaml",
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
---
apiVersion: v1
kind: Secret
metadata: { name: token }
stringData: { password: hunter2 }
",
    ),
    ("apps/base/kustomization.yaml", "resources: [web.yaml]\n"),
    (
        "apps/prod/kustomization.yaml",
        "resources: [../base]\nnamePrefix: prod-\nreplicas: [{ name: web, count: 3 }]\n",
    ),
    ("apps/dev/kustomization.yaml", "resources: [../base]\n"),
    (
        "plain/queue.yaml",
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: queue\n  namespace: {{ namespace }}\n",
    ),
    ("plain/kind.yaml", "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\n"),
    ("infra/pool.yaml", "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: spare }\n"),
    (
        "infra/main.tf",
        r#"variable "team" {}
variable "enabled" { default = false }

resource "kubectl_manifest" "spare" {
  yaml_body = file("${path.module}/pool.yaml")
}

resource "kubectl_manifest" "general" {
  count     = var.enabled ? 1 : 0
  yaml_body = <<-YAML
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata:
      name: general
      labels: ${jsonencode({ team = var.team })}
      annotations:
        owner: "${var.team}@shop.example"
  YAML
}
"#,
    ),
    ("clusters/eks.tf", "# nothing\n"),
];

fn shown(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, &[&["show", "objects"], arguments].concat());
    assert_eq!((output.status.code(), &*err(&output)), (Some(0), ""));
    out(&output)
}

fn data(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let text = shown(folder, &[&["--format", "json"], arguments].concat());
    let said: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(said["schema_version"], 1);
    said["objects"].as_array().unwrap().clone()
}

fn names(found: &[Value]) -> Vec<String> {
    let name = |it: &Value| {
        let name = it["object"]["metadata"]["name"].as_str().unwrap();
        format!("{} {name}", it["built_by"]["kind"].as_str().unwrap())
    };
    found.iter().map(name).collect()
}

#[test]
fn objects_are_a_yaml_stream() {
    let folder = repository(FILES);
    let wanted = "---
# from apps/base/web.yaml:1 (overlay apps/prod)
apiVersion: apps/v1
kind: Deployment
metadata:
  name: prod-web
spec:
  replicas: 3
---
# from apps/base/web.yaml:8 (overlay apps/prod)
apiVersion: v1
kind: Secret
metadata:
  name: prod-token
stringData:
  password: \"(masked)\"
";
    assert_eq!(shown(folder.path(), &["apps/prod"]), wanted);
    let wanted = "---
# from infra/main.tf:11 (kubectl_manifest.general[0], which is switched off by default)
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
  labels:
    team: \"${var.team}\" # unknown
  annotations:
    owner: \"${var.team}@shop.example\" # unknown
---
# from infra/pool.yaml:1 (kubectl_manifest.spare)
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: spare
";
    assert_eq!(shown(folder.path(), &["infra"]), wanted);
}

#[test]
fn objects_are_data() {
    let folder = repository(FILES);
    let found = data(folder.path(), &[]);
    let wanted = [
        "file queue",
        "kustomization web",
        "kustomization token",
        "kustomization prod-web",
        "kustomization prod-token",
        "resource general",
        "resource spare",
    ];
    assert_eq!(names(&found), wanted);
    assert_eq!(
        found[0]["object"]["metadata"]["namespace"],
        json!({ "unknown": "{{ namespace }}" })
    );
    assert_eq!(found[4]["object"]["stringData"], json!({ "password": "(masked)" }));
    assert_eq!(found[3]["built_by"], json!({ "kind": "kustomization", "folder": "apps/prod" }));
    assert_eq!(found[3]["location"]["path"], "apps/base/web.yaml");
    let metadata = json!({
        "name": "general",
        "labels": { "team": { "unknown": "var.team" } },
        "annotations": { "owner": { "unknown": "${var.team}@shop.example" } },
    });
    assert_eq!(found[5]["object"]["metadata"], metadata);
    assert_eq!(found[5]["built_by"]["optional"], true);
}

#[test]
fn paths_choose_what_is_written_or_built_there() {
    let folder = repository(FILES);
    assert_eq!(names(&data(folder.path(), &["plain"])), ["file queue"]);
    assert_eq!(
        names(&data(folder.path(), &["apps/dev"])),
        ["kustomization web", "kustomization token"]
    );
    assert_eq!(data(folder.path(), &["apps/base"]).len(), 4);
    let nothing = shown(folder.path(), &["clusters"]);
    assert_eq!(nothing, "# no Kubernetes objects are built here\n");
}

#[test]
fn a_cluster_is_chosen_by_its_name_or_its_folder() {
    let cluster = |name: &str| {
        format!(
            "module \"eks\" {{
  source       = \"terraform-aws-modules/eks/aws\"
  cluster_name = {name}
}}

resource \"kubectl_manifest\" \"a\" {{
  yaml_body = \"{{apiVersion: v1, kind: Namespace, metadata: {{name: ${{basename(path.cwd)}}}}}}\"
}}
"
        )
    };
    let folder = repository(&[
        ("dev/main.tf", &cluster("\"shop-dev\"")),
        ("prod/main.tf", &cluster("var.name")),
        ("apps/prod/web.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: { name: web }\n"),
        ("apps/queue.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: { name: queue }\n"),
    ]);
    let count = |name: &str| data(folder.path(), &["--cluster", name]).len();
    assert_eq!((count("shop-dev"), count("dev"), count("prod")), (2, 2, 3));
    let output = run(folder.path(), &["show", "objects", "--cluster", "shop-deb"]);
    assert_eq!(output.status.code(), Some(2));
    let wanted =
        "there is no cluster `shop-deb` (did you mean `shop-dev`?); there are prod, shop-dev";
    assert!(err(&output).contains(wanted), "{}", err(&output));
}

/// A chart that a HelmRelease installs, and one that nobody does.
const CHARTS: &[(&str, &str)] = &[
    ("charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ("charts/web/values.yaml", "replicas: 1\nteam: shop\n"),
    (
        "charts/web/templates/web.yaml",
        "apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
  labels: {{- dict `team` .Values.team | toYaml | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
---
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }} }
data: { token: {{ randAlphaNum 8 | b64enc }} }
",
    ),
    (
        "charts/web/templates/tests/web.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: { name: try, annotations: { helm.sh/hook: test } }\n",
    ),
    ("charts/lone/Chart.yaml", "apiVersion: v2\nname: lone\nversion: 1.0.0\n"),
    (
        "charts/lone/templates/a.yaml",
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: lone }\n",
    ),
    (
        "apps/web.yaml",
        "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: web, namespace: shop }
spec:
  chart: { spec: { chart: ./charts/web, sourceRef: { kind: GitRepository, name: self } } }
  values: { replicas: 3 }
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: self, namespace: shop }
spec: { url: 'https://git.shop.example/self.git' }
",
    ),
];

#[test]
fn charts_are_rendered_for_their_releases() {
    let folder = repository(CHARTS);
    let wanted = "---
# from charts/web/templates/web.yaml:1 (release shop/web of chart charts/web, apps/web.yaml:3)
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels:
    team: shop
spec:
  replicas: 3
---
";
    let text = shown(folder.path(), &["charts/web"]);
    assert!(text.starts_with(wanted), "{text}");
    assert!(!text.contains("name: try") && text.contains("kind: Secret"), "{text}");
    let names = names(&data(folder.path(), &["charts"]));
    assert_eq!(names, ["release web", "release web", "chart lone"]);
}

/// What helm prints, and what is printed here, object by object. The lone chart needs no release.
#[test]
fn charts_are_rendered_as_helm_renders_them() {
    if !can_run("helm") {
        return;
    }
    let folder = repository(CHARTS);
    let output = Command::new("helm")
        .args(["template", "web", "charts/web", "--namespace", "shop", "--set", "replicas=3"])
        .args(["--show-only", "templates/web.yaml"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let theirs = documents(&String::from_utf8(output.stdout).unwrap());
    let ours = documents(&shown(folder.path(), &["charts/web"]));
    let is_known = |it: &&karplint::value::Value| {
        it.get("kind").present().and_then(|it| it.as_str()) == Some("Deployment")
    };
    let pair = (ours.iter().find(is_known).unwrap(), theirs.iter().find(is_known).unwrap());
    assert_eq!(pair.0.same_as(pair.1), Some(true));
}

/// Every overlay of a fixture, object by object.
#[test]
fn overlays_are_built_as_kubectl_builds_them() {
    if !can_run("kubectl") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/kustomize/overlays/bad");
    for overlay in
        ["apps/cache/overlays/prod", "apps/queue/overlays/prod", "platform/dns/overlays/prod"]
    {
        let output = Command::new("kubectl")
            .args(["kustomize", "--load-restrictor=LoadRestrictionsNone"])
            .arg(root.join(overlay))
            .output()
            .unwrap();
        let theirs = documents(&String::from_utf8(output.stdout).unwrap());
        let ours = documents(&shown(&root, &[overlay]));
        assert_eq!(ours.len(), theirs.len(), "{overlay}");
        for it in &ours {
            assert!(
                theirs.iter().any(|other| it.same_as(other) == Some(true)),
                "{overlay}: {it:?}"
            );
        }
    }
}

fn documents(text: &str) -> Vec<karplint::value::Value> {
    karplint::syntax::yaml::parse_file(karplint::source::FileId(0), text).values
}
