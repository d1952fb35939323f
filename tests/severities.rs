//! How bad the same finding is, depending on what else the repository shows.

use karplint::{
    config::Config,
    findings::Severity::{self, Error, Note, Warning},
    lint,
    project::Project,
};

/// The severities of what a rule reports in a project.
fn severities(rule: &str, files: &[(&str, &str)]) -> Vec<Severity> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let outcome = lint::run(&Project::from_memory(files.collect()), &Config::default());
    outcome.findings.iter().filter(|it| it.rule == rule).map(|it| it.severity).collect()
}

#[test]
fn a_retired_api_is_a_note_where_nothing_says_which_releases_are_in_use() {
    const OLD: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { name: web } } } }
";
    const NEW: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: shop }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: nodepools.karpenter.sh }
spec: { group: karpenter.sh, scope: Cluster }
";
    for (beside, wanted) in [("", Note), (NEW, Warning), (CRD, Warning)] {
        let files = [("web/pool.yaml", OLD), ("other/file.yaml", beside)];
        assert_eq!(severities("retired-karpenter-api", &files), [wanted], "beside {beside}");
    }
}

#[test]
fn a_shared_discovery_tag_is_a_note_without_a_class_that_selects_by_it() {
    const CODE: &str = "module \"eks\" {
  source  = \"terraform-aws-modules/eks/aws\"
  version = \"21.19.0\"
  name    = \"shop\"
  tags    = { \"karpenter.sh/discovery\" = \"shop\" }
}
";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  role: nodes
  amiSelectorTerms: [{ alias: al2023@v20250101 }]
  subnetSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
  securityGroupSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
";
    for (class, wanted) in [("", Note), (CLASS, Warning)] {
        let files = [("main.tf", CODE), ("class.yaml", class)];
        assert_eq!(severities("shared-discovery-tag", &files), [wanted], "with {class:?}");
    }
}

#[test]
fn what_is_for_another_cloud_is_not_judged() {
    const STATEFUL: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger }
spec:
  selector: { matchLabels: { app: ledger } }
  volumeClaimTemplates: [{ metadata: { name: data } }]
  template:
    metadata: { labels: { app: ledger } }
    spec: { containers: [{ name: ledger, image: \"postgres:17\" }] }
";
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    for (folder, wanted) in [
        ("infra/green-gke-k8s", &[][..]),
        ("aks/base", &[]),
        ("eks-and-aks", &[Warning]),
        ("aws/gke-like", &[Warning]),
        ("baking", &[Warning]),
        ("apps/disabled", &[Note]),
    ] {
        let files = [(&*format!("{folder}/ledger.yaml"), STATEFUL), ("pool.yaml", POOL)];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, wanted, "{folder}");
    }
}

#[test]
fn a_fault_of_drift_shows_where_drift_is_on() {
    for (version, values, wanted) in [
        ("v0.31.0", "{}", &[][..]),
        ("v0.31.0", "{ driftEnabled: true }", &[Warning]),
        ("v0.31.5", "{ driftEnabled: true }", &[]),
        ("v0.32.1", "{ drift: false }", &[]),
        ("v0.32.1", "{ drift: true }", &[Warning]),
        ("v0.33.0", "{}", &[Warning]),
    ] {
        let text = format!(
            "releases:
  - name: karpenter
    chart: oci://public.ecr.aws/karpenter/karpenter
    version: {version}
    values: [{{ settings: {{ featureGates: {values} }} }}]
"
        );
        let found = severities("known-bad-release", &[("helmfile.yaml", &text)]);
        assert_eq!(found, wanted, "{version} with {values}");
    }
}

#[test]
fn a_budget_that_a_wrapper_chart_lacks_is_a_note_until_something_installs_it() {
    const CHART: &str = "apiVersion: v2
name: queue
version: 0.1.0
dependencies:
  - { name: rabbitmq, version: 12.0.0, repository: https://charts.bitnami.com/bitnami }
";
    const VALUES: &str = "rabbitmq: { replicaCount: 3 }\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    const RELEASE: &str = "resource \"helm_release\" \"queue\" {
  name  = \"queue\"
  chart = \"./charts/queue\"
}
";
    for (code, wanted) in [("", Note), (RELEASE, Warning)] {
        let files = [
            ("charts/queue/Chart.yaml", CHART),
            ("charts/queue/values.yaml", VALUES),
            ("pool.yaml", POOL),
            ("main.tf", code),
        ];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, [wanted], "with {code:?}");
    }
}

#[test]
fn what_a_template_without_actions_says_is_wrong_wherever_its_chart_is_installed() {
    const CHART: &str = "apiVersion: v2\nname: pools\nversion: 0.1.0\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: NAME }
spec:
  expiration: 30
  template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } }
";
    for (name, wanted) in [("web", Error), ("{{ .Values.name }}", Warning)] {
        let pool = POOL.replace("NAME", name);
        let files = [
            ("Chart.yaml", CHART),
            ("values.yaml", "name: web\n"),
            ("templates/pool.yaml", pool.as_str()),
        ];
        assert_eq!(severities("invalid-karpenter-resource", &files), [wanted], "{name}");
    }
}

#[test]
fn what_a_chart_that_nobody_installs_leaves_empty_is_for_its_installer() {
    const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: NAME }
spec:
  destination: { namespace: karpenter, server: https://kubernetes.default.svc }
  source:
    repoURL: REPOSITORY
    helm:
      values: |-
        profile: {{ .Values.profile }}
        settings:
          clusterName: {{ .Values.cluster }}
          interruptionQueue: {{ .Values.queue }}
          defaultInstanceProfile: {{ .Values.profile }}
";
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    let application = |name: &str, repository: &str, source: &str| {
        let text = APPLICATION.replace("NAME", name).replace("REPOSITORY", repository);
        text + "    " + source + "\n"
    };
    let pools = application("pools", "https://git.example/shop", "path: charts/pools");
    let karpenter = application(
        "karpenter",
        "public.ecr.aws/karpenter",
        "chart: karpenter\n    targetRevision: 1.8.1",
    );
    let found = |bootstrap: &str| {
        let files = [
            ("charts/all/Chart.yaml", "name: all\nversion: 1.0.0\n"),
            ("charts/all/values.yaml", "profile: ''\ncluster: ''\nqueue: ''\n"),
            ("charts/all/templates/pools.yaml", &pools),
            ("charts/all/templates/karpenter.yaml", &karpenter),
            ("charts/pools/Chart.yaml", "name: pools\nversion: 1.0.0\n"),
            ("charts/pools/values.yaml", "profile: ''\n"),
            ("charts/pools/templates/pool.yaml", POOL),
            ("bootstrap.yaml", bootstrap),
        ];
        [
            // What is applied from a path of this repository is installed from here, whoever begins.
            "unbounded-nodepool",
            "interruption-queue-unset",
            "dead-chart-value",
        ]
        .map(|it| severities(it, &files))
    };
    assert_eq!(found(""), [vec![Warning], vec![], vec![Warning, Warning]]);
    let bootstrap = application("all", "https://git.example/shop", "path: charts/all");
    let bootstrap = bootstrap.split("    helm:").next().unwrap_or_default().to_owned();
    let bootstrap = bootstrap + "    path: charts/all\n";
    assert_eq!(found(&bootstrap), [vec![Warning], vec![Warning], vec![]]);
}
