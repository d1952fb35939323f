//! Pods that only try something out: a shell that waits or writes the time, in an image of nothing but a system.

use crate::{
    model::workload::Workload,
    value::{Field, Value},
};

/// Images that hold no program of one's own.
const SYSTEMS: &[&str] = &[
    "al2023",
    "alpine",
    "amazonlinux",
    "busybox",
    "centos",
    "debian",
    "fedora",
    "rockylinux",
    "ubi-minimal",
    "ubuntu",
];
/// What their shell does all day.
const PASTIMES: &[&str] = &["sleep", "tail -f /dev/null", "$(date", "`date"];

/// Whether a workload is for trying something out.
pub(super) fn is_trial(workload: &Workload) -> bool {
    let containers = workload.pod_spec.as_ref().map(|it| it.get("containers"));
    let containers = containers.and_then(Field::present).map_or(&[][..], Value::items);
    !containers.is_empty() && containers.iter().all(|it| is_system(it) && waits(it))
}

fn is_system(container: &Value) -> bool {
    let image = container.get("image").present().and_then(Value::as_str).unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or(image);
    let name = name.split(['@', ':']).next().unwrap_or(name);
    SYSTEMS.contains(&name)
}

/// Whether that is all that a container runs.
fn waits(container: &Value) -> bool {
    let words = |key: &str| {
        let list = container.get(key).present().map_or(&[][..], Value::items);
        list.iter().filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let run = [words("command"), words("args")].concat().join(" ");
    PASTIMES.iter().any(|it| run.contains(it)) && !run.contains("exec ")
}
