//! Instance types, by some that are well known.

use crate::knowledge::instances::{InstanceType, LabelValue, instances};

fn of_name(name: &str) -> &'static InstanceType {
    let found = instances().types.iter().find(|it| it.name == name);
    found.unwrap_or_else(|| unreachable!("{name}"))
}

#[test]
fn types_are_recognized_by_their_labels() {
    let all = instances();
    assert_eq!(all.types.len(), 1363);
    assert!(!all.source.is_empty() && all.checked.starts_with("20"));
    let cases = [
        ("m5.large", "category", LabelValue::Is("m"), "amd64"),
        ("m5.large", "cpu", LabelValue::Is("2"), "amd64"),
        ("m5.large", "memory", LabelValue::Is("8192"), "amd64"),
        ("m5.large", "gpu-count", LabelValue::Absent, "amd64"),
        ("m5.large", "local-nvme", LabelValue::Absent, "amd64"),
        ("m5.large", "ebs-bandwidth", LabelValue::Is("4750"), "amd64"),
        ("m5.large", "network-bandwidth", LabelValue::Is("750"), "amd64"),
        ("m5.large", "cpu-sustained-clock-speed-mhz", LabelValue::Is("3100"), "amd64"),
        ("m5.large", "pods", LabelValue::Unknown, "amd64"),
        ("c1.medium", "ebs-bandwidth", LabelValue::Absent, "amd64"),
        ("m7g.large", "generation", LabelValue::Is("7"), "arm64"),
        ("m7i-flex.large", "capability-flex", LabelValue::Is("true"), "amd64"),
        ("c5d.metal", "hypervisor", LabelValue::Is(""), "amd64"),
        ("c5d.metal", "local-nvme", LabelValue::Is("3600"), "amd64"),
        ("g5.xlarge", "gpu-name", LabelValue::Is("a10g"), "amd64"),
        ("g5.12xlarge", "gpu-count", LabelValue::Is("4"), "amd64"),
        ("g6f.large", "gpu-count", LabelValue::Is("0"), "amd64"),
        ("g6f.large", "gpu-memory", LabelValue::Is("2861"), "amd64"),
        ("inf2.xlarge", "accelerator-count", LabelValue::Is("1"), "amd64"),
        ("inf2.xlarge", "accelerator-name", LabelValue::Is("inferentia2"), "amd64"),
        ("inf2.xlarge", "gpu-count", LabelValue::Absent, "amd64"),
    ];
    for (name, key, wanted, architecture) in cases {
        let found = of_name(name);
        assert_eq!(found.label(key), wanted, "{name} {key}");
        assert_eq!(found.architecture(), architecture, "{name}");
    }
    for it in &all.types {
        for key in ["category", "generation", "cpu", "memory", "cpu-manufacturer", "hypervisor"] {
            assert!(matches!(it.label(key), LabelValue::Is(_)), "{} {key}", it.name);
        }
        assert!(it.numbers.split(' ').all(|it| it.parse::<u64>().is_ok()), "{}", it.name);
    }
}

#[test]
fn types_have_room_for_pods() {
    for (name, cpus, memory, pods) in [
        ("m5.large", 2, 8192, 29),
        ("c5d.metal", 96, 196_608, 737),
        ("hpc6id.32xlarge", 64, 1_048_576, 51),
    ] {
        let it = of_name(name);
        assert_eq!((it.cpus(), it.memory(), it.pods()), (cpus, memory, pods), "{name}");
    }
    for (name, resource, wanted) in [
        ("g5.12xlarge", "nvidia.com/gpu", Some(4)),
        ("m5.large", "nvidia.com/gpu", Some(0)),
        ("inf1.6xlarge", "aws.amazon.com/neuroncore", Some(16)),
        ("trn2.48xlarge", "aws.amazon.com/neuron", Some(16)),
        ("p5.48xlarge", "vpc.amazonaws.com/efa", Some(32)),
        ("m5.large", "vpc.amazonaws.com/pod-eni", Some(9)),
        ("m5.large", "example.com/fpga", None),
    ] {
        assert_eq!(of_name(name).extended(resource), wanted, "{name} {resource}");
    }
}
