//! What a reference to one output of a well-known Terraform module waits for.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Outputs {
    modules: Vec<ModuleOutputs>,
}

/// The outputs of a module, by what they are computed from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleOutputs {
    /// The module of `terraform-aws-modules/eks`: itself, or its submodule; `irsa` for the roles for service
    /// accounts of `terraform-aws-modules/iam`.
    pub module: String,
    /// Those computed from the interruption queue.
    #[serde(default)]
    queue: Vec<String>,
    /// Those computed from node groups or Fargate profiles.
    #[serde(default)]
    nodes: Vec<String>,
    /// All others.
    neither: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A part of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModulePart {
    /// Policies of the controller's role.
    Policy,
    /// The pod identity association of the controller.
    Association,
    /// The interruption queue.
    Queue,
    /// Node groups and Fargate profiles.
    Nodes,
}

static READ: LazyLock<Read<Outputs>> =
    LazyLock::new(|| document("module-outputs.yaml", include_str!("module-outputs.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// The modules whose outputs are known.
#[must_use]
pub fn modules() -> &'static [ModuleOutputs] {
    &READ.data.modules
}

impl ModulePart {
    /// Whether who refers to an output of a module may wait for this part. Nothing is known of other outputs.
    #[must_use]
    pub fn may_be_behind(self, module: &str, output: &str) -> bool {
        let Some(known) = modules().iter().find(|it| it.module == module) else { return true };
        let lists = |list: &[String]| list.iter().any(|it| it == output);
        let leads = match self {
            Self::Policy | Self::Association => false,
            Self::Queue => lists(&known.queue),
            Self::Nodes => lists(&known.nodes),
        };
        leads || !(lists(&known.queue) || lists(&known.nodes) || lists(&known.neither))
    }
}

#[cfg(test)]
mod tests {
    use super::ModulePart;

    #[test]
    fn an_output_leads_to_what_it_is_computed_from() {
        for (part, module, output, wanted) in [
            (ModulePart::Queue, "karpenter", "queue_name", true),
            (ModulePart::Policy, "karpenter", "queue_name", false),
            (ModulePart::Policy, "karpenter", "iam_role_arn", false),
            (ModulePart::Association, "karpenter", "service_account", false),
            (ModulePart::Association, "karpenter", "of_another_version", true),
            (ModulePart::Policy, "irsa", "iam_role_arn", false),
            (ModulePart::Nodes, "eks", "cluster_endpoint", false),
            (ModulePart::Nodes, "eks", "eks_managed_node_groups", true),
        ] {
            assert_eq!(part.may_be_behind(module, output), wanted, "{module}.{output}");
        }
    }
}
