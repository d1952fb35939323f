//! The instance types of EC2, by the labels that Karpenter gives their nodes and by what they have for pods.

use std::sync::{Arc, LazyLock};

use crate::knowledge::read::Read;

/// What is known of the instance types.
#[derive(Debug, Default)]
pub struct InstanceTypes {
    /// The types.
    pub types: Vec<InstanceType>,
    /// Where they are written.
    pub source: &'static str,
    /// The day it was checked.
    pub checked: &'static str,
}

/// An instance type.
#[derive(Debug)]
pub struct InstanceType {
    /// `m5.large`.
    pub name: &'static str,
    about: Arc<FamilyTraits>,
    cpus: u64,
    memory: u64,
    /// Its numbers in the order of [`NUMBERS`], with blanks between them.
    numbers: &'static str,
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

/// What distinguishes the sizes of a family, in the order of the data: labels, and numbers that are none.
const NUMBERS: &[&str] = &[
    "cpu",
    "memory",
    "local-nvme",
    "gpu-count",
    "accelerator-count",
    INTERFACES,
    ADDRESSES,
    BRANCHES,
    "ebs-bandwidth",
    "network-bandwidth",
    "cpu-sustained-clock-speed-mhz",
    EFA,
    "gpu-memory",
];
const INTERFACES: &str = "#interfaces";
const ADDRESSES: &str = "#addresses";
const BRANCHES: &str = "#branches";
const EFA: &str = "#efa";

impl InstanceType {
    /// What its nodes have for a label of Karpenter: `cpu` of `karpenter.k8s.aws/instance-cpu`.
    #[must_use]
    pub fn label(&self, key: &str) -> LabelValue<'_> {
        let is = |it: &'static str| LabelValue::Is(it);
        let about = &*self.about;
        match key {
            "category" => LabelValue::Is(about.category),
            "family" => LabelValue::Is(self.family()),
            "generation" => LabelValue::Is(about.generation),
            "size" => LabelValue::Is(self.size()),
            // A type without hypervisor has the label, with nothing in it.
            "hypervisor" if self.size().starts_with("metal") => is(""),
            "hypervisor" => LabelValue::Is(about.hypervisor),
            "cpu-manufacturer" => LabelValue::Is(about.maker),
            "encryption-in-transit-supported" => is(word(about.encrypts)),
            "capability-flex" => is(word(self.family().ends_with("-flex"))),
            "gpu-manufacturer" => of_device(about.gpu.as_ref().map(|it| it.maker)),
            "gpu-name" => of_device(about.gpu.as_ref().map(|it| it.name)),
            "accelerator-manufacturer" => of_device(about.accelerator.as_ref().map(|it| it.maker)),
            "accelerator-name" => of_device(about.accelerator.as_ref().map(|it| it.name)),
            _ => self.number_label(key),
        }
    }

    fn number_label(&self, key: &str) -> LabelValue<'_> {
        let Some(at) = NUMBERS.iter().position(|it| *it == key) else { return LabelValue::Unknown };
        let written = word_at(self.numbers, at).unwrap_or("0");
        // A part of a GPU counts as none, and is one all the same.
        let has = match key {
            "gpu-count" | "gpu-memory" => self.about.gpu.is_some(),
            "accelerator-count" => self.about.accelerator.is_some(),
            "cpu-sustained-clock-speed-mhz" => true,
            _ => written != "0",
        };
        if has { LabelValue::Is(written) } else { LabelValue::Absent }
    }

    /// Its family: `m5`.
    #[must_use]
    pub fn family(&self) -> &'static str {
        cut(self.name, b'.').map_or(self.name, |it| it.0)
    }

    /// Its size: `large`.
    #[must_use]
    pub fn size(&self) -> &'static str {
        cut(self.name, b'.').map_or("", |it| it.1)
    }

    /// Its architecture, as Kubernetes calls it.
    #[must_use]
    pub fn architecture(&self) -> &'static str {
        if self.about.maker == "aws" { "arm64" } else { "amd64" }
    }

    /// How many virtual CPUs it has.
    #[must_use]
    pub fn cpus(&self) -> u64 {
        self.cpus
    }

    /// Its memory in MiB.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// How many pods get an address of their own on it: one of each interface is the node's, and two pods use
    /// the network of the node.
    #[must_use]
    pub fn pods(&self) -> u64 {
        let (interfaces, addresses) = self.interfaces();
        interfaces * addresses.saturating_sub(1) + 2
    }

    /// How many interfaces it has, and how many addresses each.
    #[must_use]
    pub fn interfaces(&self) -> (u64, u64) {
        (self.number(INTERFACES), self.number(ADDRESSES))
    }

    /// How much it has of an extended resource; `None` where that is not known: a plugin decides.
    #[must_use]
    pub fn extended(&self, resource: &str) -> Option<u64> {
        let gpus = |maker: &str| {
            let own = self.about.gpu.as_ref().is_some_and(|it| it.maker == maker);
            if own { self.number("gpu-count") } else { 0 }
        };
        let cores = self.about.cores.unwrap_or_default();
        let devices = || if cores > 0 { self.number("accelerator-count") } else { 0 };
        Some(match resource {
            "nvidia.com/gpu" => gpus("nvidia"),
            "amd.com/gpu" => gpus("amd"),
            "aws.amazon.com/neuron" => devices(),
            "aws.amazon.com/neuroncore" => devices() * cores,
            "vpc.amazonaws.com/pod-eni" => self.number(BRANCHES),
            "vpc.amazonaws.com/efa" => self.number(EFA),
            _ => return None,
        })
    }

    fn number(&self, key: &str) -> u64 {
        let at = NUMBERS.iter().position(|it| *it == key);
        at.and_then(|at| word_at(self.numbers, at)).and_then(whole).unwrap_or_default()
    }
}

fn word(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

fn of_device(text: Option<&str>) -> LabelValue<'_> {
    text.map_or(LabelValue::Absent, LabelValue::Is)
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

static READ: LazyLock<Read<InstanceTypes>> =
    LazyLock::new(|| read(include_str!("instance-types.txt")));

/// The lines of the data: a family with what its types share, then its types. There are many, and most runs ask
/// about few: each is cut in two, and its numbers are left as they are written.
fn read(text: &'static str) -> Read<InstanceTypes> {
    let mut read = Read::<InstanceTypes>::default();
    let mut about = Arc::default();
    let ends = memchr::memchr_iter(b'\n', text.as_bytes());
    let lines = ends.scan(0, |start, end| text.get(std::mem::replace(start, end + 1)..end));
    for (at, line) in lines.enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let understood = match cut(line, b' ').map(|(name, rest)| (name.strip_suffix(':'), rest)) {
            Some((Some("source"), source)) => {
                read.data.source = source;
                true
            }
            Some((Some("checked"), day)) => {
                read.data.checked = day;
                true
            }
            Some((Some(_), traits)) => {
                FamilyTraits::read(traits).map(|it| about = Arc::new(it)).is_some()
            }
            _ => InstanceType::read(line, &about).map(|it| read.data.types.push(it)).is_some(),
        };
        if !understood {
            read.problems.push(format!("instance-types.txt:{}:1: {line}", at + 1));
        }
    }
    read
}

/// What is before and behind the first such byte.
fn cut(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(byte, text.as_bytes())?;
    text.get(..at).zip(text.get(at + 1..))
}

/// The word at a place in a line of words.
fn word_at(line: &str, at: usize) -> Option<&str> {
    let rest = (0..at).try_fold(line, |rest, _| cut(rest, b' ').map(|it| it.1))?;
    Some(cut(rest, b' ').map_or(rest, |it| it.0))
}

/// A number without a sign.
fn whole(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

impl InstanceType {
    fn read(line: &'static str, about: &Arc<FamilyTraits>) -> Option<Self> {
        let (name, numbers) = cut(line, b' ')?;
        let (cpus, rest) = cut(numbers, b' ')?;
        let memory = cut(rest, b' ').map_or(rest, |it| it.0);
        let (cpus, memory) = (whole(cpus)?, whole(memory)?);
        Some(Self { name, about: Arc::clone(about), cpus, memory, numbers })
    }
}

/// What all types of a family share.
#[derive(Debug, Default)]
struct FamilyTraits {
    category: &'static str,
    generation: &'static str,
    maker: &'static str,
    hypervisor: &'static str,
    encrypts: bool,
    gpu: Option<Device>,
    accelerator: Option<Device>,
    /// How many Neuron cores an accelerator has.
    cores: Option<u64>,
}

#[derive(Debug)]
struct Device {
    maker: &'static str,
    name: &'static str,
}

impl FamilyTraits {
    fn read(text: &'static str) -> Option<Self> {
        let mut read = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (one, others) = cut(rest, b',').unwrap_or((rest, ""));
            let (key, value) = cut(one, b' ').unwrap_or((one, ""));
            rest = others.trim_ascii_start();
            match key {
                "category" => read.category = value,
                "generation" => read.generation = value,
                "maker" => read.maker = value,
                "hypervisor" => read.hypervisor = value,
                "encrypts" => read.encrypts = value == "true",
                "gpu" => read.gpu = Some(Device::read(value)?),
                "accelerator" => read.accelerator = Some(Device::read(value)?),
                "cores" => read.cores = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        let all = [read.category, read.generation, read.maker, read.hypervisor];
        all.iter().all(|it| !it.is_empty()).then_some(read)
    }
}

impl Device {
    /// Who makes it and its name: `nvidia a10g`.
    fn read(text: &'static str) -> Option<Self> {
        let (maker, name) = cut(text, b' ')?;
        Some(Self { maker, name })
    }
}

#[cfg(test)]
mod tests;
