//! The instance types of EC2, by the labels that Karpenter gives their nodes.

use std::sync::OnceLock;

use crate::{
    source::{FileId, Span},
    syntax::yaml,
    value::{Text, Value},
};

/// What is known of the instance types.
#[derive(Debug, Default)]
pub struct Instances {
    /// The types.
    pub types: Vec<InstanceType>,
    /// Where they are written.
    pub source: String,
    /// The day somebody looked.
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
pub enum Label<'a> {
    /// This value.
    Is(&'a str),
    /// Nothing: it has no such label.
    Absent,
    /// Something that is not known here.
    Unknown,
}

/// What the sizes of a family are told by, in the order of the data.
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
    pub fn label(&self, key: &str) -> Label<'_> {
        match self.labels.iter().find(|(it, _)| *it == key) {
            Some((_, value)) => Label::Is(value),
            None if NUMBERS.contains(&key) || OTHERS.contains(&key) => Label::Absent,
            None => Label::Unknown,
        }
    }

    /// Its architecture, as Kubernetes calls it.
    #[must_use]
    pub fn architecture(&self) -> &'static str {
        if self.label("cpu-manufacturer") == Label::Is("aws") { "arm64" } else { "amd64" }
    }

    fn read(family: &str, about: &Value, size: &str, numbers: &Value) -> Self {
        let text = |key: &str| about.get(key).present().and_then(Value::as_str);
        let number = |it: &Value| it.as_number().map(|it| it.to_string());
        let flag = |yes: bool| Some(yes.to_string());
        let own = |it: Option<&str>| it.map(str::to_owned);
        let pair = |key: &str| text(key).and_then(|it| it.split_once(' '));
        let (gpu, accelerator) = (pair("gpu"), pair("accelerator"));
        let metal = size.starts_with("metal");
        let named = [
            ("category", own(text("category"))),
            ("family", own(Some(family))),
            ("generation", about.get("generation").present().and_then(number)),
            ("size", own(Some(size))),
            // A type without hypervisor has the label, with nothing in it.
            ("hypervisor", own(if metal { Some("") } else { text("hypervisor") })),
            ("cpu-manufacturer", own(text("maker"))),
            ("encryption-in-transit-supported", flag(!about.get("encrypts").is_missing())),
            ("capability-flex", flag(family.ends_with("-flex"))),
            ("gpu-manufacturer", own(gpu.map(|it| it.0))),
            ("gpu-name", own(gpu.map(|it| it.1))),
            ("accelerator-manufacturer", own(accelerator.map(|it| it.0))),
            ("accelerator-name", own(accelerator.map(|it| it.1))),
        ];
        let counted = NUMBERS.iter().enumerate().map(|(index, key)| {
            let written = numbers.items().get(index).and_then(number);
            // A part of a GPU counts as none, and is one all the same.
            let has = match *key {
                "gpu-count" => gpu.is_some(),
                "accelerator-count" => accelerator.is_some(),
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
pub fn instances() -> &'static Instances {
    static INSTANCES: OnceLock<Instances> = OnceLock::new();
    INSTANCES.get_or_init(|| {
        let text = include_str!("instance-types.yaml");
        let whole = Span::new(FileId(u32::MAX), 0, text.len());
        let documents = yaml::parse(&Text::verbatim(text, whole), whole);
        documents.values.first().map(read).unwrap_or_default()
    })
}

fn read(document: &Value) -> Instances {
    let text = |key: &str| document.get(key).present().and_then(Value::as_str).unwrap_or_default();
    let entries = |value: &'_ Value, key: &str| {
        value.get(key).present().map(|it| it.entries().to_vec()).unwrap_or_default()
    };
    let mut types = Vec::new();
    for family in entries(document, "families") {
        let Some(about) = family.value.get("about").present() else { continue };
        for size in entries(&family.value, "sizes") {
            types.push(InstanceType::read(&family.key, about, &size.key, &size.value));
        }
    }
    Instances { types, source: text("source").to_owned(), checked: text("checked").to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Label, instances};

    #[test]
    fn types_are_told_by_their_labels() {
        let all = instances();
        assert_eq!(all.types.len(), 1336);
        assert!(!all.source.is_empty() && all.checked.starts_with("20"));
        let cases = [
            ("m5.large", "category", Label::Is("m"), "amd64"),
            ("m5.large", "cpu", Label::Is("2"), "amd64"),
            ("m5.large", "memory", Label::Is("8192"), "amd64"),
            ("m5.large", "gpu-count", Label::Absent, "amd64"),
            ("m5.large", "local-nvme", Label::Absent, "amd64"),
            ("m5.large", "ebs-bandwidth", Label::Unknown, "amd64"),
            ("m7g.large", "generation", Label::Is("7"), "arm64"),
            ("m7i-flex.large", "capability-flex", Label::Is("true"), "amd64"),
            ("c5d.metal", "hypervisor", Label::Is(""), "amd64"),
            ("c5d.metal", "local-nvme", Label::Is("3600"), "amd64"),
            ("g5.xlarge", "gpu-name", Label::Is("a10g"), "amd64"),
            ("g5.12xlarge", "gpu-count", Label::Is("4"), "amd64"),
            ("g6f.large", "gpu-count", Label::Is("0"), "amd64"),
            ("inf2.xlarge", "accelerator-count", Label::Is("1"), "amd64"),
            ("inf2.xlarge", "accelerator-name", Label::Is("inferentia2"), "amd64"),
            ("inf2.xlarge", "gpu-count", Label::Absent, "amd64"),
        ];
        for (name, key, wanted, architecture) in cases {
            let found = all.types.iter().find(|it| it.name == name);
            assert_eq!(found.map(|it| it.label(key)), Some(wanted), "{name} {key}");
            assert_eq!(found.map(super::InstanceType::architecture), Some(architecture), "{name}");
        }
        for it in &all.types {
            for key in ["category", "generation", "cpu", "memory", "cpu-manufacturer", "hypervisor"]
            {
                assert!(matches!(it.label(key), Label::Is(_)), "{} {key}", it.name);
            }
        }
    }
}
