//! What a destroy costs: how bad it is, and where the same is told.

use karplint::{
    config::Config,
    findings::{
        Finding,
        Severity::{self, Note, Warning},
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

fn severities(found: &[Finding]) -> Vec<Severity> {
    found.iter().map(|it| it.severity).collect()
}

/// A controller, whose policy nothing keeps, with a Provisioner.
fn early(version: &str) -> String {
    format!(
        "resource \"aws_iam_role\" \"it\" {{\n  assume_role_policy = \"\"\n}}\n\
         resource \"aws_iam_role_policy_attachment\" \"it\" {{\n  role = aws_iam_role.it.name\n  \
         policy_arn = \"arn:aws:iam::aws:policy/AmazonEC2FullAccess\"\n}}\n\
         resource \"helm_release\" \"karpenter\" {{\n  name = \"karpenter\"\n  chart = \"karpenter\"\n  \
         repository = \"https://charts.karpenter.sh\"\n  version = \"{version}\"\n  \
         values = [yamlencode({{ clusterName = \"shop\", serviceAccount = {{ annotations = {{ \
         \"eks.amazonaws.com/role-arn\" = aws_iam_role.it.arn }} }} }})]\n}}\n\
         resource \"kubectl_manifest\" \"pool\" {{\n  wait = true\n  depends_on = [helm_release.karpenter]\n  \
         yaml_body = <<-YAML\n    apiVersion: karpenter.sh/v1alpha5\n    kind: Provisioner\n    \
         metadata: {{ name: default }}\n    spec: {{ provider: {{ instanceProfile: shop }} }}\n  YAML\n}}\n"
    )
}

#[test]
fn before_ownership_a_destroy_of_a_provisioner_removes_no_nodes() {
    for (version, wanted) in [("0.11.1", Note), ("0.12.0", Warning)] {
        let found = found("identity-destroyed-early", &[("main.tf", &early(version))]);
        assert_eq!(severities(&found), [wanted], "{version}");
        let is_said = found[0].notes.iter().any(|it| it.message.contains("before 0.12"));
        assert_eq!(is_said, wanted == Note, "{version}");
    }
}

#[test]
fn a_pool_of_a_file_is_what_a_destroy_leaves() {
    let whole = early("0.12.0");
    let alone = whole.split("resource \"kubectl_manifest\"").next().unwrap_or_default();
    let pool = "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: { name: default }\nspec: { provider: { instanceProfile: shop } }\n";
    for (files, wanted) in [
        (vec![("main.tf", alone)], "few nodes can be left behind"),
        (vec![("main.tf", alone), ("pool.yaml", pool)], "Terraform leaves it"),
    ] {
        let found = found("identity-destroyed-early", &files);
        assert_eq!(severities(&found), [Note]);
        assert!(found[0].notes.iter().any(|it| it.message.contains(wanted)), "{found:?}");
    }
}

#[test]
fn a_class_that_is_waited_for_goes_with_its_pool() {
    let manifest = |kind: &str, name: &str, object: &str, more: &str| {
        let is_text = kind == "kubectl_manifest";
        let argument = if is_text { "yaml_body" } else { "manifest" };
        let function = if is_text { "yamlencode" } else { "" };
        format!(
            "resource \"{kind}\" \"{name}\" {{\n  {argument} = {function}({object})\n{more}}}\n"
        )
    };
    let class = "{ apiVersion = \"karpenter.k8s.aws/v1\", kind = \"EC2NodeClass\", metadata = { name = \"default\" }, spec = { role = \"shop\" } }";
    let pool = "{ apiVersion = \"karpenter.sh/v1\", kind = \"NodePool\", metadata = { name = \"default\" }, spec = { template = { spec = { requirements = [], nodeClassRef = { group = \"karpenter.k8s.aws\", kind = \"EC2NodeClass\", name = \"default\" } } } } }";
    let after = |what: &str| {
        format!(
            "resource \"helm_release\" \"web\" {{\n  name = \"web\"\n  chart = \"./web\"\n  depends_on = [{what}.pool]\n}}\n"
        )
    };
    for (kind, more, of_class, wanted) in [
        ("kubernetes_manifest", String::new(), "", Note),
        // The drain of other pods goes on while the class is deleted.
        ("kubernetes_manifest", after("kubernetes_manifest"), "", Warning),
        (
            "kubernetes_manifest",
            String::new(),
            "  depends_on = [kubernetes_manifest.pool]\n",
            Warning,
        ),
        ("kubectl_manifest", String::new(), "", Warning),
    ] {
        let text =
            manifest(kind, "class", class, of_class) + &manifest(kind, "pool", pool, "") + &more;
        let found = found("nodeclass-destroyed-early", &[("main.tf", &text)]);
        assert_eq!(severities(&found), [wanted], "{text}");
    }
}

#[test]
fn what_repeats_in_a_folder_put_aside_is_told_once() {
    let (text, other) = (early("0.8.2"), early("0.8.2").replace("\"karpenter\" {", "\"other\" {"));
    for (path, copy, wanted) in [
        ("old/eks/main.tf", &text, 1),
        ("live/eks/main.tf", &text, 2),
        ("old/eks/main.tf", &other, 2),
    ] {
        let found = found("identity-destroyed-early", &[("infra/main.tf", &text), (path, copy)]);
        assert_eq!(found.len(), wanted, "{path}");
        let is_named = found[0].notes.iter().any(|it| it.message.contains("put aside"));
        assert_eq!(is_named, wanted == 1, "{path}");
    }
}

#[test]
fn an_association_that_is_there_before_the_nodes_is_a_note() {
    const BEFORE: &str = include_str!("../fixtures/lifecycle/association-and-nodes/before/main.tf");
    const AFTER: &str = include_str!("../fixtures/lifecycle/association-and-nodes/after/main.tf");
    const POOLS: &str = include_str!("../fixtures/lifecycle/association-and-nodes/pools/main.tf");
    for (text, wanted) in [(BEFORE, Note), (AFTER, Warning), (POOLS, Warning)] {
        let found = found("identity-destroyed-early", &[("main.tf", text)]);
        assert_eq!(severities(&found), [wanted], "{text}");
    }
}

#[test]
fn a_fargate_profile_of_other_pods_may_go_before_the_controller() {
    let profile = |name: &str, selector: &str| {
        format!(
            "resource \"aws_eks_fargate_profile\" \"{name}\" {{\n  cluster_name = aws_eks_cluster.shop.name\n  \
             fargate_profile_name = \"{name}\"\n  selector {{\n{selector}  }}\n}}\n"
        )
    };
    let text = early("1.8.1")
        .replace("charts.karpenter.sh\"", "x.example\"\n  namespace = \"ops\"")
        + "resource \"aws_eks_cluster\" \"shop\" {\n  name = \"shop\"\n}\nvariable \"web\" {}\n"
        + &profile("ops", "    namespace = \"ops\"\n")
        + &profile("shop", "    namespace = \"shop\"\n")
        + &profile("web", "    namespace = var.web\n    labels = { compute = \"fargate\" }\n");
    let found = found("identity-destroyed-early", &[("main.tf", &text)]);
    assert!(found[0].message.contains("Fargate profiles"), "{found:?}");
    let help = found[0].help.as_deref().unwrap_or_default();
    let named = ["ops", "shop", "web"].map(|it| help.contains(&format!("profile.{it}")));
    assert_eq!(named, [true, false, false], "{help}");
}
