//! Operators: what turns custom resources into pods, and where those set what.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Operators {
    operators: Vec<Operator>,
}

/// Whether an operator creates PDBs for the pods of its custom resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorPdb {
    /// It does, unless configured otherwise.
    Created,
    /// It never does.
    None,
    /// It does in some configurations, or what installs it does.
    Depends,
}

/// Where a custom resource sets the scheduling of its pods.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheduling {
    /// Their tolerations.
    pub tolerations: String,
    /// Their node selector, if the resource has one.
    pub node_selector: Option<String>,
    /// What holds their `nodeAffinity`.
    pub affinity: String,
    /// What changes their template in any other way.
    pub overriding: Option<String>,
}

/// An operator: its custom resources become pods.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// Its name in messages.
    pub name: String,
    /// The API group of its resources.
    pub group: String,
    /// Their kinds.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Whether the operator creates a PDB for their pods.
    pub pdb: OperatorPdb,
    /// Where a resource takes annotations for its pods; `[]` after a name means each item of a list.
    #[serde(default)]
    pub pod_annotations: Vec<String>,
    /// Where the number of pods is written.
    pub replicas: Option<String>,
    /// Where a resource asks for claims; its pods keep no data without it. `None` where they always do.
    pub claims: Option<String>,
    /// What a resource sets to have no PDB: `spec.enablePDB: false`.
    pub without_pdb: Option<String>,
    /// How many pods its PDB keeps, where that does not depend on their number.
    pub min_available: Option<u32>,
    /// The label of its pods whose value is the resource's name, or the resource's own label of that key.
    pub cluster_label: Option<String>,
    /// Other labels of its pods; `{cluster}` is the value of that one.
    #[serde(default)]
    pub pod_labels: BTreeMap<String, String>,
    /// Where a resource has the labels of its pods itself.
    pub template_labels: Option<String>,
    /// Where a resource sets the scheduling of its pods, if that is known.
    pub scheduling: Option<Scheduling>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

static READ: LazyLock<Read<Operators>> =
    LazyLock::new(|| document("operators.yaml", include_str!("operators.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Every operator.
#[must_use]
pub fn operators() -> &'static [Operator] {
    &READ.data.operators
}

/// The operator that turns resources of that kind into pods.
#[must_use]
pub fn of(api_version: &str, kind: &str) -> Option<&'static Operator> {
    let (group, _version) = api_version.rsplit_once('/')?;
    operators().iter().find(|it| it.group == group && it.kinds.iter().any(|it| it == kind))
}
