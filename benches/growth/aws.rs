//! Much of what is beside Karpenter in an account: node groups, Fargate profiles, roles, several releases.

use crate::generators::{
    Texts,
    karpenter::{KARPENTER, cluster},
    many, node_pool, one, workload,
};

fn with_release(more: &str) -> Texts {
    one("main.tf", format!("{KARPENTER}{more}"))
}

/// Karpenter under a name of its own.
fn release(it: usize) -> String {
    let own = KARPENTER.replacen("\"karpenter\" {", &format!("\"k{it}\" {{"), 1);
    own.replacen("name = \"karpenter\"", &format!("name = \"k{it}\""), 1)
}

pub(super) fn node_groups(count: usize) -> Texts {
    let group = |it| {
        format!(
            "resource \"aws_eks_node_group\" \"g{it}\" {{\n  cluster_name = \"c\"\n  node_group_name = \"g{it}\"\n  labels = {{ team = \"t{it}\" }}\n  scaling_config {{\n    max_size = 3\n  }}\n}}\n"
        )
    };
    let module = |it| format!("module \"m{it}\" {{\n  source = \"./m\"\n}}\n");
    let inner = ("m/main.tf".to_owned(), "variable \"n\" { default = 1 }\n".to_owned());
    let own = with_release(&(many(count, group) + &many(count, module)));
    own.into_iter().chain([inner]).collect()
}

pub(super) fn fargate(count: usize) -> Texts {
    let profile = |it| {
        format!(
            "resource \"aws_eks_fargate_profile\" \"f{it}\" {{\n  cluster_name = \"c\"\n  fargate_profile_name = \"f{it}\"\n  selector {{\n    namespace = \"n{it}\"\n  }}\n}}\n"
        )
    };
    let pods = |it: usize| {
        workload(it).replacen("metadata:\n", &format!("metadata:\n  namespace: n{it}\n"), 1)
    };
    let objects = node_pool(0, "team", "a") + &many(count, pods);
    let own = with_release(&many(count, profile));
    own.into_iter().chain([("a.yaml".to_owned(), objects)]).collect()
}

pub(super) fn roles(count: usize) -> Texts {
    with_release(&many(count, |it| {
        format!(
            "resource \"aws_iam_role\" \"r{it}\" {{\n  name = \"r{it}\"\n  assume_role_policy = \"{{}}\"\n}}\nresource \"aws_iam_policy\" \"p{it}\" {{\n  name = \"p{it}\"\n  policy = jsonencode({{ Statement = [{{ Effect = \"Allow\", Action = [\"ec2:RunInstances\"], Resource = \"*\" }}] }})\n}}\nresource \"aws_iam_role_policy_attachment\" \"a{it}\" {{\n  role = aws_iam_role.r{it}.name\n  policy_arn = aws_iam_policy.p{it}.arn\n}}\n"
        )
    }))
}

pub(super) fn releases(count: usize) -> Texts {
    one("main.tf", many(count, release))
}

pub(super) fn variables(count: usize) -> Texts {
    let variable = |it| format!("variable \"v{it}\" {{\n  default = \"1.2.0\"\n}}\n");
    let own = |it| release(it).replacen("\"1.2.0\"", &format!("var.v{it}"), 1);
    one("main.tf", many(count, variable) + &many(count, own))
}

pub(super) fn roots_and_pools(count: usize) -> Texts {
    let class = "---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata:\n  name: d\nspec:\n  role: r\n  amiSelectorTerms: [{alias: al2023@v1}]\n";
    let root = |it| {
        let pools = node_pool(it, "team", "a") + class;
        [(format!("r{it}/main.tf"), cluster(it) + KARPENTER), (format!("pools/p{it}.yaml"), pools)]
    };
    (0..count).flat_map(root).collect()
}

/// Clusters in roots of their own, of which one has Karpenter, and the pods of any of them beside.
pub(super) fn clusters_and_pods(count: usize) -> Texts {
    let karpenter = |it| if it == 0 { KARPENTER } else { "" };
    let of_root = |it| (format!("r{it}/main.tf"), cluster(it) + karpenter(it));
    let of_folder = |it| (format!("apps/a{it}/set.yaml"), many(20, |at| workload(it * 20 + at)));
    (0..count).flat_map(|it| [of_root(it), of_folder(it)]).collect()
}
