//! What is lost, and what to do, where a release of Karpenter is configured in a way that others are not.

use karplint::{
    config::Config,
    findings::{
        Finding,
        Severity::{Error, Note, Warning},
    },
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

fn application(version: &str, values: &str) -> String {
    format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{ name: karpenter, namespace: argocd }}\n\
         spec:\n  destination: {{ namespace: kube-system }}\n  source:\n    repoURL: public.ecr.aws/karpenter\n    \
         chart: karpenter\n    targetRevision: {version}\n    helm:\n      valuesObject:\n        settings: \
         {{ clusterName: shop, interruptionQueue: shop{values}\n"
    )
}

fn release(version: &str, more: &str) -> String {
    format!(
        "resource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  version = \"{version}\"\n  \
         chart = \"oci://public.ecr.aws/karpenter/karpenter\"\n{more}}}\n"
    )
}

const CLASS: &str = "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: web }\nspec:\n  \
                     instanceProfile: nodes\n  amiSelectorTerms: [{ alias: al2023@v20250101 }]\n  \
                     subnetSelectorTerms: [{ id: subnet-1 }]\n  securityGroupSelectorTerms: [{ id: sg-1 }]\n";

#[test]
fn a_dead_value_that_asks_for_what_is_there_loses_nothing() {
    let aws =
        |rest: &str| format!(", aws: {{ defaultInstanceProfile: nodes, vpcId: vpc-1{rest} }} }}");
    let container = |user: u64| {
        format!(
            " }}\n        containerSecurityContext: {{ runAsUser: {user}, capabilities: {{ drop: [ALL] }} }}"
        )
    };
    for (version, values, wanted) in [
        ("1.8.1", " }\n        controller: { replicas: 2 }".to_owned(), Note),
        ("1.8.1", " }\n        controller: { replicas: 3 }".to_owned(), Warning),
        ("1.8.1", " }\n        webhook: { enabled: true, port: 8443 }".to_owned(), Note),
        ("1.8.1", " }\n        securityContext: { fsGroup: 65532 }".to_owned(), Note),
        ("1.8.1", " }\n        securityContext: { fsGroup: 1000 }".to_owned(), Warning),
        ("1.0.6", container(65532), Note),
        ("1.8.1", container(65532), Note),
        ("1.8.1", container(0), Warning),
        ("0.35.0", container(65532), Warning),
        ("1.8.1", aws(""), Note),
        ("1.8.1", aws(", tags: { team: web }"), Warning),
    ] {
        let text = application(version, &values);
        let found = found("dead-chart-value", &[("app.yaml", &text), ("class.yaml", CLASS)]);
        let severities: Vec<_> = found.iter().map(|it| it.severity).collect();
        assert_eq!(severities, [wanted], "{version}: {values}");
    }
}

#[test]
fn a_security_context_is_sent_to_no_key_that_reads_none_of_it() {
    let text = application("1.8.1", " }\n        containerSecurityContext: { runAsUser: 0 }");
    let wanted = "Remove it, or look for its right name in the chart's values";
    assert_eq!(help("dead-chart-value", &[("app.yaml", &text)]), wanted);
    let text = application(
        "1.8.1",
        " }\n        containerSecurityContext: { seccompProfile: { type: Localhost } }",
    );
    let wanted = "Use `controller.securityContext.seccompProfile` instead";
    assert_eq!(help("dead-chart-value", &[("app.yaml", &text)]), wanted);
}

#[test]
fn values_beside_the_key_of_the_chart_are_one_fault() {
    let chart = "apiVersion: v2\nname: addons\ndependencies:\n  - { name: karpenter, version: 1.8.1, repository: \
                 'oci://public.ecr.aws/karpenter' }\n";
    let values = "settings: { clusterName: shop, interruptionQueue: shop }\nserviceAccount: { name: karpenter }\n";
    let files = [("charts/karpenter/Chart.yaml", chart), ("charts/karpenter/values.yaml", values)];
    let wanted = "Indent the values for Karpenter below `karpenter`: they lack that key, where this chart reads its own";
    assert_eq!(help("cluster-name-unset", &files), wanted);
    assert!(found("dead-chart-value", &files).is_empty());
    assert!(found("interruption-queue-unset", &files).is_empty());
}

#[test]
fn a_version_that_the_retired_repository_lacks_needs_its_own_names() {
    let install = |version: &str, key: &str| {
        format!(
            "#!/bin/sh\nhelm repo add karpenter https://charts.karpenter.sh\nhelm install karpenter karpenter/karpenter \
             --version {version} --set {key}=shop\n"
        )
    };
    for (version, key, wanted) in [
        ("v0.33.0", "settings.aws.clusterName", 1),
        ("v0.33.0", "settings.clusterName", 0),
        ("0.16.3", "settings.aws.clusterName", 0),
    ] {
        let text = install(version, key);
        let found = found("cluster-name-unset", &[("install.sh", &text)]);
        assert_eq!(found.len(), wanted, "{version} {key}: {found:?}");
    }
}

#[test]
fn the_queue_of_the_root_is_named() {
    let queue = "resource \"aws_sqs_queue\" \"karpenter\" {\n  name = \"shop-karpenter\"\n}\n";
    let values = "  values = [yamlencode({ settings = { clusterName = \"shop\" } })]\n";
    let text = release("1.8.6", values) + queue;
    let wanted = "Set `settings.interruptionQueue` to the name of its SQS queue, `aws_sqs_queue.karpenter.name`, which the controller has to be allowed to read";
    assert_eq!(help("interruption-queue-unset", &[("main.tf", &text)]), wanted);
}

#[test]
fn a_cluster_of_an_example_is_at_fault_there() {
    let module = "variable \"cluster_version\" {}\nresource \"aws_eks_cluster\" \"this\" {\n  name    = \"shop\"\n  \
                  version = var.cluster_version\n}\n"
        .to_owned()
        + &release("1.4.0", "");
    let example =
        "module \"platform\" {\n  source          = \"../../\"\n  cluster_version = \"1.33\"\n}\n";
    let files = [("main.tf", &*module), ("examples/complete/main.tf", example)];
    let found = found("kubernetes-version-unsupported", &files);
    let places: Vec<_> = found.iter().map(|it| (it.severity, it.help.as_deref())).collect();
    assert_eq!(places, [(Warning, Some("Give the example a cluster with Kubernetes 1.32"))]);
}

#[test]
fn a_chart_of_a_catalogue_is_for_no_cluster_of_another_chart() {
    let chart = "apiVersion: v2\nname: karpenter\ndependencies:\n  - { name: karpenter, version: 1.4.0, repository: \
                 'oci://public.ecr.aws/karpenter' }\n";
    let cluster =
        "resource \"aws_eks_cluster\" \"hub\" {\n  name    = \"hub\"\n  version = \"1.33\"\n}\n";
    let files = [
        ("charts/karpenter/Chart.yaml", chart),
        ("charts/iac/Chart.yaml", "apiVersion: v2\nname: iac\n"),
        (
            "charts/iac/templates/job.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: job }\n",
        ),
        ("charts/iac/tf/main.tf", cluster),
    ];
    assert!(found("kubernetes-version-unsupported", &files).is_empty());
}

#[test]
fn a_generated_name_of_an_instance_profile_is_no_name_to_keep() {
    let class = CLASS.replace(
        "instanceProfile: nodes",
        "instanceProfile: Karpenter-shop-20260121200907518800000011",
    );
    let found = found("node-role-name-guessed", &[("class.yaml", &class)]);
    let severities: Vec<_> = found.iter().map(|it| it.severity).collect();
    assert_eq!(severities, [Note]);
}

#[test]
fn two_objects_without_a_mark_between_them_are_an_error() {
    let text = format!(
        "kind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: {{ name: web }}\nspec: {{}}\n\n{CLASS}"
    );
    let found = found("unreadable", &[("pools.yaml", &text)]);
    let severities: Vec<_> = found.iter().map(|it| it.severity).collect();
    assert_eq!(severities, [Error]);
    assert!(found[0].message.starts_with("This object is never made"), "{}", found[0].message);
}

#[test]
fn an_example_that_repeats_a_value_of_its_chart_is_one_of_that() {
    let template = "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: {{ .Values.name }} }\nspec:\n  limits: { \
                    cpu: 9 }\n  disruption:\n    consolidationPolicy: WhenEmptyOrUnderutilized\n    consolidateAfter: \
                    {{ .Values.after }}\n  template:\n    spec:\n      nodeClassRef: { group: karpenter.k8s.aws, kind: \
                    EC2NodeClass, name: web }\n      requirements: [{ key: kubernetes.io/arch, operator: In, values: \
                    [arm64] }]\n";
    let with = |after: &str| {
        let example = format!("name: gpu\nafter: {after}\n");
        let files = [
            ("chart/Chart.yaml", "apiVersion: v2\nname: pools\nversion: 1.0.0\n"),
            ("chart/values.yaml", "name: web\nafter: 30s\n"),
            ("chart/templates/pool.yaml", template),
            ("chart/examples/gpu.yaml", &*example),
        ];
        found("consolidate-after-too-short", &files).len()
    };
    assert_eq!(with("30s"), 1);
    assert_eq!(with("10s"), 2);
}

#[test]
fn an_endpoint_that_the_controller_asks_for_is_no_loss() {
    let severities = |version: &str, endpoint: &str, action: &str| {
        let values = format!(
            "  values = [yamlencode({{ clusterEndpoint = \"{endpoint}\", serviceAccount = {{ annotations = {{ \
                              \"eks.amazonaws.com/role-arn\" = aws_iam_role.own.arn }} }} }})]\n"
        );
        let policy = format!(
            "resource \"aws_iam_role\" \"own\" {{\n  name = \"own\"\n}}\nresource \"aws_iam_role_policy\" \"own\" {{\n  role \
             = aws_iam_role.own.id\n  policy = jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = [\"{action}\"], \
             Resource = \"*\" }}] }})\n}}\n"
        );
        let text = release(version, &values) + &policy;
        let found = found("dead-chart-value", &[("main.tf", &text)]);
        found.iter().map(|it| it.severity).collect::<Vec<_>>()
    };
    let own = "https://shop.gr7.eu-west-1.eks.amazonaws.com";
    assert_eq!(severities("0.32.1", own, "eks:DescribeCluster"), [Note]);
    assert_eq!(severities("0.32.1", own, "ec2:RunInstances"), [Warning]);
    assert_eq!(severities("0.32.1", "https://proxy.example.com", "eks:*"), [Warning]);
}

#[test]
fn an_endpoint_below_a_misspelt_key_is_meant_as_one() {
    let set = "  set {\n    name = \"setting.clusterEndpoint\"\n    value = data.aws_eks_cluster.it.endpoint\n  }\n";
    for (version, wanted) in
        [("v0.31.0", "settings.aws.clusterEndpoint"), ("1.6.0", "settings.clusterEndpoint")]
    {
        let text = release(version, set);
        let found = found("dead-chart-value", &[("main.tf", &text)]);
        let help = format!(
            "Use `{wanted}` instead, or remove it: this version does in any case what it asks for"
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].severity, found[0].help.as_deref()), (Note, Some(&*help)));
    }
}

#[test]
fn a_default_profile_that_no_class_takes_is_no_loss() {
    let values = "  values = [yamlencode({ aws = { defaultInstanceProfile = \"nodes\" } })]\n";
    let severities = |template: &str| {
        let former = format!(
            "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: {{ name: web }}\nspec: {{ {template} }}\n"
        );
        let class = CLASS.replace("aws/v1", "aws/v1beta1");
        let text = release("0.32.1", values);
        let files = [("main.tf", &*text), ("class.yaml", &*class), ("former.yaml", &*former)];
        let found = found("dead-chart-value", &files);
        found.iter().map(|it| it.severity).collect::<Vec<_>>()
    };
    assert_eq!(severities("launchTemplate: web"), [Note]);
    assert_eq!(severities("subnetSelector: { own: yes }"), [Warning]);
}

#[test]
fn the_pools_of_a_script_are_those_of_its_release() {
    let script = |capacity: &str| {
        format!(
            "helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.8.1 --set \
             settings.clusterName=shop\ncat <<EOF | kubectl apply -f -\napiVersion: karpenter.sh/v1\nkind: NodePool\n\
             metadata:\n  name: web\nspec:\n  template:\n    spec:\n      nodeClassRef: {{ group: karpenter.k8s.aws, \
             kind: EC2NodeClass, name: web }}\n      requirements:\n        - {{ key: karpenter.sh/capacity-type, operator: \
             In, values: [{capacity}] }}\nEOF\n"
        )
    };
    let (first, second) = (script("on-demand"), script("spot"));
    let found = found("interruption-queue-unset", &[("first.sh", &first), ("second.sh", &second)]);
    let severities: Vec<_> = found.iter().map(|it| it.severity).collect();
    assert_eq!(severities.len(), 2, "{found:?}");
    assert!(severities.contains(&Note) && severities.contains(&Warning), "{severities:?}");
}
