//! How bad the same finding is, depending on what else the repository shows.

use karplint::{
    config::Config,
    findings::Severity::{self, Error, Note, Warning},
    lint::{self, LintResult},
    project::Project,
};

/// What is found in a project.
fn linted(files: &[(&str, &str)]) -> LintResult {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    lint::run(&Project::from_memory(files.collect()), &Config::default())
}

/// The severities of what a rule reports in a project.
fn severities(rule: &str, files: &[(&str, &str)]) -> Vec<Severity> {
    let found = linted(files).findings;
    found.iter().filter(|it| it.rule == rule).map(|it| it.severity).collect()
}

/// Of each retired resource of a project how bad that is, and whether it is said that no release is seen.
fn retired(files: &[(&str, &str)]) -> Vec<(Severity, bool)> {
    let found = linted(files).findings;
    let retired = found.iter().filter(|it| it.rule == "retired-karpenter-api");
    let is_open = |it: &karplint::findings::Finding| {
        it.notes.iter().any(|it| it.message == "nothing here says which release is installed")
    };
    retired.map(|it| (it.severity, is_open(it))).collect()
}

#[test]
fn a_retired_api_is_a_warning_where_nothing_says_which_releases_are_in_use() {
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
    for (beside, is_open) in [("", true), (NEW, false), (CRD, false)] {
        let files = [("web/pool.yaml", OLD), ("other/file.yaml", beside)];
        assert_eq!(retired(&files), [(Warning, is_open)], "beside {beside}");
    }
}

#[test]
fn a_retired_api_is_a_warning_beside_a_rendering_for_another_cluster() {
    const POOL: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { name: web } } } }
";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: web }
spec:
  role: nodes
  amiSelectorTerms: [{ alias: al2023@v20250101 }]
  subnetSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
  securityGroupSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]
";
    for (cluster, wanted) in [("shop", Error), ("ferry", Warning)] {
        let controller = format!(
            "apiVersion: apps/v1
kind: Deployment
metadata: {{ name: karpenter, namespace: kube-system }}
spec:
  selector: {{ matchLabels: {{ app: karpenter }} }}
  template:
    metadata: {{ labels: {{ app: karpenter }} }}
    spec:
      containers:
        - name: controller
          image: public.ecr.aws/karpenter/controller:1.8.1
          env: [{{ name: CLUSTER_NAME, value: {cluster} }}]
"
        );
        let files = [("pool.yaml", POOL), ("class.yaml", CLASS), ("karpenter.yaml", &*controller)];
        assert_eq!(severities("retired-karpenter-api", &files), [wanted], "beside {cluster}");
    }
}

#[test]
fn overlays_that_no_application_set_finds_give_notes() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    const SET: &str = "apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: live }
spec:
  generators:
    - git:
        repoURL: https://git.example.com/fleet.git
        files: [{ path: apps/**/live/config.json }]
        template: { metadata: {}, spec: { source: { repoURL: \"\" } } }
    - git:
        repoURL: https://git.example.com/fleet.git
        files: [{ path: apps/**/live/config_dir.json }]
        template: { spec: { source: { directory: { recurse: true } } } }
  template:
    metadata: { name: \"{{ name }}\" }
    spec:
      destination: { server: https://kubernetes.default.svc, namespace: \"{{ name }}\" }
      source: { repoURL: https://git.example.com/fleet.git, path: \"{{ path }}\" }
";
    const LEDGER: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger }
spec:
  selector: { matchLabels: { app: ledger } }
  volumeClaimTemplates: [{ metadata: { name: data } }]
  template:
    metadata: { labels: { app: ledger } }
    spec: { containers: [{ name: ledger, image: \"postgres:17\" }] }
";
    const LIST: &str = "resources: [../../base]\n";
    for (overlay, wanted) in [("live", Warning), ("live-old", Note), ("test", Note)] {
        let place = format!("apps/ledger/overlays/{overlay}");
        let (list, config) =
            (format!("{place}/kustomization.yaml"), format!("{place}/config.json"));
        let files = [
            ("pool.yaml", POOL),
            ("sets.yaml", SET),
            ("apps/web/overlays/live/config.json", "{ \"name\": \"web\" }"),
            ("apps/web/overlays/live/kustomization.yaml", "resources: []\n"),
            ("apps/mail/overlays/live/config.json", "{ \"name\": \"mail\" }"),
            ("apps/mail/overlays/live/kustomization.yaml", "resources: []\n"),
            ("apps/ledger/base/kustomization.yaml", "resources: [ledger.yaml]\n"),
            ("apps/ledger/base/ledger.yaml", LEDGER),
            (&*list, LIST),
            (&*config, "{ \"name\": \"ledger\" }"),
        ];
        assert_eq!(severities("stateful-pod-unprotected", &files), [wanted], "{overlay}");
    }
}

#[test]
fn releases_that_the_kustomization_of_flux_does_not_list_give_notes() {
    const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: { name: karpenter, namespace: kube-system }
spec:
  chart:
    spec:
      chart: karpenter
      version: \"1.8.1\"
      sourceRef: { kind: HelmRepository, name: karpenter, namespace: flux-system }
  values: { settings: { clusterName: harbour, interruptionQueue: harbour } }
";
    const SYNC: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: flux-system, namespace: flux-system }
spec:
  interval: 10m
  path: ./clusters/harbour
  prune: true
  sourceRef: { kind: GitRepository, name: flux-system }
";
    for (list, wanted) in [("[sync.yaml, karpenter.yaml]", Warning), ("[sync.yaml]", Note)] {
        let list = format!("resources: {list}\n");
        let files = [
            ("clusters/harbour/karpenter.yaml", RELEASE),
            ("clusters/harbour/sync.yaml", SYNC),
            ("clusters/harbour/kustomization.yaml", &*list),
        ];
        assert_eq!(severities("crds-never-upgraded", &files), [wanted], "{list}");
    }
}

#[test]
fn nothing_is_said_of_pods_in_the_cluster_whose_pools_are_switched_off() {
    const TEMPLATE: &str = "{{ if .Values.karpenter.enabled }}
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
{{ end }}
";
    const APPS: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: karpenter }
spec:
  destination: { server: https://kubernetes.default.svc, namespace: karpenter }
  source: { repoURL: public.ecr.aws/karpenter, chart: karpenter, targetRevision: 1.8.1 }
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: monitoring }
spec:
  destination: { server: https://kubernetes.default.svc, namespace: monitoring }
  source:
    repoURL: https://prometheus-community.github.io/helm-charts
    chart: kube-prometheus-stack
    targetRevision: 65.5.1
    helm:
      valuesObject:
        grafana: { persistence: { enabled: true } }
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: shared }
spec:
  destination: { server: https://kubernetes.default.svc, namespace: shop }
  source:
    repoURL: https://git.example.com/shop.git
    path: charts/shared
    helm: { valueFiles: [../../overlays/ENVIRONMENT/values.yaml] }
";
    for (environment, wanted) in [("metal", None), ("dev", Some(Warning))] {
        let apps = APPS.replace("ENVIRONMENT", environment);
        let files = [
            ("apps.yaml", &*apps),
            ("charts/shared/Chart.yaml", "apiVersion: v2\nname: shared\nversion: 1.0.0\n"),
            ("charts/shared/values.yaml", "karpenter: { enabled: false }\n"),
            ("charts/shared/templates/pool.yaml", TEMPLATE),
            ("overlays/dev/values.yaml", "karpenter: { enabled: true }\n"),
            ("overlays/metal/values.yaml", "karpenter: { enabled: false }\n"),
        ];
        assert_eq!(
            severities("stateful-pod-unprotected", &files),
            wanted.as_slice(),
            "{environment}"
        );
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
    for (first, wanted) in [("eksctl create cluster --name demo", Note), ("true", Warning)] {
        let script = format!("{first}\ncat <<EOF | kubectl apply -f -\n{CLASS}EOF\n# karpenter\n");
        let files = [("main.tf", CODE), ("up.sh", &*script)];
        assert_eq!(severities("shared-discovery-tag", &files), [wanted], "{script}");
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
        ("bkp-apps", &[Note]),
        ("testcases", &[Note]),
    ] {
        let files = [(&*format!("{folder}/ledger.yaml"), STATEFUL), ("pool.yaml", POOL)];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, wanted, "{folder}");
    }
    for (folder, more, wanted) in [
        ("local", "", &[][..]),
        ("local", "provider \"aws\" {}", &[Warning]),
        ("live", "", &[Warning]),
        ("local/live", "", &[Warning]),
    ] {
        let code = format!(
            "resource \"kubectl_manifest\" \"ledger\" {{\n  yaml_body = <<EOF\n{STATEFUL}EOF\n}}\n{more}\n"
        );
        let files = [(&*format!("{folder}/main.tf"), &*code), ("pool.yaml", POOL)];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, wanted, "{folder}: {code}");
    }
}

#[test]
fn pods_of_a_test_run_give_notes() {
    let budget = "apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: store }
spec: { maxUnavailable: 0, selector: { matchLabels: { app: store } } }
";
    let store = stateful("store");
    for (folder, wanted) in [
        ("test/e2e/loadtest", Note),
        ("load_tests/store", Note),
        ("test/store", Warning),
        ("e2e-runner", Warning),
    ] {
        let (path, beside) = (format!("{folder}/store.yaml"), format!("{folder}/pdb.yaml"));
        for (rule, other) in [("stateful-pod-unprotected", ""), ("drain-blocking-pdb", budget)] {
            let files = [(&*path, &*store), ("pools/pool.yaml", POOL), (&*beside, other)];
            assert_eq!(severities(rule, &files), [wanted], "{rule} in {folder}");
        }
    }
}

#[test]
fn what_is_not_in_use_by_its_name_or_by_who_applies_it_gives_notes() {
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
    const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: ledger }
spec:
  destination: { namespace: shop, server: https://kubernetes.default.svc }
  source: { repoURL: https://git.example/shop, path: ledger }
";
    const LISTED: &str = "resources: [NOUSE_ledger.yaml]\n";
    for (path, other, text, wanted) in [
        ("ledger/ledger.yaml", "README.md", "", Warning),
        ("ledger/NOUSE_ledger.yaml", "README.md", "", Note),
        ("ledger/NOUSE_ledger.yaml", "ledger/kustomization.yaml", LISTED, Warning),
        (
            "ledger/NOUSE_ledger.yaml",
            "apply.sh",
            "kubectl apply -f ledger/NOUSE_ledger.yaml\n",
            Warning,
        ),
        ("ledger/ledger-legacy.yaml", "README.md", "", Note),
        ("ledger/ledger-backup.yaml", "README.md", "", Warning),
        ("do-not-use/ledger.yaml", "README.md", "", Note),
        ("ledger/ledger.yaml", "apps/ledger.yaml", APPLICATION, Warning),
        ("ledger/ledger.yaml", "bkp-apps/ledger.yaml", APPLICATION, Note),
    ] {
        let files = [(path, STATEFUL), ("pool.yaml", POOL), (other, text)];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, [wanted], "{path} beside {other}");
    }
}

#[test]
fn nodes_from_before_are_in_no_cluster_that_is_too_new_for_them() {
    const CODE: &str = "module \"eks\" {
  source             = \"terraform-aws-modules/eks/aws\"
  version            = \"21.19.0\"
  name               = \"shop\"
  kubernetes_version = \"VERSION\"
}
module \"karpenter\" {
  source                  = \"terraform-aws-modules/eks/aws//modules/karpenter\"
  version                 = \"20.37.2\"
  cluster_name            = module.eks.cluster_name
  enable_pod_identity     = true
}
resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.0.6\"
  namespace  = \"kube-system\"
}
";
    for (version, wanted) in [("1.30", &[Note][..]), ("1.31", &[])] {
        let code = CODE.replace("VERSION", version);
        let found = severities("iam-policy-outdated", &[("main.tf", &*code)]);
        assert_eq!(found, wanted, "{version}");
    }
}

#[test]
fn an_error_in_a_chart_that_nothing_installs_says_why_it_is_none() {
    const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: {{ .Values.name }} }
spec:
  destination: { namespace: karpenter, server: https://kubernetes.default.svc }
  source: { repoURL: https://charts.karpenter.sh, chart: karpenter, targetRevision: 0.16.3 }
";
    let files = [
        ("chart/Chart.yaml", "name: all\nversion: 1.0.0\n"),
        ("chart/values.yaml", "name: karpenter\n"),
        ("chart/templates/karpenter.yaml", APPLICATION),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let outcome = lint::run(&Project::from_memory(files.to_vec()), &Config::default());
    let mut found = outcome.findings.iter().filter(|it| it.rule == "retired-chart-repository");
    let found = found.next().map(|it| {
        (
            it.severity,
            it.notes.iter().any(|it| it.message == "nothing in the repository installs this chart"),
        )
    });
    assert_eq!(found, Some((Warning, true)));
}

#[test]
fn a_chart_that_a_module_installs_is_installed_for_its_callers() {
    const MODULE: &str = "variable \"name\" {}
resource \"helm_release\" \"all\" {
  name  = var.name
  chart = \"${path.module}/chart\"
}
";
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: {{ .Values.name }} }\nspec: { template: {}, weight: 300 }\n";
    let files = [
        ("pools/main.tf", MODULE),
        ("pools/chart/Chart.yaml", "name: all\nversion: 1.0.0\n"),
        ("pools/chart/values.yaml", "name: web\n"),
        ("pools/chart/templates/pool.yaml", pool),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let outcome = lint::run(&Project::from_memory(files.to_vec()), &Config::default());
    let found = outcome.findings.iter().filter(|it| it.rule == "invalid-karpenter-resource");
    let words = "a module installs this chart, for whoever calls it";
    let said: Vec<bool> = found.map(|it| it.notes.iter().any(|it| it.message == words)).collect();
    assert!(!said.is_empty() && said.iter().all(|it| *it), "{said:?}");
}

#[test]
fn a_module_that_nothing_calls_and_terraform_refuses_gives_notes() {
    const ROOT: &str =
        "provider \"aws\" {}\nmodule \"network\" {\n  source = \"./modules/network\"\n}\n";
    const POOL: &str = "resource \"kubectl_manifest\" \"pool\" {
  yaml_body  = <<-EOF
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata:
      name: web
  EOF
  depends_on = [module.addons]
}
";
    let own = |text: &str| [POOL, text].concat();
    for (root, pool, wanted) in [
        (ROOT, POOL.to_owned(), Note),
        ("", POOL.to_owned(), Warning),
        (ROOT, own("module \"addons\" {\n  source = \"./addons\"\n}\n"), Warning),
        (ROOT, own("provider \"kubectl\" {}\n"), Warning),
    ] {
        let files = [
            ("main.tf", root),
            ("modules/network/main.tf", "variable \"a\" {}\n"),
            ("modules/pools/main.tf", &*pool),
        ];
        let found = severities("nodepool-deleted-in-background", &files);
        assert_eq!(found, [wanted], "{root}{pool}");
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
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: web }
spec: { amiSelectorTerms: [{ alias: al2023@v20250101 }], subnetSelectorTerms: [{ id: subnet-1 }], securityGroupSelectorTerms: [{ id: sg-1 }], instanceProfile: {{ .Values.profile }} }
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
            "invalid-karpenter-resource",
        ]
        .map(|it| severities(it, &files))
    };
    assert_eq!(found(""), [vec![Warning], vec![], vec![Warning, Note], vec![]]);
    let bootstrap = application("all", "https://git.example/shop", "path: charts/all");
    let bootstrap = bootstrap.split("    helm:").next().unwrap_or_default().to_owned();
    let bootstrap = bootstrap + "    path: charts/all\n";
    assert_eq!(found(&bootstrap), [vec![Warning], vec![Warning], vec![], vec![Error]]);
}

const LEDGER: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger }
spec:
  selector: { matchLabels: { app: ledger } }
  volumeClaimTemplates: [{ metadata: { name: data } }]
  template:
    metadata: { labels: { app: ledger } }
    spec: { containers: [{ name: ledger, image: \"postgres:17\" }] }
";
const SHOP_POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { limits: { cpu: 8 }, template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";

#[test]
fn a_cluster_beside_those_with_karpenter_has_evidence_of_its_own() {
    const ROLE: &str = "resource \"aws_iam_policy\" \"karpenter\" {
  policy = \"ec2:ResourceTag/karpenter.sh/nodepool\"
}
";
    const CLUSTER: &str = "resource \"aws_eks_cluster\" \"shop\" {
  name = \"shop\"
  tags = { \"karpenter.sh/discovery\" = \"shop\" }
}
";
    let of = |cluster: &str, elsewhere: (&str, &str)| {
        let ledger = format!("{cluster}/namespaces/ledger/ledger.yaml");
        severities(
            "stateful-pod-unprotected",
            &[
                (&ledger, LEDGER),
                ("clusters/nonprod/namespaces/karpenter/pools.yaml", SHOP_POOL),
                ("clusters/nonprod/namespaces/ledger/namespace.yaml", "kind: Namespace\n"),
                ("clusters/nonprod/namespaces/mail/namespace.yaml", "kind: Namespace\n"),
                ("clusters/shared-1/namespaces/ledger/namespace.yaml", "kind: Namespace\n"),
                ("clusters/shared-1/namespaces/mail/namespace.yaml", "kind: Namespace\n"),
                ("clusters/lone/namespaces/web/namespace.yaml", "kind: Namespace\n"),
                elsewhere,
            ],
        )
    };
    for (cluster, elsewhere, wanted) in [
        ("clusters/nonprod", ("role/main.tf", ROLE), Some(Warning)),
        ("clusters/shared-1", ("role/main.tf", ROLE), None),
        // It has too little in common with the other to be a cluster like it.
        ("clusters/lone", ("role/main.tf", ROLE), Some(Warning)),
        // What is outside may be for all of them.
        ("clusters/shared-1", ("eks/main.tf", CLUSTER), Some(Warning)),
        ("clusters/shared-1", ("pools/pool.yaml", SHOP_POOL), Some(Warning)),
        (
            "clusters/shared-1",
            ("clusters/shared-1/karpenter.yaml", "name: karpenter\n"),
            Some(Warning),
        ),
    ] {
        assert_eq!(of(cluster, elsewhere), wanted.as_slice(), "{cluster} with {}", elsewhere.0);
    }
}

#[test]
fn a_cluster_whose_values_switch_karpenter_off_has_none() {
    let of = |environment: &str, beside: &str| {
        let application = format!(
            "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{ name: ledger }}
spec:
  destination: {{ server: \"https://kubernetes.default.svc\", namespace: ledger }}
  source:
    repoURL: https://github.com/shop/shop.git
    path: charts/ledger
    helm: {{ valueFiles: [\"../../overlays/{environment}/values.yaml\"] }}
"
        );
        severities(
            "stateful-pod-unprotected",
            &[
                ("charts/ledger/Chart.yaml", "name: ledger\nversion: 1.0.0\n"),
                ("charts/ledger/templates/ledger.yaml", LEDGER),
                ("argocd/ledger.yaml", &application),
                ("pools/pool.yaml", SHOP_POOL),
                ("overlays/depot/values.yaml", "karpenter: { enabled: false }\n"),
                ("overlays/dev/values.yaml", beside),
                ("overlays/hetzner/values.yaml", "replicas: 1\n"),
            ],
        )
    };
    for (environment, beside, wanted) in [
        ("depot", "karpenter: { enabled: true }\n", None),
        // Another tool may install it everywhere.
        ("depot", "karpenter: { enabled: false }\n", Some(Warning)),
        ("dev", "karpenter: { enabled: true }\n", Some(Warning)),
        ("hetzner", "", None),
    ] {
        assert_eq!(of(environment, beside), wanted.as_slice(), "{environment} beside {beside:?}");
    }
}

#[test]
fn what_nothing_applies_is_a_note_where_its_like_is_applied() {
    const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: shop }
spec:
  destination: { server: \"https://kubernetes.default.svc\", namespace: shop }
  source: { repoURL: \"https://github.com/shop/shop.git\", path: k8s }
";
    const STATELESS: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: ledger
spec: {}
";
    let only = |include: &str| {
        APPLICATION.replace(", path: k8s", &format!(", path: k8s, directory: {{ {include} }}"))
    };
    let (all, web) = (only("include: '*.yaml'"), only("include: '{web.yaml,shop.yaml}'"));
    let but = only("exclude: ledger.yaml");
    let elsewhere = LEDGER.replacen("name: ledger }", "name: ledger, namespace: books }", 1);
    let here = STATELESS.replace("name: ledger", "name: ledger\n  namespace: books");
    let there = STATELESS.replace("name: ledger", "name: ledger\n  namespace: shop");
    for (application, script, (own, applied), wanted) in [
        (APPLICATION, "echo\n", (LEDGER, STATELESS), Note),
        (APPLICATION, "kubectl apply -f k8s/ledger.yaml\n", (LEDGER, STATELESS), Note),
        (APPLICATION, "kubectl apply -f ./ledger.yaml\n", (LEDGER, STATELESS), Warning),
        ("", "echo\n", (LEDGER, STATELESS), Warning),
        (&*all, "echo\n", (LEDGER, STATELESS), Note),
        (&*web, "echo\n", (LEDGER, STATELESS), Warning),
        (&*but, "echo\n", (LEDGER, STATELESS), Warning),
        (APPLICATION, "echo\n", (&*elsewhere, &*here), Note),
        (APPLICATION, "echo\n", (&*elsewhere, &*there), Warning),
        (APPLICATION, "echo\n", (&*elsewhere, STATELESS), Note),
    ] {
        let files = [
            ("ledger.yaml", own),
            ("k8s/ledger.yaml", applied),
            ("argocd/shop.yaml", application),
            ("deploy.sh", script),
            ("pools/pool.yaml", SHOP_POOL),
        ];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, [wanted], "{application} {script} {own} {applied}");
    }
}

#[test]
fn a_chart_that_nothing_installs_beside_others_is_a_note() {
    const CLUSTER: &str = "apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: { name: ledger }
spec: { instances: 1, storage: { size: 1Gi } }
";
    const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: web }
spec:
  destination: { server: \"https://kubernetes.default.svc\", namespace: web }
  source: { repoURL: \"https://github.com/shop/shop.git\", path: charts/web }
";
    for (application, wanted) in [(APPLICATION, Note), ("", Warning)] {
        let files = [
            ("charts/ledger/Chart.yaml", "name: ledger\nversion: 1.0.0\n"),
            ("charts/ledger/templates/ledger.yaml", CLUSTER),
            ("charts/web/Chart.yaml", "name: web\nversion: 1.0.0\n"),
            ("charts/web/templates/web.yaml", "kind: ConfigMap\nmetadata: { name: web }\n"),
            ("argocd/web.yaml", application),
            ("pools/pool.yaml", SHOP_POOL),
        ];
        for rule in ["drain-blocking-pdb", "endless-drain"] {
            assert_eq!(severities(rule, &files), [wanted], "{rule} with {application:.11}");
        }
    }
}

#[test]
fn a_cluster_that_is_too_new_for_an_api_dates_it() {
    const OLD: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { name: web } } } }
";
    for (version, is_open) in [("1.31", true), ("1.32", false)] {
        let code = format!(
            "resource \"aws_eks_cluster\" \"shop\" {{\n  name    = \"shop\"\n  version = \"{version}\"\n}}\n"
        );
        let files = [("k8s/pool.yaml", OLD), ("terraform/main.tf", &code)];
        let wanted = if is_open { Warning } else { Error };
        assert_eq!(retired(&files), [(wanted, is_open)], "{version}");
    }
}

#[test]
fn a_key_twice_with_the_same_value_is_a_note() {
    for (second, wanted) in [("[]", Note), ("[a]", Warning)] {
        let text = format!(
            "kind: ConfigMap\nmetadata: {{ name: shop }}\ndata: {{}}\nlist: []\nx: karpenter\nlist: {second}\n"
        );
        assert_eq!(severities("unreadable", &[("shop.yaml", &text)]), [wanted], "{second}");
        let kustomization = ("kustomization.yaml", "resources: [shop.yaml]\n");
        let files = [("shop.yaml", &*text), kustomization];
        assert_eq!(severities("unreadable", &files), [Error], "{second}");
    }
}

#[test]
fn a_broken_file_that_nothing_applies_or_names_is_a_warning() {
    const BROKEN: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: shop ]\n";
    let shop = ("shop/shop.yaml", BROKEN);
    let pool =
        ("shop/shop.yaml", "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name ]\n");
    let script = ("install.sh", "kubectl apply -f shop/shop.yaml\n");
    for (files, wanted) in [
        (&[shop, ("README.md", "# The shop\n")][..], Warning),
        (&[shop, script], Error),
        (&[shop, ("shop/kustomization.yaml", "resources: [shop.yaml]\n")], Error),
        (&[pool], Error),
    ] {
        assert_eq!(severities("unreadable", files), [wanted], "{files:?}");
    }
}

#[test]
fn a_broken_module_that_nothing_calls_is_a_warning() {
    const BROKEN: &str = "# kubernetes\n/* commands\n";
    let root = ("main.tf", "resource \"aws_eks_cluster\" \"shop\" {\n  name = \"shop\"\n}\n");
    let call = ("main.tf", "module \"scan\" {\n  source = \"./modules/scan\"\n}\n");
    for (files, wanted) in [
        (&[root, ("modules/scan/main.tf", BROKEN)], Warning),
        (&[call, ("modules/scan/main.tf", BROKEN)], Error),
        (&[("a/main.tf", root.1), ("b/main.tf", BROKEN)], Error),
        // It has nothing to do with clusters.
        (&[("a/main.tf", root.1), ("b/main.tf", "# weeks\n/* commands\n")], Warning),
    ] {
        assert_eq!(severities("unreadable", files), [wanted], "{files:?}");
    }
}

#[test]
fn a_module_that_requires_another_cloud_and_not_aws_is_not_judged() {
    for (required, wanted) in [
        ("helm = \"~> 3.0\"", &[Warning][..]),
        ("google = \">= 4.0\"", &[]),
        ("google = \">= 4.0\"\n    aws = \">= 6.0\"", &[Warning]),
    ] {
        let code = format!(
            "terraform {{\n  required_providers {{\n    {required}\n  }}\n}}\n\nresource \"helm_release\" \"ledger\" {{\n  \
             name       = \"ledger\"\n  chart      = \"rabbitmq\"\n  repository = \"https://charts.bitnami.com/bitnami\"\n  \
             version    = \"12.0.0\"\n}}\n"
        );
        let files = [("modules/ledger/main.tf", &*code), ("pools/pool.yaml", SHOP_POOL)];
        assert_eq!(severities("stateful-pod-unprotected", &files), wanted, "{required}");
    }
}

#[test]
fn what_a_chart_for_others_installs_has_the_values_that_they_give() {
    const TEMPLATE: &str = "kind: ConfigMap
metadata: { name: web }
data: { name: {{ required \"a name is needed\" .Values.name }} }
";
    let application = |name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{ name: web }}
spec:
  destination: {{ server: \"https://kubernetes.default.svc\", namespace: web }}
  source:
    repoURL: https://github.com/shop/shop.git
    path: charts/web
    helm: {{ valuesObject: {{ name: {name} }} }}
"
        )
    };
    let (made, written) = (application("{{ .Values.name }}"), application("\"\""));
    let chart = ("charts/root/Chart.yaml", "name: root\nversion: 1.0.0\n");
    for (path, text, wanted) in [
        ("charts/root/templates/web.yaml", &made, &[][..]),
        ("argocd/web.yaml", &written, &[Error]),
    ] {
        let files = [
            chart,
            ("charts/root/values.yaml", "name: \"\"\n"),
            ("charts/web/Chart.yaml", "name: web\nversion: 1.0.0\n"),
            ("charts/web/templates/web.yaml", TEMPLATE),
            (path, &**text),
        ];
        assert_eq!(severities("chart-does-not-render", &files), wanted, "{path}");
    }
}

#[test]
fn what_the_kustomization_above_leaves_out_is_a_note_and_no_evidence() {
    const ROOT: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: platform, namespace: flux-system }
spec: { path: ./platform, sourceRef: { kind: GitRepository, name: flux-system } }
";
    const LEDGER: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger, namespace: books }
spec:
  selector: { matchLabels: { app: ledger } }
  template:
    metadata: { labels: { app: ledger } }
    spec: { containers: [{ name: ledger, image: example.com/ledger:3 }] }
  volumeClaimTemplates: [{ metadata: { name: data } }]
";
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: general }
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [amd64] }]
";
    let named = "kubectl apply -k platform/karpenter";
    for (list, script, wanted) in [
        ("resources: [ledger, karpenter]", "", Warning),
        ("resources: [ledger]", "", Note),
        ("resources:\n- ledger\n#- karpenter", "", Note),
        ("resources: [ledger]", named, Warning),
    ] {
        let files = [
            ("clusters/platform.yaml", ROOT),
            ("platform/kustomization.yaml", list),
            ("platform/ledger/kustomization.yaml", "resources: [ledger.yaml]"),
            ("platform/ledger/ledger.yaml", LEDGER),
            ("platform/karpenter/kustomization.yaml", "resources: [pool.yaml]"),
            ("platform/karpenter/pool.yaml", POOL),
            ("install.sh", script),
        ];
        for rule in ["unbounded-nodepool", "stateful-pod-unprotected"] {
            assert_eq!(severities(rule, &files), [wanted], "{rule}: {list} {script}");
        }
    }
}

/// A stateful set with a claim.
fn stateful(name: &str) -> String {
    format!(
        "apiVersion: apps/v1
kind: StatefulSet
metadata: {{ name: {name} }}
spec:
  selector: {{ matchLabels: {{ app: {name} }} }}
  template:
    metadata: {{ labels: {{ app: {name} }} }}
    spec:
      containers: [{{ name: {name}, image: example.com/{name}:1 }}]
  volumeClaimTemplates: [{{ metadata: {{ name: data }}, spec: {{}} }}]
"
    )
}

const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  limits: { cpu: 100 }
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: general }
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [amd64] }]
";

#[test]
fn samples_that_nothing_applies_are_notes() {
    let store = stateful("store");
    let path = "disks/sample/store.yaml";
    for (path, beside, wanted) in [
        (path, ("README.md", ""), Note),
        (path, ("disks/README.md", "kubectl apply -f sample/store.yaml"), Warning),
        (
            path,
            (
                "disks/README.md",
                "kubectl apply -f sample/store.yaml\nkubectl delete -f sample/store.yaml",
            ),
            Note,
        ),
        (path, ("install.sh", "kubectl apply -f disks/sample"), Warning),
        (path, ("kustomization.yaml", "resources: [disks/sample/store.yaml]"), Warning),
        ("disks/store.example.yaml", ("README.md", ""), Note),
        ("disks/store.yaml", ("README.md", "|   └── store.yaml  # Example application"), Note),
        ("disks/store.yaml", ("README.md", "|   └── store.yaml  # The store"), Warning),
    ] {
        let files = [(path, &*store), ("pools/pool.yaml", POOL), beside];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, [wanted], "{path} beside {beside:?}");
    }
}

#[test]
fn a_shell_that_only_waits_loses_nothing() {
    const LOOP: &str = "command: [/bin/sh], args: [-c, 'while true; do echo $(date -u) >> /data/out; sleep 5; done']";
    for (container, wanted) in [
        ("image: busybox, command: [sh, -c, sleep 3600]", None),
        (&*format!("image: 'public.ecr.aws/amazonlinux/amazonlinux:2', {LOOP}"), None),
        ("image: example.com/store:1, command: [sh, -c, sleep 3; exec store]", Some(Warning)),
        ("image: 'registry.k8s.io/nginx-slim:0.24'", Some(Note)),
        ("image: 'example.com/nginx-store:1'", Some(Warning)),
        ("image: 'ubuntu:24.04', args: [/store.sh]", Some(Warning)),
        ("image: 'ubuntu:24.04', command: [sh, -c, sleep 3; exec /store]", Some(Warning)),
    ] {
        let store = stateful("store").replace("image: example.com/store:1", container);
        let files = [("disks/store.yaml", &*store), ("pools/pool.yaml", POOL)];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, wanted.as_slice(), "{container}");
    }
}

#[test]
fn nothing_is_said_of_values_for_a_cluster_on_a_laptop() {
    let store = stateful("store");
    for (values, wanted) in [("values-kind.yaml", None), ("values-eks.yaml", Some(Warning))] {
        let application = format!(
            "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{ name: store }}
spec:
  destination: {{ server: \"https://kubernetes.default.svc\", namespace: store }}
  source: {{ repoURL: \"https://github.com/shop/shop.git\", path: charts/store, helm: {{ valueFiles: [{values}] }} }}
"
        );
        let values = format!("charts/store/{values}");
        let files = [
            ("charts/store/Chart.yaml", "name: store\nversion: 1.0.0\n"),
            ("charts/store/templates/store.yaml", &*store),
            (&*values, "size: 1Gi\n"),
            ("argocd/store.yaml", &*application),
            ("pools/pool.yaml", POOL),
        ];
        assert_eq!(severities("stateful-pod-unprotected", &files), wanted.as_slice(), "{values}");
    }
}

#[test]
fn what_a_kustomization_lists_in_a_comment_is_a_note() {
    const FLUX: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: apps, namespace: flux-system }
spec: { interval: 10m, path: ./apps/live, prune: true, sourceRef: { kind: GitRepository, name: a } }
";
    let (store, engine) = (stateful("store"), stateful("engine"));
    for (live, script, wanted) in [
        ("resources: [../store, ../engine]", "", [Warning, Warning]),
        ("resources: [../store]\n# - ../engine", "", [Note, Warning]),
        (
            "resources: [../store]\n# - ../engine",
            "kubectl apply -k apps/engine",
            [Warning, Warning],
        ),
    ] {
        let files = [
            ("clusters/apps.yaml", FLUX),
            ("apps/live/kustomization.yaml", live),
            ("apps/store/kustomization.yaml", "resources: [store.yaml]"),
            ("apps/store/store.yaml", &store),
            ("apps/engine/kustomization.yaml", "resources: [engine.yaml]"),
            ("apps/engine/engine.yaml", &engine),
            ("pools/pool.yaml", POOL),
            ("install.sh", script),
        ];
        assert_eq!(severities("stateful-pod-unprotected", &files), wanted, "{live} {script}");
    }
}

#[test]
fn what_terraform_does_not_read_is_a_note() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], expireAfter: 30 days, nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    let reads = |path: &str| {
        format!("resource \"kubectl_manifest\" \"pool\" {{ yaml_body = file(\"{path}\") }}\n")
    };
    for (code, beside, wanted) in [
        ("pools/a.yaml", "", [Error, Note]),
        ("pools/a.yaml", "kubectl apply -f pools/b.yaml", [Error, Error]),
        ("pools/a.yaml", "envsubst < b.yaml | kubectl apply -f -", [Error, Error]),
        ("pools/a.yaml", "kubectl apply -f pools/", [Error, Error]),
    ] {
        let code = reads(code);
        let files = [
            ("main.tf", &*code),
            ("pools/a.yaml", POOL),
            ("pools/b.yaml", POOL),
            ("install.sh", beside),
        ];
        assert_eq!(severities("invalid-karpenter-resource", &files), wanted, "with {beside}");
    }
}

#[test]
fn nothing_is_said_of_what_argo_cd_installs_beside_itself_where_karpenter_is_elsewhere() {
    let application = |chart: &str, destination: &str, values: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{ name: {chart} }}
spec:
  destination: {{ {destination}, namespace: apps }}
  source: {{ repoURL: 'https://prometheus-community.github.io/helm-charts', chart: {chart}, targetRevision: 70.3.0, helm: {{ valuesObject: {values} }} }}
"
        )
    };
    let storage = "{ alertmanager: { enabled: false }, prometheus: { prometheusSpec: { storageSpec: { volumeClaimTemplate: { spec: { resources: { requests: { storage: 5Gi } } } } } } } }";
    let own = "server: 'https://kubernetes.default.svc'";
    for (karpenter, prometheus, wanted) in [
        ("name: shop", own, None),
        ("name: shop", "name: in-cluster", None),
        ("name: shop", "name: shop", Some(Warning)),
        ("name: shop", "server: 'https://{{ cluster }}'", Some(Warning)),
        (own, own, Some(Warning)),
    ] {
        let files = [
            ("karpenter.yaml", &*application("karpenter", karpenter, "{}")),
            ("prometheus.yaml", &*application("kube-prometheus-stack", prometheus, storage)),
        ];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(
            found,
            wanted.as_slice(),
            "Karpenter in {karpenter}, Prometheus in {prometheus}"
        );
    }
}

#[test]
fn classes_that_nothing_applies_ask_for_no_permission() {
    const CODE: &str = "terraform {
  backend \"s3\" {}
}
resource \"helm_release\" \"karpenter\" {
  name = \"karpenter\"
  namespace = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart = \"karpenter\"
  version = \"1.3.3\"
  values = [yamlencode({ settings = { clusterName = \"shop\" } })]
}
resource \"aws_iam_role\" \"karpenter\" {
  name = \"karpenter\"
  assume_role_policy = jsonencode({ Statement = [{ Effect = \"Allow\", Principal = { Service = \"pods.eks.amazonaws.com\" }, Action = [\"sts:AssumeRole\", \"sts:TagSession\"] }] })
}
resource \"aws_iam_role_policy\" \"karpenter\" {
  role = aws_iam_role.karpenter.name
  policy = jsonencode({ Statement = [{ Effect = \"Allow\", Resource = \"*\", Action = [\"ec2:CreateFleet\", \"ec2:RunInstances\", \"ec2:Describe*\", \"ec2:CreateTags\", \"ec2:CreateLaunchTemplate\", \"ec2:DeleteLaunchTemplate\", \"ec2:TerminateInstances\", \"eks:DescribeCluster\", \"pricing:GetProducts\", \"ssm:GetParameter\", \"iam:PassRole\", \"sqs:*\"] }] })
}
resource \"kubectl_manifest\" \"class\" { yaml_body = file(\"classes/a.yaml\") }
";
    let class = |node: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {{ name: default }}
spec: {{ {node}, amiSelectorTerms: [{{ alias: al2023@v20250101 }}], subnetSelectorTerms: [{{ id: subnet-1 }}], securityGroupSelectorTerms: [{{ id: sg-1 }}] }}
"
        )
    };
    let (profile, role) = (class("instanceProfile: nodes"), class("role: nodes"));
    for (script, wanted) in [("", &[][..]), ("kubectl apply -f classes/b.yaml", &[Error])] {
        let files = [
            ("main.tf", CODE),
            ("classes/a.yaml", &*profile),
            ("classes/b.yaml", &*role),
            ("install.sh", script),
        ];
        assert_eq!(severities("iam-policy-outdated", &files), wanted, "with {script}");
    }
}

#[test]
fn a_retired_api_is_a_warning_where_its_tag_names_another_cluster() {
    const CLUSTER: &str = "apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: { name: web-eks, region: eu-west-1, version: \"1.30\" }
karpenter: { version: 0.37.7 }
";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: { name: web }
spec: { subnetSelector: { karpenter.sh/discovery: NAME } }
";
    for (name, wanted) in [("web-eks", Error), ("web", Error), ("ledger", Warning)] {
        let class = CLASS.replace("NAME", name);
        let files = [("eksctl/cluster.yaml", CLUSTER), ("nodes/class.yaml", &*class)];
        assert_eq!(severities("retired-karpenter-api", &files), [wanted], "for {name}");
        let files = [("eksctl/cluster.yaml", CLUSTER), ("eksctl/class.yaml", &*class)];
        assert_eq!(severities("retired-karpenter-api", &files), [Error], "beside it, for {name}");
    }
}

#[test]
fn what_a_document_destroys_in_order_gives_notes() {
    let all = crate::fixtures::folder::all();
    let name = "lifecycle/destroyed-in-order-by-a-script";
    let fixture = all.iter().find(|it| it.name == name).expect("it is there");
    let linted = fixture.linted();
    let in_code = linted.outcome.findings.iter().filter(|it| it.rule != "crds-never-upgraded");
    for finding in in_code {
        let path = linted.path(finding);
        // It says nothing of the first apply.
        let is_kept = path.starts_with("targets/") && !finding.message.contains("first apply");
        let wanted = if is_kept { Note } else { Warning };
        assert_eq!(finding.severity, wanted, "{path}: {}", finding.message);
    }
}

#[test]
fn a_role_name_that_was_generated_is_a_warning_beside_what_makes_it() {
    const MODULE: &str = "module \"karpenter\" {\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  \
                          version = \"~> 21.0\"\n  cluster_name = \"shop\"\n}\n";
    for suffix in ["20260121200907518800000011", "0b4c1e52a9f84d37b6c1d02e9a"] {
        let class = format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{ name: default }}\nspec: {{ role: Karpenter-shop-{suffix} }}\n"
        );
        let state = format!("{{ \"resources\": [{{ \"name\": \"Karpenter-shop-{suffix}\" }}] }}\n");
        let files = [("main.tf", MODULE), ("class.yaml", &*class), ("terraform.tfstate", &*state)];
        assert_eq!(severities("node-role-name-guessed", &files), [Warning], "{suffix}");
    }
}

#[test]
fn a_document_that_watches_the_nodes_go_before_the_destroy_gives_a_note() {
    const POOL: &str = "resource \"kubectl_manifest\" \"pool\" {
  yaml_body = <<-YAML
    apiVersion: karpenter.sh/v1
    kind: NodePool
    metadata: { name: default }
    spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default } } } }
  YAML
}
";
    const DESTROY: &str =
        "# Shop\n\n## Cleanup\n\n```bash\ncd live\nterragrunt run-all destroy\n```\n\n";
    const BEFORE: &str = "> **Note**: Ensure that all nodes are gone before destroying:\n";
    const WATCH: &str = "> ```bash\n> kubectl delete deployments --all\n> kubectl get nodes -w  # until all are gone\n> ```\n";
    for (note, wanted) in [
        ([BEFORE, WATCH].concat(), Note),
        (WATCH.to_owned(), Warning),
        (BEFORE.to_owned(), Warning),
        (["## Scaling\n\n", BEFORE, WATCH].concat(), Warning),
    ] {
        let text = [DESTROY, &note].concat();
        let files = [("README.md", &*text), ("modules/pools/main.tf", POOL)];
        let found = severities("nodepool-deleted-in-background", &files);
        assert_eq!(found, [wanted], "{text}");
    }
}

#[test]
fn a_value_that_is_meant_as_its_comment_says_gives_a_note() {
    let all = crate::fixtures::folder::all();
    let name = "suppressions/meant-by-a-comment";
    let fixture = all.iter().find(|it| it.name == name).expect("it is there");
    let outcome = &fixture.linted().outcome;
    let of = |rule: &str| -> Vec<Severity> {
        outcome.findings.iter().filter(|it| it.rule == rule).map(|it| it.severity).collect()
    };
    assert_eq!(of("drain-blocking-pdb"), [Note, Warning]);
    assert_eq!(of("interruption-queue-unset"), [Note]);
    assert_eq!(of("crds-never-upgraded"), [Warning]);
}

#[test]
fn what_a_document_installs_dates_a_retired_api() {
    let all = crate::fixtures::folder::all();
    let fixture = all.iter().find(|it| it.name == "resources/version-in-a-readme");
    let linted = fixture.expect("it is there").linted();
    for finding in &linted.outcome.findings {
        let path = linted.path(finding);
        let by = finding.notes.iter().find(|it| it.message == "a document installs this version");
        let document = by.map(|it| linted.project.files.get(it.span.file).path());
        let wanted = (path == "newer/k8s/pool.yaml").then_some("newer/docs/install.md");
        assert_eq!((finding.severity, document), (Warning, wanted), "{path}");
    }
}

#[test]
fn a_copied_role_name_hurts_where_something_makes_that_role() {
    let all = crate::fixtures::folder::all();
    let fixture = all.iter().find(|it| it.name == "controller/generated-role-names");
    let outcome = &fixture.expect("it is there").linted().outcome;
    let found: Vec<Severity> = outcome.findings.iter().map(|it| it.severity).collect();
    assert_eq!(found, [Error, Error, Warning, Note, Warning]);
}

#[test]
fn a_cluster_of_its_own_beside_those_with_karpenter_is_without() {
    const EKS: &str = "module \"eks\" {
  source          = \"terraform-aws-modules/eks/aws\"
  version         = \"20.24.0\"
  cluster_name    = \"shop\"
  cluster_version = \"1.31\"
}
";
    let of = |sample: &str, pools: &str, elsewhere: (&str, &str)| {
        let cluster = format!(
            "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmetadata: {{ name: {sample}, region: eu-west-1 }}\n"
        );
        let files = [
            ("demo/cluster.yaml", &*cluster),
            ("demo/k8s/ledger.yaml", LEDGER),
            ("platform/terraform/main.tf", EKS),
            (pools, SHOP_POOL),
            elsewhere,
        ];
        severities("stateful-pod-unprotected", &files)
    };
    let nothing = ("notes.yaml", "a: b\n");
    for (sample, pools, elsewhere, wanted) in [
        ("demo", "platform/k8s/pools.yaml", nothing, None),
        ("shop", "platform/k8s/pools.yaml", nothing, Some(Warning)),
        ("demo", "pools/pools.yaml", nothing, Some(Warning)),
        ("demo", "platform/k8s/pools.yaml", ("demo/x.yaml", "a: karpenter\n"), Some(Warning)),
        (
            "demo",
            "platform/k8s/pools.yaml",
            ("x/x.yaml", "karpenter.sh/nodepool: a\n"),
            Some(Warning),
        ),
    ] {
        assert_eq!(
            of(sample, pools, elsewhere),
            wanted.as_slice(),
            "{sample} {pools} {}",
            elsewhere.0
        );
    }
}

#[test]
fn two_dependencies_of_one_chart_bring_the_same_crds() {
    const APPLICATION: &str = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: karpenter, namespace: argocd }
spec:
  source: { repoURL: https://git.example.com/shop.git, path: charts/karpenter, targetRevision: main }
  destination: { server: https://kubernetes.default.svc, namespace: kube-system }
";
    for (crds, wanted) in [("1.8.6", Note), ("1.8.5", Warning)] {
        let chart = format!(
            "apiVersion: v2
name: shop-karpenter
version: 1.0.0
dependencies:
  - {{ name: karpenter, version: 1.8.6, repository: oci://public.ecr.aws/karpenter }}
  - {{ name: karpenter-crd, version: {crds}, repository: oci://public.ecr.aws/karpenter }}
"
        );
        let files =
            [("apps/karpenter.yaml", APPLICATION), ("charts/karpenter/Chart.yaml", &*chart)];
        assert_eq!(severities("crds-not-skipped", &files), [wanted], "CRDs of {crds}");
    }
}

#[test]
fn crds_that_terraform_installs_first_are_passed_over() {
    const WAITS: &str = "depends_on = [helm_release.karpenter_crd]";
    for (version, more, wanted) in [
        ("1.8.6", WAITS, Note),
        ("1.8.5", WAITS, Note),
        ("1.8.6", "", Warning),
        ("1.8.6", "skip_crds = false\n  depends_on = [helm_release.karpenter_crd]", Warning),
    ] {
        let code = format!(
            "resource \"helm_release\" \"karpenter_crd\" {{
  chart   = \"oci://public.ecr.aws/karpenter/karpenter-crd\"
  name    = \"karpenter-crd\"
  version = \"{version}\"
}}
resource \"helm_release\" \"karpenter\" {{
  chart   = \"oci://public.ecr.aws/karpenter/karpenter\"
  name    = \"karpenter\"
  version = \"1.8.6\"
  {more}
}}
"
        );
        assert_eq!(severities("crds-not-skipped", &[("main.tf", &code)]), [wanted], "{more}");
    }
}

#[test]
fn what_the_commands_of_a_pipeline_leave_out_is_a_note() {
    const OLD: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: { name: web }
spec: { limits: { resources: { cpu: 100 } }, requirements: [], providerRef: { name: web } }
";
    const POOL: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { name: web } } } }
";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: { name: web }
spec: { role: nodes }
";
    let pipeline = |commands: &str| {
        format!(
            "on: push\njobs:\n  install:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          \
             helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 0.37.0\n          {commands}\n"
        )
    };
    for (commands, pool, wanted) in [
        ("kubectl apply -f karpenter/pool.yaml", POOL, Note),
        ("kubectl apply -f karpenter/pool.yaml -f karpenter/provisioner.yaml", POOL, Error),
        ("kubectl apply -f karpenter/", POOL, Error),
        // Nothing is seen to apply either, and one has taken the place of the other.
        ("echo", POOL, Note),
        ("echo", CLASS, Error),
        // It is applied in some other way: nothing stands in for it.
        ("kubectl apply -f karpenter/pool.yaml", CLASS, Error),
    ] {
        let pipeline = pipeline(commands);
        let files = [
            ("karpenter/provisioner.yaml", OLD),
            ("karpenter/pool.yaml", pool),
            (".github/workflows/install.yml", &*pipeline),
        ];
        assert_eq!(severities("retired-karpenter-api", &files), [wanted], "{commands}");
    }
}

/// A release of the controller that reads no queue.
const WITHOUT_QUEUE: &str = "resource \"helm_release\" \"karpenter\" {
  name    = \"karpenter\"
  chart   = \"oci://public.ecr.aws/karpenter/karpenter\"
  version = \"1.8.6\"
  values  = [yamlencode({ settings = { clusterName = \"shop\" } })]
}
";

#[test]
fn a_controller_without_a_queue_is_a_note_where_no_pool_launches_spot() {
    for (types, wanted) in [("[on-demand]", Note), ("[on-demand, spot]", Warning)] {
        let pool = format!(
            "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{ name: web }}
spec:
  template:
    spec:
      nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }}
      requirements: [{{ key: karpenter.sh/capacity-type, operator: In, values: {types} }}]
"
        );
        let files = [("main.tf", WITHOUT_QUEUE), ("pool.yaml", &*pool)];
        assert_eq!(severities("interruption-queue-unset", &files), [wanted], "{types}");
        let former = format!(
            "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {{ name: web }}
spec:
  providerRef: {{ name: web }}
  requirements: [{{ key: karpenter.sh/capacity-type, operator: In, values: {types} }}]
"
        );
        let release = WITHOUT_QUEUE.replace("1.8.6", "v0.27.3");
        let files = [("main.tf", &*release), ("provisioner.yaml", &*former)];
        assert_eq!(severities("interruption-queue-unset", &files), [wanted], "former {types}");
    }
}

#[test]
fn a_provisioner_without_a_capacity_type_launches_no_spot() {
    for (required, wanted) in [
        ("  consolidation: { enabled: true }\n", Note),
        ("  requirements: [{ key: kubernetes.io/arch, operator: In, values: [arm64] }]\n", Note),
        ("  requirements: [{ key: karpenter.sh/capacity-type, operator: Exists }]\n", Warning),
        ("  labels: { karpenter.sh/capacity-type: spot }\n", Warning),
    ] {
        let former = format!(
            "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {{ name: web }}\nspec:\n  providerRef: {{ name: web }}\n{required}"
        );
        let release = WITHOUT_QUEUE.replace("1.8.6", "v0.27.3");
        let files = [("main.tf", &*release), ("provisioner.yaml", &*former)];
        assert_eq!(severities("interruption-queue-unset", &files), [wanted], "{required}");
        let deployment = "apiVersion: apps/v1
kind: Deployment
metadata: { name: karpenter, namespace: karpenter }
spec:
  selector: { matchLabels: { app: karpenter } }
  template:
    metadata: { labels: { app: karpenter } }
    spec:
      containers:
        - name: karpenter
          image: public.ecr.aws/karpenter/controller:1.0.8
          env: [{ name: CLUSTER_NAME, value: shop }]
";
        let files = [("deployment.yaml", deployment), ("provisioner.yaml", &*former)];
        let found = severities("interruption-queue-unset", &files);
        assert_eq!(found, [wanted], "rendered {required}");
    }
}

#[test]
fn a_retired_kind_is_a_note_where_its_successor_lies_beside_it_and_nothing_names_it() {
    const RELEASE: &str = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "0.37.0"
}
"#;
    const OLD: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: { name: web }
spec: { providerRef: { name: web } }
";
    const NEW: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { name: web } } } }
";
    for (beside, script, wanted) in [
        ("nodes/pool.yaml", "", Note),
        ("nodes/pool.yaml", "kubectl apply -f nodes/provisioner.yaml", Error),
        ("nodes/pool.yaml", "kubectl apply -f nodes/", Error),
        ("other/pool.yaml", "", Error),
    ] {
        let files = [
            ("main.tf", RELEASE),
            ("nodes/provisioner.yaml", OLD),
            (beside, NEW),
            ("up.sh", script),
        ];
        assert_eq!(severities("retired-karpenter-api", &files), [wanted], "{beside} {script}");
    }
}

#[test]
fn stateful_pods_are_a_note_beside_a_former_release_without_a_provisioner() {
    const PROVISIONER: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: { name: web }
spec: { providerRef: { name: web }, consolidation: { enabled: true } }
";
    const RELEASE: &str = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "VERSION"
}
"#;
    for (version, beside, wanted) in
        [("v0.27.5", "", Note), ("v0.27.5", PROVISIONER, Warning), ("1.6.0", "", Warning)]
    {
        let release = RELEASE.replace("VERSION", version);
        let files =
            [("main.tf", &*release), ("store.yaml", &*stateful("store")), ("pools.yaml", beside)];
        assert_eq!(severities("stateful-pod-unprotected", &files), [wanted], "{version} {beside}");
    }
}

#[test]
fn a_module_that_only_a_comment_calls_gives_notes() {
    const MODULE: &str = r#"variable "cluster" {}
resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "https://charts.karpenter.sh"
  chart      = "karpenter"
  version    = "0.16.3"
  set {
    name  = "clusterName"
    value = var.cluster
  }
}
"#;
    for (comment, wanted) in [("# ", Note), ("", Error)] {
        let call = format!(
            "{comment}module \"karpenter\" {{\n{comment}  source  = \"./modules/karpenter\"\n{comment}  cluster = \"shop\"\n{comment}}}\n"
        );
        let files = [("main.tf", &*call), ("modules/karpenter/main.tf", MODULE)];
        assert_eq!(severities("retired-chart-repository", &files), [wanted], "{call}");
    }
}

#[test]
fn what_is_wrong_with_an_object_in_several_overlays_is_told_once() {
    const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 5
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: \"example.com/web:1\" }] }
";
    const BUDGET: &str = "apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: web }
spec: { minAvailable: 80%, selector: { matchLabels: { app: web } } }
";
    const OVERLAY: &str = "resources: [../../base]\nreplicas: [{ name: web, count: COUNT }]\n";
    let [dev, staging] = ["2", "3"].map(|it| OVERLAY.replace("COUNT", it));
    let files = [
        ("base/kustomization.yaml", "resources: [web.yaml, budget.yaml]\n"),
        ("base/web.yaml", WEB),
        ("base/budget.yaml", BUDGET),
        ("overlays/dev/kustomization.yaml", &*dev),
        ("overlays/staging/kustomization.yaml", &*staging),
        ("pools/pool.yaml", SHOP_POOL),
    ];
    assert_eq!(severities("drain-blocking-pdb", &files), [Warning]);
    let found = linted(&files).findings;
    let blocking = found.iter().find(|it| it.rule == "drain-blocking-pdb");
    let notes: Vec<&str> =
        blocking.iter().flat_map(|it| &it.notes).map(|it| &*it.message).collect();
    assert!(notes.iter().any(|it| it.starts_with("also: ")), "{notes:?}");
}

#[test]
fn a_chart_version_of_null_in_blueprints_is_the_newest_chart() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  limits: { cpu: 10 }
  template:
    spec:
      requirements: []
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }
";
    for (version, wanted) in [("", &[Error][..]), ("chart_version = null", &[])] {
        let code = format!(
            "module \"addons\" {{\n  source  = \"aws-ia/eks-blueprints-addons/aws\"\n  version = \"1.17.0\"\n  cluster_name = \"shop\"\n  \
             enable_karpenter = true\n  karpenter = {{\n    repository_username = \"shop\"\n    {version}\n  }}\n}}\n\
             resource \"kubectl_manifest\" \"pool\" {{\n  yaml_body = file(\"pool.yaml\")\n}}\n"
        );
        let files = [("main.tf", &*code), ("pool.yaml", POOL)];
        assert_eq!(severities("invalid-karpenter-resource", &files), wanted, "{version}");
    }
}

#[test]
fn a_mapping_whose_only_value_the_classes_have_is_dead_without_loss() {
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: web }
spec: { instanceProfile: web, amiSelectorTerms: [{ alias: al2023@v20261105 }], subnetSelectorTerms: [{ id: subnet-1 }], securityGroupSelectorTerms: [{ id: sg-1 }] }
";
    for (values, wanted) in [
        ("aws: { defaultInstanceProfile: web }", Note),
        ("aws: { defaultInstanceProfile: web, assumeRoleARN: web }", Warning),
    ] {
        let release = format!(
            "repositories: [{{name: karpenter, url: 'oci://public.ecr.aws/karpenter'}}]
releases:
  - {{name: karpenter, chart: karpenter/karpenter, version: 1.6.2, values: [{{{values}}}]}}
"
        );
        let files = [("helmfile.yaml", &*release), ("class.yaml", CLASS)];
        let found = severities("dead-chart-value", &files);
        assert_eq!(found.iter().max(), Some(&wanted), "{values}: {found:?}");
    }
}

#[test]
fn a_pool_that_a_script_applies_shows_karpenter() {
    let script = format!("kubectl apply -f - <<EOF\n{SHOP_POOL}EOF\n");
    assert!(linted(&[("up.sh", &script)]).model.uses_karpenter);
}

#[test]
fn roots_that_make_clusters_of_one_name_are_stages() {
    const EKS: &str = "module \"eks\" {
  source          = \"terraform-aws-modules/eks/aws\"
  version         = \"20.24.0\"
  cluster_name    = \"shop\"
  cluster_version = \"1.29\"
}
";
    const KUBECOST: &str = r#"resource "helm_release" "kubecost" {
  name       = "kubecost"
  repository = "https://kubecost.github.io/cost-analyzer/"
  chart      = "cost-analyzer"
  version    = "2.3.4"
}
"#;
    const KARPENTER: &str = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.0.6"
}
"#;
    let stage = |karpenter: &str| {
        let files = [
            ("week-1/eks.tf", EKS),
            ("week-1/kubecost.tf", KUBECOST),
            ("week-2/eks.tf", EKS),
            (karpenter, KARPENTER),
        ];
        severities("stateful-pod-unprotected", &files)
    };
    assert_eq!(stage("week-2/karpenter.tf"), [], "its stage has no Karpenter");
    assert!(!stage("week-1/karpenter.tf").is_empty());
}

#[test]
fn a_dead_value_is_a_note_where_the_chart_does_what_it_asks_for() {
    for (values, wanted) in [
        ("rbac: { create: true }", Note),
        ("rbac: { create: false }", Warning),
        ("rbac: { create: true, rules: [] }", Warning),
    ] {
        let release = format!(
            "repositories: [{{name: karpenter, url: 'oci://public.ecr.aws/karpenter'}}]
releases:
  - {{name: karpenter, chart: karpenter/karpenter, version: 1.6.2, values: [{{{values}}}]}}
"
        );
        let found = severities("dead-chart-value", &[("helmfile.yaml", &release)]);
        assert_eq!(found, [wanted], "{values}");
    }
}

#[test]
fn a_dead_value_is_a_note_where_the_chart_reads_the_same_beside_it() {
    const DEAD: &str = "clusterName = aws_eks_cluster.shop.name";
    let dead = |set: &str| {
        let text = format!(
            "resource \"helm_release\" \"karpenter\" {{\n  name       = \"karpenter\"\n  namespace  = \"karpenter\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  chart      = \"karpenter\"\n  version    = \"1.5.0\"\n  values     = [yamlencode({{ {set} }})]\n}}\n"
        );
        severities("dead-chart-value", &[("main.tf", &text)])
    };
    assert!(dead(DEAD).is_empty(), "`cluster-name-unset` reports it");
    for (beside, severity) in [("aws_eks_cluster.shop.name", Note), ("\"other\"", Warning)] {
        let set = format!("{DEAD}, settings = {{ clusterName = {beside} }}");
        assert_eq!(dead(&set), [severity], "{beside}");
    }
}

#[test]
fn pods_beside_cluster_autoscaler_give_notes_while_no_pool_is_seen() {
    const RELEASES: &str = r#"
module "addons" {
  source            = "aws-ia/eks-blueprints-addons/aws"
  version           = "1.23.0"
  enable_karpenter  = true
  enable_metrics_server = true
}

resource "helm_release" "queue" {
  name       = "queue"
  repository = "https://charts.bitnami.com/bitnami"
  chart      = "rabbitmq"
  version    = "12.0.0"
}
"#;
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\nspec: { template: { spec: { \
                        requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }\n";
    let both = RELEASES.replace("enable_metrics_server", "enable_cluster_autoscaler");
    let of = |files: &[(&str, &str)]| severities("stateful-pod-unprotected", files);
    assert_eq!(of(&[("main.tf", RELEASES)]), [Warning]);
    assert_eq!(of(&[("main.tf", &both)]), [Note]);
    assert_eq!(of(&[("main.tf", &both), ("pool.yaml", POOL)]), [Warning]);
}

/// A pool that Karpenter 1.1 no longer serves.
const RETIRED_POOL: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { name: web } } } }
";

#[test]
fn what_only_a_comment_of_terraform_reads_is_a_note() {
    let line = "manifest = yamldecode(file(\"${path.module}/pools/web.yaml\"))";
    for (code, wanted) in [
        (format!("# {line}"), Note),
        (format!("  // {line}"), Note),
        (format!("locals {{\n  {line}\n}}"), Warning),
        (line.replace("manifest", "# Its manifest").replace("web.yaml", "other.yaml"), Warning),
        (format!("# {line}\nlocals {{\n  pools = \"./pools/web.yaml\"\n}}"), Warning),
    ] {
        let files = [("main.tf", &*code), ("pools/web.yaml", RETIRED_POOL)];
        assert_eq!(severities("retired-karpenter-api", &files), [wanted], "{code}");
    }
}

#[test]
fn what_lies_beside_a_chart_is_a_note_unless_something_applies_it() {
    const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    let of = |folder: &str, path: &str, (other, text): (&str, &str)| {
        let (chart, pool) = (format!("{folder}Chart.yaml"), format!("{folder}{path}"));
        let files = [(&*chart, CHART), (&*pool, RETIRED_POOL), (other, text)];
        severities("retired-karpenter-api", &files)
    };
    let nothing = ("notes.txt", "");
    for (folder, path, wanted) in [
        ("shop/", "pool.yaml", Note),
        ("", "pool.yaml", Note),
        ("shop/", "extra/pool.yaml", Note),
        ("", "extra/pool.yaml", Warning),
        ("shop/", "crds/pool.yaml", Warning),
    ] {
        assert_eq!(of(folder, path, nothing), [wanted], "{folder}{path}");
    }
    for by in [
        ("up.sh", "kubectl apply -f shop/pool.yaml"),
        ("kustomization.yaml", "resources: [shop/pool.yaml]"),
        ("shop/templates/all.yaml", "{{ .Files.Get \"pool.yaml\" }}"),
    ] {
        assert_eq!(of("shop/", "pool.yaml", by), [Warning], "{by:?}");
    }
}

#[test]
fn what_an_empty_value_of_a_chart_leaves_out_is_for_its_installer() {
    const RULE: &str = "invalid-karpenter-resource";
    const RELEASE: &str = "variable \"on\" { default = false }
variable \"pools\" { default = {} }
resource \"helm_release\" \"pools\" {
  for_each = var.on ? var.pools : {}
  name     = each.key
  chart    = try(each.value.chart, \"${path.module}/charts/pools\")
}
";
    const UNRELATED: &str = "# chart = \"${path.module}/charts/pools\"\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  limits: { cpu: 8 }
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }
      {{- with .Values.wanted }}
      requirements:
      {{- toYaml . | nindent 8 }}
      {{- end }}
";
    let files = |values: &'static str, code: &'static str| {
        [
            ("shop/charts/pools/Chart.yaml", "apiVersion: v2\nname: pools\nversion: 1.0.0\n"),
            ("shop/charts/pools/values.yaml", values),
            ("shop/charts/pools/templates/pool.yaml", POOL),
            ("shop/main.tf", code),
        ]
    };
    for values in ["wanted:\n", "wanted: ''\n"] {
        assert_eq!(severities(RULE, &files(values, "")), [], "{values}");
    }
    for values in ["wanted: false\n", "wanted: []\n"] {
        assert_eq!(severities(RULE, &files(values, "")), [Warning], "{values}");
    }
    let words = |code| {
        let found = linted(&files("wanted: false\n", code)).findings;
        let notes = found.into_iter().filter(|it| it.rule == RULE).flat_map(|it| it.notes);
        notes.map(|it| it.message).collect::<Vec<_>>()
    };
    let says = |code, text: &str| {
        let words = words(code);
        assert!(words.iter().any(|it| it.contains(text)), "{code}: {words:?}");
    };
    says(RELEASE, "the release that installs this chart is off by default");
    says(UNRELATED, "nothing in the repository installs this chart");
}

#[test]
fn nothing_is_said_of_pods_in_the_cluster_of_another_kubernetes() {
    const CLUSTER: &str = "resource \"aws_eks_cluster\" \"shop\" { name = \"shop\" }
resource \"aws_eks_node_group\" \"core\" {
  cluster_name = aws_eks_cluster.shop.name
  taint {
    key    = \"CriticalAddonsOnly\"
    effect = \"NO_SCHEDULE\"
  }
}
resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  namespace  = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.6.3\"
}
";
    let apps = |context: &str| {
        format!(
            "provider \"helm\" {{
  kubernetes = {{
    config_path    = \"~/.kube/config\"
    config_context = {context}
  }}
}}
variable \"context\" {{ default = \"dev-rke2\" }}
resource \"helm_release\" \"balancer\" {{
  name       = \"aws-load-balancer-controller\"
  namespace  = \"kube-system\"
  repository = \"https://aws.github.io/eks-charts\"
  chart      = \"aws-load-balancer-controller\"
  version    = \"1.13.0\"
}}
"
        )
    };
    for (folder, context, wanted) in [
        ("apps", "\"dev\"", &[Warning][..]),
        ("apps", "var.context", &[]),
        ("apps", "\"talos-dev\"", &[]),
        ("apps", "\"arn:aws:eks:eu-west-1:111122223333:cluster/k3s-like\"", &[Warning]),
        ("rke-apps", "\"dev\"", &[]),
        ("eks-and-rke-apps", "\"dev\"", &[Warning]),
    ] {
        let (path, code) = (format!("{folder}/main.tf"), apps(context));
        let files = [("main.tf", CLUSTER), (&*path, &*code)];
        let found = severities("controller-taint-untolerated", &files);
        assert_eq!(found, wanted, "{folder} {context}");
    }
}

#[test]
fn a_value_that_asks_for_what_the_chart_does_anyway_is_a_note() {
    let release = |chart: &str, version: &str, values: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{ name: karpenter, namespace: argocd }}
spec:
  source:
    repoURL: public.ecr.aws/karpenter
    chart: {chart}
    targetRevision: {version}
    helm:
      valuesObject: {{ {values} }}
"
        )
    };
    for (chart, version, values, wanted) in [
        ("karpenter", "1.6.0", "controller: { metrics: { enabled: true } }", Note),
        ("karpenter", "1.6.0", "controller: { metrics: { enabled: false } }", Warning),
        ("karpenter", "1.6.0", "defaultProvisioner: { create: false }", Note),
        ("karpenter", "1.6.0", "defaultProvisioner: { create: true }", Warning),
        ("karpenter", "1.6.0", "webhook: { enabled: false }", Note),
        ("karpenter", "1.6.0", "webhook: { enabled: true }", Note),
        ("karpenter", "1.6.0", "webhook: { enabled: false, port: 8443 }", Note),
        ("karpenter-crd", "1.6.0", "webhook: { enabled: false }", Note),
        ("karpenter", "1.6.0", "settings: { featureGates: { drift: true } }", Note),
        ("karpenter", "1.6.0", "settings: { featureGates: { drift: false } }", Warning),
        ("karpenter", "1.6.0", "settings: { featureGates: { driftEnabled: true } }", Note),
        ("karpenter", "0.35.4", "settings: { featureGates.drift: true }", Note),
        ("karpenter", "0.35.4", "settings: { featureGates.drift: false }", Warning),
        (
            "karpenter",
            "0.35.4",
            "settings: { featureGates.drift: true, featureGates: { drift: false } }",
            Warning,
        ),
        ("karpenter", "0.35.4", "settings: { featureGates: { driftEnabled: true } }", Note),
        ("karpenter", "1.6.0", "settings: { featureGates.nodeRepair: false }", Note),
        ("karpenter", "1.6.0", "settings: { featureGates.reservedCapacity: false }", Warning),
        ("karpenter", "1.6.0", "autoscaling: { enabled: false }", Note),
        ("karpenter", "1.6.0", "autoscaling: { enabled: true }", Warning),
        ("karpenter", "1.6.0", "autoscaling: { enabled: false, minReplicas: 2 }", Warning),
        ("karpenter", "1.6.0", "crds: { enabled: false }", Warning),
        ("karpenter", "1.6.0", "controller: { livenessProbe: { enabled: false } }", Warning),
        ("karpenter", "1.6.0", "rbac: { create: true }", Note),
        ("karpenter", "1.6.0", "podDisruptionBudget: { enabled: true }", Note),
    ] {
        let text = release(chart, version, values);
        let found = severities("dead-chart-value", &[("apps/karpenter.yaml", &text)]);
        assert_eq!(found, [wanted], "{chart} {version} {values}");
    }
}

#[test]
fn a_value_that_is_so_without_it_is_a_note() {
    const PROFILE: (&str, &str) = ("aws.defaultInstanceProfile", "nodes");
    const NAMESPACE: (&str, &str) = ("namespaceOverride", "kube-system");
    const OTHER: (&str, &str) = ("namespaceOverride", "karpenter");
    const VALUES: &str = "settings: { clusterName: shop }\nnamespaceOverride: kube-system\n";
    let release = |(name, value): (&str, &str)| {
        format!(
            "resource \"helm_release\" \"karpenter\" {{
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.8.1\"
  set        = [{{ name = \"settings.clusterName\", value = \"shop\" }}, {{ name = \"{name}\", value = \"{value}\" }}]
}}
"
        )
    };
    let class = |spec: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{ name: web }}\nspec: {{ {spec} }}\n"
        )
    };
    for (value, spec, wanted) in [
        (PROFILE, "instanceProfile: nodes", Note),
        (PROFILE, "role: nodes", Note),
        (PROFILE, "tags: { team: shop }", Warning),
        (NAMESPACE, "role: nodes", Note),
        (OTHER, "role: nodes", Warning),
    ] {
        let (code, class) = (release(value), class(spec));
        let found = severities("dead-chart-value", &[("main.tf", &code), ("class.yaml", &class)]);
        assert_eq!(found, [wanted], "{value:?} {spec}");
    }
    for (namespace, wanted) in [("kube-system", Note), ("karpenter", Warning)] {
        let readme = format!(
            "```sh\nhelm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.8.1 --namespace {namespace} --values values.yaml\n```\n"
        );
        let found =
            severities("dead-chart-value", &[("README.md", &*readme), ("values.yaml", VALUES)]);
        assert_eq!(found, [wanted], "{namespace}");
    }
}

#[test]
fn a_plan_without_crds_is_a_note_where_a_comment_tells_to_apply_the_release_first() {
    const CALL: &str = "module \"karpenter\" { source = \"../modules/karpenter\" }\n";
    const CODE: &str = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.8.2\"
}

resource \"kubernetes_manifest\" \"pool\" {
  manifest = { apiVersion = \"karpenter.sh/v1\", kind = \"NodePool\", metadata = { name = \"web\" } }
}
";
    let whole = "# terraform apply -target=module.karpenter.helm_release.karpenter\n";
    let own = "#   terraform apply -target=helm_release.karpenter\n";
    let module = "# terraform apply -target=module.karpenter\n";
    let destroy = "# terraform destroy -target=helm_release.karpenter\n";
    for (above_call, above_code, elsewhere, wanted) in [
        ("", "", "", Warning),
        (whole, "", "", Note),
        ("", whole, "", Note),
        ("", own, "", Note),
        ("", "", whole, Warning),
        (module, "", "", Warning),
        ("", destroy, "", Warning),
    ] {
        let files = [
            ("dev/main.tf", &*format!("{above_call}{CALL}")),
            ("modules/karpenter/main.tf", &*format!("{above_code}{CODE}")),
            ("modules/network/main.tf", &*format!("{elsewhere}locals {{ x = 1 }}\n")),
        ];
        let found = severities("plan-time-crd", &files);
        assert_eq!(found, [wanted], "{above_call} {above_code} {elsewhere}");
    }
}

#[test]
fn a_plan_without_crds_is_a_note_where_a_comment_speaks_of_the_first_apply() {
    const RELEASE: &str = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.8.2\"
}
";
    let pool = |name: &str, comment: &str| {
        format!(
            "resource \"kubernetes_manifest\" \"{name}\" {{\n  {comment}\n  manifest = {{ apiVersion = \"karpenter.sh/v1\", kind = \"NodePool\", metadata = {{ name = \"{name}\" }} }}\n}}\n\n"
        )
    };
    let first = "# In a new cluster these must be commented out\n# for the first Terraform apply\n";
    for (above, inside, between, wanted) in [
        ("", "", "", [Warning, Warning]),
        (first, "", "", [Note, Note]),
        (first, "", "# The batch jobs\n", [Note, Warning]),
        (first, "", "locals { x = 1 }\n", [Note, Warning]),
        ("", "// after the initial run", "", [Note, Warning]),
        ("# The first of our pools\n", "", "", [Warning, Warning]),
    ] {
        let text = format!("{RELEASE}{above}{}{between}{}", pool("web", inside), pool("batch", ""));
        let found = severities("plan-time-crd", &[("main.tf", &text)]);
        assert_eq!(found, wanted, "{above} {inside} {between}");
    }
}

#[test]
fn listing_profiles_is_no_error_where_all_classes_name_their_own() {
    const RELEASE: &str = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.8.1\"
}
";
    const OWN: &str = "resource \"aws_iam_role\" \"karpenter\" { name = \"shop-karpenter\" }
resource \"aws_iam_role_policy\" \"karpenter\" {
  role   = aws_iam_role.karpenter.id
  policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = ACTIONS, Resource = \"*\" }] })
}
";
    const MODULE: &str = "module \"karpenter\" {
  source       = \"terraform-aws-modules/eks/aws//modules/karpenter\"
  version      = \"21.1.0\"
  cluster_name = \"shop\"
}
";
    let class = |name: &str, profile: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{ name: {name} }}\nspec: {{ {profile} }}\n"
        )
    };
    let all = OWN.replace(
        "ACTIONS",
        "[\"ec2:*\", \"eks:*\", \"iam:PassRole\", \"ec2:RunInstances\", \"ec2:CreateFleet\"]",
    );
    let own = class("own", "instanceProfile: nodes");
    let made = class("made", "role: nodes");
    for (policy, one, other, wanted) in [
        (&*all, "", "", Error),
        (&*all, &*own, "", Warning),
        (&*all, &*made, "", Error),
        (&*all, &*own, &*made, Error),
    ] {
        let files =
            [("main.tf", &*format!("{RELEASE}{policy}")), ("one.yaml", one), ("other.yaml", other)];
        assert_eq!(severities("iam-policy-outdated", &files), [wanted], "{one} {other}");
    }
    // The same for the policy of a module, which denies other things of this version, too.
    let release = RELEASE.replace("1.8.1", "1.7.0");
    for (class, wanted) in [(&*own, Warning), (&*made, Warning)] {
        let files = [("main.tf", &*format!("{release}{MODULE}")), ("class.yaml", class)];
        assert_eq!(severities("iam-policy-outdated", &files), [wanted], "{class}");
    }
}

#[test]
fn nodes_of_a_pool_that_may_not_exist_are_no_warning() {
    const OLD: &str = "v1alpha5\n    kind: Provisioner";
    const BETA: &str = "v1beta1\n    kind: NodePool";
    const NEW: &str = "v1\n    kind: NodePool";
    let code = |version: &str, kind: &str| {
        let pool = format!(
            "resource \"kubectl_manifest\" \"pool\" {{
  yaml_body = <<-YAML
    apiVersion: karpenter.sh/{kind}
    metadata: {{ name: web }}
    spec: {{ limits: {{ cpu: 8 }} }}
  YAML
}}
"
        );
        let release = format!(
            "resource \"helm_release\" \"karpenter\" {{
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"{version}\"
}}
"
        );
        if version.is_empty() { pool } else { pool + &release }
    };
    for (version, kind, wanted) in [
        ("v0.31.0", OLD, &[Warning][..]),
        ("0.36.0", OLD, &[]),
        ("", OLD, &[Note]),
        ("1.0.8", BETA, &[Warning]),
        ("1.6.0", BETA, &[]),
        ("", BETA, &[Warning]),
        ("1.6.0", NEW, &[Warning]),
    ] {
        let code = code(version, kind);
        let found = severities("nodepool-deleted-in-background", &[("main.tf", &code)]);
        assert_eq!(found, wanted, "{version} {kind}");
    }
}

#[test]
fn a_webhook_that_is_off_is_an_error_where_an_object_has_to_be_converted() {
    let release = |version: &str| {
        format!(
            "resource \"helm_release\" \"karpenter\" {{
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"{version}\"
  values     = [yamlencode({{ webhook = {{ enabled = false }} }})]
}}
"
        )
    };
    let pool = |api: &str, key: &str| {
        format!(
            "apiVersion: karpenter.sh/{api}
kind: NodePool
metadata: {{ name: web }}
spec: {{ template: {{ spec: {{ requirements: [{{ key: {key}, operator: Exists }}], nodeClassRef: {{ name: web }} }} }} }}
"
        )
    };
    let (arch, sku) = ("kubernetes.io/arch", "karpenter.azure.com/sku-family");
    let (new, old) = (pool("v1", arch), pool("v1beta1", arch));
    let of_other_cloud = pool("v1beta1", sku);
    for (version, near, far, wanted) in [
        ("1.0.6", "", "", Warning),
        ("1.0.6", &*new, "", Note),
        ("1.0.6", &*old, "", Error),
        ("1.0.6", &*new, &*old, Error),
        ("1.0.6", &*new, &*of_other_cloud, Note),
        ("0.37.5", &*old, "", Warning),
        ("0.37.5", &*new, "", Error),
    ] {
        let code = release(version);
        let files = [("aws/main.tf", &*code), ("aws/pool.yaml", near), ("other/pool.yaml", far)];
        let found = severities("conversion-webhook-disabled", &files);
        assert_eq!(found, [wanted], "{version}\n{near}\n{far}");
    }
}

#[test]
fn a_selector_of_a_class_that_no_pool_uses_is_a_warning() {
    const NETWORK: &str = "resource \"aws_eks_cluster\" \"shop\" { name = \"shop\" }
resource \"aws_subnet\" \"nodes\" { tags = { \"karpenter.sh/discovery\" = \"shop\" } }
";
    const TEMPLATE: &str = "apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: { name: web }
spec: { subnetSelector: { karpenter.sh/discovery: other } }
";
    let pool = |of: &str| {
        format!(
            "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {{ name: web }}\nspec: {{ {of} }}\n"
        )
    };
    for (of, wanted) in [
        ("", Error),
        ("providerRef: { name: web }", Error),
        ("providerRef: { name: gpu }", Warning),
        ("provider: { subnetSelector: { karpenter.sh/discovery: shop } }", Warning),
        ("requirements: []", Error),
    ] {
        let pool = if of.is_empty() { String::new() } else { pool(of) };
        let files = [("main.tf", NETWORK), ("template.yaml", TEMPLATE), ("pool.yaml", &*pool)];
        assert_eq!(severities("discovery-tag-mismatch", &files), [wanted], "{of}");
    }
}

#[test]
fn terraform_decides_how_bad_it_is_what_a_template_holds_that_lies_there_as_a_file() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: ${name} }
spec:
  limits: { cpu: 8 }
  disruption: { consolidateAfter: 1m, expireAfter: Never }
  template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } }
";
    const CODE: &str = "resource \"kubectl_manifest\" \"pool\" {
  yaml_body = templatefile(\"${path.module}/pool.yaml\", { name = \"web\" })
}
";
    let files = [("pool.yaml", POOL), ("main.tf", CODE)];
    assert_eq!(severities("invalid-karpenter-resource", &files), [Warning]);
}

#[test]
fn an_unknown_field_that_the_api_server_drops_is_a_warning() {
    let pool = |with: &str, more: &str, apply: &str| {
        format!(
            "resource \"kubectl_manifest\" \"pool\" {{\n  {apply}\n  yaml_body = <<-YAML\n    apiVersion: karpenter.sh/v1\n    kind: NodePool\n    metadata: {{ name: web }}\n    spec:\n      limits: {{ cpu: 8 }}\n      {more}\n      template: {{ spec: {{ requirements: [], {with}: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }}, kubelet: {{ maxPods: 60 }} }} }}\n  YAML\n}}\n"
        )
    };
    let of = |text: &str| severities("invalid-karpenter-resource", &[("pool.tf", text)]);
    assert_eq!(of(&pool("nodeClassRef", "", "")), [Warning]);
    assert_eq!(of(&pool("nodeClassRef", "", "server_side_apply = false")), [Warning]);
    assert_eq!(of(&pool("nodeClassRef", "", "server_side_apply = true")), [Error]);
    assert_eq!(of(&pool("nodeClassRef", "", "server_side_apply = var.x")), [Error]);
    // The reference is missing by its right name; what else is dropped refuses nothing.
    assert_eq!(of(&pool("nodeclassRef", "", "")), [Error, Warning]);
    assert_eq!(of(&pool("nodeClassRef", "weight: 200", "")), [Error, Warning]);
    // Nothing is lost where the group is written, too.
    let both = pool("nodeClassRef", "", "").replace("kubelet: { maxPods: 60 }", "taints: []");
    let both =
        both.replace("group: karpenter", "apiVersion: karpenter.k8s.aws/v1, group: karpenter");
    assert_eq!(of(&both), [Note]);
}

#[test]
fn a_broken_file_that_a_kustomization_leaves_out_is_a_note() {
    const NAME: &str = "kustomize/left-out-beside-a-chart-with-an-empty-path";
    let fixture = crate::fixtures::folder::all().iter().find(|it| it.name == NAME);
    let found = &fixture.expect("the fixture").linted().outcome.findings;
    let broken = found.iter().filter(|it| it.rule == "unreadable");
    assert_eq!(broken.map(|it| it.severity).collect::<Vec<_>>(), [Error, Note]);
}

#[test]
fn a_manifest_that_is_not_here_may_be_a_pool() {
    const CODE: &str = "resource \"aws_iam_role\" \"karpenter\" {
  name = \"bittern\"
  assume_role_policy = jsonencode({ Statement = [{
    Effect    = \"Allow\", Action = \"sts:AssumeRoleWithWebIdentity\"
    Principal = { Federated = \"arn:aws:iam::111122223333:oidc-provider/bittern\" }
  }] })
}

resource \"aws_iam_role_policy\" \"karpenter\" {
  role   = aws_iam_role.karpenter.name
  policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = [\"ec2:TerminateInstances\"], Resource = \"*\" }] })
}

resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  namespace  = \"kube-system\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.8.2\"
  skip_crds  = true
  values = [yamlencode({
    settings       = { clusterName = \"bittern\", interruptionQueue = \"bittern\" }
    serviceAccount = { annotations = { \"eks.amazonaws.com/role-arn\" = aws_iam_role.karpenter.arn } }
  })]
}

";
    let manifest = |name: &str, file: &str| {
        format!(
            "resource \"kubectl_manifest\" \"{name}\" {{\n  yaml_body = templatefile(\"${{path.module}}/{file}\", {{ cluster = \"bittern\" }})\n  depends_on = [helm_release.karpenter]\n}}\n"
        )
    };
    let chart = |name: &str| {
        format!(
            "resource \"helm_release\" \"beside\" {{\n  name = \"beside\"\n  chart = \"../charts/{name}\"\n}}\n"
        )
    };
    for (beside, wanted, is_open) in [
        (String::new(), Note, false),
        (manifest("karpenter_nodepool", "karpenter/this.yml.tpl"), Warning, false),
        (manifest("karpenter", "provisioner.yml.tpl"), Warning, false),
        (manifest("claims", "nfs-provisioner.yml.tpl"), Note, true),
        (manifest("storage", "class.yaml"), Note, true),
        (chart("karpenter-pools"), Note, true),
        (chart("ingress"), Note, false),
    ] {
        let text = format!("{CODE}{beside}");
        let found = linted(&[("main.tf", &text)]).findings;
        let own = found.iter().find(|it| it.rule == "identity-destroyed-early").expect("one");
        assert_eq!(own.severity, wanted, "{beside}");
        let says =
            own.notes.iter().any(|it| it.message.starts_with("whether a NodePool is in this"));
        assert_eq!(says, is_open, "{beside}");
    }
}

#[test]
fn a_role_of_its_own_comes_before_an_association_for_another_account() {
    let root = |annotation: &str| {
        format!(
            "module \"karpenter\" {{\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  version = \"21.3.0\"\n  cluster_name = \"oven\"\n}}\nresource \"aws_iam_role\" \"controller\" {{\n  name = \"controller\"\n}}\nresource \"aws_iam_role_policy\" \"controller\" {{\n  role = aws_iam_role.controller.name\n  policy = jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = [\"ec2:TerminateInstances\"], Resource = \"*\" }}] }})\n}}\nresource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  chart = \"oci://public.ecr.aws/karpenter/karpenter\"\n  version = \"1.5.0\"\n  namespace = \"kube-system\"\n  values = [yamlencode({{ serviceAccount = {{ annotations = {{ {annotation} }} }} }})]\n}}\n"
        )
    };
    let said = |annotation: &str| {
        let found = linted(&[("main.tf", &root(annotation))]).findings;
        let own = found.into_iter().filter(|it| it.rule == "identity-destroyed-early");
        own.map(|it| (it.severity, it.message)).collect::<Vec<_>>()
    };
    let waits = "Nothing makes the controller wait for its pod identity association".to_owned();
    let loses = "Destroy may remove the controller's IAM policy before it".to_owned();
    assert_eq!(said(""), [(Warning, waits)]);
    let own = "\"eks.amazonaws.com/role-arn\" = aws_iam_role.controller.arn";
    assert_eq!(said(own), [(Note, loses)]);
}

#[test]
fn an_agent_that_is_drained_last_is_an_error_only_where_volumes_are_detached_after_it() {
    const KARPENTER: &str = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  namespace  = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.6.3\"
}
";
    let cache = |class: &str| {
        format!(
            "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{ name: node-local-dns, namespace: kube-system }}\nspec:\n  \
             selector: {{ matchLabels: {{ k8s-app: node-local-dns }} }}\n  template:\n    spec:\n      {class}\n      \
             containers: [{{ name: node-cache, image: \"registry.k8s.io/dns/k8s-dns-node-cache:1.23.1\" }}]\n"
        )
    };
    let driver = |repository: &str, chart: &str, version: &str| {
        format!(
            "resource \"helm_release\" \"driver\" {{\n  name = \"driver\"\n  repository = \"{repository}\"\n  \
             chart = \"{chart}\"\n  version = \"{version}\"\n  \
             values = [yamlencode({{ node = {{ tolerateAllTaints = false }} }})]\n}}\n"
        )
    };
    let s3 = driver(
        "https://awslabs.github.io/mountpoint-s3-csi-driver",
        "aws-mountpoint-s3-csi-driver",
        "1.14.1",
    );
    let ebs = driver(
        "https://kubernetes-sigs.github.io/aws-ebs-csi-driver",
        "aws-ebs-csi-driver",
        "2.35.1",
    );
    for (path, text, wanted) in [
        ("dns.yaml", cache("priorityClassName: system-node-critical"), Warning),
        ("dns.yaml", cache("priorityClassName: shop"), Error),
        ("dns.yaml", cache("hostNetwork: true"), Error),
        ("s3.tf", s3, Warning),
        ("ebs.tf", ebs, Error),
    ] {
        let files = [("main.tf", KARPENTER), (path, &*text)];
        assert_eq!(severities("disruption-taint-untolerated", &files), [wanted], "{text}");
    }
}

#[test]
fn what_only_a_document_removes_first_is_a_note() {
    const CODE: &str = "resource \"helm_release\" \"karpenter\" {\n  name = \"karpenter\"\n  chart = \"oci://public.ecr.aws/karpenter/karpenter\"\n  version = \"1.5.0\"\n}\nresource \"kubectl_manifest\" \"pool\" {\n  yaml_body = <<-YAML\n    apiVersion: karpenter.sh/v1\n    kind: NodePool\n    metadata: { name: web }\n    spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }\n  YAML\n}\n";
    let of = |enter: &str, steps: &str| {
        let document = format!(
            "## Set up\n```bash\ngit clone URL\ncd {enter}\nterraform apply\n```\n\n## Teardown\n\n{steps}\n"
        );
        let files = [("infra/main.tf", CODE), ("infra/README.md", &*document)];
        severities("nodepool-deleted-in-background", &files)
    };
    let all = "```bash\n# Remove the nodes first\nkubectl delete nodepools --all\nkubectl delete ec2nodeclasses --all\n\n# Then the rest\nterraform destroy\n```";
    let apart = "1. Delete the pools:\n```bash\nkubectl delete nodepool default gpu\n```\n2. Wait until all nodes are gone.\n3. Destroy the rest:\n```bash\nterraform destroy\n```";
    for (enter, steps, wanted) in [
        ("<your-clone>", all, Note),
        ("shop-cluster", all, Note),
        ("infra", all, Note),
        ("<your-clone>", apart, Note),
        // Without a wait the destroy goes on while the nodes are there.
        ("infra", "```bash\nkubectl delete nodepools --all\nterraform destroy\n```", Warning),
        ("infra", "```bash\nterraform destroy\n```", Warning),
    ] {
        assert_eq!(of(enter, steps), [wanted], "{enter}: {steps}");
    }
}

#[test]
fn a_repository_of_charts_that_a_kustomization_leaves_out_is_a_note() {
    const SOURCE: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: { name: NAME, namespace: flux-system }\nspec: { url: URL }\n";
    const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: { name: karpenter, namespace: karpenter }\nspec:\n  chart: { spec: { chart: karpenter, version: 0.13.2, sourceRef: { kind: HelmRepository, name: karpenter, namespace: flux-system } } }\n  values: { clusterName: shop }\n";
    let source = |name: &str, url: &str| SOURCE.replace("NAME", name).replace("URL", url);
    let (own, other) = (
        source("karpenter", "https://charts.karpenter.sh"),
        source("shop", "https://charts.example.com"),
    );
    for (listed, wanted) in [("shop.yaml", Note), ("shop.yaml\n  - karpenter.yaml", Error)] {
        let sources = format!("resources:\n  - {listed}\n");
        let files = [
            ("infra/kustomization.yaml", "resources: [sources, karpenter]\n"),
            ("infra/karpenter/kustomization.yaml", "resources: [release.yaml]\n"),
            ("infra/karpenter/release.yaml", RELEASE),
            ("infra/sources/kustomization.yaml", &*sources),
            ("infra/sources/karpenter.yaml", &*own),
            ("infra/sources/shop.yaml", &*other),
        ];
        assert_eq!(severities("retired-chart-repository", &files), [wanted], "{listed}");
    }
}

#[test]
fn pods_in_a_folder_beside_those_that_applications_name_are_applied_by_nobody() {
    const SET: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { name: ledger }\nspec:\n  selector: { matchLabels: { app: ledger } }\n  template: { metadata: { labels: { app: ledger } }, spec: { containers: [{ name: ledger, image: ledger, volumeMounts: [{ name: data, mountPath: /data }] }] } }\n  volumeClaimTemplates: [{ metadata: { name: data }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 8Gi } } } }]\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\nspec: { limits: { cpu: 8 } }\n";
    let app = |name: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{ name: {name}, namespace: argocd }}\nspec:\n  source: {{ repoURL: \"https://git.example.com/shop.git\", path: k8s/{name} }}\n"
        )
    };
    let (cart, till) = (app("cart"), app("till"));
    let named = "kubectl apply -f k8s/ledger/\n".to_owned();
    let with_pool = format!("{SET}---\n{POOL}");
    for (more, set, wanted) in [
        (("argocd/till.yaml", &*till), SET, &[][..]),
        // One alone may be the one that is not applied by hand.
        (("README.md", &*cart), SET, &[Note]),
        (("argocd/till.yaml", &*till), &*with_pool, &[Note]),
    ] {
        let files = [
            ("karpenter/pool.yaml", POOL),
            ("argocd/cart.yaml", &*cart),
            more,
            ("k8s/cart/kustomization.yaml", "resources: []\n"),
            ("k8s/till/kustomization.yaml", "resources: []\n"),
            ("k8s/ledger/set.yaml", set),
        ];
        assert_eq!(severities("stateful-pod-unprotected", &files), wanted, "{more:?}");
    }
    let files = [
        ("karpenter/pool.yaml", POOL),
        ("argocd/cart.yaml", &*cart),
        ("argocd/till.yaml", &*till),
        ("k8s/ledger/set.yaml", SET),
        ("deploy.sh", &*named),
    ];
    assert_eq!(severities("stateful-pod-unprotected", &files), [Note]);
}

#[test]
fn a_tag_of_several_root_modules_is_a_warning_of_the_one_with_karpenter() {
    const NAME: &str = "resources/discovery-tag-of-several-roots";
    let fixture = crate::fixtures::folder::all().iter().find(|it| it.name == NAME);
    let found = &fixture.expect("the fixture").linted().outcome.findings;
    let own = found.iter().filter(|it| it.rule == "shared-discovery-tag");
    assert_eq!(own.map(|it| it.severity).collect::<Vec<_>>(), [Warning]);
}

#[test]
fn a_version_that_is_written_anywhere_may_be_that_of_a_resource() {
    const POOL: &str = "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: { name: web }\nspec:\n  limits: { cpu: 8 }\n  template: { spec: { requirements: [], nodeClassRef: { name: web } } }\n";
    let readme = |version: &str| {
        format!(
            "```sh\nexport KARPENTER_VERSION=\"{version}\"\nhelm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version \"${{KARPENTER_VERSION}}\"\n```\n"
        )
    };
    let inputs = |version: &str| format!("inputs = {{\n  karpenter_version = \"{version}\"\n}}\n");
    for (path, text, wanted) in [
        ("install/eksctl/README.md", readme("0.37.0"), &[][..]),
        ("install/eksctl/README.md", readme("1.6.0"), &[Warning]),
        ("live/dev/addons/terragrunt.hcl", inputs("0.37.0"), &[]),
        ("live/dev/addons/terragrunt.hcl", inputs("1.6.0"), &[Warning]),
        ("live/old/terragrunt.hcl", inputs("0.37.0"), &[Warning]),
    ] {
        let files = [("pools/web/pool.yaml", POOL), (path, &*text)];
        assert_eq!(severities("retired-karpenter-api", &files), wanted, "{path} {text}");
    }
}

#[test]
fn a_leftover_of_what_terraform_applies_by_the_same_name_is_a_note() {
    let pool = |name: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: {name} }}\nspec: {{ template: {{ spec: {{ requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }} }} }} }}\n"
        )
    };
    let code = format!(
        "resource \"kubectl_manifest\" \"web\" {{\n  yaml_body = <<-YAML\n{}  YAML\n}}\n",
        pool("web").lines().map(|it| format!("    {it}\n")).collect::<Vec<_>>().concat()
    );
    for (name, script, wanted) in [
        ("web", "", &[Note, Warning][..]),
        ("api", "", &[Warning, Warning]),
        ("web", "kubectl apply -f infra/manifests/pool.yaml\n", &[Warning, Warning]),
    ] {
        let written = pool(name);
        let files = [
            ("infra/main.tf", &*code),
            ("infra/manifests/pool.yaml", &*written),
            ("apply.sh", script),
        ];
        let mut found = severities("unbounded-nodepool", &files);
        found.sort();
        assert_eq!(found, wanted, "{name} {script}");
    }
}

#[test]
fn a_role_that_is_to_be_replaced_is_not_the_one_that_is_meant() {
    const MODULE: &str = "module \"karpenter\" {\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  version = \"20.37.2\"\n  cluster_name = \"shop\"\n}\n";
    let class = |comment: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{ name: web }}\nspec:\n  role: KarpenterNodeRole-cluster{comment}\n  amiSelectorTerms: [{{ alias: al2023@v20250101 }}]\n  subnetSelectorTerms: [{{ id: subnet-1 }}]\n  securityGroupSelectorTerms: [{{ id: sg-1 }}]\n"
        )
    };
    for (comment, wanted) in [("", 1), (" # replace with your cluster name", 0)] {
        let class = class(comment);
        let files = [("main.tf", MODULE), ("class.yaml", &*class)];
        assert_eq!(severities("node-role-name-guessed", &files).len(), wanted, "{comment}");
    }
}

#[test]
fn a_class_that_is_not_seen_is_an_error_where_its_cluster_is() {
    const CLASS: &str =
        "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: benchmark }\n";
    const RELEASE: &str = "helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.6.0\n";
    let pool = |class: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: web }}\nspec:\n  limits: {{ cpu: 8 }}\n  template: {{ spec: {{ requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: {class} }} }} }}\n"
        )
    };
    for (class, script, wanted) in
        [("default", "", Warning), ("default", RELEASE, Error), ("benchmrk", "", Error)]
    {
        let pool = pool(class);
        let files = [("class.yaml", CLASS), ("pool.yaml", &*pool), ("install.sh", script)];
        assert_eq!(severities("unknown-nodeclass", &files), [wanted], "{class} {script}");
    }
}

#[test]
fn a_pool_that_cannot_be_read_may_take_the_pods() {
    const PODS: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  selector: { matchLabels: { app: web } }\n  template:\n    metadata: { labels: { app: web } }\n    spec:\n      nodeSelector: { karpenter.sh/nodepool: arm }\n      containers: [{ name: web, image: web }]\n";
    let pool = |name: &str, indent: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\n{indent}kind: NodePool\nmetadata: {{ name: {name} }}\nspec:\n  limits: {{ cpu: 8 }}\n  template: {{ spec: {{ requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }} }} }}\n"
        )
    };
    for (indent, wanted) in [("", 1), (" ", 0)] {
        let (own, other) = (pool("amd", ""), pool("intel", indent));
        let files = [("k8s/pods.yaml", PODS), ("k8s/amd.yaml", &*own), ("k8s/intel.yaml", &*other)];
        assert_eq!(severities("pod-unplaceable", &files).len(), wanted, "{indent:?}");
    }
}

#[test]
fn what_asks_for_the_default_of_a_chart_gives_notes() {
    const RELEASE: &str = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"VERSION\"
  namespace  = \"karpenter\"
  values     = [file(\"values.yaml\")]
}
";
    let found = |version: &str, values: &str| {
        let release = RELEASE.replace("VERSION", version);
        severities("dead-chart-value", &[("main.tf", &*release), ("values.yaml", values)])
    };
    for (version, values, wanted) in [
        ("v0.30.0", "webhook: { enabled: true }", Note),
        ("v0.30.0", "webhook: { enabled: false }", Warning),
        ("v0.30.0", "settings: { isolatedVPC: false }", Note),
        ("v0.30.0", "settings: { isolatedVPC: true }", Warning),
        ("v0.30.0", "settings: { vmMemoryOverheadPercent: 0.075 }", Note),
        ("v0.30.0", "settings: { reservedENIs: \"0\" }", Note),
        // The right name says otherwise.
        ("v0.30.0", "settings: { reservedENIs: \"0\", aws: { reservedENIs: \"1\" } }", Warning),
        ("1.6.0", "webhooks: { enabled: false }", Note),
        ("1.0.0", "webhooks: { enabled: false }", Warning),
        ("1.6.0", "webhook: { port: 8443 }", Note),
        ("1.6.0", "webhook: { enabled: true, port: 8443 }", Note),
        ("1.6.0", "app.kubernetes.io/managed-by: Helm", Note),
        ("1.6.0", "settings: { aws: { isolatedVPC: false, reservedENIs: \"0\" } }", Note),
        ("1.6.0", "settings: { aws: { isolatedVPC: false, reservedENIs: \"1\" } }", Warning),
        ("v0.30.0", "logConfig: { enabled: false, logLevel: { controller: info } }", Note),
        ("v0.30.0", "logConfig: { enabled: true, logLevel: { controller: info } }", Warning),
    ] {
        assert_eq!(found(version, values), [wanted], "{version}: {values}");
    }
}

#[test]
fn paths_below_one_key_that_no_chart_reads_are_one_mistake() {
    let release = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.6.0\"
  namespace  = \"karpenter\"
  set = [
    { name = \"webhoook.enabled\", value = \"true\" },
    { name = \"webhoook.serviceName\", value = \"karpenter\" },
    { name = \"webhook.port\", value = \"8443\" },
  ]
}
";
    assert_eq!(severities("dead-chart-value", &[("main.tf", release)]), [Warning, Note]);
}

#[test]
fn a_name_that_replaces_several_values_is_listed_once() {
    let release = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.6.0\"
  namespace  = \"karpenter\"
  values     = [yamlencode({ logConfig = { logLevel = { global = \"debug\", controller = \"debug\" } } })]
}
";
    let found = linted(&[("main.tf", release)]).findings;
    let dead = found.iter().find(|it| it.rule == "dead-chart-value");
    let help = dead.and_then(|it| it.help.as_deref()).unwrap_or_default();
    assert_eq!(help.matches("`logLevel`").count(), 1, "{help}");
}

#[test]
fn a_provisioner_is_right_for_a_kubernetes_that_no_later_release_works_with() {
    const POOL: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: { name: web }
spec: { limits: { resources: { cpu: 100 } }, providerRef: { name: web } }
";
    for (kubernetes, wanted) in [("1.22", &[][..]), ("1.23", &[Warning])] {
        let cluster = format!(
            "module \"eks\" {{
  source          = \"terraform-aws-modules/eks/aws\"
  version         = \"18.27.1\"
  cluster_name    = \"shop\"
  cluster_version = \"{kubernetes}\"
}}
"
        );
        let files = [("main.tf", &*cluster), ("files/pool.yaml", POOL)];
        assert_eq!(severities("retired-karpenter-api", &files), wanted, "{kubernetes}");
    }
}

#[test]
fn a_pool_with_empty_limits_in_a_wrong_place_is_not_unbounded_as_well() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  template:
    spec:
      requirements: []
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }
      limits:
    cpu: 100
";
    let found = |text: &str, rule: &str| severities(rule, &[("pool.yaml", text)]).len();
    assert_eq!(found(POOL, "unbounded-nodepool"), 0);
    assert_eq!(found(POOL, "invalid-karpenter-resource"), 1);
    let without = POOL.replace("      limits:\n    cpu: 100\n", "");
    assert_eq!(found(&without, "unbounded-nodepool"), 1);
    // What comes between is in its place.
    let other = POOL.replace("    cpu: 100\n", "    metadata: {}\n    cpu: 100\n");
    assert_eq!(found(&other, "invalid-karpenter-resource"), 2);
}

#[test]
fn nobody_can_change_the_pools_that_eks_makes() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general-purpose, labels: { app.kubernetes.io/managed-by: NAME } }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: eks.amazonaws.com, kind: NodeClass, name: default } } } }
";
    for (by, found) in [("eks", &[][..]), ("argocd", &[Warning][..])] {
        let text = POOL.replace("NAME", by);
        assert_eq!(severities("unbounded-nodepool", &[("pools.yaml", &text)]), found, "{by}");
    }
}

#[test]
fn pods_of_a_chart_are_soon_back_where_many_nodes_mount_the_claim_beside_it() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: builds }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
";
    const RELEASE: &str = r#"
resource "helm_release" "ci" {
  name       = "ci"
  namespace  = "ci"
  repository = "https://charts.jenkins.io"
  chart      = "jenkins"
  version    = "5.8.10"
  values     = [yamlencode({ persistence = { enabled = true, existingClaim = "builds-home" } })]
}
"#;
    let claim = |namespace: &str, mode: &str| {
        format!(
            r#"
resource "kubernetes_persistent_volume_claim" "home" {{
  metadata {{
    name      = "builds-home"
    namespace = "{namespace}"
  }}
  spec {{ access_modes = ["{mode}"] }}
}}
"#
        )
    };
    for (namespace, mode, severity) in [
        ("ci", "ReadWriteMany", Note),
        ("ci", "ReadWriteOnce", Warning),
        ("other", "ReadWriteMany", Warning),
    ] {
        let code = format!("{RELEASE}{}", claim(namespace, mode));
        let files = [("pool.yaml", POOL), ("main.tf", &code)];
        let found = severities("stateful-pod-unprotected", &files);
        assert_eq!(found, [severity], "{mode} in {namespace}");
    }
}

#[test]
fn crds_that_come_first_in_what_is_one_version_give_a_note() {
    let release = |name: &str, version: &str, more: &str| {
        format!(
            "resource \"helm_release\" \"{name}\" {{\n  name = \"{name}\"\n  version = {version}\n  \
             chart = \"oci://public.ecr.aws/karpenter/{name}\"\n{more}}}\n"
        )
    };
    let order = "  depends_on = [helm_release.karpenter-crd]\n";
    for (variables, version, other, more, wanted) in [
        ("variable \"v\" {}\n", "var.v", "var.v", order, Note),
        ("variable \"v\" { default = null }\n", "var.v", "var.v", order, Note),
        ("variable \"v\" { default = null }\n", "var.v", "var.v", "", Warning),
        ("variable \"v\" { default = null }\n", "var.v", "\"1.8.2\"", order, Warning),
        ("variable \"v\" {}\nvariable \"w\" {}\n", "var.v", "var.w", order, Warning),
    ] {
        let text = format!(
            "{variables}{}{}",
            release("karpenter-crd", version, ""),
            release("karpenter", other, more)
        );
        let found = severities("crds-not-skipped", &[("main.tf", &text)]);
        assert_eq!(found, [wanted], "{text}");
    }
}

#[test]
fn pods_are_a_note_where_eksctl_lets_cluster_autoscaler_scale_and_no_pool_is_seen() {
    const CLUSTER: &str = "apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: { name: barn, region: eu-west-1, version: '1.29' }
karpenter: { version: 0.34.0 }
";
    const PODS: &str = "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: grain, namespace: barn }
spec:
  serviceName: grain
  selector: { matchLabels: { app: grain } }
  template:
    metadata: { labels: { app: grain } }
    spec: { containers: [{ name: grain, image: postgres:17 }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 5Gi } } }
";
    for (rights, wanted) in [
        ("managedNodeGroups: [{ name: a, iam: { withAddonPolicies: { ebs: true } } }]", Warning),
        (
            "managedNodeGroups: [{ name: a, iam: { withAddonPolicies: { autoScaler: true } } }]",
            Note,
        ),
        ("nodeGroups: [{ name: a, iam: { withAddonPolicies: { autoScaler: false } } }]", Warning),
        (
            "iam: { serviceAccounts: [{ metadata: { name: a }, wellKnownPolicies: { autoScaler: true } }] }",
            Note,
        ),
    ] {
        let cluster = format!("{CLUSTER}{rights}\n");
        let files = [("cluster.yaml", &*cluster), ("pods.yaml", PODS)];
        assert_eq!(severities("stateful-pod-unprotected", &files), [wanted], "{rights}");
    }
}

#[test]
fn a_fault_in_the_order_of_images_is_none_where_each_class_has_one() {
    let class = |name: &str, terms: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {{ name: {name} }}\nspec:\n  \
             amiFamily: AL2\n  role: nodes\n  amiSelectorTerms: {terms}\n"
        )
    };
    let (one, two) = ("[{ id: ami-0123456789abcdef0 }]", "[{ id: ami-01 }, { id: ami-02 }]");
    for (version, own, other, wanted) in [
        ("0.36.1", one, one, &[][..]),
        ("0.36.1", one, two, &[Warning]),
        ("0.36.1", one, "[{ name: shop-* }]", &[Warning]),
        ("1.8.4", one, one, &[Warning]),
    ] {
        let release = format!(
            "releases:\n  - name: karpenter\n    chart: oci://public.ecr.aws/karpenter/karpenter\n    version: {version}\n"
        );
        let (own, other) = (class("web", own), class("batch", other));
        let files = [("helmfile.yaml", &*release), ("web.yaml", &own), ("batch.yaml", &other)];
        assert_eq!(severities("known-bad-release", &files), wanted, "{version}: {other}");
    }
}

#[test]
fn a_value_that_nothing_has_beside_others_is_a_note() {
    let pool = |class: &str, key: &str, values: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: web }}\nspec:\n  limits: {{ cpu: 10 }}\n  \
             template: {{ spec: {{ nodeClassRef: {class}, requirements: [{{ key: {key}, operator: In, values: {values} }}] }} }}\n"
        )
    };
    let karpenter = "{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }";
    let auto_mode = "{ group: eks.amazonaws.com, kind: NodeClass, name: default }";
    let (family, arch) = ("karpenter.k8s.aws/instance-family", "kubernetes.io/arch");
    for (class, key, values, wanted) in [
        (karpenter, family, "[m5, r6]", &[Note][..]),
        (karpenter, family, "[m5, m99]", &[]),
        (karpenter, family, "[r6]", &[Error]),
        (karpenter, arch, "[amd64, x86_64]", &[Note]),
        (auto_mode, arch, "[amd64, x86_64]", &[Note]),
        (auto_mode, arch, "[x86_64]", &[Error]),
        (auto_mode, arch, "[amd64, arm64]", &[]),
        (auto_mode, "eks.amazonaws.com/instance-family", "[r6]", &[]),
    ] {
        let pool = pool(class, key, values);
        let found = severities("unsatisfiable-nodepool", &[("pool.yaml", &pool)]);
        assert_eq!(found, wanted, "{pool}");
    }
}

#[test]
fn the_release_of_one_version_of_a_folder_is_none_in_another() {
    const OLD: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: { name: web }
spec: { requirements: [], providerRef: { name: web } }
";
    const CLUSTER: &str = "resource \"aws_eks_cluster\" \"this\" {
  name     = \"shop\"
  role_arn = \"arn:aws:iam::123456789012:role/shop\"
  vpc_config { subnet_ids = [\"subnet-0a1b2c3d\"] }
}
";
    const RELEASE: &str = "resource \"helm_release\" \"karpenter\" {
  name       = \"karpenter\"
  repository = \"oci://public.ecr.aws/karpenter\"
  chart      = \"karpenter\"
  version    = \"1.0.0\"
}
";
    for (folders, wanted) in [
        (["eks_v1", "eks_v2", "eks_v3_auto"], (Warning, false)),
        (["eks_v1", "eks_v2", "eks_auto"], (Error, false)),
    ] {
        let path = |folder: &str, file: &str| format!("{folder}/{file}");
        let files = [
            (path(folders[0], "main.tf"), CLUSTER),
            (path(folders[0], "provisioner.yaml"), OLD),
            (path(folders[1], "karpenter.tf"), RELEASE),
            (path(folders[2], "main.tf"), CLUSTER),
        ];
        let files = files.each_ref().map(|(path, text)| (&**path, *text));
        assert_eq!(retired(&files), [wanted], "{folders:?}");
    }
}

#[test]
fn pods_that_terraform_makes_only_when_asked_give_notes() {
    const POOL: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  limits: { cpu: 10 }
  template: { spec: { nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }, requirements: [] } }
";
    for (default, wanted) in [("false", Note), ("true", Warning)] {
        let code = format!(
            "variable \"test_store\" {{ default = {default} }}
resource \"kubectl_manifest\" \"store\" {{
  count     = var.test_store == true ? 1 : 0
  yaml_body = <<-YAML
    {}
  YAML
}}
",
            stateful("store").trim_end().replace('\n', "\n    ")
        );
        let files = [("main.tf", code.as_str()), ("pool.yaml", POOL)];
        assert_eq!(severities("stateful-pod-unprotected", &files), [wanted], "{default}");
    }
}

#[test]
fn a_root_module_that_does_not_declare_its_variables_gives_notes() {
    const RELEASE: &str = "provider \"aws\" {}
resource \"helm_release\" \"karpenter\" {
  name    = \"karpenter\"
  chart   = \"oci://public.ecr.aws/karpenter/karpenter\"
  version = \"1.8.1\"
  values  = [yamlencode({ settings = { clusterName = var.name } })]
}
";
    const DECLARED: &str = "variable \"name\" {}\n";
    let rule = "interruption-queue-unset";
    assert_eq!(severities(rule, &[("main.tf", RELEASE)]), [Note]);
    for (path, text) in [("variables.tf", DECLARED), ("terragrunt.hcl", "")] {
        assert_eq!(severities(rule, &[("main.tf", RELEASE), (path, text)]), [Warning], "{path}");
    }
}

#[test]
fn a_pool_for_what_the_cluster_needs_without_limits_is_a_note() {
    for (taint, wanted) in [
        ("{ key: CriticalAddonsOnly, effect: NoSchedule }", Note),
        ("{ key: CriticalAddonsOnly, effect: PreferNoSchedule }", Warning),
        ("{ key: team, value: web, effect: NoSchedule }", Warning),
    ] {
        let text = format!(
            "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{ name: system }}
spec: {{ template: {{ spec: {{ taints: [{taint}], requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }} }} }} }}
"
        );
        assert_eq!(severities("unbounded-nodepool", &[("pool.yaml", &text)]), [wanted], "{taint}");
    }
}

#[test]
fn a_pool_that_allows_no_disruption_is_a_note_where_its_nodes_expire() {
    const NONE: &str = "{ nodes: '0' }";
    for (budget, lifetime, wanted) in [
        (NONE, "", Note),
        (NONE, "expireAfter: 168h, ", Note),
        (NONE, "expireAfter: 8760h, ", Warning),
        (NONE, "expireAfter: Never, ", Warning),
        ("{ nodes: '1', schedule: '0 8 * * 1-7', duration: 1h }", "", Warning),
    ] {
        let text = format!(
            "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{ name: web }}
spec:
  limits: {{ cpu: 10 }}
  disruption: {{ consolidateAfter: Never, budgets: [{budget}] }}
  template: {{ spec: {{ {lifetime}requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }} }} }}
"
        );
        assert_eq!(severities("frozen-nodepool", &[("pool.yaml", &text)]), [wanted], "{lifetime}");
    }
}

#[test]
fn a_discovery_tag_of_several_clusters_is_told_once_for_the_worst() {
    const MODULE: &str = "variable \"name\" {}
module \"eks\" {
  source       = \"terraform-aws-modules/eks/aws\"
  version      = \"20.37.1\"
  cluster_name = var.name
  tags         = { \"karpenter.sh/discovery\" = var.name }
}
";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: web }
spec:
  role: web-nodes
  amiSelectorTerms: [{ alias: al2023@v20250519 }]
  subnetSelectorTerms: [{ id: subnet-0b1c2d3e4f5a60001 }]
  securityGroupSelectorTerms: [{ tags: { karpenter.sh/discovery: dev } }]
";
    let call = |name: &str| {
        format!(
            "module \"cluster\" {{\n  source = \"../modules/cluster\"\n  name   = \"{name}\"\n}}\n"
        )
    };
    let (dev, prod) = (call("dev"), call("prod"));
    let module = ("modules/cluster/main.tf", MODULE);
    let (dev, prod) = (("dev/main.tf", &*dev), ("prod/main.tf", &*prod));
    let class = ("dev/class.yaml", CLASS);
    let rule = "shared-discovery-tag";
    assert_eq!(severities(rule, &[module, dev, prod]), [Note]);
    assert_eq!(severities(rule, &[module, dev, prod, class]), [Warning]);
}

#[test]
fn a_drain_that_waits_for_an_autoscaler_is_a_note() {
    const REST: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, namespace: shop }
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: shop, image: example.com/shop:1 }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: shop, namespace: shop }
spec: { minAvailable: 1, selector: { matchLabels: { app: shop } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shop, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }
";
    for (most, wanted) in [(1, Warning), (3, Note)] {
        let text = format!("{REST}  minReplicas: 1\n  maxReplicas: {most}\n");
        assert_eq!(severities("endless-drain", &[("web.yaml", &text)]), [wanted], "{most}");
    }
}

#[test]
fn a_switch_by_any_name_says_that_no_queue_is_wanted() {
    const MODULE: &str = "module \"karpenter\" {\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  \
                          version = \"21.8.0\"\n  cluster_name = \"web\"\n";
    const APP: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: { name: karpenter }\nspec:\n  source:\n    \
                       repoURL: public.ecr.aws/karpenter\n    chart: karpenter\n    targetRevision: 1.8.1\n    \
                       helm: { valuesObject: { settings: { clusterName: web } } }\n";
    for (switch, wanted) in [("  enable_interruption_handler = false\n", &[][..]), ("", &[Warning])]
    {
        let text = format!("{MODULE}{switch}}}\n");
        let found =
            severities("interruption-queue-unset", &[("main.tf", &text), ("app.yaml", APP)]);
        assert_eq!(found, wanted, "{switch}");
    }
}

#[test]
fn the_chart_of_an_application_in_a_comment_gives_notes() {
    const FILES: [(&str, &str); 5] = [
        ("pools/web.yaml", "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web } } } }
"),
        ("root.yaml", "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: root }
spec:
  source: { repoURL: https://github.com/example/apps.git, path: apps }
  destination: { name: in-cluster, namespace: argocd }
"),
        ("apps/ledger/ledger/Chart.yaml", "apiVersion: v2\nname: ledger\nversion: 1.0.0\n"),
        ("apps/ledger/ledger/templates/ledger.yaml", "apiVersion: apps/v1
kind: StatefulSet
metadata: { name: ledger }
spec:
  replicas: 1
  selector: { matchLabels: { app: ledger } }
  template:
    metadata: { labels: { app: ledger } }
    spec: { containers: [{ name: ledger, image: postgres:17 }] }
  volumeClaimTemplates: [{ metadata: { name: data }, spec: { accessModes: [ReadWriteOnce] } }]
"),
        ("apps/ledger/ledger.yaml", "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: ledger }
spec:
  source: { repoURL: https://github.com/example/apps.git, path: apps/ledger/ledger }
  destination: { name: in-cluster, namespace: ledger }
"),
    ];
    for (entry, wanted) in [("- ledger/ledger.yaml", Warning), ("#- ledger/ledger.yaml", Note)] {
        let listed = format!("resources:\n- web/web.yaml\n{entry}\n");
        let mut files = FILES.to_vec();
        files.push((
            "apps/web/web.yaml",
            "apiVersion: v1\nkind: Namespace\nmetadata: { name: web }\n",
        ));
        files.push(("apps/kustomization.yaml", &listed));
        assert_eq!(severities("stateful-pod-unprotected", &files), [wanted], "{entry}");
    }
}

#[test]
fn a_chart_that_is_given_the_values_of_another_inside_it_brings_its_own_crds() {
    const OWN: &str = "variable \"registry\" {}\nprovider \"helm\" {}\nresource \"helm_release\" \"karpenter\" {\n  name = \"karpenter\"\n  \
                       version = \"1.8.0\"\n  repository = var.registry\n  chart = \"karpenter\"\n  values = [yamlencode(";
    for (values, wanted) in [
        ("{karpenter = {settings = {clusterName = \"web\"}}}", &[][..]),
        ("{settings = {clusterName = \"web\"}}", &[Warning]),
    ] {
        let text = format!("{OWN}{values})]\n}}\n");
        assert_eq!(severities("crds-never-upgraded", &[("main.tf", &text)]), wanted, "{values}");
    }
}

#[test]
fn manifests_of_later_crds_lack_only_a_former_version() {
    const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: nodepools.karpenter.sh }
spec:
  group: karpenter.sh
  names: { kind: NodePool }
  versions: [VERSIONS]
";
    const RELEASE: &str = "releases: [{ name: karpenter, chart: \"oci://public.ecr.aws/karpenter/karpenter\", version: ";
    let of = |version: &str, names: &[&str]| {
        let versions: Vec<String> =
            names.iter().map(|it| format!("{{ name: {it}, served: true }}")).collect();
        let crd = CRD.replace("VERSIONS", &versions.join(", "));
        let release = format!("{RELEASE}{version} }}]\n");
        severities("crd-version-mismatch", &[("crd.yaml", &*crd), ("helmfile.yaml", &*release)])
    };
    assert_eq!(of("1.0.8", &["v1"]), [Warning]);
    assert_eq!(of("1.0.8", &["v1", "v1beta1"]), []);
    assert_eq!(of("1.5.0", &["v1", "v1beta1"]), [Error]);
    assert_eq!(of("1.5.0", &["v1beta1"]), [Error]);
    assert_eq!(of("0.32.1", &["v1"]), [Error]);
}

#[test]
fn pools_that_are_empty_by_default_may_never_be_there() {
    const MAIN: &str = r#"resource "aws_iam_role" "karpenter" { name = "karpenter" }
resource "aws_iam_policy" "karpenter" { policy = jsonencode({ Statement = [{ Effect = "Allow", Action = "ec2:*", Resource = "*" }] }) }
resource "aws_iam_role_policy_attachment" "karpenter" {
  role       = aws_iam_role.karpenter.name
  policy_arn = aws_iam_policy.karpenter.arn
}
resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.1.6"
  values     = [yamlencode({ serviceAccount = { annotations = { "eks.amazonaws.com/role-arn" = aws_iam_role.karpenter.arn } } })]
}
variable "karpenter_nodepools" {
  type = set(string)
  default = []
}
resource "kubectl_manifest" "karpenter_nodepools" {
  for_each   = var.karpenter_nodepools
  yaml_body  = templatefile(each.key, {})
  depends_on = [helm_release.karpenter]
}
"#;
    assert_eq!(severities("identity-destroyed-early", &[("main.tf", MAIN)]), [Note]);
    let known = MAIN.replace("default = []", "default = [\"nodepool.yaml\"]");
    assert_eq!(severities("identity-destroyed-early", &[("main.tf", &known)]), [Warning]);
}

#[test]
fn a_field_that_helm_lets_be_dropped_is_a_warning() {
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: web }
spec:
  role: web
  amiSelectorTerms: [{ alias: al2023@v20250101 }]
  subnetSelectorTerms: [{ id: subnet-0 }]
  securityGroupSelectorTerms: [{ id: sg-0 }]
  blockDeviceMappings: [{ deviceName: /dev/xvda, ebs: { volumeSize: {{ .Values.size }}, kmsKeyId: web } }]
";
    let chart = [
        ("classes/Chart.yaml", "apiVersion: v2\nname: classes\nversion: 1.0.0\n"),
        ("classes/values.yaml", "size: 20Gi\n"),
        ("classes/templates/web.yaml", CLASS),
    ];
    let release = "resource \"helm_release\" \"classes\" {\n  name = \"classes\"\n  chart = \"${path.module}/classes\"\n}\n";
    let app = "apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: classes }
spec: { source: { repoURL: https://github.com/example/web.git, path: classes } }
";
    for (file, wanted) in [(("main.tf", release), Warning), (("app.yaml", app), Error)] {
        let files = [chart[0], chart[1], chart[2], file];
        assert_eq!(severities("invalid-karpenter-resource", &files), [wanted], "{}", file.0);
    }
}
