//! How much room for pods a node of a type has.

use crate::{
    knowledge::instances::InstanceType,
    model::placement::{
        daemons::Daemons,
        disk::Disk,
        kubelet::{Kubelet, MIB},
        range::{Range, count},
        requests::{CPU, MEMORY, Request, Requests, STORAGE},
    },
};

/// What Karpenter takes off the memory of a type for the hypervisor, unless a setting says otherwise.
const HYPERVISOR: f64 = 0.075;

/// The resources that every node has.
const RESOURCES: [&str; 3] = [CPU, MEMORY, STORAGE];

/// How much room a node of a type has.
#[derive(Debug)]
pub(super) struct TypeRoom {
    instance: &'static InstanceType,
    /// What is left of each of [`RESOURCES`].
    left: [Range; 3],
}

/// What the nodes of a taker have, whatever their type.
#[derive(Debug)]
pub(super) struct Site<'m> {
    pub(super) kubelet: Kubelet<'m>,
    pub(super) disk: Disk,
    pub(super) daemons: Daemons,
}

/// Whether pods fit onto a node.
pub(super) enum Fit<'r> {
    Yes,
    No(&'r str, &'r Request),
    Unknown,
}

impl Site<'_> {
    /// The room on a node of a type; `None` where there is none for another pod.
    pub(super) fn room(&self, instance: &'static InstanceType) -> Option<TypeRoom> {
        let pods = self.kubelet.pods(instance);
        if pods.most < 1.0 + self.daemons.pods(instance).least {
            return None;
        }
        let arm = if instance.architecture() == "arm64" { 64.0 } else { 0.0 };
        let memory = (count(instance.memory()) - arm) * MIB;
        let hypervisor = (memory * HYPERVISOR / MIB).ceil() * MIB;
        let whole = [
            Range::exactly(count(instance.cpus())),
            Range { least: memory - hypervisor, most: memory },
            self.disk.on(instance),
        ];
        let left = std::array::from_fn(|at| {
            let resource = RESOURCES[at];
            let left = self.kubelet.left(resource, whole[at], pods);
            left.without(self.daemons.take(resource, instance))
        });
        Some(TypeRoom { instance, left })
    }
}

impl TypeRoom {
    /// Whether pods fit.
    pub(super) fn fits<'r>(&self, requests: &'r Requests) -> Fit<'r> {
        let mut sure = !requests.is_open();
        for (name, request) in requests.iter() {
            let room = self.of(name);
            if request.least > room.most {
                return Fit::No(name, request);
            }
            sure &= request.least <= room.least;
        }
        if sure { Fit::Yes } else { Fit::Unknown }
    }

    /// How much there is of a resource.
    pub(super) fn of(&self, resource: &str) -> Range {
        match RESOURCES.iter().position(|it| *it == resource) {
            Some(at) => self.left[at],
            None => self
                .instance
                .extended(resource)
                .map_or_else(Range::unknown, |number| Range::exactly(count(number))),
        }
    }
}
