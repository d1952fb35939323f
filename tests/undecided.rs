//! Questions that are not decided: each is counted once, with a reason that says what to do.

use karplint::{config::Config, lint, project::Project};

const NODEPOOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: a }\n";

const CONTROLLER: &str = r#"
resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.1.6"
  namespace  = "kube-system"
}
"#;

/// What the rule leaves open in a repository of these files: `path:needs:reason`.
fn open(rule: &str, files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let project = Project::from_memory(files.collect());
    let config = Config { only: vec![rule.to_owned()], ..Config::default() };
    let outcome = lint::run(&project, &config);
    let open = outcome.unreported.iter().filter_map(|it| {
        let path = project.files.get(it.span.file).path();
        Some(format!("{path}:{}:{}", it.silence.cause()?.word(), it.silence.reason().words))
    });
    open.collect()
}

#[test]
fn a_cluster_in_a_module_that_is_not_here_is_named() {
    let module = "module \"eks\" {\n  source          = \"git::https://git.example.com/terraform-eks-cluster.git?ref=main\"\n  cluster_version = \"1.33\"\n}\n";
    let files = [("main.tf", &*[CONTROLLER, module].concat())];
    let wanted = "main.tf:unknown-value:the cluster is not seen: the module \
                  `git::https://git.example.com/terraform-eks-cluster.git?ref=main` is not here";
    assert_eq!(open("kubernetes-version-unsupported", &files), [wanted]);
    assert_eq!(open("controller-selector-unmatched", &files), [wanted]);
    // Karpenter itself, which has to run on a node of its own.
    assert_eq!(open("controller-taint-untolerated", &files), [wanted]);
    // Whether all of its nodes have a startup taint, which the pool then needs, too.
    let pool = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = file(\"pool.yaml\")\n}\n";
    let main = [CONTROLLER, module, pool].concat();
    let of_pool = wanted.replace("main.tf:", "pool.yaml:");
    let spec = "spec: { template: { spec: { nodeClassRef: { kind: EC2NodeClass, name: a } } } }\n";
    let files = [("main.tf", &*main), ("pool.yaml", &*[NODEPOOL, spec].concat())];
    assert_eq!(open("startup-taint-undeclared", &files), [of_pool]);
}

#[test]
fn what_cannot_be_read_of_a_root_is_no_caller() {
    let provider = "provider \"aws\" { region = var.region }\nvariable \"region\" {}\n";
    let release = CONTROLLER.replace(
        "namespace ",
        "values = [yamlencode({ settings = { interruptionQueue = var.region } })]\n  namespace ",
    );
    let broken = "module \"vpc\" {\n  azs = data.aws_availability_zones.azs.names[0:3]\n}\n";
    let files = [("main.tf", &*[provider, broken, &release].concat())];
    let wanted = "main.tf:unreadable:a part of its root module cannot be read";
    assert_eq!(open("cluster-name-unset", &files), [wanted]);
    // Where no variable decides its values, nothing else sets them.
    let files = [("main.tf", &*[provider, broken, CONTROLLER].concat())];
    assert_eq!(open("cluster-name-unset", &files), [""; 0]);
}

#[test]
fn argo_cd_in_a_document_is_named_as_what_may_upgrade_crds() {
    let chart = "apiVersion: v2\nname: platform\nversion: 0.1.0\ndependencies:\n  - { name: karpenter, version: 1.1.6, repository: \"oci://public.ecr.aws/karpenter\" }\n";
    let other = "The CRDs of the secrets operator are installed first.\n";
    let open = |text| {
        let files =
            [("chart/Chart.yaml", chart), ("docs/deploy.md", text), ("README.gotmpl", other)];
        open("crds-never-upgraded", &files)
    };
    let wanted = "chart/Chart.yaml:mentioned:Argo CD may install this chart, and upgrades its CRDs at each sync";
    assert_eq!(open("# Deploying\n\nArgoCD applies the folder.\n"), [wanted]);
    assert_eq!(open("# Deploying\n\nThe CRDs of the operator come first.\n"), [""; 0]);
}

#[test]
fn an_installer_that_is_not_here_is_named() {
    let module = "module \"addon\" {\n  source = \"git::https://git.example.com/modules.git//karpenter?ref=v3\"\n}\n";
    let pool = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = file(\"pool.yaml\")\n}\n";
    let files = [("main.tf", &*[module, pool].concat()), ("pool.yaml", NODEPOOL)];
    let [only] = &*open("crds-never-upgraded", &files) else { panic!("one is wanted") };
    assert!(only.starts_with("main.tf:unknown-value:how it installs Karpenter"), "{only}");
    let [only] = &*open("nodepool-outlives-controller", &files) else { panic!("one is wanted") };
    assert!(only.contains("modules.git//karpenter?ref=v3` is not here"), "{only}");
    // The well-known module makes roles and a queue.
    let module = module.replace(
        "git::https://git.example.com/modules.git//karpenter?ref=v3",
        "terraform-aws-modules/eks/aws//modules/karpenter",
    );
    assert_eq!(open("crds-never-upgraded", &[("main.tf", &*module)]), [""; 0]);
}

#[test]
fn a_module_that_is_asked_for_karpenter_is_named() {
    let source = "git::https://git.example.com/platform.git?ref=v3";
    let traces = |label: &str, inputs: &str| {
        let text = format!("module \"{label}\" {{\n  source = \"{source}\"\n  {inputs}\n}}\n");
        let files = vec![("main.tf".to_owned(), text.clone())];
        let project = Project::from_memory(files);
        let seen = lint::run(&project, &Config::default()).model.uses_karpenter;
        (open("crds-never-upgraded", &[("main.tf", &*text)]).len(), seen)
    };
    for (label, inputs, wanted) in [
        ("platform", "enable_karpenter = true", (1, true)),
        ("platform", "enable_karpenter = var.on", (1, true)),
        ("platform", "addons = { karpenter = { enabled = true } }", (1, true)),
        ("platform", "addons = [\"coredns\", \"karpenter\"]", (1, true)),
        ("karpenter", "cluster = \"shop\"", (1, true)),
        ("platform", "enable_karpenter = false", (0, false)),
        ("platform", "karpenter = null", (0, false)),
        ("platform", "name = \"shop\"", (0, false)),
        // What Karpenter needs is a trace of it, and no controller.
        ("platform", "karpenter_role_arn = var.role", (0, true)),
        ("platform", "access_entries = { karpenter = {} }", (0, true)),
        ("karpenter_irsa", "cluster = \"shop\"", (0, true)),
    ] {
        assert_eq!(traces(label, inputs), wanted, "{label}: {inputs}");
    }
    let unit = format!(
        "terraform {{\n  source = \"{source}\"\n}}\ninputs = {{\n  enable_karpenter = true\n}}\n"
    );
    let [only] = &*open("crds-never-upgraded", &[("live/terragrunt.hcl", &*unit)]) else {
        panic!("one is wanted")
    };
    assert!(only.contains("platform.git?ref=v3` is not here"), "{only}");
}

const SET: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { name: db, namespace: shop }\nspec:\n  \
                   selector: { matchLabels: { app: db } }\n  template:\n    metadata: { labels: { app: db } }\n    \
                   spec: { containers: [{ name: db, image: postgres }] }\n  volumeClaimTemplates: [{ metadata: { name: data } }]\n";

/// What a rule reports in these files: `path:message`.
fn reported(rule: &str, files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let project = Project::from_memory(files.collect());
    let config = Config { only: vec![rule.to_owned()], ..Config::default() };
    let found = lint::run(&project, &config).findings.into_iter();
    found.map(|it| format!("{}:{}", project.files.get(it.span.file).path(), it.message)).collect()
}

#[test]
fn a_patch_that_cannot_be_applied_leaves_open_what_it_selects() {
    let pool = NODEPOOL.to_owned()
        + "spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: a } } } }\n";
    for patch in ["path: gone.yaml", "patch: '[{ op: remove, path: /spec/gone/at }]'"] {
        let build = format!(
            "resources: [db.yaml, pool.yaml]\npatches:\n  - target: {{ kind: StatefulSet }}\n    {patch}\n"
        );
        let files = [("kustomization.yaml", &*build), ("db.yaml", SET), ("pool.yaml", &*pool)];
        assert_eq!(reported("unbounded-nodepool", &files).len(), 1, "{patch}");
        assert_eq!(reported("stateful-pod-unprotected", &files), [""; 0], "{patch}");
        assert_eq!(open("stateful-pod-unprotected", &files).len(), 1, "{patch}");
    }
    // What is built beside it changes nothing of it.
    for more in
        ["resources: [pool.yaml, gone.yaml]", "resources: [pool.yaml]\nhelmCharts: [{ name: a }]"]
    {
        let files = [("kustomization.yaml", more), ("pool.yaml", &*pool)];
        assert_eq!(reported("unbounded-nodepool", &files).len(), 1, "{more}");
    }
}

#[test]
fn a_missing_resource_is_named_at_its_entry() {
    let build = "resources:\n  - gone.yaml\n";
    let files = vec![("kustomization.yaml".to_owned(), build.to_owned())];
    let outcome = lint::run(&Project::from_memory(files), &Config::default());
    let [only] = &*outcome.skipped else { panic!("{:?}", outcome.skipped) };
    assert!(only.reason.contains("line 2 `gone.yaml`: no such file"), "{}", only.reason);
}

#[test]
fn a_pdb_that_cannot_be_read_may_be_the_missing_one() {
    let broken = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: db\n namespace: shop\n";
    let rule = "stateful-pod-unprotected";
    let near = [("shop/db.yaml", SET), ("shop/pdb.yaml", broken), ("pool.yaml", NODEPOOL)];
    assert_eq!(open(rule, &near), ["shop/db.yaml:unreadable:a PDB near it cannot be read"]);
    let far = [("shop/db.yaml", SET), ("blog/app/pdb.yaml", broken), ("pool.yaml", NODEPOOL)];
    assert_eq!(reported(rule, &far).len(), 1);
}

#[test]
fn workloads_that_no_rule_asks_about_are_read() {
    let broken =
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n namespace: shop\n";
    let twice = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  name: shop\n";
    let files = [("a/web.yaml", broken), ("b/web.yaml", twice), ("pool.yaml", NODEPOOL)];
    assert_eq!(reported("unreadable", &files).len(), 2);
    assert_eq!(reported("unreadable", &files[..2]).len(), 2);
    // Nobody applies them as they are, as far as one sees, where nothing of Karpenter is.
    let filled = broken.replace("name: web", "name: ${NAME}");
    let others = [
        ("tests/a.yaml", broken),
        ("docs/a.yaml", broken),
        ("shop/templates/a.yaml", broken),
        ("a.yaml", &*filled),
    ];
    assert_eq!(reported("unreadable", &others), [""; 0]);
    let template = broken.replace("name: web", "name: {{ .Values.name }}");
    assert_eq!(reported("unreadable", &[("a.yaml", &*template), ("pool.yaml", NODEPOOL)]), [""; 0]);
}

#[test]
fn what_is_wholly_unknown_is_not_called_sound() {
    let class = "resource \"kubernetes_manifest\" \"class\" {\n  manifest = {\n    apiVersion = \"karpenter.k8s.aws/v1\"\n    \
                 kind = \"EC2NodeClass\"\n    metadata = { name = \"a\" }\n    spec = { amiSelectorTerms = [{ alias = var.ami }] }\n  }\n}\n";
    let files = [("main.tf", class)];
    let wanted = "main.tf:unknown-value:what selects its AMI is `var.ami`, which is not known";
    assert_eq!(open("latest-ami-alias", &files), [wanted]);
    let pool = |spec: &str| {
        format!(
            "resource \"kubernetes_manifest\" \"pool\" {{\n  manifest = {{\n    apiVersion = \"karpenter.sh/v1\"\n    \
             kind = \"NodePool\"\n    metadata = {{ name = \"a\" }}\n    spec = {spec}\n  }}\n}}\n"
        )
    };
    let unknown = pool("var.spec");
    for rule in ["unbounded-nodepool", "invalid-karpenter-resource"] {
        let wanted = "main.tf:unknown-value:its `spec` is `var.spec`, which is not known";
        assert_eq!(open(rule, &[("main.tf", &*unknown)]), [wanted], "{rule}");
    }
    let requirements = pool(
        "{ template = { spec = { requirements = var.asked, nodeClassRef = { group = \"karpenter.k8s.aws\", kind = \"EC2NodeClass\", name = \"a\" } } } }",
    );
    let [only] = &*open("unsatisfiable-nodepool", &[("main.tf", &*requirements)]) else {
        panic!("one is wanted")
    };
    assert!(
        only.ends_with("a part of what it requires is `var.asked`, which is not known"),
        "{only}"
    );
}

fn cluster(name: &str, taint: &str) -> String {
    format!(
        "module \"{name}\" {{\n  source  = \"terraform-aws-modules/eks/aws\"\n  version = \"20.0.0\"\n  \
         cluster_name = \"{name}\"\n  eks_managed_node_groups = {{\n    base = {{ taints = {taint} }}\n  }}\n}}\n"
    )
}

#[test]
fn pods_that_may_be_in_either_of_two_clusters_are_not_decided_unless_both_agree() {
    let taint = "{ only = { key = \"karpenter.sh/controller\", value = \"true\", effect = \"NO_SCHEDULE\" } }";
    let release = "resource \"helm_release\" \"lbc\" {\n  name = \"lbc\"\n  repository = \"https://aws.github.io/eks-charts\"\n  \
                   chart = \"aws-load-balancer-controller\"\n  version = \"1.8.0\"\n}\n";
    let rule = "controller-taint-untolerated";
    let of = |second: &str| {
        let text = [cluster("one", taint), cluster("two", second), release.to_owned()].concat();
        open(rule, &[("main.tf", &text)])
    };
    assert_eq!(
        of("{}"),
        ["main.tf:ambiguous:several clusters are near, and which one its pods run in is not clear"]
    );
    // It is a finding then.
    assert_eq!(of(taint), [""; 0]);
}

#[test]
fn a_values_file_that_is_not_in_the_repository_is_named() {
    let application = r#"
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: karpenter, namespace: argocd }
spec:
  sources:
    - repoURL: public.ecr.aws/karpenter
      chart: karpenter
      targetRevision: "1.8.2"
      helm: { valueFiles: [$values/envs/prod.yaml] }
    - { repoURL: "https://git.example.com/infra.git", ref: values }
"#;
    let wanted = "unreadable:`settings.clusterName` may be set by `$values/envs/prod.yaml`, which is not in \
                  the repository";
    let found = open("cluster-name-unset", &[("app.yaml", application)]);
    assert_eq!(found, [format!("app.yaml:{wanted}")]);
    let terraform =
        CONTROLLER.replace("1.1.6\"", "1.8.2\"\n  values = [file(\"values/prod.yaml\")]");
    let wanted = "unreadable:`settings.clusterName` may be set by `file(\"values/prod.yaml\")`, which is \
                  not in the repository";
    assert_eq!(
        open("cluster-name-unset", &[("main.tf", &terraform)]),
        [format!("main.tf:{wanted}")]
    );
}

#[test]
fn what_a_template_of_a_chart_may_hold_is_a_question_once() {
    // Without a name it cannot be read.
    let files = [
        ("Chart.yaml", "version: 1.0.0\n"),
        (
            "templates/db.yaml",
            "{{ if .x }}\nkind: StatefulSet\n---\nkind: StatefulSet\n{{ end }}\n",
        ),
        ("templates/web.yaml", "kind: Deployment\n"),
        ("nodes/pool.yaml", NODEPOOL),
    ];
    let wanted =
        "templates/db.yaml:not-rendered:this template is not rendered, nor is its chart, `.`";
    assert_eq!(open("stateful-pod-unprotected", &files), [wanted]);
}

#[test]
fn a_dependency_that_is_not_here_is_named_with_what_fetches_it() {
    let chart = "name: web\nversion: 1.0.0\ndependencies:\n- name: ledger\n  version: 2.x\n  \
                 repository: https://charts.example\n";
    let template = "kind: StatefulSet\nmetadata: {name: {{ include \"ledger.name\" . }}}\n";
    let files =
        [("web/Chart.yaml", chart), ("web/templates/a.yaml", template), ("pool.yaml", NODEPOOL)];
    let found = open("stateful-pod-unprotected", &files);
    // What the template of the chart prints is not known; the rest is rendered.
    let [absent] = &found[..] else { panic!("{found:?}") };
    assert_eq!(
        absent,
        "web/Chart.yaml:not-rendered:the chart `ledger` is not here: `helm dependency build web` \
         fetches it"
    );
}

#[test]
fn each_chart_that_lacks_a_dependency_is_a_question() {
    let chart = "name: NAME\nversion: 1.0.0\ndependencies:\n- name: ledger\n  version: 2.x\n  \
                 repository: https://charts.example\n";
    let also = chart.to_owned() + "- name: vat\n  version: 1.x\n  repository: https://x.example\n";
    let files = [
        ("apps/till/Chart.yaml", &*chart.replace("NAME", "till")),
        ("apps/till/values.yaml", "ledger: {}\n"),
        ("apps/vault/Chart.yaml", &*also.replace("NAME", "vault")),
        ("apps/web/Chart.yaml", &*chart.replace("NAME", "web")),
        ("pool.yaml", NODEPOOL),
    ];
    let found = open("stateful-pod-unprotected", &files);
    let commands: Vec<_> = found.iter().filter_map(|it| it.split('`').nth(3)).collect();
    let wanted = ["till", "vault", "web"].map(|it| format!("helm dependency build apps/{it}"));
    assert_eq!(commands, wanted, "{found:?}");
}

#[test]
fn a_dependency_that_is_switched_off_need_not_be_here() {
    let chart = "name: web\nversion: 1.0.0\ndependencies:\n- name: ledger\n  version: 2.x\n  \
                 repository: https://charts.example\n  condition: ledger.enabled\n";
    let template = "kind: StatefulSet\nmetadata: {name: {{ include \"name\" . }}}\n";
    let found = |enabled: &str| {
        let values = format!("ledger: {{ enabled: {enabled} }}\n");
        let files = [
            ("web/Chart.yaml", chart),
            ("web/values.yaml", &values),
            ("web/templates/a.yaml", template),
            ("pool.yaml", NODEPOOL),
        ];
        open("stateful-pod-unprotected", &files)
    };
    let [own] = &found("false")[..] else { panic!("one is wanted") };
    assert!(own.starts_with("web/templates/a.yaml:not-rendered"), "{own}");
    assert!(own.contains("\"name\"") && !own.contains("helm dependency"), "{own}");
    // The template may be in the chart that is not here.
    let [absent] = &found("true")[..] else { panic!("one is wanted") };
    assert!(absent.starts_with("web/Chart.yaml:not-rendered:the chart `ledger`"), "{absent}");
}

#[test]
fn a_chart_at_the_root_is_rendered_like_others() {
    let template = "kind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n";
    let files = [("Chart.yaml", "name: web\nversion: 1.0.0\n"), ("templates/a.yaml", template)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let outcome = lint::run(&Project::from_memory(files.into()), &Config::default());
    assert_eq!(outcome.skipped.len(), 0, "{:?}", outcome.skipped);
}

#[test]
fn a_chart_that_is_not_known_may_run_pods_that_keep_data() {
    let release =
        CONTROLLER.replace("karpenter", "ledger").replace("public.ecr.aws", "example.com");
    let files = [("main.tf", &*release), ("pool.yaml", NODEPOOL)];
    let wanted = "main.tf:unknown-chart:which pods the chart `ledger` runs is not known";
    assert_eq!(open("stateful-pod-unprotected", &files), [wanted]);
    // Once a root, and not for a chart that is known to run nothing but Deployments.
    let again = release.replace("\"helm_release\" \"ledger\"", "\"helm_release\" \"again\"");
    let keda = release
        .replace("ledger", "keda")
        .replace("oci://example.com/keda", "https://kedacore.github.io/charts");
    let all = [&*release, &again, &keda].concat();
    assert_eq!(open("stateful-pod-unprotected", &[("main.tf", &*all), files[1]]), [wanted]);
}

#[test]
fn an_add_on_whose_versions_agree_is_decided() {
    let addon = "resource \"aws_eks_addon\" \"agent\" {\n  cluster_name = \"shop\"\n  addon_name   = \"eks-pod-identity-agent\"\n}\n";
    let files = [("main.tf", &*[CONTROLLER, addon].concat())];
    assert_eq!(open("disruption-taint-untolerated", &files), [""; 0]);
}

#[test]
fn a_helmfile_that_is_applied_by_labels_may_be_in_order() {
    let release = |name: &str, tier: &str| {
        let chart = format!("oci://public.ecr.aws/karpenter/{name}");
        format!(
            "  - {{ name: {name}, namespace: kube-system, chart: {chart}, labels: {{ tier: {tier} }} }}\n"
        )
    };
    let releases = [release("karpenter-crd", "crd"), release("karpenter", "main")].concat();
    let helmfile = format!("releases:\n{releases}");
    let step = "jobs:\n  apply:\n    steps:\n      - run: helmfile -l tier=crd apply\n";
    let files = [("helmfile.yaml", &*helmfile), (".github/workflows/apply.yaml", step)];
    let [only] = &*open("crd-order-undeclared", &files) else { panic!("one is wanted") };
    assert!(only.starts_with("helmfile.yaml:mentioned:"), "{only}");
    assert_eq!(open("crd-order-undeclared", &files[..1]), [""; 0]);
}

#[test]
fn what_is_off_as_far_as_one_sees_settles_nothing() {
    let variable =
        |name: &str| format!("variable \"{name}\" {{\n  type    = bool\n  default = false\n}}\n");
    let profile = "resource \"aws_eks_fargate_profile\" \"karpenter\" {\n  count        = var.fargate ? 1 : 0\n  \
                   cluster_name = \"shop\"\n  selector {\n    namespace = \"kube-system\"\n  }\n}\n";
    let group = "resource \"aws_eks_node_group\" \"system\" {\n  cluster_name = \"shop\"\n}\n";
    let selector = CONTROLLER.replace(
        "  namespace  = \"kube-system\"\n",
        "  namespace  = \"kube-system\"\n  values     = [\"nodeSelector: { karpenter.sh/controller: \\\"true\\\" }\"]\n",
    );
    let code = [&*variable("fargate"), profile, group, &*selector].concat();
    let found = open("controller-selector-unmatched", &[("main.tf", &*code)]);
    assert_eq!(found, ["main.tf:unknown-value:a Fargate profile may select its pods"]);
    let labelled = "resource \"aws_eks_node_group\" \"karpenter\" {\n  count        = var.fargate ? 1 : 0\n  \
                    cluster_name = \"shop\"\n  labels       = { \"karpenter.sh/controller\" = \"true\" }\n}\n";
    let code = [&*variable("fargate"), labelled, group, &*selector].concat();
    let [only] = &*open("controller-selector-unmatched", &[("main.tf", &*code)]) else {
        panic!("one is wanted")
    };
    assert!(only.contains("a node group that is off as far as one sees has the labels"), "{only}");
    let tainted = "resource \"aws_eks_node_group\" \"tainted\" {\n  cluster_name = \"shop\"\n  taint {\n    \
                   key    = \"team\"\n    value  = \"a\"\n    effect = \"NO_SCHEDULE\"\n  }\n}\n";
    let off = group.replace(" {\n", " {\n  count        = var.fargate ? 1 : 0\n");
    let code = [&*variable("fargate"), tainted, &*off, CONTROLLER].concat();
    let [only] = &*open("controller-taint-untolerated", &[("main.tf", &*code)]) else {
        panic!("one is wanted")
    };
    assert!(only.contains("a static node group that is off as far as one sees takes"), "{only}");
    let crds = "resource \"helm_release\" \"crds\" {\n  count      = var.crds ? 1 : 0\n  name       = \"karpenter-crd\"\n  \
                repository = \"oci://public.ecr.aws/karpenter\"\n  chart      = \"karpenter-crd\"\n}\n";
    let code = [&*variable("crds"), crds, CONTROLLER].concat();
    let [only] = &*open("crds-never-upgraded", &[("main.tf", &*code)]) else {
        panic!("one is wanted")
    };
    assert!(only.contains("a release of the CRDs that is off as far as one sees"), "{only}");
    let handler = "resource \"helm_release\" \"handler\" {\n  count      = var.handler ? 1 : 0\n  name       = \"handler\"\n  \
                   repository = \"https://aws.github.io/eks-charts\"\n  chart      = \"aws-node-termination-handler\"\n}\n";
    let code = [&*variable("handler"), handler, CONTROLLER].concat();
    let [only] = &*open("interruption-queue-unset", &[("main.tf", &*code)]) else {
        panic!("one is wanted")
    };
    assert!(only.contains("another chart that is off as far as one sees"), "{only}");
}

#[test]
fn known_charts_and_addons_in_a_version_without_data_are_questions() {
    let release = |chart: &str, version: &str| {
        format!(
            "resource \"helm_release\" \"{chart}\" {{\n  name = \"{chart}\"\n  chart = \"{chart}\"\n  \
             version = \"{version}\"\n}}\n"
        )
    };
    let open = |rule: &str, code: &str| {
        open(rule, &[("main.tf", &*[CONTROLLER, code].concat()), ("pool.yaml", NODEPOOL)])
    };
    let wanted = "main.tf:unknown-version:which pods Loki runs in 2.9.0 is not known";
    assert_eq!(open("stateful-pod-unprotected", &release("loki", "2.9.0")), [wanted]);
    assert_eq!(open("stateful-pod-unprotected", &release("metrics-server", "0.1.0")), [""; 0]);
    let rule = "disruption-taint-untolerated";
    let wanted = "main.tf:unknown-version:which pods Cilium runs in 0.9.0 is not known";
    assert_eq!(open(rule, &release("cilium", "0.9.0")), [wanted]);
    let rule = "controller-taint-untolerated";
    let taint = "{ only = { key = \"a\", value = \"true\", effect = \"NO_SCHEDULE\" } }";
    let found = |taint: &str| {
        open(rule, &[cluster("one", taint), release("metrics-server", "0.1.0")].concat())
    };
    let wanted = "main.tf:unknown-version:which pods metrics-server runs in 0.1.0 is not known";
    assert!(found(taint).iter().any(|it| it == wanted), "{:?}", found(taint));
    assert!(!found("{}").iter().any(|it| it == wanted), "{:?}", found("{}"));
}

#[test]
fn what_cannot_be_joined_or_read_is_open() {
    let class = |ami: &str| {
        format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{ name: default }}\nspec:\n  role: nodes\n  \
             amiSelectorTerms: [{{ alias: {ami} }}]\n"
        )
    };
    let (one, other) = (class("al2023@latest"), class("bottlerocket@latest"));
    let spec = "spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default } } } }\n";
    let pool = [NODEPOOL, spec].concat();
    let files = [("pools/a.yaml", &*one), ("pools/b.yaml", &*other), ("pools/c.yaml", &*pool)];
    let wanted = "several node classes near a NodePool have the name of its class";
    let found = open("latest-ami-alias", &files);
    assert!(found.len() == 2 && found.iter().all(|it| it.ends_with(wanted)), "{found:?}");
    let old = pool.replace("karpenter.sh/v1", "karpenter.sh/v1alpha5");
    let [only] = &*open("unused-nodepool", &[("pool.yaml", &*old)]) else {
        panic!("one is wanted")
    };
    assert!(only.ends_with("no release of Karpenter has its API version"), "{only}");
}

#[test]
fn of_several_pdbs_that_may_select_pods_the_same_is_named_each_time() {
    let code = r#"
variable "labels" { type = map(string) }
resource "kubernetes_stateful_set_v1" "store" {
  metadata { name = "store" }
  spec {
    replicas     = 3
    service_name = "store"
    selector { match_labels = var.labels }
    template {
      metadata { labels = var.labels }
      spec {
        container {
          name  = "store"
          image = "registry.example/store:1"
        }
      }
    }
    volume_claim_template {
      metadata { name = "data" }
      spec { access_modes = ["ReadWriteOnce"] }
    }
  }
}
"#;
    let pdb = |name: &str| {
        format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{ name: {name} }}\nspec: {{ maxUnavailable: 1, selector: {{ matchLabels: {{ app: {name} }} }} }}\n"
        )
    };
    let pdbs = ["f", "e", "d", "c", "b", "a"].map(pdb).join("---\n");
    let files = [("main.tf", &*[CONTROLLER, code].concat()), ("pdbs.yaml", &*pdbs)];
    let first = open("stateful-pod-unprotected", &files);
    assert!(first.iter().any(|it| it.contains("PDB `a` may select")), "{first:?}");
    for _ in 0..8 {
        assert_eq!(open("stateful-pod-unprotected", &files), first);
    }
}

#[test]
fn zones_of_another_region_may_be_those_of_another_cluster() {
    const CODE: &str = "variable \"region\" {\n  default = \"us-east-1\"\n}\nprovider \"aws\" {\n  region = REGION\n}\nmodule \"eks\" {\n  source             = \"terraform-aws-modules/eks/aws\"\n  version            = \"21.19.0\"\n  name               = \"shop\"\n  kubernetes_version = \"1.33\"\n}\n";
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: a }\nspec: { template: { spec: { nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: a }, requirements: [{ key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a] }] } } }\n";
    let asked = |region: &str| {
        let code = CODE.replace("REGION", region);
        open("unsatisfiable-nodepool", &[("terraform/main.tf", &*code), ("k8s/pool.yaml", POOL)])
    };
    let wanted = "k8s/pool.yaml:ambiguous:its zones, such as `us-west-2a`, are not in `us-east-1`, the region of the \
                  cluster near: that is given by a variable, and the pool may be for another cluster";
    assert_eq!(asked("var.region"), [wanted]);
    assert_eq!(asked("\"us-east-1\""), [""; 0]);
}

#[test]
fn nodes_that_may_go_before_a_controller_are_a_finding_only_where_its_permissions_are_no_question()
{
    const GROUP: &str = "resource \"aws_eks_cluster\" \"shop\" {\n  name    = \"shop\"\n  version = \"1.33\"\n}\nresource \"aws_eks_node_group\" \"system\" {\n  cluster_name = aws_eks_cluster.shop.name\n}\n";
    const POLICY: &str = "resource \"aws_iam_role_policy\" \"nodes\" {\n  role   = \"nodes\"\n  policy = \"{}\"\n}\n";
    let asked = |more: &str| {
        let text = [CONTROLLER, more].concat();
        open("identity-destroyed-early", &[("main.tf", &*text)])
    };
    assert_eq!(asked(GROUP), [""; 0]);
    let wanted = "main.tf:unknown-value:which of the roles and policies of its root module it uses is not known";
    assert_eq!(asked(POLICY), [wanted]);
    assert_eq!(asked(&[GROUP, POLICY].concat()), [wanted]);
    assert_eq!(asked(""), [""; 0]);
}

#[test]
fn a_role_with_policies_in_its_own_block_keeps_them_until_the_controller_is_gone() {
    let code = |policies: &str| {
        let role = format!("resource \"aws_iam_role\" \"controller\" {{\n{policies}}}\n");
        let other = "resource \"aws_iam_role_policy\" \"other\" {\n  role   = \"other\"\n  policy = \"{}\"\n}\n";
        let values = "data \"template_file\" \"values\" {\n  template = <<EOT\nserviceAccount:\n  annotations:\n    eks.amazonaws.com/role-arn: \"${aws_iam_role.controller.arn}\"\nEOT\n}\n";
        let release = CONTROLLER.trim_end().trim_end_matches('}');
        format!(
            "{role}{other}{values}{release}  values = [data.template_file.values.rendered]\n}}\n"
        )
    };
    let asked = |policies: &str| open("identity-destroyed-early", &[("main.tf", &*code(policies))]);
    let inline = "  inline_policy {\n    name   = \"controller\"\n    policy = \"{}\"\n  }\n";
    assert_eq!(asked(inline), [""; 0]);
    let wanted = "main.tf:unknown-value:which of the roles and policies of its root module it uses is not known";
    assert_eq!(asked(""), [wanted]);
}

#[test]
fn a_class_beside_a_pool_whose_class_is_not_known_may_be_its_own() {
    let class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: web }\nspec: { role: web, amiSelectorTerms: [{ alias: al2023@latest }], subnetSelectorTerms: [{ id: subnet-1 }], securityGroupSelectorTerms: [{ id: sg-1 }] }\n";
    let pool = |class: &str| {
        format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: web }}\nspec: {{ template: {{ spec: {{ requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: \"{class}\" }} }} }} }}\n"
        )
    };
    let wanted = "class.yaml:unknown-value:which node class a NodePool beside it has is not known";
    for (name, wanted) in [("${NODE_CLASS}", &[wanted][..]), ("batch", &[]), ("web", &[])] {
        let files = [("class.yaml", class), ("pool.yaml", &*pool(name))];
        assert_eq!(open("latest-ami-alias", &files), wanted, "{name}");
    }
}

#[test]
fn karpenter_of_other_accounts_is_none_of_a_clusters_own() {
    const STATEFUL: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { name: ledger }\nspec:\n  selector: { matchLabels: { app: ledger } }\n  volumeClaimTemplates: [{ metadata: { name: data } }]\n  template:\n    metadata: { labels: { app: ledger } }\n    spec: { containers: [{ name: ledger, image: \"postgres:17\" }] }\n";
    const CLUSTER: &str = "module \"eks\" {\n  source             = \"terraform-aws-modules/eks/aws\"\n  version            = \"21.19.0\"\n  name               = \"shop\"\n  kubernetes_version = \"1.33\"\n}\n";
    let with = [CONTROLLER, CLUSTER].concat();
    let asked = |own: &str, more: (&str, &str)| {
        let files = [
            ("infra/aws/111122223333/clusters/dev/eks/main.tf", own),
            ("infra/aws/444455556666/clusters/prod/eks/main.tf", &*with),
            ("apps/111122223333/clusters/dev/ledger.yaml", STATEFUL),
            more,
        ];
        open("stateful-pod-unprotected", &files)
    };
    let wanted = "apps/111122223333/clusters/dev/ledger.yaml:ambiguous:nothing of its cluster names Karpenter, which \
                  is seen for others only";
    assert_eq!(asked(CLUSTER, ("README.md", "")), [wanted]);
    // Nothing makes its cluster, or something near names Karpenter.
    assert_eq!(asked("", ("README.md", "")), [""; 0]);
    assert_eq!(
        asked(CLUSTER, ("apps/111122223333/notes.yaml", "a: karpenter.sh/nodepool\n")),
        [""; 0]
    );
    assert_eq!(
        asked(CLUSTER, ("apps/111122223333/clusters/dev/notes.yaml", "a: karpenter\n")),
        [""; 0]
    );
}

#[test]
fn what_a_controller_loses_is_not_sound_where_its_role_or_its_nodes_are_not_seen() {
    let release = |role: &str| {
        format!(
            "resource \"helm_release\" \"karpenter\" {{\n  count = var.on ? 1 : 0\n  name = \"karpenter\"\n  namespace = \"kube-system\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  chart = \"karpenter\"\n  version = \"1.8.2\"\n  values = [yamlencode({{ settings = {{ clusterName = module.eks.cluster_name }}\n    serviceAccount = {{ annotations = {role} }} }})]\n}}\n"
        )
    };
    let eks = |inputs: &str| {
        format!(
            "module \"eks\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"21.15.1\"\n  name = \"shop\"\n  {inputs}\n}}\nvariable \"on\" {{ default = false }}\nvariable \"role\" {{ default = null }}\nvariable \"profiles\" {{}}\n"
        )
    };
    let role = "resource \"aws_iam_role\" \"own\" {\n  count = var.on ? 1 : 0\n  name = \"own\"\n}\nresource \"aws_iam_role_policy_attachment\" \"own\" {\n  count = var.on ? 1 : 0\n  role = aws_iam_role.own[0].name\n  policy_arn = \"arn:aws:iam::111122223333:policy/karpenter\"\n}\nlocals { role = var.role != null ? var.role : try(aws_iam_role.own[0].arn, null) }\n";
    let chosen = "local.role != null ? { \"eks.amazonaws.com/role-arn\" = local.role } : {}";
    let text = [eks(""), release(chosen), role.to_owned()].concat();
    let wanted = "main.tf:unknown-value:which of the roles and policies of its root module it uses is \
                  not known";
    assert_eq!(open("identity-destroyed-early", &[("main.tf", &text)]), [wanted]);
    let irsa = "module \"irsa\" {\n  source = \"terraform-aws-modules/iam/aws//modules/iam-role-for-service-accounts\"\n  version = \"6.2.1\"\n  attach_karpenter_controller_policy = true\n}\n";
    let own = "{ \"eks.amazonaws.com/role-arn\" = module.irsa.arn }";
    let whole =
        release(own).replace("  name = \"karp", "  depends_on = [module.irsa]\n  name = \"karp");
    let profiles = "fargate_profiles = merge(var.profiles, { karpenter = { selectors = [{ namespace = \"kube-system\" }] } })";
    let text = [eks(profiles), whole, irsa.to_owned()].concat();
    let [only] = &*open("identity-destroyed-early", &[("main.tf", &text)]) else { panic!("one") };
    assert!(only.contains("its nodes may be destroyed") || only.contains("which nodes"), "{only}");
}

#[test]
fn tags_of_single_security_groups_that_are_not_seen_are_no_reason_for_sound() {
    let text = "variable \"tags\" {}\nmodule \"eks\" {\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"21.15.1\"\n  name = \"shop\"\n  tags = { \"karpenter.sh/discovery\" = \"shop\" }\n  node_security_group_tags = merge(var.tags, { \"karpenter.sh/discovery\" = \"shop\" })\n}\n";
    let wanted =
        "main.tf:unknown-value:not all tags of the single security groups are known".to_owned();
    assert_eq!(open("shared-discovery-tag", &[("main.tf", text)]), [wanted]);
}

/// A chart whose pools are those that its values list.
const POOLS: [(&str, &str); 3] = [
    ("pools/Chart.yaml", "apiVersion: v2\nname: pools\nversion: 0.1.0\n"),
    ("pools/values.yaml", "nodepools: []\n"),
    (
        "pools/templates/pools.yaml",
        "{{- range .Values.nodepools }}\n---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: {{ .name }}}\n\
         spec: {template: {spec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}}}}\n\
         {{- end }}\n",
    ),
];

/// An Application that gives the chart values.
fn application(values: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: pools}}\nspec:\n  source:\n    \
         repoURL: https://git.example.com/platform\n    path: pools\n    helm:\n      {values}\n  \
         destination: {{namespace: kube-system}}\n"
    )
}

#[test]
fn pools_that_an_app_of_apps_passes_on_are_judged_or_open() {
    let passed = "valuesObject: {nodepools: {{ .Values.pools | toJson }}}";
    let by_text = "values: |\n        nodepools:\n        {{- range .Values.pools }}\n        - name: {{ .name }}\n        {{- end }}";
    let root = "apiVersion: v2\nname: root\nversion: 0.1.0\n";
    let of_root = |values: &str, application: &str| {
        let own = [
            ("root/Chart.yaml", root),
            ("root/values.yaml", values),
            ("root/templates/app.yaml", application),
        ];
        let files = [&POOLS[..], &own].concat();
        (reported("unbounded-nodepool", &files).len(), open("invalid-karpenter-resource", &files))
    };
    for values in [passed, by_text] {
        let application = application(values);
        assert_eq!(of_root("pools: [{name: a}, {name: b}]\n", &application), (1, Vec::new()));
        // Whoever installs the outer chart may list some.
        for none in ["pools: []\n", "{}\n"] {
            let wanted = "pools/templates/pools.yaml:unknown-value:it prints nothing with the values of `pools` that are seen here";
            assert_eq!(of_root(none, &application), (0, vec![wanted.to_owned()]), "{none}");
        }
    }
    let of_others = application("valueFiles: [https://example.com/values.yaml]");
    let files = [&POOLS[..], &[("app.yaml", &*of_others)]].concat();
    // Whatever the others list, each of the pools has no limits, and nothing that is refused.
    assert_eq!(reported("unbounded-nodepool", &files).len(), 1);
    assert_eq!(open("invalid-karpenter-resource", &files), [""; 0]);
    // What is certainly none is none.
    let none = application("valuesObject: {nodepools: []}");
    let files = [&POOLS[..], &[("app.yaml", &*none)]].concat();
    assert_eq!(open("invalid-karpenter-resource", &files), [""; 0]);
}

#[test]
fn a_chart_that_nobody_installs_may_lack_the_values_around_a_value() {
    let set = SET.replace("image: postgres", "image: \"{{ .Values.database.image.tag }}\"");
    let open_set = SET.replace("name: db,", "name: {{ .Values.names.of.cache }},");
    let pool = "{{- if .Values.karpenter.pool.enabled }}\n".to_owned() + NODEPOOL + "{{- end }}\n";
    let refused = SET.replace("name: db,", "name: {{ .Values.team.name }},");
    let values = "database: {}\nteam: shop\n";
    let live = NODEPOOL.to_owned()
        + "spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: a } } } }\n";
    let files = [
        ("pool.yaml", &*live),
        ("shop/Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"),
        ("shop/values.yaml", values),
        ("shop/templates/set.yaml", &*set),
        ("shop/templates/plain.yaml", &*SET.replace("db", "ledger")),
        ("shop/templates/open.yaml", &*open_set),
        ("shop/templates/pool.yaml", &*pool),
        ("shop/templates/refused.yaml", &*refused),
    ];
    assert_eq!(reported("chart-does-not-render", &files), [""; 0]);
    let found = reported("stateful-pod-unprotected", &files);
    let of = |path: &str| found.iter().any(|it| it.starts_with(path));
    assert!(of("shop/templates/set.yaml") && of("shop/templates/plain.yaml"), "{found:?}");
    let wanted = "shop/templates/refused.yaml:not-rendered:this template is not rendered: does not render: \
                  can't evaluate field name in type string";
    let left = open("stateful-pod-unprotected", &files);
    assert!(left.iter().any(|it| it == wanted), "{left:?}");
}

#[test]
fn a_block_that_the_values_give_may_hold_what_is_refused() {
    const POOL: &str = "apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: { name: web }
spec:
  limits: { cpu: 100 }
  template:
    spec:
      nodeClassRef: { name: web }
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [arm64] }]
  disruption:
    {{- toYaml .Values.pool.disruption | nindent 4 }}
";
    const CHART: &str = "apiVersion: v2\nname: pools\nversion: 1.0.0\n";
    let files = [("pools/Chart.yaml", CHART), ("pools/templates/pool.yaml", POOL)];
    let [only] = &*open("invalid-karpenter-resource", &files) else { panic!("one is wanted") };
    assert!(only.starts_with("pools/templates/pool.yaml:unknown-value:"), "{only}");
}

#[test]
fn a_requirement_without_values_is_none_that_nobody_meets() {
    const POOL: &str = "apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: { name: web }
spec:
  limits: { resources: { cpu: 100 } }
  requirements:
    - key: karpenter.sh/capacity-type
      operator: In
      values:
      {{- range .Values.capacity }}
        - {{ . }}
      {{- end }}
    - key: kubernetes.io/arch
      operator: In
      values:
      {{- range .Values.arch }}
        - {{ . }}
      {{- end }}
  providerRef: { name: web }
";
    const CHART: &str = "apiVersion: v2\nname: pools\nversion: 1.0.0\n";
    const VALUES: &str = "capacity:\narch:\n";
    let files = [
        ("pools/Chart.yaml", CHART),
        ("pools/values.yaml", VALUES),
        ("pools/templates/pool.yaml", POOL),
    ];
    let [only] = &*open("unsatisfiable-nodepool", &files) else { panic!("one is wanted") };
    assert!(only.starts_with("pools/templates/pool.yaml:unknown-value:"), "{only}");
}

#[test]
fn a_template_that_terraform_splits_is_read() {
    let code = r#"
resource "kubectl_manifest" "pools" {
  for_each  = { for i, it in split("\n---\n", templatefile("${path.module}/pools.yaml", { name = "b" })) : i => it }
  yaml_body = each.value
}
"#;
    let pools = [NODEPOOL, &NODEPOOL.replace("name: a", "name: ${name}")].join("---\n");
    let files = [("main.tf", code.to_owned()), ("pools.yaml", pools)];
    let files = files.map(|(path, text)| (path.to_owned(), text));
    let project = Project::from_memory(files.into());
    let outcome = lint::run(&project, &Config::default());
    assert!(outcome.skipped.is_empty(), "{:?}", outcome.skipped);
}

/// That each of these files, beside a chart and a module that are here, leaves open what is wanted.
fn assert_absent(cases: &[(&str, String, Option<&str>)]) {
    let chart = ("charts/shop/Chart.yaml", "name: shop\nversion: 1.0.0\n");
    let code = ("modules/shop/main.tf", "locals {}\n");
    for (path, text, wanted) in cases {
        let files = [(*path, &**text), chart, code, ("pool.yaml", NODEPOOL)];
        let open = open("stateful-pod-unprotected", &files);
        assert_eq!(open.len(), usize::from(wanted.is_some()), "{text}: {open:?}");
        assert!(wanted.is_none_or(|it| open[0].contains(it)), "{text}: {open:?}");
    }
}

#[test]
fn what_terraform_applies_and_is_not_here_is_named() {
    let release = |chart: &str| {
        format!("resource \"helm_release\" \"a\" {{\n  name  = \"a\"\n  chart = \"{chart}\"\n}}\n")
    };
    let module = |source: &str| format!("module \"a\" {{\n  source = \"{source}\"\n}}\n");
    let unit = |source: &str| format!("terraform {{\n  source = \"{source}\"\n}}\n");
    assert_absent(&[
        ("infra/a.tf", release("${path.module}/../charts/gone"), Some("chart `charts/gone`")),
        ("infra/a.tf", release("${path.module}/../charts/shop"), None),
        ("infra/a.tf", module("./gone"), Some("module `infra/gone`")),
        ("infra/a.tf", module("../modules/shop"), None),
        ("infra/a.tf", module("../modules/gone-kms"), None),
        ("infra/a.tf", module("${var.source}"), None),
        (
            "infra/a.tf",
            module("git::https://git.example.com/shop-helm.git?ref=v1"),
            Some("shop-helm.git?ref=v1`"),
        ),
        ("infra/a.tf", module("git::https://git.example.com/vpc.git?ref=v1"), None),
        ("infra/a.tf", module("terraform-aws-modules/eks/aws"), None),
        (
            "live/terragrunt.hcl",
            unit("tfr:///shop/helm-apps/aws?version=1.0.0"),
            Some("the module `shop/helm-apps/aws`"),
        ),
    ]);
    // Nothing of Karpenter, no question.
    assert_eq!(open("stateful-pod-unprotected", &[("infra/a.tf", &*module("./gone"))]), [""; 0]);
}

#[test]
fn what_other_tools_apply_and_is_not_here_is_named() {
    let application = |path: &str| {
        format!(
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{ name: a }}\nspec:\n  source:\n    \
                 repoURL: https://git.example.com/shop.git\n    path: {path}\n  destination: {{ name: in-cluster }}\n"
        )
    };
    let layer = |path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{ name: a }}\nspec:\n  \
                 path: {path}\n  sourceRef: {{ kind: GitRepository, name: flux-system }}\n"
        )
    };
    let of_flux = |path: &str| {
        format!(
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{ name: a }}\nspec:\n  chart:\n    \
                 spec: {{ chart: {path}, sourceRef: {{ kind: GitRepository, name: flux-system }} }}\n"
        )
    };
    let helmfile = |path: &str| format!("releases:\n  - name: a\n    chart: {path}\n");
    assert_absent(&[
        (
            "apps/a.yaml",
            application("gone"),
            Some("folder `gone` of `https://git.example.com/shop.git`"),
        ),
        ("apps/a.yaml", application("charts/shop"), None),
        (
            "apps/a.yaml",
            application("apps") + "---\n" + &application("gone"),
            Some("folder `gone`"),
        ),
        ("apps/a.yaml", layer("./gone"), Some("folder `gone`")),
        ("apps/a.yaml", layer("./charts"), None),
        ("apps/a.yaml", of_flux("./gone"), Some("chart `gone`")),
        ("apps/a.yaml", of_flux("./charts/shop"), None),
        ("helmfile.yaml", helmfile("./charts/gone"), Some("chart `charts/gone`")),
        ("helmfile.yaml", helmfile("./charts/shop"), None),
    ]);
    // What is called after Karpenter is missing to judge its resources.
    let files = [("a.yaml", &*application("karpenter/pools")), ("pool.yaml", NODEPOOL)];
    assert_eq!(open("invalid-karpenter-resource", &files).len(), 1);
    assert_eq!(open("stateful-pod-unprotected", &files), [""; 0]);
}

#[test]
fn a_field_of_few_values_is_open_where_one_is_refused() {
    let pool = |policy: &str| {
        format!(
            "variable \"on\" {{\n  type = bool\n}}\nresource \"kubectl_manifest\" \"pool\" {{\n  yaml_body = <<-Y\n    \
             apiVersion: karpenter.sh/v1\n    kind: NodePool\n    metadata: {{ name: a }}\n    spec:\n      \
             disruption: {{ consolidateAfter: 1m, consolidationPolicy: {policy} }}\n      template: {{ spec: {{ \
             requirements: [], nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: a }} }} }}\n  Y\n}}\n"
        )
    };
    let rule = "invalid-karpenter-resource";
    for (policy, wanted) in [
        ("${var.on ? \"WhenEmpty\" : \"Never\"}", (0, 1)),
        ("${var.on ? \"Empty\" : \"Never\"}", (2, 0)),
        ("${var.on ? \"WhenEmpty\" : \"WhenEmptyOrUnderutilized\"}", (0, 0)),
    ] {
        let files = [("main.tf", &*pool(policy))];
        assert_eq!((reported(rule, &files).len(), open(rule, &files).len()), wanted, "{policy}");
    }
    let [only] = &*open(rule, &[("main.tf", &*pool("${var.on ? \"WhenEmpty\" : \"Never\"}"))])
    else {
        panic!("one is wanted")
    };
    assert!(only.contains("`spec.disruption.consolidationPolicy` is `"), "{only}");
    assert!(only.ends_with("one of the values that it may be is refused"), "{only}");
}

#[test]
fn a_queue_that_has_a_name_in_each_case_is_not_open() {
    let release = |queue: &str| {
        format!(
            "variable \"on\" {{\n  type = bool\n}}\n{}\n",
            CONTROLLER.trim_end().trim_end_matches('}').to_owned()
                + &format!(
                    "  values = [yamlencode({{ settings = {{ clusterName = \"a\", interruptionQueue = {queue} }} }})]\n}}"
                )
        )
    };
    let rule = "interruption-queue-not-a-name";
    for (queue, wanted) in [
        ("var.on ? \"live\" : \"test\"", 0),
        ("var.on ? \"live\" : null", 0),
        ("var.on ? aws_sqs_queue.a.name : \"test\"", 0),
        ("var.on ? \"live\" : \"arn:aws:sqs:eu-west-1:111122223333:test\"", 1),
        ("var.on ? \"live\" : var.queue", 1),
        ("aws_sqs_queue.live.name", 0),
        ("\"nodes-${var.queue}\"", 0),
        ("\"ar${var.queue}\"", 1),
        ("var.queue", 1),
    ] {
        let made =
            "variable \"queue\" {}\nresource \"aws_sqs_queue\" \"live\" {\n  name = var.queue\n}\n";
        let files = [("main.tf", &*(release(queue) + made))];
        assert_eq!(reported(rule, &files), [""; 0], "{queue}");
        assert_eq!(open(rule, &files).len(), wanted, "{queue}");
    }
}

#[test]
fn resources_of_aws_in_a_stack_of_pulumi_are_counted() {
    let resource = |kind: &str, name: &str| {
        format!("  {name}:\n    type: {kind}\n    properties: {{ name: {name} }}\n")
    };
    let pool = "  pool:\n    type: kubernetes:karpenter.sh/v1:NodePool\n    properties: { metadata: { name: a } }\n";
    let text = format!(
        "name: shop\nruntime:\n  name: yaml\nresources:\n{pool}{}{}{}",
        resource("aws:iam/role:Role", "one"),
        resource("aws:iam/role:Role", "two"),
        resource("aws:s3/bucket:Bucket", "three"),
    );
    let files = [("Pulumi.yaml", &*text)];
    let [only] = &*open("controller-identity-mismatch", &files) else { panic!("one is wanted") };
    assert!(
        only.ends_with("the 2 resources of the type `aws:iam/role:Role` are not read"),
        "{only}"
    );
    // A program in another language names no resources.
    let other = text.replace("name: yaml", "name: nodejs");
    assert_eq!(open("controller-identity-mismatch", &[("Pulumi.yaml", &*other)]), [""; 0]);
}

#[test]
fn what_a_dynamic_block_walks_over_is_missing() {
    let release = CONTROLLER.replace(
        "  namespace  = \"kube-system\"\n",
        "  dynamic \"set\" {\n    for_each = var.settings\n    content {\n      name  = set.key\n      value = set.value\n    }\n  }\n",
    );
    let files =
        [("main.tf", &*[&release, "variable \"settings\" { type = map(string) }\n"].concat())];
    let wanted =
        "main.tf:unknown-value:`settings.interruptionQueue` is `var.settings`, which is not known";
    assert_eq!(open("interruption-queue-unset", &files), [wanted]);
}

#[test]
fn pods_that_may_be_there_run_on_nodes_without_taints() {
    let cluster = "module \"eks\" {\n  source  = \"terraform-aws-modules/eks/aws\"\n  version = \"20.31.0\"\n  cluster_name = \"shop\"\n  eks_managed_node_groups = { system = {} }\n}\n";
    let driver = "resource \"helm_release\" \"s3\" {\n  name       = \"s3\"\n  repository = \"https://awslabs.github.io/mountpoint-s3-csi-driver\"\n  chart      = \"aws-mountpoint-s3-csi-driver\"\n  version    = \">= 1.0\"\n}\n";
    let text = [cluster, CONTROLLER, driver].concat();
    assert_eq!(open("controller-taint-untolerated", &[("main.tf", &*text)]), [""; 0]);
    // No release of the first line has the controller.
    let first = text.replace(">= 1.0", "1.x");
    let tainted = "{ system = { taints = { own = { key = \"own\", effect = \"NO_SCHEDULE\" } } } }";
    let first = first.replace("{ system = {} }", tainted);
    let none = open("controller-taint-untolerated", &[("main.tf", &*first)]);
    assert!(none.iter().all(|it| !it.contains("has these pods")), "{none:?}");
    // A group with a taint makes it a question, which the version of the chart answers.
    let text = text.replace("{ system = {} }", tainted);
    let wanted =
        "main.tf:unknown-version:whether the version installed has these pods is not known";
    assert!(
        open("controller-taint-untolerated", &[("main.tf", &*text)]).iter().any(|it| it == wanted)
    );
}

#[test]
fn what_has_no_name_that_is_known_is_called_in_words() {
    let module = "module \"karpenter\" {\n  source = \"${local.base}/karpenter\"\n}\n";
    let unit = "terraform {\n  source = \"${get_env(\"BASE\")}\"\n}\ninputs = {\n  karpenter_version = \"1.8.1\"\n}\n";
    for files in [[("main.tf", module)], [("live/karpenter/terragrunt.hcl", unit)]] {
        for it in open("crds-never-upgraded", &files) {
            assert!(!it.contains("``"), "{it}");
        }
    }
    let pdb = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: \"{{ APP }}\" }\n\
               spec: { maxUnavailable: 1, selector: { matchLabels: { app: \"{{ APP }}\" } } }\n";
    let pool = NODEPOOL.to_owned()
        + "spec: { template: { spec: { requirements: [], nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: a } } } }\n";
    let files = [("db.yaml", SET), ("pdb.yaml", pdb), ("pool.yaml", &*pool)];
    let open = open("stateful-pod-unprotected", &files);
    assert_eq!(open, ["db.yaml:unknown-value:a PDB whose name is not known may select its pods"]);
}

#[test]
fn pods_beside_provisioners_are_open_for_these() {
    let provisioner =
        "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: { name: a }\nspec: {}\n";
    let files = [("main.tf", CONTROLLER), ("db.yaml", SET), ("pool.yaml", provisioner)];
    let found = open("pod-unplaceable", &files);
    assert!(
        found.iter().any(|it| it.contains("which nodes the Provisioners of its cluster launch")),
        "{found:?}"
    );
}

#[test]
fn a_role_name_that_may_be_generated_is_not_decided() {
    const MODULE: &str = "module \"karpenter\" {\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  \
                          version = \"~> 21.0\"\n  cluster_name = \"shop\"\n}\n";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: default }\nspec: { role: Karpenter-shop-0b4c1e52a9f84d37b6c1 }\n";
    let files = [("main.tf", MODULE), ("class.yaml", CLASS)];
    let wanted =
        "class.yaml:unknown-value:whether Terraform generated the end of this name is not clear";
    assert_eq!(open("node-role-name-guessed", &files), [wanted]);
}

#[test]
fn a_module_for_karpenter_that_is_not_here_may_give_its_controller_a_role() {
    let module = "module \"karpenter\" {\n  source = \"example/karpenter/aws\"\n}\n";
    let asked = |more: &str| {
        open("controller-identity-mismatch", &[("main.tf", &*[CONTROLLER, more].concat())])
    };
    let wanted = "main.tf:unknown-value:whether a module that is not here gives its service account a role is not seen";
    assert_eq!(asked(""), [""; 0]);
    assert_eq!(asked(module), [wanted]);
}

#[test]
fn tags_of_a_module_that_makes_nothing_are_on_other_subnets() {
    let class = "resource \"kubectl_manifest\" \"class\" {\n  yaml_body = <<-YAML\n    apiVersion: karpenter.k8s.aws/v1\n    kind: EC2NodeClass\n    metadata: { name: web }\n    spec: { subnetSelectorTerms: [{ tags: { karpenter.sh/discovery: shop-live } }] }\n  YAML\n}\n";
    let tags = "{ \"karpenter.sh/discovery\" = \"shop\" }";
    let asked =
        |code: &str| open("discovery-tag-mismatch", &[("main.tf", &*[class, code].concat())]);
    let vpc = |switch: &str| {
        asked(&format!(
            "module \"vpc\" {{\n  source = \"terraform-aws-modules/vpc/aws\"\n{switch}  private_subnet_tags = {tags}\n}}\n"
        ))
    };
    let wanted = "main.tf:unknown-value:not all tags near are known";
    assert_eq!(vpc(""), [""; 0]);
    assert_eq!(vpc("  create_vpc = true\n"), [""; 0]);
    assert_eq!(vpc("  create_vpc = false\n"), [wanted]);
    assert_eq!(vpc("  create_vpc = data.a.b.is_new\n"), [wanted]);
}

#[test]
fn a_release_of_a_provisioner_is_in_its_root() {
    let release = "resource \"null_resource\" \"karpenter\" {\n  provisioner \"local-exec\" {\n    command = \"helm upgrade \
                   --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.8.1\"\n  }\n}\n";
    let pool = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = yamlencode({ apiVersion = \"karpenter.sh/v1\", kind = \
                \"NodePool\", metadata = { name = \"a\" } })\n}\n";
    let files = [("main.tf", &*[release, pool].concat())];
    let wanted = "main.tf:mentioned:commands of a provisioner install the controller: what removes it is not read";
    assert_eq!(open("identity-destroyed-early", &files), [wanted]);
    assert_eq!(open("nodepool-outlives-controller", &files), [wanted]);
}

#[test]
fn manifests_of_callers_are_named_after_pools() {
    let pools = "variable \"nodepools\" { type = set(string) }\nresource \"kubectl_manifest\" \"karpenter_nodepools\" {\n  \
                 for_each  = var.nodepools\n  yaml_body = templatefile(each.key, {})\n}\n";
    let files = [("main.tf", &*[CONTROLLER, pools].concat())];
    let wanted =
        "main.tf:unknown-value:what it applies is not known: it is named after Karpenter's pools";
    for rule in [
        "nodepool-deleted-in-background",
        "nodepool-outlives-controller",
        "invalid-karpenter-resource",
    ] {
        assert_eq!(open(rule, &files), [wanted], "{rule}");
    }
    // The collection has the name, and the resource waits for the release.
    let pools = pools.replace("\"karpenter_nodepools\" {", "\"karpenter\" {");
    let waits = pools
        .replace("each.key, {})\n", "each.key, {})\n  depends_on = [helm_release.karpenter]\n");
    let files = [("main.tf", &*[CONTROLLER, &waits].concat())];
    assert_eq!(open("nodepool-deleted-in-background", &files), [wanted]);
    assert_eq!(open("nodepool-outlives-controller", &files), [""; 0]);
}

#[test]
fn a_module_that_is_not_here_is_given_pools() {
    let call = |argument: &str| {
        format!(
            "module \"objects\" {{\n  source = \"git::https://git.example.com/parcels.git?ref=v1\"\n  all = \
             {{ a = {{ path = {argument} }} }}\n}}\n"
        )
    };
    let template = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: ${name} }\n";
    let of = |rule: &str, argument: &str| {
        let files =
            [("main.tf", &*[CONTROLLER, &call(argument)].concat()), ("pool.yaml.tpl", template)];
        open(rule, &files)
    };
    let wanted = "main.tf:unknown-value:what it makes is not seen: the module \
                  `git::https://git.example.com/parcels.git?ref=v1` is not here";
    for rule in [
        "nodepool-deleted-in-background",
        "nodepool-outlives-controller",
        "invalid-karpenter-resource",
    ] {
        for argument in [
            "\"${path.module}/karpenter-nodepool.yaml.tpl\"",
            "templatefile(\"${path.module}/pool.yaml.tpl\", { name = \"a\" })",
            "yamlencode({ apiVersion = \"karpenter.sh/v1\", kind = \"NodePool\" })",
        ] {
            assert_eq!(of(rule, argument), [wanted], "{rule} {argument}");
        }
        assert_eq!(of(rule, "\"${path.module}/karpenter.yaml.tpl\""), [""; 0], "{rule}");
        assert_eq!(of(rule, "\"karpenter.sh/discovery\""), [""; 0], "{rule}");
    }
}

#[test]
fn what_a_count_gives_is_called_as_it_is_written() {
    let text = "variable \"pools\" { type = list(object({ name = string })) }\n\
                resource \"kubectl_manifest\" \"pool\" {\n  count     = length(var.pools)\n  yaml_body = \
                yamlencode({ apiVersion = \"karpenter.sh/v1\", kind = \"NodePool\", metadata = { name = \"a\" }, \
                spec = { template = { spec = { nodeClassRef = { name = var.pools[count.index].name } } } } })\n}\n";
    let reasons = open("unknown-nodeclass", &[("main.tf", text)]).join("\n");
    assert!(reasons.contains("`var.pools[count.index].name`"), "{reasons}");
}
