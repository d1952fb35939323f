//! Advice that can be followed in the repository that it is given in.

use karplint::{
    config::Config,
    findings::{Finding, Safety, Severity},
    lint,
    project::Project,
};

/// What a rule reports in a project.
fn found(rule: &str, files: &[(&str, &str)]) -> Vec<Finding> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let outcome = lint::run(&Project::from_memory(files.collect()), &Config::default());
    outcome.findings.into_iter().filter(|it| it.rule == rule).collect()
}

/// The help of the one finding of a rule.
fn help(rule: &str, files: &[(&str, &str)]) -> String {
    let found = found(rule, files);
    assert_eq!(found.len(), 1, "{rule}: {found:?}");
    found[0].help.clone().unwrap_or_default()
}

fn release(version: &str, more: &str) -> String {
    format!(
        "resource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  version = \"{version}\"\n  \
         chart = \"oci://public.ecr.aws/karpenter/karpenter\"\n{more}}}\n"
    )
}

fn module(version: &str, more: &str) -> String {
    format!(
        "module \"karpenter\" {{\n  source = \"terraform-aws-modules/eks/aws//modules/karpenter\"\n  \
         version = \"{version}\"\n  cluster_name = \"shop\"\n  enable_v1_permissions = true\n{more}}}\n"
    )
}

#[test]
fn what_a_denial_stops_decides_how_bad_it_is() {
    for (module_version, karpenter, wanted, message) in [
        ("21.8.0", "1.12.1", Severity::Warning, "its instance status checks are off"),
        ("20.37.2", "1.12.1", Severity::Warning, "`iam:ListInstanceProfiles`"),
        ("20.37.2", "1.8.1", Severity::Warning, "no EC2NodeClass can be deleted"),
        ("19.16.0", "1.8.1", Severity::Error, "`iam:"),
    ] {
        let text = module(module_version, "") + &release(karpenter, "");
        let found = found("iam-policy-outdated", &[("main.tf", &text)]);
        assert_eq!(found[0].severity, wanted, "{module_version}");
        assert!(found[0].message.contains(message), "{}", found[0].message);
    }
}

#[test]
fn a_provider_that_is_given_shows_which_trust_is_meant() {
    const IRSA: &str = "serviceAccount.annotations.eks\\\\.amazonaws\\\\.com/role-arn";
    let set = format!(
        "  namespace = \"karpenter\"\n  set {{\n    name  = \"{IRSA}\"\n    value = module.karpenter.iam_role_arn\n  }}\n"
    );
    for (given, wanted) in [
        ("  irsa_oidc_provider_arn = \"arn\"\n", "Set `enable_irsa = true`: "),
        ("", "Let the module make a pod identity association"),
    ] {
        let text = module("20.24.0", given) + &release("1.1.1", &set);
        let help = help("controller-identity-mismatch", &[("main.tf", &text)]);
        assert!(help.starts_with(wanted), "{help}");
    }
    let other = set.replace("\"karpenter\"\n", "\"kube-system\"\n");
    let text =
        module("20.24.0", "  irsa_oidc_provider_arn = \"arn\"\n") + &release("1.1.1", &other);
    let help = help("controller-identity-mismatch", &[("main.tf", &text)]);
    assert!(
        help.contains("irsa_namespace_service_accounts = [\"kube-system:karpenter\"]"),
        "{help}"
    );
}

#[test]
fn the_deletion_of_any_class_asks_for_an_instance_profile() {
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: web}\nspec:\n  \
                         instanceProfile: nodes\n  amiSelectorTerms: [{alias: al2023@v20250101}]\n  \
                         subnetSelectorTerms: [{id: subnet-1}]\n  securityGroupSelectorTerms: [{id: sg-1}]\n";
    let policy = |action: &str| {
        format!(
            "resource \"aws_iam_role\" \"karpenter\" {{\n  name = \"shop-karpenter\"\n}}\n\
             resource \"aws_iam_role_policy\" \"karpenter\" {{\n  role = aws_iam_role.karpenter.id\n  policy = \
             jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = [\"ec2:*\", \"ec2:CreateFleet\", \
             \"ec2:RunInstances\", \"iam:PassRole\", \"ssm:GetParameter\", \"eks:*\", \"pricing:*\", \"{action}\"], Resource = \"*\" }}] }})\n}}\n"
        )
    };
    for (action, version, wanted) in [
        ("iam:ListInstanceProfiles", "1.8.1", Some("Karpenter is denied `iam:GetInstanceProfile`")),
        ("iam:ListInstanceProfiles", "1.6.8", None),
        ("iam:*InstanceProfile*", "1.8.1", None),
    ] {
        let files =
            [("main.tf", &*(policy(action) + &release(version, ""))), ("class.yaml", CLASS)];
        let found = found("iam-policy-outdated", &files);
        assert_eq!(found.first().map(|it| &*it.message), wanted, "{action} {version}");
        assert!(found.iter().all(|it| it.severity == Severity::Warning), "{action} {version}");
    }
    // A class with a role asks for it to be made, too: that is said, and once.
    let class = CLASS.replacen("instanceProfile: nodes", "role: nodes", 1);
    let others =
        ["List", "Create", "Tag", "AddRole", "RemoveRole", "Delete"].map(|it| format!("iam:{it}*"));
    let code = policy(&others.join("\", \"")) + &release("1.8.1", "");
    let found = found("iam-policy-outdated", &[("main.tf", &code), ("class.yaml", &class)]);
    assert_eq!(found[0].message.matches("GetInstanceProfile").count(), 1, "{}", found[0].message);
    assert_eq!(found[0].severity, Severity::Error);
}

#[test]
fn a_module_is_not_raised_past_the_providers_of_its_root() {
    const CLUSTER: &str = "module \"eks\" {\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"~> 20.24\"\n}\n";
    const FIVE: &str = "terraform {\n  required_providers {\n    aws = {\n      source = \"hashicorp/aws\"\n      \
                        version = \"~> 5.70\"\n    }\n  }\n}\n";
    const SIX: &str =
        "terraform {\n  required_providers {\n    aws = { version = \">= 5.70\" }\n  }\n}\n";
    for (version, beside, wanted) in [
        ("20.37.2", "", "Use version 21."),
        ("20.37.2", SIX, "Use version 21."),
        ("20.37.2", FIVE, "Allow `iam:ListInstanceProfiles` in `iam_policy_statements`"),
        ("20.37.2", CLUSTER, "Allow `iam:ListInstanceProfiles` in `iam_policy_statements`"),
        ("20.8.5", FIVE, "in a policy of your own for the role of the controller"),
    ] {
        let text = module(version, "") + &release("1.8.6", "") + beside;
        let found = found("iam-policy-outdated", &[("main.tf", &text)]);
        let help = found[0].help.as_deref().unwrap_or_default();
        assert!(help.contains(wanted), "{version} beside {beside}: {help}");
        assert_eq!(found[0].fix.is_some(), wanted.starts_with("Use"), "{version} beside {beside}");
    }
}

#[test]
fn nobody_is_told_to_write_a_second_depends_on() {
    for (list, wanted) in [
        ("", "Add `depends_on = [module.karpenter]`"),
        ("  depends_on = [module.eks]\n", "Add `module.karpenter` to the `depends_on`"),
    ] {
        let text = module("20.37.2", "  create_pod_identity_association = true\n")
            + &release("1.6.8", list)
            + "module \"eks\" {\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"~> 20.24\"\n}\n";
        assert_eq!(help("identity-destroyed-early", &[("main.tf", &text)]), wanted);
    }
}

#[test]
fn a_queue_is_made_before_it_is_named() {
    let text =
        release("1.8.6", "  values = [yamlencode({ settings = { clusterName = \"shop\" } })]\n");
    let alone = help("interruption-queue-unset", &[("main.tf", &text)]);
    assert!(alone.starts_with("No queue is seen here: make one"), "{alone}");
    let beside = text + "resource \"aws_sqs_queue\" \"karpenter\" {\n  name = \"shop\"\n}\n";
    let wanted = "Set `settings.interruptionQueue` to the name of its SQS queue, `aws_sqs_queue.karpenter.name`, which the controller has to be allowed to read";
    assert_eq!(help("interruption-queue-unset", &[("main.tf", &beside)]), wanted);
}

#[test]
fn a_release_of_the_registry_reads_the_queue_whatever_its_version_is() {
    for (version, wanted) in [("", 1), (" --version $VERSION", 1)] {
        let text = format!(
            "#!/bin/sh\nhelm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter{version} \\\n  \
             --set settings.clusterName=shop\n"
        );
        let found = found("interruption-queue-unset", &[("install.sh", &text)]);
        assert_eq!(found.len(), wanted, "{version}");
    }
}

#[test]
fn a_chart_of_crds_is_named_only_where_one_has_the_version() {
    const FROM_REGISTRY: &str = "oci://public.ecr.aws/karpenter/karpenter";
    for (chart, wanted) in [
        ("karpenter/karpenter", "Apply the CRDs of each version first"),
        ("karpenter/karpenter --version 0.19.3", "Apply the CRDs of each version first"),
        (FROM_REGISTRY, "Install `karpenter-crd` of the same version before"),
        ("karpenter/karpenter --version 1.8.6", "Install `karpenter-crd` of the same version"),
    ] {
        let text = format!("#!/bin/sh\nhelm install karpenter {chart}\n");
        let help = help("crds-never-upgraded", &[("install.sh", &text)]);
        assert!(help.starts_with(wanted), "{chart}: {help}");
    }
}

#[test]
fn the_way_to_a_newer_release_is_one_that_upstream_allows() {
    for (karpenter, kubernetes, wanted) in [
        ("1.8.6", "1.35", "Upgrade Karpenter to 1.9 or newer (newest patch: 1.9.2)"),
        ("1.0.4", "1.31", "Upgrade Karpenter to 1.0.5 or newer (newest patch: 1.0.14)"),
        (
            "v0.33.0",
            "1.29",
            "Install Karpenter 0.34 or newer (newest patch: v0.34.13), and let `karplint upgrade` say what older objects become. Where 0.33.0 runs already, upgrade it to v0.34.13, and only then to a newer one",
        ),
        (
            "0.34.1",
            "1.31",
            "Install Karpenter 1.0.5 or newer (newest patch: 1.0.14), and let `karplint upgrade` say what older objects become. Where 0.34.1 runs already, upgrade it to 1.0.14, and only then to a newer one",
        ),
    ] {
        let text = release(karpenter, "")
            + &format!(
                "resource \"aws_eks_cluster\" \"shop\" {{\n  name = \"shop\"\n  version = \"{kubernetes}\"\n}}\n"
            );
        let files = [("main.tf", &*text)];
        assert_eq!(help("kubernetes-version-unsupported", &files), wanted);
        if karpenter == "0.34.1" {
            assert_eq!(help("known-bad-release", &files), wanted);
        }
    }
}

#[test]
fn what_moved_out_of_the_chart_is_named() {
    let values = "  values = [yamlencode({ settings = { clusterName = \"shop\", defaultInstanceProfile = \"nodes\" } })]\n";
    let text = release("1.8.6", values);
    let wanted = "Set it as `spec.instanceProfile` of the EC2NodeClass, and remove it from the chart's values";
    assert_eq!(help("dead-chart-value", &[("main.tf", &text)]), wanted);
}

#[test]
fn a_class_that_names_its_own_role_needs_no_profile_of_the_chart() {
    let values = "  values = [yamlencode({ settings = { clusterName = \"shop\", defaultInstanceProfile = \"nodes\" } })]\n";
    let text = release("1.8.6", values);
    let class = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: web }\nspec: { role: nodes }\n";
    let wanted = "Remove it: the EC2NodeClass names a role or an instance profile of its own";
    assert_eq!(help("dead-chart-value", &[("main.tf", &text), ("class.yaml", class)]), wanted);
    // Releases before 0.32 have no such class.
    let text = release(
        "0.16.3",
        "  set {\n    name = \"settings.defaultInstanceProfile\"\n    value = \"nodes\"\n  }\n",
    );
    let wanted = "Use `aws.defaultInstanceProfile` instead";
    assert_eq!(help("dead-chart-value", &[("main.tf", &text)]), wanted);
}

#[test]
fn a_value_beside_the_settings_is_sent_to_them() {
    let values = "  values = [yamlencode({ settings = { clusterName = \"shop\" }, batchMaxDuration = \"10s\" })]\n";
    let wanted = "Use `settings.batchMaxDuration` instead";
    let text = release("1.8.6", values);
    let of_any_version = text.replace("  version = \"1.8.6\"\n", "");
    for text in [text, of_any_version] {
        assert_eq!(help("dead-chart-value", &[("main.tf", &text)]), wanted);
    }
}

#[test]
fn values_of_another_label_are_sent_to_it() {
    for (key, values, wanted) in [
        (
            "instance-category",
            "[t3, t3a]",
            "Require them of `karpenter.k8s.aws/instance-family`, which has such values",
        ),
        (
            "instance-category",
            "[c7, m7]",
            "Require `c` or `m` of `karpenter.k8s.aws/instance-category`, and `7` of `karpenter.k8s.aws/instance-generation`",
        ),
        (
            "instance-category",
            "[c6, m7i]",
            "Name the families with `karpenter.k8s.aws/instance-family`: `c7i`, `m7g`",
        ),
        (
            "instance-family",
            "[m5.large]",
            "Require it of `node.kubernetes.io/instance-type`, which has such values",
        ),
        // It does with the others.
        ("instance-category", "[m, c7]", "Did you mean `c`?"),
    ] {
        let pool = format!(
            "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{ name: web }}\nspec:\n  limits: {{ cpu: 100 }}\n  \
             template:\n    spec:\n      nodeClassRef: {{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }}\n      \
             requirements:\n        - {{ key: karpenter.k8s.aws/{key}, operator: In, values: {values} }}\n"
        );
        assert_eq!(help("unsatisfiable-nodepool", &[("pool.yaml", &pool)]), wanted, "{values}");
    }
}

#[test]
fn a_class_without_images_is_told_which_there_are() {
    for (family, wanted) in [
        ("", "Write `amiSelectorTerms: [{alias: al2023@latest}]`"),
        ("amiFamily: Bottlerocket,", "Write `amiSelectorTerms: [{alias: bottlerocket@latest}]`"),
        ("amiFamily: Custom,", "Write terms that find an image"),
    ] {
        let class = format!(
            "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {{ name: web }}\nspec:\n  {{ {family} role: nodes, \
             subnetSelectorTerms: [{{ id: subnet-1 }}], securityGroupSelectorTerms: [{{ id: sg-1 }}] }}\n"
        );
        let found = found("invalid-karpenter-resource", &[("class.yaml", &class)]);
        let helps = |it: &Finding| it.help.as_deref().is_some_and(|it| it.starts_with(wanted));
        assert!(found.iter().any(helps), "{family}: {found:?}");
    }
}

#[test]
fn no_way_to_an_order_leads_into_a_cycle() {
    const POOL: &str = "resource \"kubectl_manifest\" \"pool\" {\n  wait = true\n  yaml_body = <<-EOT\n    \
                        apiVersion: karpenter.sh/v1\n    kind: NodePool\n    metadata: { name: web }\n    \
                        spec: { limits: { cpu: 100 } }\n  EOT\n}\n";
    const CLUSTER: &str = "resource \"aws_eks_cluster\" \"shop\" {\n  name = \"shop\"\n}\n\
                           output \"name\" {\n  value = aws_eks_cluster.shop.name\n}\n";
    let module = CLUSTER.to_owned() + POOL;
    for (waits, wanted) in [
        (
            "  depends_on = [module.eks]\n",
            "Move it out of `module.eks`, all of which the release depends on, and add `depends_on = [helm_release.karpenter]` to it",
        ),
        (
            "  values = [yamlencode({ settings = { clusterName = module.eks.name } })]\n",
            "Give `module.eks` a variable, set it to `helm_release.karpenter.id`, and name it in `depends_on` of the resource",
        ),
    ] {
        let text =
            "module \"eks\" {\n  source = \"./eks\"\n}\n".to_owned() + &release("1.8.6", waits);
        let help =
            help("nodepool-outlives-controller", &[("main.tf", &text), ("eks/main.tf", &module)]);
        assert!(help.starts_with(wanted), "{help}");
    }
}

#[test]
fn what_waits_for_the_other_is_undone_before_the_order_is_turned() {
    const ASSOCIATION: &str = "resource \"aws_eks_pod_identity_association\" \"karpenter\" {\n  cluster_name = \"shop\"\n  \
                               namespace = \"kube-system\"\n  service_account = \"karpenter\"\n  role_arn = \"arn:aws:iam::1:role/a\"\n";
    const OBJECTS: &str = "resource \"kubectl_manifest\" \"pool\" {\n  wait = true\n  yaml_body = <<-EOT\n    apiVersion: \
                           karpenter.sh/v1\n    kind: NodePool\n    metadata: { name: web }\n  EOT\n}\nresource \
                           \"kubectl_manifest\" \"class\" {\n  depends_on = [kubectl_manifest.pool]\n  yaml_body = <<-EOT\n    \
                           apiVersion: karpenter.k8s.aws/v1\n    kind: EC2NodeClass\n    metadata: { name: web }\n  EOT\n}\n";
    let in_space = release("1.8.6", "  namespace = \"kube-system\"\n");
    for (waits, wanted) in [
        ("}\n", "Add `depends_on = [aws_eks_pod_identity_association.karpenter]`"),
        (
            "  depends_on = [helm_release.karpenter]\n}\n",
            "As written `aws_eks_pod_identity_association.karpenter` waits for this: undo that first, for Terraform refuses \
             a cycle. Add `depends_on = [aws_eks_pod_identity_association.karpenter]`",
        ),
    ] {
        let text = in_space.clone() + ASSOCIATION + waits;
        assert_eq!(help("identity-destroyed-early", &[("main.tf", &text)]), wanted);
    }
    let help = help("nodeclass-destroyed-early", &[("main.tf", OBJECTS)]);
    assert!(help.starts_with("As written `kubectl_manifest.class` waits for this: "), "{help}");
}

#[test]
fn a_module_does_not_wait_for_a_role_that_needs_it() {
    const ROLE: &str = "variable \"issuer\" {}\nresource \"aws_iam_role\" \"controller\" {\n  name = \"karpenter\"\n  \
                        assume_role_policy = jsonencode({ Statement = [{ Principal = { Federated = var.issuer } }] })\n}\n\
                        resource \"aws_iam_role_policy\" \"controller\" {\n  role = aws_iam_role.controller.name\n  \
                        policy = jsonencode({ Statement = [{ Effect = \"Allow\", Action = \"ec2:TerminateInstances\", Resource = \"*\" }] })\n}\n\
                        output \"arn\" {\n  value = aws_iam_role.controller.arn\n}\n";
    const CLUSTER: &str = "variable \"role\" {}\nresource \"aws_eks_cluster\" \"shop\" {\n  name = \"shop\"\n}\n\
                           output \"issuer\" {\n  value = aws_eks_cluster.shop.identity[0].oidc[0].issuer\n}\n";
    let values = "  values = [yamlencode({ settings = { clusterName = \"shop\" }, serviceAccount = { annotations = { \"eks.amazonaws.com/role-arn\" = var.role } } })]\n";
    let text = "module \"eks\" {\n  source = \"./eks\"\n  role   = module.role.arn\n}\n\
                module \"role\" {\n  source = \"./role\"\n  issuer = module.eks.issuer\n}\n";
    for provider in ["", "provider \"helm\" {}\n"] {
        let module = CLUSTER.to_owned() + &release("1.8.6", values) + provider;
        let files = [("main.tf", text), ("eks/main.tf", &module), ("role/main.tf", ROLE)];
        let help = help("identity-destroyed-early", &files);
        let wanted =
            "`module.role` needs `module.eks`, which therefore cannot wait for all of it: ";
        assert!(help.starts_with(wanted), "{provider}: {help}");
    }
}

#[test]
fn a_mapping_for_karpenter_alone_is_the_place_to_skip_its_crds() {
    const MODULE: &str = "module \"addons\" {\n  source = \"aws-ia/eks-blueprints-addons/aws\"\n  version = \"1.16.3\"\n  \
                          cluster_name = \"shop\"\n  enable_metrics_server = true\n  enable_karpenter = true\n";
    let text = format!("{MODULE}  karpenter = {{ chart_version = \"1.5.0\" }}\n}}\n");
    let help = help("crds-never-upgraded", &[("main.tf", &text)]);
    assert!(help.contains("set `skip_crds = true` on this one"), "{help}");
}

#[test]
fn a_block_for_many_charts_does_not_skip_the_crds_of_all() {
    let files = [
        ("main.tf", include_str!("../fixtures/crds/one-block-for-many-charts/main.tf")),
        (
            "addons/main.tf",
            include_str!("../fixtures/crds/one-block-for-many-charts/addons/main.tf"),
        ),
    ];
    let found = found("crds-never-upgraded", &files);
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("set `skip_crds` for Karpenter alone"), "{help}");
    let notes: Vec<&str> = found[0].notes.iter().map(|it| &*it.message).collect();
    assert_eq!(notes, ["the version of Karpenter among them"]);
}

#[test]
fn a_field_that_a_value_leaves_out_is_written_in_that_value() {
    let files = [
        ("Chart.yaml", include_str!("../fixtures/charts/field-left-out-by-a-value/Chart.yaml")),
        ("values.yaml", include_str!("../fixtures/charts/field-left-out-by-a-value/values.yaml")),
        (
            "templates/class.yaml",
            include_str!("../fixtures/charts/field-left-out-by-a-value/templates/class.yaml"),
        ),
    ];
    let found = found("invalid-karpenter-resource", &files);
    let help = found[0].help.as_deref().unwrap_or_default();
    assert!(help.ends_with("The chart takes it from the value `nodes.images`"), "{help}");
    let is_at_value = |it: &str| it == "with this value the template leaves `amiSelectorTerms` out";
    assert!(found[0].notes.iter().any(|it| is_at_value(&it.message)), "{found:?}");
}

#[test]
fn a_label_that_excludes_a_requirement_is_to_be_removed() {
    let pool = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\nspec:\n  limits: { cpu: 100 }\n  \
                template:\n    metadata: { labels: { node.kubernetes.io/instance-type: web } }\n    spec:\n      \
                nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }\n      \
                requirements:\n        - { key: node.kubernetes.io/instance-type, operator: In, values: [m5.large] }\n";
    let help = help("unsatisfiable-nodepool", &[("pool.yaml", pool)]);
    assert!(help.starts_with("Remove the label of the template"), "{help}");
}

#[test]
fn the_group_of_a_class_is_written_without_a_version() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\nspec:\n  limits: { cpu: 100 }\n  \
                        template:\n    spec:\n      requirements: []\n      \
                        nodeClassRef: { apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, name: web }\n";
    let wanted = "Write `group: karpenter.k8s.aws`, without the version";
    let found = found("invalid-karpenter-resource", &[("pool.yaml", POOL)]);
    assert!(found.iter().any(|it| it.help.as_deref() == Some(wanted)), "{found:?}");
}

#[test]
fn the_tag_of_one_security_group_is_not_asked_for_twice() {
    for (own, wanted) in [
        ("", "Tag one of them alone: move this tag to `node_security_group_tags`"),
        (
            "  node_security_group_tags = { \"karpenter.sh/discovery\" = \"shop\" }\n",
            "Take this tag away: `node_security_group_tags` puts it on one of them already",
        ),
    ] {
        let text = format!(
            "module \"eks\" {{\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"21.8.0\"\n  name = \"shop\"\n{own}  \
             tags = {{ \"karpenter.sh/discovery\" = \"shop\" }}\n}}\n"
        );
        assert_eq!(help("shared-discovery-tag", &[("main.tf", &text)]), wanted);
    }
}

#[test]
fn a_class_of_al2_without_images_is_told_both_aliases() {
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: web }
spec: { amiFamily: AL2, role: web, subnetSelectorTerms: [{ id: subnet-1 }], securityGroupSelectorTerms: [{ id: sg-1 }] }
";
    let said = help("invalid-karpenter-resource", &[("class.yaml", CLASS)]);
    assert!(said.contains("al2@latest") && said.contains("al2023@latest"), "{said}");
}

#[test]
fn each_cluster_is_shown_with_its_own_version() {
    const RELEASE: &str = r#"resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/karpenter"
  chart      = "karpenter"
  version    = "1.0.6"
}
"#;
    let cluster = |version: &str| {
        format!(
            "resource \"aws_eks_cluster\" \"it\" {{\n  name    = var.name\n  version = \"{version}\"\n}}\n"
        )
    };
    let [newer, older] = ["1.34", "1.33"].map(cluster);
    let files = [
        ("controller/main.tf", RELEASE),
        ("eks/main.tf", &*newer),
        ("modules/eks/main.tf", &*older),
    ];
    let found = found("kubernetes-version-unsupported", &files);
    let notes: Vec<&str> = found[0].notes.iter().map(|it| &*it.message).collect();
    for version in ["1.33", "1.34"] {
        let wanted = format!("the cluster has Kubernetes {version}");
        assert!(notes.contains(&&*wanted), "{notes:?}");
    }
}

#[test]
fn text_that_a_template_prints_without_quotes_is_quoted_there() {
    const CHART: (&str, &str) =
        ("chart/Chart.yaml", "apiVersion: v2\nname: nodes\nversion: 1.0.0\n");
    const TEMPLATE: &str = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: web }
spec:
  limits: { cpu: 100 }
  template:
    metadata:
      labels:
        gpu: LABEL
    spec:
      requirements: []
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: web }
";
    for (label, wanted) in [
        ("{{ .Values.gpu }}", "Print it in quotes in the template: `{{ … | quote }}`"),
        ("true", "Write `gpu: \"true\"`"),
    ] {
        let template = TEMPLATE.replace("LABEL", label);
        let files = [
            CHART,
            ("chart/values.yaml", "gpu: \"true\"\n"),
            ("chart/templates/pool.yaml", &*template),
        ];
        assert_eq!(help("invalid-karpenter-resource", &files), wanted, "{label}");
    }
}

#[test]
fn no_value_is_asked_for_where_a_template_cannot_be_parsed() {
    const CHART: &str = "apiVersion: v2\nname: shop\nversion: 1.0.0\n";
    const RELEASE: &str = "resource \"helm_release\" \"shop\" {\n  name = \"shop\"\n  chart = \"${path.module}/shop\"\n}\n";
    for (call, wanted) in [
        (
            "{{ required \"set host\" .Values.host }}",
            "Give the release the value that this asks for",
        ),
        (
            "{{ if .Values.host }}",
            "Correct the template: Helm cannot parse it, whatever the values",
        ),
    ] {
        let template = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{ name: shop }}\ndata:\n  host: {call}\n"
        );
        let files = [
            ("main.tf", RELEASE),
            ("shop/Chart.yaml", CHART),
            ("shop/templates/shop.yaml", &*template),
        ];
        let help = help("chart-does-not-render", &files);
        assert!(help.starts_with(wanted), "{help}");
    }
}

#[test]
fn a_webhook_that_is_to_be_on_is_where_the_crds_call_it() {
    const OFF: &str = "  values = [yamlencode({ settings = { clusterName = \"shop\" }, webhook = { enabled = false } })]\n";
    const CRDS: &str = "resource \"helm_release\" \"crds\" {\n  name = \"karpenter-crd\"\n  version = \"1.0.6\"\n  \
                        chart = \"oci://public.ecr.aws/karpenter/karpenter-crd\"\n  namespace = \"karpenter\"\n";
    let named = format!(
        "{CRDS}  values = [yamlencode({{ webhook = {{ serviceNamespace = \"nodes\" }} }})]\n}}\n"
    );
    for (namespace, crds, wanted) in [
        ("kube-system", String::new(), "Leave the webhook on until Karpenter 1.1, which has none"),
        ("karpenter", String::new(), "install into `kube-system` as `karpenter`"),
        (
            "karpenter",
            format!("{CRDS}}}\n"),
            "Leave the webhook on until Karpenter 1.1, which has none",
        ),
        (
            "karpenter",
            named,
            "let `webhook.serviceNamespace` and `serviceName` of `karpenter-crd` name it",
        ),
    ] {
        let skip = if crds.is_empty() { "" } else { "  skip_crds = true\n" };
        let more = format!("  namespace = \"{namespace}\"\n{OFF}{skip}");
        let text = release("1.0.6", &more) + &crds;
        let help = help("conversion-webhook-disabled", &[("main.tf", &text)]);
        assert!(help.ends_with(wanted) || help.contains(&format!(", and {wanted}")), "{help}");
    }
}

#[test]
fn a_startup_taint_is_given_as_the_node_groups_have_it() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec:\n  template:\n    \
                        spec:\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: web}\n      \
                        requirements:\n      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n";
    for (value, effect, wanted) in [
        (
            "    value  = \"true\"\n",
            "NO_EXECUTE",
            "`value: \"true\"` and `effect: NoExecute` as these",
        ),
        ("", "NO_SCHEDULE", "`startupTaints`, with `effect: NoSchedule` as these"),
    ] {
        let code = format!(
            "resource \"aws_eks_cluster\" \"shop\" {{\n  name = \"shop\"\n}}\n\
             resource \"aws_eks_node_group\" \"core\" {{\n  cluster_name = \"shop\"\n  taint {{\n    \
             key    = \"node.cilium.io/agent-not-ready\"\n{value}    effect = \"{effect}\"\n  }}\n}}\n"
        );
        let help = help("startup-taint-undeclared", &[("main.tf", &code), ("pool.yaml", POOL)]);
        assert!(help.contains(wanted), "{help}");
    }
}

#[test]
fn one_replica_is_spoken_of_where_every_environment_has_one() {
    const STORE: &str = "variable \"mode\" {}\nvariable \"pods\" {}\nresource \"helm_release\" \"store\" {\n  \
                         name = \"minio\"\n  repository = \"https://charts.min.io/\"\n  chart = \"minio\"\n  \
                         version = \"5.4.0\"\n  values = [yamlencode({ mode = var.mode, replicas = var.pods })]\n}\n";
    let root = |mode: &str, pods: u32| {
        format!(
            "module \"store\" {{\n  source = \"../../modules/store\"\n  mode = \"{mode}\"\n  pods = {pods}\n}}\n"
        )
    };
    let karpenter = release("1.8.1", "");
    for (mode, pods, wanted) in [("standalone", 1, true), ("distributed", 4, false)] {
        let (dev, prod) = (root("standalone", 1) + &karpenter, root(mode, pods) + &karpenter);
        let files = [
            ("modules/store/main.tf", STORE),
            ("environments/dev/main.tf", &dev),
            ("environments/prod/main.tf", &prod),
        ];
        let help = help("stateful-pod-unprotected", &files);
        assert_eq!(help.contains("with one replica"), wanted, "{pods}: {help}");
    }
}

/// A workload of one pod and a PDB that keeps it: the kind of the workload, more of it, and the bound.
fn guarded(kind: &str, more: &str, bound: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: ledger, namespace: books}}\nspec:\n  replicas: 1\n  \
         selector: {{matchLabels: {{app: ledger}}}}\n{more}  template:\n    metadata: {{labels: {{app: ledger}}}}\n    \
         spec:\n      containers: [{{name: ledger, image: example.com/ledger}}]\n---\napiVersion: policy/v1\nkind: \
         PodDisruptionBudget\nmetadata: {{name: ledger, namespace: books}}\nspec:\n  {bound}\n  selector: \
         {{matchLabels: {{app: ledger}}}}\n"
    )
}

#[test]
fn a_guard_of_the_only_stateful_pod_may_stay() {
    const CLAIMS: &str = "  volumeClaimTemplates: [{metadata: {name: data}}]\n";
    for (kind, more, wanted) in [
        ("StatefulSet", CLAIMS, "keep the guard"),
        ("Deployment", "", "`maxUnavailable: 1` instead"),
    ] {
        let text = guarded(kind, more, "minAvailable: 1");
        let help = help("drain-blocking-pdb", &[("books.yaml", &text)]);
        assert!(help.contains(wanted), "{kind}: {help}");
    }
}

#[test]
fn a_bound_that_a_chart_makes_of_a_value_is_changed_there() {
    let chart = ("chart/Chart.yaml", "apiVersion: v2\nname: books\nversion: 1.0.0\n");
    let values = ("chart/values.yaml", "ledger:\n  atLeast: 1\n");
    let text = guarded("Deployment", "", "minAvailable: {{ .Values.ledger.atLeast }}");
    let files = [chart, values, ("chart/templates/books.yaml", &text)];
    let help = help("drain-blocking-pdb", &files);
    assert_eq!(help, "Set this value, of which the chart makes `minAvailable`, to `0`");
}

#[test]
fn annotations_of_pods_go_to_the_value_that_a_template_takes_them_by() {
    const SET: &str = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: ledger}\nspec:\n  selector: \
                       {matchLabels: {app: ledger}}\n  volumeClaimTemplates: [{metadata: {name: data}}]\n  \
                       template:\n    metadata:\n      labels: {app: ledger}\n      annotations: {{ toYaml \
                       .Values.ledger.podAnnotations | nindent 8 }}\n    spec:\n      containers: [{name: ledger, \
                       image: example.com/ledger}]\n";
    let chart = ("chart/Chart.yaml", "apiVersion: v2\nname: books\nversion: 1.0.0\n");
    let values = ("chart/values.yaml", "ledger:\n  podAnnotations: {}\n");
    let help =
        help("stateful-pod-unprotected", &[chart, values, ("chart/templates/set.yaml", SET)]);
    assert!(help.contains("to `ledger.podAnnotations`"), "{help}");
}

#[test]
fn an_association_is_asked_for_first_where_no_pools_are_destroyed() {
    const POOL: &str = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = yamlencode({\n    apiVersion = \
                        \"karpenter.sh/v1\"\n    kind = \"NodePool\"\n    metadata = { name = \"default\" }\n  })\n  \
                        depends_on = [helm_release.karpenter]\n}\n";
    let own = module("20.37.2", "  create_pod_identity_association = true\n")
        + &release(
            "1.8.3",
            "  set = [{ name = \"settings.interruptionQueue\", value = module.karpenter.queue_name }]\n",
        );
    for (more, wanted) in [
        ("", "Nothing makes the controller wait for its pod identity association"),
        (POOL, "Destroy may remove the controller's IAM policy and pod identity before it"),
    ] {
        let text = own.clone() + more;
        let found = found("identity-destroyed-early", &[("main.tf", &text)]);
        assert_eq!(found[0].message, wanted);
        assert_eq!(found[0].severity, Severity::Warning);
    }
}

#[test]
fn resources_go_to_the_container_only_if_they_are_nothing_else() {
    for (more, is_fixed) in [("", true), ("      securityContext: { runAsNonRoot: true }\n", false)]
    {
        let values = format!(
            "  values = [<<-EOT\n    resources:\n      limits: {{ memory: 1Gi }}\n{more}    settings: {{ clusterName: oven \
             }}\n    EOT\n  ]\n"
        );
        let found = found("dead-chart-value", &[("main.tf", &release("1.8.3", &values))]);
        assert_eq!(found[0].help.as_deref(), Some("Use `controller.resources` instead"), "{more}");
        assert_eq!(found[0].fix.is_some(), is_fixed, "{more}");
    }
}

#[test]
fn a_value_in_another_style_of_names_is_sent_to_its_own() {
    let values =
        "  values = [yamlencode({ settings = { cluster_endpoint = \"https://oven\" } })]\n";
    let help = help("dead-chart-value", &[("main.tf", &release("1.8.3", values))]);
    assert_eq!(help, "Use `settings.clusterEndpoint` instead");
}

#[test]
fn the_tag_of_one_security_group_leaves_what_else_has_it_in_order() {
    let eks = |version: &str, tags: &str| {
        format!(
            "locals {{ tags = {{ \"karpenter.sh/discovery\" = \"shop\" }} }}\nmodule \"eks\" {{\n  source = \
             \"terraform-aws-modules/eks/aws\"\n  version = \"{version}\"\n  name = \"shop\"\n  tags = {tags}\n}}\n"
        )
    };
    let vpc = "module \"vpc\" {\n  source = \"terraform-aws-modules/vpc/aws\"\n  version = \"6.6.0\"\n  private_subnet_tags = local.tags\n}\n";
    let single = "resource \"aws_ec2_tag\" \"cluster\" {\n  resource_id = module.eks.cluster_security_group_id\n  key = \"karpenter.sh/discovery\"\n  value = \"shop\"\n}\n";
    for (code, wanted) in [
        (
            [eks("21.8.0", "local.tags"), vpc.to_owned()],
            "Tag one of them alone: write this tag in `node_security_group_tags`, and give `module.eks` tags without \
             it; subnets get it from the same place, and keep it",
        ),
        (
            [eks("21.8.0", "local.tags"), single.to_owned()],
            "Tag one of them alone: move this tag to `node_security_group_tags`, and remove `aws_ec2_tag.cluster`",
        ),
        (
            [eks("17.24.0", "local.tags"), String::new()],
            "Take this tag away, and select one of them by its ID: `module.eks.worker_security_group_id`",
        ),
    ] {
        assert_eq!(help("shared-discovery-tag", &[("main.tf", &code.concat())]), wanted);
    }
}

#[test]
fn a_class_that_nothing_applies_is_named_where_no_other_selects_by_a_tag() {
    const EKS: &str = "module \"eks\" {\n  source = \"terraform-aws-modules/eks/aws\"\n  version = \"21.8.0\"\n  name = \"shop\"\n  tags = { \"karpenter.sh/discovery\" = \"shop\" }\n}\n";
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: web }\nspec: { role: web, amiSelectorTerms: [{ alias: al2023@v20261105 }], subnetSelectorTerms: [{ id: subnet-1 }], securityGroupSelectorTerms: [{ tags: { karpenter.sh/discovery: shop } }] }\n";
    const APP: &str = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: { name: shop }\nspec: { source: { repoURL: \"https://github.com/shop/shop\", path: k8s } }\n";
    const WEB: &str = "apiVersion: v1\nkind: Service\nmetadata: { name: web }\n";
    let files = [
        ("terraform/main.tf", EKS),
        ("k8s/karpenter/class.yaml", CLASS),
        ("k8s/app.yaml", APP),
        ("k8s/web.yaml", WEB),
        ("k8s/kustomization.yaml", "resources: [web.yaml]\n"),
    ];
    let notes = |files: &[(&str, &str)]| -> Vec<String> {
        let found = found("shared-discovery-tag", files);
        found[0].notes.iter().map(|it| it.message.clone()).collect()
    };
    let wanted = "`web` would select by it, but nothing here applies it";
    assert!(notes(&files).iter().any(|it| it == wanted), "{:?}", notes(&files));
    let wanted = "no EC2NodeClass here selects security groups by it";
    assert!(notes(&files[..1]).iter().any(|it| it == wanted), "{:?}", notes(&files[..1]));
}

#[test]
fn crds_that_a_script_installs_too_late_are_to_be_installed_before() {
    const CRDS: &str =
        "helm install karpenter-crd oci://public.ecr.aws/karpenter/karpenter-crd --version 1.8.2\n";
    const CONTROLLER: &str = "helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.8.2 --wait\n";
    for (lines, is_late) in [([CRDS, CONTROLLER], false), ([CONTROLLER, CRDS], true)] {
        let text = lines.concat();
        let found = found("crds-not-skipped", &[("install.sh", &text)]);
        let [finding] = &*found else { panic!("one is wanted: {found:?}") };
        let help = finding.help.as_deref().unwrap_or_default();
        assert_eq!(help.starts_with("Install `karpenter-crd` before"), is_late, "{help}");
        let safety = finding.fix.as_ref().map(|it| it.safety);
        let wanted = if is_late { Safety::Unsafe } else { Safety::Safe };
        assert_eq!(safety, Some(wanted), "{text}");
    }
}

#[test]
fn a_kind_that_karpenter_has_not_is_told_those_of_its_release() {
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeInstanceProfile\nmetadata: { name: web }\n";
    for (version, kind, wanted) in [
        ("v0.31.0", "AWSNodeInstanceProfile", "Its kinds in Karpenter 0.31: `AWSNodeTemplate`"),
        ("0.32.1", "Profile", "Its kinds in Karpenter 0.32: `EC2NodeClass` and `AWSNodeTemplate`"),
        ("1.8.3", "Profile", "Its kinds in Karpenter 1.8: `EC2NodeClass`"),
        ("v0.31.0", "AWSNodeTemplates", "Did you mean `AWSNodeTemplate`?"),
        ("", "Profile", "Its kinds are `EC2NodeClass`"),
    ] {
        let class = CLASS.replace("AWSNodeInstanceProfile", kind);
        let mut files = vec![("class.yaml", &*class)];
        let code = release(version, "");
        files.extend((!version.is_empty()).then_some(("main.tf", &*code)));
        assert_eq!(help("invalid-karpenter-resource", &files), wanted, "{version} {kind}");
    }
}

#[test]
fn what_was_replaced_beside_it_is_to_be_deleted() {
    const OLD: &str = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {name: web}\nspec:\n  \
                       subnetSelector: {karpenter.sh/discovery: shop}\n";
    const NEW: &str = "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {name: default}\nspec:\n  \
                       amiFamily: AL2\n  role: shop-nodes\n  subnetSelectorTerms: [{id: subnet-1}]\n  \
                       securityGroupSelectorTerms: [{id: sg-1}]\n";
    let code = release("0.37.0", "");
    let old = [("main.tf", &*code), ("karpenter/provisioner.yaml", OLD)];
    let both = [&old[..], &[("karpenter/class.yaml", NEW)]].concat();
    let found = |files: &[(&str, &str)]| help("retired-karpenter-api", files);
    assert!(found(&old).starts_with("Write an EC2NodeClass"), "{}", found(&old));
    let wanted = "Delete it if the EC2NodeClass `default` beside it replaces it";
    assert!(found(&both).starts_with(wanted), "{}", found(&both));
}

#[test]
fn a_field_of_a_later_release_is_not_told_to_be_written_twice() {
    const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {name: web}\nspec:\n  amiFamily: AL2\n  \
                         role: shop-nodes\n  instanceProfile: shop\n  subnetSelectorTerms: [{id: subnet-1}]\n  \
                         securityGroupSelectorTerms: [{id: sg-1}]\n";
    let code = release("v0.32.1", "");
    let help = help("invalid-karpenter-resource", &[("main.tf", &code), ("class.yaml", CLASS)]);
    assert!(!help.contains("as well"), "{help}");
}

#[test]
fn what_a_later_chart_reads_beside_a_value_is_no_advice_for_it() {
    let service = |inner: &str| {
        let code = release(
            "v0.32.1",
            &format!(
                "  values = [yamlencode({{ settings = {{ clusterName = \"shop\" }}, service = {{ {inner} }} }})]\n"
            ),
        );
        help("dead-chart-value", &[("main.tf", &code)])
    };
    assert!(service("annotations = { team = \"shop\" }").starts_with("Install 1.1.0 or later"));
    assert!(service("port = 8080").starts_with("Remove it, or look"));
}

#[test]
fn a_field_that_there_is_none_of_has_a_help_that_agrees_with_the_rest() {
    let class = |spec: &str| {
        format!(
            "resource \"kubectl_manifest\" \"web\" {{
  yaml_body = <<-YAML
    apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata: {{ name: web }}
    spec:
      role: nodes
      amiSelectorTerms: [{{ alias: al2023@v20261105 }}]
      subnetSelectorTerms: [{{ tags: {{ Tier: private }} }}]
      securityGroupSelectorTerms: [{{ tags: {{ Tier: private }} }}]
      {spec}
  YAML
}}
"
        )
    };
    for (spec, wanted) in [
        ("instanceMetadataOptions: { httpTokens: required }", "Did you mean `metadataOptions`?"),
        ("AssociatePublicIPAddress: true", "Write `associatePublicIPAddress`"),
        (
            "detailed-monitoring: true\n      detailedMonitoring: true",
            "Remove it: `detailedMonitoring` is written as well",
        ),
        ("launchTemplate: shop", "Leave it out"),
    ] {
        let code = class(spec);
        let help = help("invalid-karpenter-resource", &[("main.tf", &code)]);
        assert_eq!(help, wanted, "{spec}");
    }
}

#[test]
fn one_alias_is_one_finding_that_says_what_to_write() {
    for (alias, wanted) in [
        (
            "al2023-arm64@latest",
            "They are `al2`, `al2023`, `bottlerocket`, `windows2019`, `windows2022` or `windows2025`",
        ),
        ("al2023-arm64", "It takes a family, `@` and a version, such as `al2023@v20240807`"),
    ] {
        let class = format!(
            "apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {{ name: web }}
spec:
  role: nodes
  amiSelectorTerms: [{{ alias: {alias} }}]
  subnetSelectorTerms: [{{ tags: {{ Tier: private }} }}]
  securityGroupSelectorTerms: [{{ tags: {{ Tier: private }} }}]
"
        );
        let help = help("invalid-karpenter-resource", &[("class.yaml", &class)]);
        assert_eq!(help, wanted, "{alias}");
    }
}

#[test]
fn a_counted_call_in_a_module_with_providers_has_none_of_its_own() {
    const ROOT: &str = "module \"shop\" {\n  source = \"./shop\"\n}\n";
    const SHOP: &str = "provider \"helm\" {\n  kubernetes {\n    host = module.eks.host\n  }\n}\nmodule \"eks\" {\n  source = \"../eks\"\n}\nmodule \"karpenter\" {\n  source = \"../karpenter\"\n  count  = 1\n}\n";
    const EKS: &str = "resource \"aws_eks_cluster\" \"shop\" {\n  name = \"shop\"\n}\nresource \"aws_eks_node_group\" \"core\" {\n  cluster_name = aws_eks_cluster.shop.name\n}\noutput \"host\" {\n  value = aws_eks_cluster.shop.endpoint\n}\n";
    let release =
        release("1.6.0", "  values = [yamlencode({ settings = { clusterName = \"shop\" } })]\n");
    let pool = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = <<-YAML\n    apiVersion: karpenter.sh/v1\n    kind: NodePool\n    metadata: { name: web }\n  YAML\n}\n";
    let karpenter = release + pool;
    let files = [
        ("main.tf", ROOT),
        ("shop/main.tf", SHOP),
        ("eks/main.tf", EKS),
        ("karpenter/main.tf", &*karpenter),
    ];
    let help = help("identity-destroyed-early", &files);
    assert!(help.contains("module.eks") && !help.contains("provider"), "{help}");
}

#[test]
fn a_role_with_a_provider_of_tokens_is_to_trust_them() {
    let role = "  values = [yamlencode({ serviceAccount = { annotations = { \"eks.amazonaws.com/role-arn\" = \
                module.karpenter.iam_role_arn } }, settings = { clusterName = \"shop\" } })]\n  namespace = \"ops\"\n";
    let provider = "  irsa_oidc_provider_arn = \"arn\"\n";
    for (more, wanted) in [
        (
            provider,
            "Set `enable_irsa = true` and `irsa_namespace_service_accounts = [\"ops:karpenter\"]`",
        ),
        ("", "Let the module make a pod identity association"),
    ] {
        let text = release("1.8.6", role) + &module("~> 20.24", more);
        let help = help("controller-identity-mismatch", &[("main.tf", &text)]);
        assert!(help.starts_with(wanted), "{help}");
    }
}

#[test]
fn a_policy_without_the_queue_is_named_where_one_is_to_be_set() {
    let values = "  values = [yamlencode({ settings = { clusterName = \"shop\" }, serviceAccount = { annotations = { \
                  \"eks.amazonaws.com/role-arn\" = aws_iam_role.it.arn } } })]\n";
    let policy = |more: &str| {
        format!(
            "resource \"aws_iam_role\" \"it\" {{\n  assume_role_policy = \"\"\n}}\n\
             resource \"aws_iam_role_policy\" \"it\" {{\n  role = aws_iam_role.it.id\n  policy = jsonencode({{ \
             Statement = [{{ Effect = \"Allow\", Resource = \"*\", Action = [\"ec2:RunInstances\"{more}] }}] }})\n}}\n"
        )
    };
    for (more, is_named) in [("", true), (", \"sqs:*\"", false)] {
        let text = release("1.8.6", values) + &policy(more);
        let found = found("interruption-queue-unset", &[("main.tf", &text)]);
        let is_said = found[0].notes.iter().any(|it| it.message.contains("nothing of SQS"));
        assert_eq!(is_said, is_named, "{more}");
        // It launches nothing without fleets, whatever it is called.
        let denied = self::found("iam-policy-outdated", &[("main.tf", &text)]);
        assert!(denied[0].help.iter().any(|it| it.contains("`ec2:CreateFleet`")), "{denied:?}");
    }
}

#[test]
fn a_key_with_a_dot_is_to_be_a_mapping_in_a_mapping() {
    const VALUES: &str =
        "settings: { clusterName: shop }\ncontroller.resources: { requests: { cpu: 1 } }\n";
    let text = release("1.8.1", "  values = [file(\"${path.module}/values.yaml\")]\n");
    let found = found("dead-chart-value", &[("main.tf", &text), ("values.yaml", VALUES)]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(
        one.message,
        "`controller.resources` has no effect: it is one key with a dot in its name"
    );
    let help = "Write a mapping inside a mapping: `resources` below `controller`";
    assert_eq!(one.help.as_deref(), Some(help));
}

#[test]
fn what_a_reference_to_a_class_lacks_is_one_mistake() {
    const POOL: &str = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: web}\nspec:\n  limits: {cpu: 9}\n  \
                        template:\n    spec:\n      requirements: []\n      nodeClassRef: {name: web}\n";
    let found = found("invalid-karpenter-resource", &[("pool.yaml", POOL)]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(one.message, "`nodeClassRef` needs `group` and `kind`");
    let help = "Write `group: karpenter.k8s.aws` and `kind: EC2NodeClass`";
    assert_eq!(one.help.as_deref(), Some(help));
}

#[test]
fn a_name_beside_the_metadata_belongs_there() {
    const POOL: &str = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata:\nname: web\nspec: {providerRef: {name: web}}\n";
    let found = found("invalid-karpenter-resource", &[("pool.yaml", POOL)]);
    let one = found.iter().find(|it| it.message.contains("belongs to")).expect("told");
    assert_eq!(one.message, "The Provisioner has no `name`: it belongs to `metadata`");
    assert_eq!(one.help.as_deref(), Some("Write it as `metadata.name`"));
}

#[test]
fn a_pool_that_waits_for_a_reported_class_is_named_there() {
    const CLASS: &str = "resource \"kubectl_manifest\" \"class\" {\n  yaml_body = yamlencode({apiVersion = \"karpenter.k8s.aws/v1\", \
                         kind = \"EC2NodeClass\", metadata = {name = \"web\"}, spec = {role = \"web\"}})\n}\n";
    const POOL: &str = "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = yamlencode({apiVersion = \"karpenter.sh/v1\", \
                        kind = \"NodePool\", metadata = {name = \"web\"}, spec = {limits = {cpu = 9}}})\n  depends_on = [kubectl_manifest.class]\n}\n";
    let further = POOL.replace(".class]", ".pool]").replace("\"pool\"", "\"further\"");
    let text = release("1.8.1", "") + CLASS + POOL + &further;
    let found = found("nodepool-outlives-controller", &[("main.tf", &text)]);
    let [one] = &found[..] else { panic!("{found:?}") };
    assert!(one.message.ends_with("before this EC2NodeClass"), "{}", one.message);
    let behind = one.notes.iter().filter(|it| it.message.starts_with("waits for it"));
    assert_eq!(behind.count(), 2, "{:?}", one.notes);
}

#[test]
fn a_value_that_moves_among_texts_has_to_be_one() {
    const SELECTOR: &str = "controller.nodeSelector.nodes\\\\.example/system";
    let in_code = |more: &str| {
        let set =
            format!("  set {{\n    name  = \"{SELECTOR}\"\n    value = \"true\"\n{more}  }}\n");
        vec![("main.tf", release("1.8.1", &set))]
    };
    let typed = "    type  = \"string\"\n";
    let command = |flag: &str| {
        let text = format!(
            "helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.8.1 {flag} 'controller.nodeSelector.system=true'\n"
        );
        vec![("install.sh", text)]
    };
    for (files, wanted) in [
        (in_code(""), Some("instead, with `type = \"string\"`: ")),
        (in_code(typed), None),
        (command("--set"), Some("instead, as a text (`--set-string`")),
        (command("--set-string"), None),
    ] {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, it)| (*path, &**it)).collect();
        let help = help("dead-chart-value", &files);
        match wanted {
            Some(words) => assert!(help.contains(words), "{help}"),
            None => assert!(help.ends_with("` instead"), "{help}"),
        }
    }
}
