//! The instance types of EC2, by the labels that Karpenter gives their nodes.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// What is known of the instance types.
#[derive(Debug, Default)]
pub struct InstanceTypes {
    /// The types.
    pub types: Vec<InstanceType>,
    /// Where they are written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// An instance type.
#[derive(Debug)]
pub struct InstanceType {
    /// `m5.large`.
    pub name: String,
    /// Its labels, without the domain: `cpu`. Those it lacks are not among them.
    labels: Vec<(&'static str, String)>,
}

/// What a node of a type has for a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelValue<'a> {
    /// This value.
    Is(&'a str),
    /// Nothing: it has no such label.
    Absent,
    /// Something that is not known here.
    Unknown,
}

/// What distinguishes the sizes of a family, in the order of the data.
const NUMBERS: &[&str] = &["cpu", "memory", "local-nvme", "gpu-count", "accelerator-count"];
/// The labels that are known, beside those.
const OTHERS: &[&str] = &[
    "category",
    "family",
    "generation",
    "size",
    "hypervisor",
    "cpu-manufacturer",
    "encryption-in-transit-supported",
    "capability-flex",
    "gpu-manufacturer",
    "gpu-name",
    "accelerator-manufacturer",
    "accelerator-name",
];

impl InstanceType {
    /// What its nodes have for a label of Karpenter: `cpu` of `karpenter.k8s.aws/instance-cpu`.
    #[must_use]
    pub fn label(&self, key: &str) -> LabelValue<'_> {
        match self.labels.iter().find(|(it, _)| *it == key) {
            Some((_, value)) => LabelValue::Is(value),
            None if NUMBERS.contains(&key) || OTHERS.contains(&key) => LabelValue::Absent,
            None => LabelValue::Unknown,
        }
    }

    /// Its architecture, as Kubernetes calls it.
    #[must_use]
    pub fn architecture(&self) -> &'static str {
        if self.label("cpu-manufacturer") == LabelValue::Is("aws") { "arm64" } else { "amd64" }
    }

    fn new(family: &str, about: &FamilyTraits, size: &str, numbers: &[f64]) -> Self {
        let own = |it: &str| Some(it.to_owned());
        let flag = |yes: bool| Some(yes.to_string());
        let pair = |it: &Option<String>| {
            let (maker, name) = it.as_ref()?.split_once(' ')?;
            Some((maker.to_owned(), name.to_owned()))
        };
        let (gpu_maker, gpu) = pair(&about.gpu).unzip();
        let (accelerator_maker, accelerator) = pair(&about.accelerator).unzip();
        let has = [gpu.is_some(), accelerator.is_some()];
        let metal = size.starts_with("metal");
        let named = [
            ("category", own(&about.category)),
            ("family", own(family)),
            ("generation", Some(about.generation.to_string())),
            ("size", own(size)),
            // A type without hypervisor has the label, with nothing in it.
            ("hypervisor", own(if metal { "" } else { &about.hypervisor })),
            ("cpu-manufacturer", own(&about.maker)),
            ("encryption-in-transit-supported", flag(about.encrypts)),
            ("capability-flex", flag(family.ends_with("-flex"))),
            ("gpu-manufacturer", gpu_maker),
            ("gpu-name", gpu),
            ("accelerator-manufacturer", accelerator_maker),
            ("accelerator-name", accelerator),
        ];
        let counted = NUMBERS.iter().enumerate().map(|(index, key)| {
            let written = numbers.get(index).map(ToString::to_string);
            // A part of a GPU counts as none, and is one all the same.
            let has = match *key {
                "gpu-count" => has[0],
                "accelerator-count" => has[1],
                _ => written.as_deref().is_some_and(|it| it != "0"),
            };
            (*key, has.then(|| written.unwrap_or_else(|| "0".to_owned())))
        });
        let labels = named.into_iter().chain(counted);
        Self {
            name: format!("{family}.{size}"),
            labels: labels.filter_map(|(key, value)| Some((key, value?))).collect(),
        }
    }
}

/// All instance types.
#[must_use]
pub fn instances() -> &'static InstanceTypes {
    &READ.data
}

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

static READ: LazyLock<Read<InstanceTypes>> = LazyLock::new(|| {
    document("instance-types.yaml", include_str!("instance-types.yaml"))
        .map(InstanceTypesFile::instances)
});

/// The file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct InstanceTypesFile {
    source: String,
    checked: String,
    families: BTreeMap<String, InstanceFamily>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InstanceFamily {
    about: FamilyTraits,
    /// The numbers of each size, in the order of [`NUMBERS`].
    sizes: BTreeMap<String, Vec<f64>>,
}

/// What all types of a family share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyTraits {
    category: String,
    generation: u32,
    maker: String,
    hypervisor: String,
    #[serde(default)]
    encrypts: bool,
    /// Who makes it and its name: `nvidia a10g`.
    gpu: Option<String>,
    accelerator: Option<String>,
}

impl InstanceTypesFile {
    fn instances(self) -> InstanceTypes {
        let sizes = |(name, family): (&String, &InstanceFamily)| -> Vec<InstanceType> {
            let new = |(size, numbers): (&String, &Vec<f64>)| {
                InstanceType::new(name, &family.about, size, numbers)
            };
            family.sizes.iter().map(new).collect()
        };
        let types = self.families.iter().flat_map(sizes).collect();
        InstanceTypes { types, source: self.source, checked: self.checked }
    }
}

#[cfg(test)]
mod tests {
    use super::{LabelValue, instances};

    #[test]
    fn types_are_recognized_by_their_labels() {
        let all = instances();
        assert_eq!(all.types.len(), 1336);
        assert!(!all.source.is_empty() && all.checked.starts_with("20"));
        let cases = [
            ("m5.large", "category", LabelValue::Is("m"), "amd64"),
            ("m5.large", "cpu", LabelValue::Is("2"), "amd64"),
            ("m5.large", "memory", LabelValue::Is("8192"), "amd64"),
            ("m5.large", "gpu-count", LabelValue::Absent, "amd64"),
            ("m5.large", "local-nvme", LabelValue::Absent, "amd64"),
            ("m5.large", "ebs-bandwidth", LabelValue::Unknown, "amd64"),
            ("m7g.large", "generation", LabelValue::Is("7"), "arm64"),
            ("m7i-flex.large", "capability-flex", LabelValue::Is("true"), "amd64"),
            ("c5d.metal", "hypervisor", LabelValue::Is(""), "amd64"),
            ("c5d.metal", "local-nvme", LabelValue::Is("3600"), "amd64"),
            ("g5.xlarge", "gpu-name", LabelValue::Is("a10g"), "amd64"),
            ("g5.12xlarge", "gpu-count", LabelValue::Is("4"), "amd64"),
            ("g6f.large", "gpu-count", LabelValue::Is("0"), "amd64"),
            ("inf2.xlarge", "accelerator-count", LabelValue::Is("1"), "amd64"),
            ("inf2.xlarge", "accelerator-name", LabelValue::Is("inferentia2"), "amd64"),
            ("inf2.xlarge", "gpu-count", LabelValue::Absent, "amd64"),
        ];
        for (name, key, wanted, architecture) in cases {
            let found = all.types.iter().find(|it| it.name == name);
            assert_eq!(found.map(|it| it.label(key)), Some(wanted), "{name} {key}");
            assert_eq!(found.map(super::InstanceType::architecture), Some(architecture), "{name}");
        }
        for it in &all.types {
            for key in ["category", "generation", "cpu", "memory", "cpu-manufacturer", "hypervisor"]
            {
                assert!(matches!(it.label(key), LabelValue::Is(_)), "{} {key}", it.name);
            }
        }
    }
}
