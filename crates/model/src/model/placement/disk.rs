//! What the nodes of a pool have for the files of pods: ephemeral storage.

use crate::{
    knowledge::{
        block_device::ImageFamily,
        instances::{InstanceType, LabelValue},
    },
    model::{
        node_pool::class::NodeClass,
        placement::{kubelet::MIB, quantity::amount, range::Range},
    },
    value::{Field, Value},
};

/// A GB in bytes.
const GB: f64 = 1e9;
/// The volume that Karpenter gives a node for pods where a class says nothing, but for Windows.
/// <https://github.com/aws/karpenter-provider-aws/blob/v1.14.1/pkg/providers/amifamily/resolver.go>
const DEFAULT: f64 = 20.0 * 1024.0 * MIB;
/// That of Windows.
const WINDOWS: f64 = 50.0 * 1024.0 * MIB;

/// What the nodes of a class have for the files of pods.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disk {
    volume: Range,
    /// Whether the disks of the instance take the place of the volume.
    on_instance: Option<bool>,
}

impl Disk {
    /// Of nodes that nothing is known of.
    pub(super) fn unknown() -> Self {
        Self { volume: Range::unknown(), on_instance: None }
    }

    /// Of a class's nodes, if it is clear which class it is.
    pub(super) fn of_class(class: Option<&NodeClass>) -> Self {
        let Some(class) = class.filter(|it| !it.is_in_doubt) else { return Self::unknown() };
        let on_instance = match class.object.at("spec.instanceStorePolicy") {
            Field::Missing => Some(false),
            Field::Present(policy) => policy.as_str().map(|it| it == "RAID0"),
            Field::Unknown => None,
        };
        let default = match class.image_family() {
            Some(_) => Range::exactly(DEFAULT),
            None => Range { least: DEFAULT, most: WINDOWS },
        };
        let volume = match class.object.at("spec.blockDeviceMappings") {
            Field::Missing => default,
            Field::Present(list) => mapped(list, class.image_family(), default),
            Field::Unknown => Range::unknown(),
        };
        Self { volume, on_instance }
    }

    /// On nodes of a type.
    pub(super) fn on(&self, instance: &InstanceType) -> Range {
        let LabelValue::Is(size) = instance.label("local-nvme") else { return self.volume };
        let disks =
            size.parse::<f64>().map_or_else(|_| Range::unknown(), |it| Range::exactly(it * GB));
        match self.on_instance {
            Some(true) => disks,
            Some(false) => self.volume,
            None => disks.or(self.volume),
        }
    }
}

/// The volume of pods among those of a list.
fn mapped(list: &Value, family: Option<&ImageFamily>, default: Range) -> Range {
    let Some(mappings) = list.as_list().filter(|it| it.rest.is_none()) else {
        return Range::unknown();
    };
    let size = |it: &Value| match it.get("ebs").get("volumeSize") {
        Field::Missing => default,
        Field::Present(size) => amount(size).map_or_else(Range::unknown, Range::exactly),
        Field::Unknown => Range::unknown(),
    };
    let is_root =
        |it: &&Value| it.get("rootVolume").present().is_some_and(|it| it.as_bool() == Some(true));
    if let Some(root) = mappings.items.iter().find(is_root) {
        return size(root);
    }
    let Some(of_pods) = family.and_then(volume_of_pods) else {
        return mappings.items.iter().map(size).fold(default, Range::or);
    };
    let is_it =
        |it: &&Value| it.get("deviceName").present().and_then(Value::as_str) == Some(of_pods);
    mappings.items.iter().find(is_it).map_or(default, size)
}

/// The device that pods write to.
fn volume_of_pods(family: &ImageFamily) -> Option<&str> {
    let data = family.devices.iter().find(|it| it.is_data);
    data.or(family.devices.first()).map(|it| it.name.as_str())
}
