//! What a finding has besides its place: the steps of a value, the other half of the problem, the
//! PDB that nearly fits; and fixes in unusual surroundings.

use karplint::{
    config::Config,
    findings::{Finding, Safety, Severity},
    fix, lint,
    project::Project,
};

fn project(files: &[(&str, &str)]) -> Project {
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    Project::from_memory(files.iter().map(own).collect())
}

fn findings(project: &Project, rule: &str) -> Vec<Finding> {
    let outcome = lint::run(project, &Config::default());
    outcome.findings.into_iter().filter(|it| it.rule == rule).collect()
}

/// A finding's related places as `path:text under the span: message`.
fn story(project: &Project, finding: &Finding) -> Vec<String> {
    let place = |it: &karplint::findings::note::Note| {
        let path = project.files.get(it.span.file).path();
        format!("{path}: {}: {}", project.files.text(it.span), it.message)
    };
    finding.notes.iter().map(place).collect()
}

const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: x\n";

fn stateful_set(namespace: &str, labels: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: kafka\n  namespace: {namespace}\n\
         spec:\n  serviceName: kafka\n  selector:\n    matchLabels: {labels}\n  template:\n    metadata:\n\
         \x20     labels: {labels}\n    spec:\n      containers:\n        - name: kafka\n          image: kafka:4\n"
    )
}

fn pdb(namespace: &str, labels: &str) -> String {
    format!(
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: brokers\n  namespace: {namespace}\n\
         spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels: {labels}\n"
    )
}

#[test]
fn a_pdb_that_nearly_fits_is_named_with_what_it_lacks() {
    let cases = [
        // workload, PDB, what is said
        (
            ("a", "{app: kafka}"),
            ("b", "{app: kafka}"),
            "`brokers` is a PDB in namespace `b`, the pods are in `a`",
        ),
        (
            ("a", "{app: kafka, tier: broker}"),
            ("a", "{app: kafka, tier: brokers}"),
            "this PDB selects `tier: brokers`, the pods have `tier: broker`",
        ),
        (("a", "{app: kafka}"), ("a", "{app: kafka, role: x}"), "the pods have no label `role`"),
    ];
    for (workload, near, expected) in cases {
        let set = stateful_set(workload.0, workload.1);
        let near = pdb(near.0, near.1);
        let project = project(&[("pool.yaml", POOL), ("set.yaml", &set), ("pdb.yaml", &near)]);
        let found = findings(&project, "stateful-pod-unprotected");
        assert_eq!(found.len(), 1, "{expected}");
        let notes = story(&project, &found[0]);
        assert!(notes.iter().any(|it| it.ends_with(expected)), "{notes:?} lacks {expected}");
    }
}

const CONTROLLER: &str = r#"
variable "karpenter_version" { default = "1.6.2" }

locals { crd_version = "1.5.0" }

module "crds" {
  source        = "./crds"
  chart_version = local.crd_version
}

resource "helm_release" "karpenter" {
  name       = "karpenter"
  chart      = "karpenter"
  version    = var.karpenter_version
  depends_on = [module.crds]
}
"#;

const CRDS: &str = r#"
variable "chart_version" { type = string }

resource "helm_release" "crds" {
  name    = "crds"
  chart   = "karpenter-crd"
  version = var.chart_version
}
"#;

#[test]
fn a_version_is_followed_to_the_place_one_would_edit() {
    let project = project(&[("main.tf", CONTROLLER), ("crds/main.tf", CRDS)]);
    let found = findings(&project, "crd-version-mismatch");
    assert_eq!(found.len(), 1);
    assert_eq!(project.files.get(found[0].span.file).path(), "main.tf");
    assert_eq!(project.files.text(found[0].span), "\"1.5.0\"");
    let notes = story(&project, &found[0]).join("\n");
    for step in [
        "the controller's version",
        "local.crd_version",
        "var.chart_version",
        "var.karpenter_version",
    ] {
        assert!(notes.contains(step), "{step} is not in\n{notes}");
    }
}

/// The text of `main.tf` after the fixes of a rule.
fn fixed(rule: &str, text: &str) -> String {
    let project = project(&[("main.tf", text)]);
    let found = findings(&project, rule);
    assert!(!found.is_empty(), "{rule} finds nothing in\n{text}");
    let changed = fix::apply(&project.files, &found, Safety::Safe);
    changed.into_iter().next().map_or_else(|| text.to_owned(), |(_, text)| text)
}

const BOTH: &str = r#"resource "helm_release" "crds" {
  chart = "karpenter-crd"
}

resource "helm_release" "karpenter" {
  chart = "karpenter"
  name  = "karpenter" # first
@}
"#;

#[test]
fn fixes_fit_in() {
    let skip = |attributes: &str| fixed("crds-not-skipped", &BOTH.replace('@', attributes));
    let order = |attributes: &str| fixed("crd-order-undeclared", &BOTH.replace('@', attributes));
    let cases = [
        (skip("  skip_crds = false # for now\n"), "  skip_crds = true # for now\n"),
        (skip("  version          = \"1.6.2\"\n"), "= \"1.6.2\"\n  skip_crds        = true\n"),
        (
            order("\n  depends_on = [module.eks]\n"),
            "  depends_on = [module.eks, helm_release.crds]\n",
        ),
        (order("\n  depends_on = []\n"), "  depends_on = [helm_release.crds]\n"),
        (
            order("\n  depends_on = [\n    module.eks # nodes\n  ]\n"),
            "    module.eks, # nodes\n    helm_release.crds\n  ]\n",
        ),
        (
            fixed("crds-not-skipped", &BOTH.replace('@', "").replace('\n', "\r\n")),
            "  chart     = \"karpenter\"\r\n  skip_crds = true\r\n  name      = ",
        ),
    ];
    for (got, expected) in cases {
        assert!(got.contains(expected), "{expected:?} is not in\n{got}");
    }
}

#[test]
fn no_fix_closes_a_circle() {
    let text = BOTH.replace('@', "").replace(
        "  chart = \"karpenter-crd\"\n",
        "  chart = \"karpenter-crd\"\n  namespace = helm_release.karpenter.namespace\n",
    );
    let project = project(&[("main.tf", &text)]);
    let found = findings(&project, "crd-order-undeclared");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].fix, None);
}

/// A Deployment whose metadata, selector and template's metadata are these.
fn deployment(metadata: &str, selector: &str, template: &str) -> String {
    format!(
        "kind: Deployment\napiVersion: apps/v1\nmetadata:\n  name: a\n{metadata}spec:\n  selector: {selector}\n\
         \x20 template:\n    metadata:\n{template}    spec: {{containers: [{{image: a}}]}}\n"
    )
}

#[test]
fn an_annotation_is_moved_only_where_nothing_else_changes() {
    let note = |mark: &str| {
        format!("  annotations:{mark}\n    karpenter.sh/do-not-disrupt: \"true\"\n    b: c\n")
    };
    let labels = "      labels:\n        app: a\n        karpenter.sh/do-not-disrupt: \"true\"\n";
    let plain = "      labels: {app: a}\n";
    let selects = |more: &str| format!("{{matchLabels: {{app: a{more}}}}}");
    let one = selects(", karpenter.sh/do-not-disrupt: \"true\"");
    let base = deployment("", &selects(""), plain);
    let patch =
        format!("kind: Deployment\napiVersion: apps/v1\nmetadata:\n  name: a\n{}", note(""));
    let repeated = note(" &all") + "  managedFields: [{a: *all}]\n";
    let cases: [(&[(&str, &str)], bool); 7] = [
        (&[("a.yaml", &deployment(&note(""), &selects(""), plain))], true),
        (&[("a.yaml", &deployment(&note(" &all"), &selects(""), plain))], true),
        (&[("a.yaml", &deployment(&repeated, &selects(""), plain))], false),
        (&[("a.yaml", &deployment("", &selects(""), labels))], true),
        (&[("a.yaml", &deployment("", &one, labels))], false),
        (
            &[
                ("base/a.yaml", &deployment(&note(""), &selects(""), plain)),
                ("base/kustomization.yaml", "resources: [a.yaml]\n"),
                ("prod/kustomization.yaml", "resources: [../base]\n"),
            ],
            true,
        ),
        (
            &[
                ("base/a.yaml", &base),
                ("base/kustomization.yaml", "resources: [a.yaml]\n"),
                ("prod/kustomization.yaml", "resources: [../base]\npatches: [{path: a.yaml}]\n"),
                ("prod/a.yaml", &patch),
            ],
            false,
        ),
    ];
    for (files, moved) in cases {
        let found = findings(&project(files), "do-not-disrupt-misplaced");
        assert!(!found.is_empty(), "{files:?}");
        assert!(found.iter().all(|it| it.fix.is_some() == moved), "{files:?}");
    }
}

#[test]
fn three_environments_of_one_module_are_one_finding_at_its_place() {
    let caller = "module \"karpenter\" {\n  source = \"../../modules/karpenter\"\n}\n";
    let module = BOTH.replace('@', "");
    let project = project(&[
        ("envs/dev/main.tf", caller),
        ("envs/prod/main.tf", caller),
        ("modules/karpenter/main.tf", &module),
    ]);
    assert_eq!(findings(&project, "crd-order-undeclared").len(), 1);
}

#[test]
fn a_base_is_judged_in_its_overlays() {
    let set = stateful_set("a", "{app: kafka}");
    let pdb = pdb("a", "{app: kafka}");
    let base = "resources: [set.yaml, pdb.yaml]\n";
    let plain = "resources: [../../base]\n";
    let drops = "resources: [../../base]\npatches:\n  - patch: |\n      apiVersion: policy/v1\n      \
                 kind: PodDisruptionBudget\n      metadata:\n        name: brokers\n        namespace: a\n      \
                 $patch: delete\n";
    let project = project(&[
        ("pool.yaml", POOL),
        ("base/set.yaml", &set),
        ("base/pdb.yaml", &pdb),
        ("base/kustomization.yaml", base),
        ("overlays/dev/kustomization.yaml", drops),
        ("overlays/prod/kustomization.yaml", plain),
    ]);
    let found = findings(&project, "stateful-pod-unprotected");
    assert_eq!(found.len(), 1);
    assert_eq!(project.files.get(found[0].span.file).path(), "base/set.yaml");
    let notes = story(&project, &found[0]).join("\n");
    assert!(notes.contains("only in `overlays/dev`"), "{notes}");
    assert!(!notes.contains("prod"), "{notes}");
}

#[test]
fn only_the_instances_that_have_the_fault_are_named() {
    let text = r#"resource "helm_release" "crds" {
  for_each     = { blue = true, green = false }
  name         = "crds-${each.key}"
  chart        = "karpenter-crd"
  force_update = each.value
}
"#;
    let adopts = "kubectl annotate crd nodepools.karpenter.sh meta.helm.sh/release-name=crds\n";
    let project = project(&[("main.tf", text), ("adopt.sh", adopts)]);
    let found = findings(&project, "crd-release-not-forced");
    assert_eq!(found.len(), 1);
    let notes = story(&project, &found[0]).join("\n");
    assert!(notes.contains("only in `helm_release.crds[\"green\"]`"), "{notes}");
}

#[test]
fn an_agent_is_judged_in_its_overlays() {
    let agent = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: ebs-csi-node\nspec:\n  selector:\n    \
                 matchLabels: {app: a}\n  template:\n    metadata:\n      labels: {app: a}\n    spec:\n      \
                 containers:\n        - name: a\n          image: aws-ebs-csi-driver:v1\n";
    let tolerates = "resources: [../../base]\npatches:\n  - target: {kind: DaemonSet}\n    patch: |\n      \
                     - op: add\n        path: /spec/template/spec/tolerations\n        value: [{operator: Exists}]\n";
    let project = project(&[
        ("pool.yaml", POOL),
        ("base/agent.yaml", agent),
        ("base/kustomization.yaml", "resources: [agent.yaml]\n"),
        ("overlays/dev/kustomization.yaml", "resources: [../../base]\n"),
        ("overlays/prod/kustomization.yaml", tolerates),
    ]);
    let found = findings(&project, "disruption-taint-untolerated");
    assert_eq!(found.len(), 1);
    let notes = story(&project, &found[0]).join("\n");
    assert!(notes.contains("only in `overlays/dev`"), "{notes}");
}

#[test]
fn what_a_heredoc_of_a_manifest_hides_is_told() {
    let text = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = <<-YAML\n    kind: NodePool\n    spec: [a\n  YAML\n}\n";
    let project = project(&[("main.tf", text)]);
    let found = findings(&project, "unreadable");
    assert_eq!(found.len(), 1);
    assert_eq!(project.files.text(found[0].span).chars().next(), Some('['));
}

#[test]
fn an_annotation_counts_once_however_often_its_object_is_built() {
    let set = stateful_set("a", "{app: kafka}").replace(
        "  name: kafka\n  namespace",
        "  name: kafka\n  annotations:\n    karplint/allow: stateful-pod-unprotected because it is rebuilt from a topic\n  namespace",
    );
    let heredoc =
        format!("resource \"kubectl_manifest\" \"set\" {{\n  yaml_body = <<YAML\n{set}YAML\n}}\n");
    let project = project(&[
        ("pool.yaml", POOL),
        ("main.tf", &heredoc),
        ("base/set.yaml", &set),
        ("base/kustomization.yaml", "resources: [set.yaml]\n"),
        ("overlays/dev/kustomization.yaml", "resources: [../../base]\n"),
        ("overlays/prod/kustomization.yaml", "resources: [../../base]\n"),
    ]);
    let outcome = lint::run(&project, &Config::default());
    let said: Vec<&str> = outcome.findings.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(said, [""; 0]);
    assert_eq!(outcome.allowed.len(), 2);
}

#[test]
fn advice_is_only_given_where_it_can_be_followed() {
    for (version, wanted) in [
        (
            "v0.25.0",
            "Apply the CRDs of each version first; from 0.26.1 on the chart `karpenter-crd` installs them",
        ),
        (
            "v0.26.1",
            "Add a `karpenter-crd` release of the same version and set `skip_crds = true` on this one",
        ),
    ] {
        let text = format!(
            "resource \"helm_release\" \"karpenter\" {{\n  chart = \"karpenter\"\n  version = \"{version}\"\n  \
             repository = \"oci://public.ecr.aws/karpenter\"\n}}\n"
        );
        let project = project(&[("main.tf", &text)]);
        let found = findings(&project, "crds-never-upgraded");
        let help = found[0].help.as_deref();
        assert!(help.is_some_and(|it| it.starts_with(wanted)), "{version}: {help:?}");
    }
}

#[test]
fn why_crds_are_skipped_is_said_where_the_order_hides_it() {
    for (order, wanted) in [
        ("", "release"),
        ("  depends_on = [helm_release.karpenter_crd]\n", "cannot take them over"),
    ] {
        let release = |name: &str, chart: &str, more: &str| {
            format!(
                "resource \"helm_release\" \"{name}\" {{\n  chart = \"{chart}\"\n  version = \"1.8.1\"\n  \
                 repository = \"oci://public.ecr.aws/karpenter\"\n{more}}}\n"
            )
        };
        let text = release("karpenter_crd", "karpenter-crd", "")
            + &release("karpenter", "karpenter", order);
        let project = project(&[("main.tf", &text)]);
        let found = findings(&project, "crds-not-skipped");
        assert!(found[0].help.as_deref().is_some_and(|it| it.ends_with(wanted)), "{order}");
    }
}

#[test]
fn a_discovery_tag_belongs_to_a_group_that_is_made() {
    for (input, wanted) in [
        ("", "node_security_group_tags"),
        ("  create_node_security_group = false\n", "cluster_tags"),
    ] {
        let text = format!(
            "module \"eks\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"20.31.0\"\n{input}  \
             tags = {{ \"karpenter.sh/discovery\" = \"shop\" }}\n}}\n"
        );
        let class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: a }\nspec:\n  \
                     securityGroupSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }]\n";
        let project = project(&[("main.tf", &text), ("class.yaml", class)]);
        let found = findings(&project, "shared-discovery-tag");
        let wanted = format!("Tag one of them alone: move this tag to `{wanted}`");
        assert_eq!(found[0].help.as_deref(), Some(&*wanted));
    }
}

#[test]
fn a_webhook_elsewhere_is_a_note_where_nothing_here_is_converted() {
    let release = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.0.6"
}
"#;
    for (api, wanted) in
        [("karpenter.sh/v1", Severity::Note), ("karpenter.sh/v1beta1", Severity::Error)]
    {
        let pool = POOL.replace("karpenter.sh/v1", api)
            + "spec: {template: {spec: {nodeClassRef: {name: x}}}}\n";
        let project = project(&[("main.tf", release), ("pool.yaml", &pool)]);
        let found = findings(&project, "crd-webhook-elsewhere");
        assert_eq!(found.first().map(|it| it.severity), Some(wanted), "{api}");
    }
}

#[test]
fn a_pdb_that_blocks_at_the_autoscaler_s_minimum_names_the_number_of_replicas() {
    let files = |least: u32| {
        format!(
            "kind: Deployment\napiVersion: apps/v1\nmetadata: {{name: web}}\nspec:\n  selector: {{matchLabels: {{app: web}}}}\n  \
             template:\n    metadata: {{labels: {{app: web}}}}\n    spec: {{containers: [{{name: web, image: web:5}}]}}\n---\n\
             kind: HorizontalPodAutoscaler\napiVersion: autoscaling/v2\nmetadata: {{name: web}}\nspec:\n  minReplicas: {least}\n  \
             maxReplicas: 10\n  scaleTargetRef: {{kind: Deployment, name: web}}\n---\n\
             kind: PodDisruptionBudget\napiVersion: policy/v1\nmetadata: {{name: web}}\nspec:\n  minAvailable: {least}\n  \
             selector: {{matchLabels: {{app: web}}}}\n"
        )
    };
    for (least, wanted) in
        [(1, "at 1 replica: `minAvailable: 1`"), (2, "at 2 replicas: `minAvailable: 2`")]
    {
        let project = project(&[("pool.yaml", POOL), ("web.yaml", &files(least))]);
        let found = findings(&project, "drain-blocking-pdb");
        let [only] = found.as_slice() else { unreachable!("{found:?}") };
        assert_eq!(only.message, format!("PDB `web` allows no eviction {wanted}"));
        assert!(only.help.as_deref().is_some_and(|it| it.ends_with("the autoscaler's minimum")));
    }
}

#[test]
fn values_of_a_chart_without_the_key_of_its_dependency_are_named_as_the_cause() {
    let application = "kind: Application\napiVersion: argoproj.io/v1alpha1\nmetadata: {name: karpenter}\nspec:\n  source:\n    \
        repoURL: https://example.com/a.git\n    path: charts/karpenter\n    helm: {valuesObject: {settings: {clusterName: shop}}}\n";
    let chart = "apiVersion: v2\nname: karpenter\nversion: 0.1.0\ndependencies: [{name: karpenter, version: 1.8.1, repository: 'oci://public.ecr.aws/karpenter'}]\n";
    for (values, wanted) in [
        (
            "a: 1\n",
            "Indent the values for Karpenter below `karpenter`: they lack that key, where this chart reads its own",
        ),
        (
            "karpenter: {replicas: 1}\n",
            "Set `karpenter.settings.clusterName` to the name of the EKS cluster",
        ),
    ] {
        let project = project(&[
            ("app.yaml", application),
            ("charts/karpenter/Chart.yaml", chart),
            ("charts/karpenter/values.yaml", values),
        ]);
        let found = findings(&project, "cluster-name-unset");
        let [only] = found.as_slice() else { unreachable!("{found:?}") };
        assert_eq!(only.help.as_deref(), Some(wanted));
    }
}

#[test]
fn a_call_on_which_terraform_takes_no_depends_on_is_not_told_to_have_one() {
    const MAIN: &str = "module \"eks\" {\n  source = \"./eks\"\n}\nmodule \"karpenter\" {\n  source = \"./karpenter\"\n  role   = module.eks.role\n}\n";
    const EKS: &str = "resource \"aws_iam_role\" \"k\" {\n  name = \"shop-karpenter\"\n}\nresource \"aws_iam_role_policy\" \"k\" {\n  role   = aws_iam_role.k.name\n  policy = \"{}\"\n}\noutput \"role\" {\n  value = aws_iam_role.k.arn\n}\n";
    const RELEASE: &str = "variable \"role\" {}\nresource \"helm_release\" \"karpenter\" {\n  name       = \"karpenter\"\n  namespace  = \"kube-system\"\n  repository = \"oci://public.ecr.aws/karpenter\"\n  chart      = \"karpenter\"\n  version    = \"1.8.2\"\n  values     = [yamlencode({ serviceAccount = { annotations = { \"eks.amazonaws.com/role-arn\" = var.role } } })]\n}\n";
    for (provider, wanted) in [
        ("", "Add `depends_on = [module.eks]` to the call of its module"),
        (
            "provider \"aws\" {\n  alias = \"other\"\n}\n",
            "Add `depends_on = [module.eks]` to the call of its module",
        ),
        (
            "provider \"aws\" {\n  region = \"eu-west-1\"\n}\n",
            "Terraform takes no `depends_on` on `module.karpenter`, which has `provider` blocks of its own: move the \
             blocks to the root module and add `[module.eks]` to the call, or give the module an output of what is \
             listed and name the variable in `depends_on` of the release",
        ),
    ] {
        let release = [RELEASE, provider].concat();
        let project =
            project(&[("main.tf", MAIN), ("eks/main.tf", EKS), ("karpenter/main.tf", &release)]);
        let found = findings(&project, "identity-destroyed-early");
        let [only] = found.as_slice() else { unreachable!("{found:?}") };
        assert_eq!(only.help.as_deref(), Some(wanted));
    }
}

#[test]
fn what_a_module_of_the_same_name_calls_is_not_taken_for_the_outer_call() {
    let project = project(&[
        (
            "main.tf",
            "module \"role\" {\n  source = \"terraform-aws-modules/iam/aws//modules/iam-role-for-service-accounts-eks\"\n  attach_karpenter_controller_policy = true\n}\n\
             module \"karpenter\" {\n  source = \"./karpenter\"\n  role   = module.role.iam_role_arn\n}\n",
        ),
        (
            "karpenter/main.tf",
            "variable \"role\" {}\nmodule \"karpenter\" {\n  source     = \"terraform-module/release/helm\"\n  namespace  = \"karpenter\"\n  \
             repository = \"https://charts.karpenter.sh/\"\n  app = { name = \"karpenter\", version = \"0.16.3\", chart = \"karpenter\", deploy = 1 }\n  \
             set = [{ name = \"serviceAccount.annotations.eks\\\\.amazonaws\\\\.com/role-arn\", value = var.role }]\n}\n",
        ),
    ]);
    let found = findings(&project, "identity-destroyed-early");
    let [only] = found.as_slice() else { unreachable!("{found:?}") };
    let wanted = "Add `depends_on = [module.role]` to the call of its module";
    assert_eq!(only.help.as_deref(), Some(wanted));
}

#[test]
fn a_key_with_a_unit_behind_it_is_the_one_without() {
    const OWN: &str = "use a domain of your own, not `karpenter.k8s.aws`";
    for (key, wanted) in [
        ("instance-memory-mb", "did you mean `karpenter.k8s.aws/instance-memory`?"),
        ("instance-cpus", "did you mean `karpenter.k8s.aws/instance-cpu`?"),
        ("team", OWN),
    ] {
        let spec = format!(
            "spec:\n  template:\n    spec:\n      nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}}\n      \
             requirements: [{{key: karpenter.k8s.aws/{key}, operator: Exists}}]\n"
        );
        let project = project(&[("pool.yaml", &[POOL, &*spec].concat())]);
        let found = findings(&project, "invalid-karpenter-resource");
        let [only] = found.as_slice() else { unreachable!("{key}: {found:?}") };
        let help = only.help.as_deref().map(str::to_lowercase);
        assert_eq!(help.as_deref(), Some(wanted), "{key}");
    }
}

const REST_OF_POOL: &str = "  limits: {cpu: 1}\n  template:\n    spec:\n      nodeClassRef: \
    {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}\n      requirements: []\n";

#[test]
fn what_a_chart_leaves_off_says_what_turns_it_on() {
    let pool = format!(
        "{{{{ if index .Values \"spot-pools\" \"enabled\" }}}}\n{POOL}spec:\n  weight: 500\n\
         {REST_OF_POOL}{{{{ end }}}}\n"
    );
    let project = project(&[
        ("chart/Chart.yaml", "name: shop\nversion: 1.0.0\n"),
        ("chart/values.yaml", "spot-pools:\n  enabled: false\n"),
        ("chart/templates/pool.yaml", &pool),
    ]);
    let found = findings(&project, "invalid-karpenter-resource");
    let told = "chart/values.yaml: false: with `spot-pools.enabled: true`".to_owned();
    assert!(story(&project, &found[0]).contains(&told), "{:?}", story(&project, &found[0]));
}

#[test]
fn what_only_an_example_of_a_chart_has_names_the_example() {
    let pool =
        format!("{POOL}spec:\n  weight: {{{{ .Values.weight }}}}\n  extra: 1\n{REST_OF_POOL}");
    let project = project(&[
        ("chart/Chart.yaml", "name: shop\nversion: 1.0.0\n"),
        ("chart/values.yaml", "weight: 5\n"),
        ("chart/examples/heavy.yaml", "weight: 5000\n"),
        ("chart/examples/light.yaml", "weight: 1\n"),
        ("chart/templates/pool.yaml", &pool),
    ]);
    let found = findings(&project, "invalid-karpenter-resource");
    let story = |word: &str| {
        let it = found.iter().find(|it| it.message.contains(word)).unwrap();
        story(&project, it).join("\n")
    };
    assert!(story("weight").contains("only in `examples/heavy.yaml`"), "{}", story("weight"));
    assert!(!story("extra").contains("only in"), "{}", story("extra"));
}
