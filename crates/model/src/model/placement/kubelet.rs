//! What the kubelet keeps of a node for itself.
//!
//! Karpenter computes it from the type and the kubelet's configuration before a node is there; the images of EKS
//! start their kubelet with the same.
//! <https://github.com/aws/karpenter-provider-aws/blob/v1.14.1/pkg/providers/instancetype/types.go>

use crate::{
    knowledge::instances::InstanceType,
    model::{
        cluster::NodeGroup,
        node_pool::{NodePool, class::NodeClass},
        placement::{
            quantity::amount,
            range::{Range, count},
            requests::{CPU, MEMORY},
        },
    },
    value::{Field, Value},
};

/// A MiB in bytes.
pub(super) const MIB: f64 = 1_048_576.0;

/// What is configured of the kubelet.
#[derive(Debug)]
pub(super) struct Kubelet<'a> {
    /// The configuration, if it is known where it is.
    written: Option<Field<'a>>,
    pods: PodLimit,
}

/// What bounds the number of pods where nothing is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PodLimit {
    /// The interfaces of the type, fewer where a setting of the controller keeps some back.
    Interfaces,
    /// The same, more where the CNI gives prefixes to interfaces: EKS asks it.
    InterfacesOrPrefixes,
    /// What the kubelet has without a configuration.
    Default,
}

impl<'a> Kubelet<'a> {
    /// On the nodes of a pool. The class is theirs, if it is clear which it is.
    pub(super) fn of_pool(pool: &'a NodePool, class: Option<&'a NodeClass>) -> Self {
        let of_pool = pool.object.at("spec.template.spec.kubelet");
        let of_class = class.map(|it| it.object.at("spec.kubelet"));
        let doubt = pool.is_in_doubt || class.is_none_or(|it| it.is_in_doubt);
        let written = if of_pool.is_missing() { of_class } else { Some(of_pool) };
        let windows = pool.offerings.is_windows();
        let pods = if windows { PodLimit::Default } else { PodLimit::Interfaces };
        Self { written: written.filter(|_| !doubt), pods }
    }

    /// On the nodes of a static group.
    pub(super) fn of_group(group: &NodeGroup) -> Self {
        let written = (!group.may_start_otherwise).then_some(Field::Missing);
        Self { written, pods: PodLimit::InterfacesOrPrefixes }
    }

    /// How many pods a node of a type may have.
    pub(super) fn pods(&self, instance: &InstanceType) -> Range {
        let cpus = count(instance.cpus());
        let interfaces = count(instance.pods());
        let default = match self.pods {
            PodLimit::Interfaces => Range { least: 0.0, most: interfaces },
            PodLimit::InterfacesOrPrefixes => {
                // <https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html>
                let prefixes = if cpus < 30.0 { 110.0 } else { 250.0 };
                Range { least: 0.0, most: interfaces.max(prefixes) }
            }
            PodLimit::Default => Range { least: 0.0, most: 110.0 },
        };
        let number = |key: &str| self.written.map(|it| it.get(key));
        let most = match number("maxPods") {
            Some(Field::Present(value)) => value.to_number().map_or(default, Range::exactly),
            _ => default,
        };
        let per_core = match number("podsPerCore") {
            Some(Field::Present(value)) => value.to_number().filter(|it| *it > 0.0),
            _ => None,
        };
        // Bottlerocket ignores it.
        per_core.map_or(most, |it| Range { least: most.least.min(it * cpus), ..most })
    }

    /// What pods get of so much of a resource.
    pub(super) fn left(&self, resource: &str, whole: Range, pods: Range) -> Range {
        let (kube, signal, evict) = match resource {
            CPU => (Range::exactly(kube_reserved(whole.most)), None, Range::exactly(0.0)),
            MEMORY => (memory_for(pods), Some("memory.available"), Range::exactly(100.0 * MIB)),
            _ => (Range::exactly(1024.0 * MIB), Some("nodefs.available"), whole.part(0.1)),
        };
        let left = whole
            .without(self.kept("kubeReserved", resource, kube, whole))
            .without(self.kept("systemReserved", resource, Range::exactly(0.0), whole));
        match signal {
            Some(signal) => left.without(self.kept("evictionHard", signal, evict, whole)),
            None => left,
        }
    }

    /// What is kept of a resource of which there is so much; `default` where nothing is written.
    fn kept(&self, list: &str, resource: &str, default: Range, whole: Range) -> Range {
        // Where it is not known, nothing may be kept.
        let unknown = Range { least: 0.0, most: default.most };
        let Some(written) = self.written else { return unknown };
        match written.get(list).get(resource) {
            Field::Missing => default,
            Field::Present(value) => match percentage(value) {
                Some(part) => whole.part(part),
                None => amount(value).map_or(unknown, Range::exactly),
            },
            Field::Unknown => unknown,
        }
    }
}

/// "5%" is 0.05.
fn percentage(value: &Value) -> Option<f64> {
    let number = value.as_str()?.strip_suffix('%')?.parse::<f64>().ok()?;
    Some(number / 100.0)
}

/// The memory that is kept for so many pods.
fn memory_for(pods: Range) -> Range {
    let kept = |pods: f64| (11.0 * pods + 255.0) * MIB;
    Range { least: kept(pods.least), most: kept(pods.most) }
}

/// The CPUs that the kubelet keeps by default, of so many.
fn kube_reserved(cpus: f64) -> f64 {
    [(0.0, 1.0, 0.06), (1.0, 2.0, 0.01), (2.0, 4.0, 0.005), (4.0, f64::MAX, 0.0025)]
        .into_iter()
        .filter(|(from, ..)| cpus >= *from)
        .map(|(from, to, part)| ((cpus.min(to) - from) * part * 1000.0).floor() / 1000.0)
        .sum()
}
