//! How much room for pods the nodes of a pool have, by instance type.
//!
//! Karpenter computes it from the type and the kubelet's configuration before a node is there:
//! <https://github.com/aws/karpenter-provider-aws/blob/v1.14.1/pkg/providers/instancetype/types.go>

use std::collections::BTreeMap;

use crate::{
    knowledge::instances::{InstanceType, instances},
    model::{
        node_pool::{NodePool, class::NodeClass},
        placement::{
            decision::{Decision, RefusalCause},
            quantity::amount,
            requests::{CPU, MEMORY, Request, Requests},
        },
        requirement::{Requirements, value_set::ValueSet},
    },
    resolve::answers::{all, any},
    value::{Field, Value},
};

/// A MiB in bytes.
const MIB: f64 = 1_048_576.0;
/// What Karpenter takes off the memory of a type for the hypervisor, unless a setting says otherwise.
const HYPERVISOR: f64 = 0.075;

/// The types that a pool may launch, the largest first.
#[derive(Debug, Default)]
pub(super) struct Room {
    types: Vec<TypeRoom>,
    /// What the pool requires of labels that the type does not decide about, but where and how it is bought.
    offers: BTreeMap<&'static str, ValueSet>,
}

#[derive(Debug)]
struct TypeRoom {
    instance: &'static InstanceType,
    /// Whether the pool certainly may launch it.
    is_sure: bool,
    cpus: Range,
    memory: Range,
}

/// What certainly is there, and what may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    least: f64,
    most: f64,
}

/// What the kubelet keeps for itself, of one resource.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    least: f64,
    most: f64,
}

impl Room {
    /// The types of a pool; `None` where its nodes are not those of AWS. The class is that of its nodes, if it is
    /// clear which it is.
    pub(super) fn of(pool: &NodePool, class: Option<&NodeClass>) -> Option<Self> {
        if !pool.is_of_aws() {
            return None;
        }
        let kubelet = Kubelet::of(pool, class);
        let own = pool.offerings.requirements();
        let demands = own.of_types();
        let room = |instance: &'static InstanceType| {
            let taken = demands.take(instance);
            (taken != Some(false)).then(|| kubelet.room(instance, taken == Some(true)))
        };
        let mut types: Vec<TypeRoom> = instances().types.iter().filter_map(room).collect();
        types.sort_by_key(|it| std::cmp::Reverse((it.instance.memory(), it.instance.cpus())));
        let offers = OFFERS.iter().filter_map(|it| Some((it.key, own.get(it.key)?.clone())));
        Some(Self { types, offers: offers.collect() })
    }

    /// Whether some type takes pods that ask this of the labels of their node.
    pub(super) fn takes(&self, asked: &Requirements, requests: &Requests) -> Decision {
        let mut doubt = match self.is_offered(asked) {
            Some(true) => None,
            None => Some("in which zones and how its nodes are bought is not known"),
            Some(false) => {
                let words = "no offer of an instance type has what is asked for".to_owned();
                return Decision::no(RefusalCause::Instances, words, None);
            }
        };
        let mut left: Option<&TypeRoom> = None;
        let mut missing: Option<(&str, &Request)> = None;
        let demands = asked.of_types();
        for it in &self.types {
            let agrees = demands.take(it.instance);
            if agrees == Some(false) {
                continue;
            }
            left = left.or(Some(it));
            match it.fits(requests) {
                Fit::Yes if agrees == Some(true) && it.is_sure && doubt.is_none() => {
                    return Decision::Yes;
                }
                Fit::No(name, request) => missing = missing.or(Some((name, request))),
                Fit::Yes => doubt = Some("which instance types it launches is not known"),
                Fit::Unknown => doubt = Some("whether its nodes are large enough is not known"),
            }
        }
        match (doubt, left, missing) {
            (Some(why), ..) => Decision::undecided(why, None),
            (None, Some(_), Some((name, request))) => self.too_small(asked, name, request),
            _ => {
                let words = "no instance type it may launch has what is asked for".to_owned();
                Decision::no(RefusalCause::Instances, words, None)
            }
        }
    }

    /// Whether instances are offered with the labels that pool and pods ask for together.
    fn is_offered(&self, asked: &Requirements) -> Option<bool> {
        all(OFFERS.iter().map(|it| {
            let wanted = match (self.offers.get(it.key), asked.get(it.key)) {
                (Some(own), Some(asked)) => own.and(asked),
                (Some(one), None) | (None, Some(one)) => one.clone(),
                (None, None) => return Some(true),
            };
            it.has(&wanted)
        }))
    }

    fn too_small(&self, asked: &Requirements, resource: &str, request: &Request) -> Decision {
        let demands = asked.of_types();
        let left = self.types.iter().filter(|it| demands.take(it.instance) != Some(false));
        let most = left.map(|it| it.most_of(resource)).fold(0.0, f64::max);
        let words = match resource {
            MEMORY => format!(
                "largest type left has {} of {} GiB",
                shown(most / MIB / 1024.0),
                shown(request.least / MIB / 1024.0)
            ),
            CPU => {
                format!("largest type left has {} of {} CPUs", shown(most), shown(request.least))
            }
            _ if most == 0.0 => format!("no type left has `{resource}`"),
            _ => format!("largest type left has {most} of {} `{resource}`", request.least),
        };
        Decision::no(RefusalCause::Resource(resource.to_owned()), words, None)
            .asked_at(Some(request.place))
    }
}

/// A label of each offer of an instance type.
struct OfferLabel {
    key: &'static str,
    /// The values that are there; none where they are not known.
    usual: &'static [&'static str],
    /// Those that may be there.
    rare: &'static [&'static str],
}

/// The labels of each offer.
const OFFERS: &[OfferLabel] = &[
    OfferLabel {
        key: "karpenter.sh/capacity-type",
        usual: &["spot", "on-demand"],
        rare: &["reserved"],
    },
    OfferLabel { key: "kubernetes.io/os", usual: &["linux"], rare: &["windows"] },
    OfferLabel { key: "topology.kubernetes.io/zone", usual: &[], rare: &[] },
    OfferLabel { key: "topology.kubernetes.io/region", usual: &[], rare: &[] },
];

impl OfferLabel {
    /// Whether an offer has what is required.
    fn has(&self, wanted: &ValueSet) -> Option<bool> {
        let admits = |values: &[&str]| any(values.iter().map(|it| wanted.admits(it)));
        if self.usual.is_empty() {
            return Some(!wanted.is_nothing() || wanted.is_open());
        }
        match admits(self.usual) {
            Some(false) if admits(self.rare) == Some(false) => Some(false),
            Some(false) => None,
            usual => usual,
        }
    }
}

/// A number with at most one decimal.
fn shown(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

enum Fit<'r> {
    Yes,
    No(&'r str, &'r Request),
    Unknown,
}

impl TypeRoom {
    fn fits<'r>(&self, requests: &'r Requests) -> Fit<'r> {
        let mut sure = !requests.is_open();
        for (name, request) in requests.iter() {
            let room = match name {
                CPU => self.cpus,
                MEMORY => self.memory,
                _ if !name.contains('/') => continue,
                _ => match self.instance.extended(name) {
                    Some(number) => Range::exactly(count(number)),
                    None => return Fit::Unknown,
                },
            };
            if request.least > room.most {
                return Fit::No(name, request);
            }
            sure &= request.least <= room.least;
        }
        if sure { Fit::Yes } else { Fit::Unknown }
    }

    fn most_of(&self, resource: &str) -> f64 {
        match resource {
            CPU => self.cpus.most,
            MEMORY => self.memory.most,
            _ => self.instance.extended(resource).map_or(0.0, count),
        }
    }
}

impl Range {
    fn exactly(number: f64) -> Self {
        Self { least: number, most: number }
    }

    fn without(self, kept: Kept) -> Self {
        Self { least: self.least - kept.most, most: self.most - kept.least }
    }
}

/// A count as a number.
fn count(number: u64) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}

/// What is configured of the kubelet.
struct Kubelet<'a> {
    /// The configuration, if it is known where it is.
    written: Option<Field<'a>>,
    /// Whether the number of pods follows from the interfaces.
    by_interfaces: bool,
}

impl<'a> Kubelet<'a> {
    fn of(pool: &'a NodePool, class: Option<&'a NodeClass>) -> Self {
        let of_pool = pool.object.at("spec.template.spec.kubelet");
        let of_class = class.map(|it| it.object.at("spec.kubelet"));
        let doubt = pool.is_in_doubt || class.is_none_or(|it| it.is_in_doubt);
        let written = if of_pool.is_missing() { of_class } else { Some(of_pool) };
        let windows = pool.offerings.is_windows();
        Self { written: written.filter(|_| !doubt), by_interfaces: !windows }
    }

    fn room(&self, instance: &'static InstanceType, is_sure: bool) -> TypeRoom {
        let arm = if instance.architecture() == "arm64" { 64.0 } else { 0.0 };
        let memory = (count(instance.memory()) - arm) * MIB;
        let hypervisor = (memory * HYPERVISOR / MIB).ceil() * MIB;
        let cpus = count(instance.cpus());
        let pods = if self.by_interfaces { count(instance.pods()) } else { 110.0 };
        // A setting of the controller may keep interfaces back.
        let (fewest, pods) = self.most_pods().map_or((0.0, pods), |pods| (pods, pods));
        let for_pods = |pods: f64| (11.0 * pods + 255.0) * MIB;
        let mut kept_memory = self.kept("kubeReserved", MEMORY, for_pods(pods));
        if kept_memory.least >= for_pods(pods) && kept_memory.most <= for_pods(pods) {
            kept_memory.least = for_pods(fewest);
        }
        let kept_cpus = self.kept("kubeReserved", CPU, kube_reserved(cpus));
        let whole = Range { least: memory - hypervisor, most: memory };
        TypeRoom {
            instance,
            is_sure,
            cpus: Range::exactly(cpus).without(kept_cpus).without(self.kept(
                "systemReserved",
                CPU,
                0.0,
            )),
            memory: whole
                .without(kept_memory)
                .without(self.kept("systemReserved", MEMORY, 0.0))
                .without(self.kept("evictionHard", "memory.available", 100.0 * MIB)),
        }
    }

    /// The most pods of a node, where it is written and nothing else bounds them.
    fn most_pods(&self) -> Option<f64> {
        let written = self.written?;
        let most = written.get("maxPods").present()?.to_number()?;
        matches!(written.get("podsPerCore"), Field::Missing).then_some(most)
    }

    /// What is kept of a resource; `default` where nothing is written.
    fn kept(&self, list: &str, resource: &str, default: f64) -> Kept {
        // Where it is not known, nothing may be kept.
        let unknown = Kept { least: 0.0, most: default };
        let Some(written) = self.written else { return unknown };
        match written.get(list).get(resource) {
            Field::Missing => Kept { least: default, most: default },
            Field::Present(value) => match amount(value).filter(|_| !is_percentage(value)) {
                Some(amount) => Kept { least: amount, most: amount },
                None => unknown,
            },
            Field::Unknown => unknown,
        }
    }
}

fn is_percentage(value: &Value) -> bool {
    value.as_str().is_some_and(|it| it.ends_with('%'))
}

/// The CPUs that the kubelet keeps by default, of so many.
fn kube_reserved(cpus: f64) -> f64 {
    [(0.0, 1.0, 0.06), (1.0, 2.0, 0.01), (2.0, 4.0, 0.005), (4.0, f64::MAX, 0.0025)]
        .into_iter()
        .filter(|(from, ..)| cpus >= *from)
        .map(|(from, to, part)| ((cpus.min(to) - from) * part * 1000.0).floor() / 1000.0)
        .sum()
}
