//! What is said of resources that are to be written anew, and of keys that stand for others.

use karplint::{
    config::Config,
    findings::{Finding, Severity::Error},
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

fn pool(api: &str, inside: &str, requirement: &str) -> String {
    let group = if api == "v1" {
        "group: karpenter.k8s.aws"
    } else {
        "apiVersion: karpenter.k8s.aws/v1beta1"
    };
    format!(
        "apiVersion: karpenter.sh/{api}\nkind: NodePool\nmetadata: {{ name: default }}\nspec:\n{inside}  template:\n    \
         metadata: {{ labels: {{}} }}\n    spec:\n      nodeClassRef: {{ {group}, kind: EC2NodeClass, name: default }}\n      \
         requirements:\n        - {requirement}\n"
    )
}

const SPOT: &str = "{ key: karpenter.sh/capacity-type, operator: In, values: [spot] }";
const HASTY: &str =
    "  disruption: { consolidationPolicy: WhenUnderutilized, consolidateAfter: 60s }\n";

#[test]
fn what_the_next_api_admits_is_no_fault_of_what_moves_there() {
    let cluster =
        "resource \"aws_eks_cluster\" \"shop\" {\n  name    = \"shop\"\n  version = \"1.34\"\n}\n";
    let text = pool("v1beta1", HASTY, SPOT);
    assert_eq!(found("invalid-karpenter-resource", &[("pool.yaml", &text)]).len(), 1);
    let files = [("pool.yaml", &*text), ("main.tf", cluster)];
    assert!(found("invalid-karpenter-resource", &files).is_empty());
    let retired = found("retired-karpenter-api", &files);
    let said: Vec<_> = retired.iter().map(|it| (it.severity, it.help.as_deref())).collect();
    assert_eq!(said, [(Error, Some("Rewrite it for `karpenter.sh/v1`"))]);
}

#[test]
fn a_pool_of_another_environment_replaces_none() {
    let (old, new) = (pool("v1beta1", "", SPOT), pool("v1", "", SPOT));
    let beside = |name: &str| {
        help("retired-karpenter-api", &[("karpenter/nodepool-dev.yaml", &old), (name, &new)])
    };
    assert!(beside("karpenter/nodepool-prod.yaml").starts_with("Rewrite it for `karpenter.sh/v1`"));
    assert!(beside("karpenter/nodepool-dev-v1.yaml").starts_with("Delete it"));
}

#[test]
fn a_reserved_key_is_the_one_that_its_values_are_of() {
    for (values, wanted) in [
        ("[spot, on-demand]", "Use `karpenter.sh/capacity-type`: these are values of that key"),
        ("[arm64]", "Use `kubernetes.io/arch`: these are values of that key"),
        ("[m5.large]", "Use `node.kubernetes.io/instance-type`: these are values of that key"),
        ("[web]", "Use a domain of your own, not `karpenter.k8s.aws`"),
    ] {
        let key = format!("{{ key: karpenter.k8s.aws/lifecycle, operator: In, values: {values} }}");
        let text = pool("v1", "", &key);
        assert_eq!(help("invalid-karpenter-resource", &[("pool.yaml", &text)]), wanted, "{values}");
    }
}

#[test]
fn a_label_that_a_requirement_says_by_its_key_is_left_out() {
    let arm = "{ key: kubernetes.io/arch, operator: In, values: [arm64] }";
    let labelled = |requirement: &str| {
        let text = pool("v1", "", requirement)
            .replace("labels: {}", "labels: { karpenter.sh/arch: arm64 }");
        help("invalid-karpenter-resource", &[("pool.yaml", &text)])
    };
    assert_eq!(labelled(arm), "Leave it out: a requirement already says `kubernetes.io/arch`");
    assert_eq!(labelled(SPOT), "The key is `kubernetes.io/arch`");
}

#[test]
fn values_of_another_key_are_sent_there() {
    let text =
        pool("v1", "", "{ key: kubernetes.io/arch, operator: In, values: [spot, on-demand] }");
    let wanted = "Require them of `karpenter.sh/capacity-type`, which has such values";
    assert_eq!(help("unsatisfiable-nodepool", &[("pool.yaml", &text)]), wanted);
}

#[test]
fn what_the_successor_takes_is_sent_there() {
    let template = "apiVersion: karpenter.k8s.aws/v1alpha1\nkind: AWSNodeTemplate\nmetadata: { name: default }\nspec:\n  \
                    amiFamily: AL2023\n  subnetSelector: { team: shop }\n  securityGroupSelector: { team: shop }\n";
    let wanted =
        "Write an EC2NodeClass of `karpenter.k8s.aws/v1` in its place, which takes `AL2023`";
    assert_eq!(help("invalid-karpenter-resource", &[("class.yaml", template)]), wanted);
}

#[test]
fn what_is_inside_a_provisioner_goes_to_a_class() {
    let provisioner = |provider: &str| {
        let text = format!(
            "apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {{ name: default }}\nspec:\n  provider:\n    \
             {provider}\n    subnetSelector: {{ team: shop }}\n"
        );
        help("retired-karpenter-api", &[("pool.yaml", &text)])
    };
    let class = "Write a NodePool in its place; what is below `provider` goes to an EC2NodeClass, which it names as \
                 `nodeClassRef`";
    assert_eq!(provisioner("securityGroupSelector: { team: shop }"), class);
    let launch =
        "Write a NodePool in its place; what its launch template says goes to its own fields";
    assert_eq!(provisioner("launchTemplate: shop"), launch);
}
