//! Which instance types meet requirements.

use crate::{
    knowledge::instances::{InstanceType, LabelValue},
    model::requirement::{Requirements, value_set::ValueSet},
};

/// What a label about the instance begins with: Karpenter's own, and those of EKS Auto Mode.
const OF_INSTANCES: &[&str] = &["karpenter.k8s.aws/instance-", "eks.amazonaws.com/instance-"];

/// The labels about the instance that every node has, whoever makes it.
pub const OF_ALL_NODES: [&str; 2] = ["node.kubernetes.io/instance-type", "kubernetes.io/arch"];

/// Whether the instance type decides about a label.
#[must_use]
pub fn is_of_type(key: &str) -> bool {
    OF_ALL_NODES.contains(&key) || OF_INSTANCES.iter().any(|it| key.starts_with(it))
}

/// What nodes of a type have for a label; `None` where the type does not decide about it.
#[must_use]
pub fn value_of<'t>(key: &str, instance: &'t InstanceType) -> Option<LabelValue<'t>> {
    Some(match key {
        "node.kubernetes.io/instance-type" => LabelValue::Is(instance.name),
        "kubernetes.io/arch" => LabelValue::Is(instance.architecture()),
        _ => instance.label(OF_INSTANCES.iter().find_map(|it| key.strip_prefix(it))?),
    })
}

/// Whether nodes of a type meet what is required of one label.
#[must_use]
pub fn meets(set: &ValueSet, value: LabelValue<'_>) -> Option<bool> {
    match value {
        LabelValue::Is(value) => set.admits(value),
        LabelValue::Absent => Some(set.is_met_by_absence()),
        LabelValue::Unknown => None,
    }
}

/// What is required of the labels that the instance type decides about.
pub struct TypeDemands<'r> {
    sets: Vec<(&'r str, &'r ValueSet)>,
    is_open: bool,
}

impl TypeDemands<'_> {
    /// Whether nothing is required of them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty() && !self.is_open
    }

    /// Whether nodes of a type meet all of it.
    #[must_use]
    pub fn take(&self, instance: &InstanceType) -> Option<bool> {
        let mut sure = !self.is_open;
        for (key, set) in &self.sets {
            match value_of(key, instance).map(|it| meets(set, it)) {
                Some(Some(false)) => return Some(false),
                Some(None) => sure = false,
                Some(Some(true)) | None => {}
            }
        }
        sure.then_some(true)
    }
}

impl Requirements {
    /// What is required of the labels that the instance type decides about, to be asked about many types.
    #[must_use]
    pub fn of_types(&self) -> TypeDemands<'_> {
        let sets = self.iter().filter(|(key, _)| is_of_type(key)).collect();
        TypeDemands { sets, is_open: self.is_open() }
    }

    /// The same of those that nodes have whoever makes them.
    #[must_use]
    pub fn of_labelled_types(&self) -> TypeDemands<'_> {
        let sets = self.iter().filter(|(key, _)| OF_ALL_NODES.contains(key)).collect();
        TypeDemands { sets, is_open: self.is_open() }
    }
}
