//! What is made in AWS for Karpenter: it shows that Karpenter is meant, not that it is installed.

use std::collections::BTreeSet;

use crate::model::Model;

/// Types of resources, and what they are called.
const PARTS: &[(&str, &str)] = &[
    ("aws_cloudwatch_event_rule", "event rules"),
    ("aws_eks_pod_identity_association", "pod identity associations"),
    ("aws_iam_instance_profile", "instance profiles"),
    ("aws_iam_policy", "policies"),
    ("aws_iam_role", "roles"),
    ("aws_iam_role_policy", "policies"),
    ("aws_sqs_queue", "queues"),
];

impl Model {
    /// The kinds of what Terraform makes for Karpenter by its address, in the plural.
    #[must_use]
    pub fn made_for_karpenter(&self) -> BTreeSet<&'static str> {
        let objects = self.terraform.roots.iter().flat_map(|it| &it.objects);
        let for_karpenter = objects.filter(|it| it.address.contains("karpenter"));
        let called = |kind: &str| PARTS.iter().find(|it| it.0 == kind).map(|it| it.1);
        for_karpenter.filter_map(|it| called(&it.kind)).collect()
    }
}
