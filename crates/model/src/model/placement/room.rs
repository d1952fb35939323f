//! How much room for pods the nodes of a taker have, by instance type.

use std::{cmp::Reverse, collections::BTreeSet, sync::LazyLock, sync::OnceLock};

use crate::{
    knowledge::instances::{InstanceType, LabelValue, instances},
    model::{
        cluster::NodeGroup,
        node_pool::{NodePool, class::NodeClass},
        placement::{
            daemons::Daemons,
            decision::{Decision, RefusalCause},
            disk::Disk,
            kubelet::{Kubelet, MIB},
            offers::Offers,
            requests::{CPU, MEMORY, Request, Requests, STORAGE},
            type_room::{Fit, Site, TypeRoom},
        },
        requirement::{
            Requirements,
            instance_type::{TypeDemands, is_of_type, value_of},
        },
    },
};

/// All instance types, the largest first.
static BY_SIZE: LazyLock<Vec<&'static InstanceType>> = LazyLock::new(|| {
    let mut all: Vec<&'static InstanceType> = instances().types.iter().collect();
    all.sort_by_key(|it| Reverse((it.memory(), it.cpus())));
    all
});

/// The types that a taker may have, the largest first.
#[derive(Debug)]
pub(super) struct Room<'m> {
    types: Vec<Slot>,
    site: Site<'m>,
    choice: Choice,
}

/// A type, with the room on its nodes once it was asked for.
#[derive(Debug)]
struct Slot {
    instance: &'static InstanceType,
    /// Whether the taker certainly may have it.
    is_sure: bool,
    room: OnceLock<Option<TypeRoom>>,
}

/// Which of the types a node is of.
#[derive(Debug)]
enum Choice {
    /// One that fits: Karpenter chooses it for the pods.
    ForPods {
        offers: Offers,
        /// How many values of a label the types that are left need to have between them.
        flexibility: Vec<(String, u32)>,
        /// Whether Karpenter insists on that.
        is_strict: Option<bool>,
    },
    /// Any of them, whatever the pods are. It may be of another one where `is_open`.
    Chance { is_open: bool },
}

/// What is known of a pool's nodes beside its own resource.
pub(super) struct PoolSite<'m> {
    /// Their class, if it is clear which it is.
    pub(super) class: Option<&'m NodeClass>,
    pub(super) daemons: Daemons,
    /// Whether Karpenter insists on `minValues`.
    pub(super) is_strict: Option<bool>,
}

/// The types with the labels that pods ask for, by whether the pods fit.
#[derive(Default)]
struct Sifted<'a> {
    /// Those that certainly take them.
    sure: Vec<&'static InstanceType>,
    /// Those that may.
    possible: Vec<&'static InstanceType>,
    /// What the first that is too small lacks.
    missing: Option<(&'a str, &'a Request)>,
    doubt: Option<&'static str>,
}

impl<'m> Room<'m> {
    /// The types of a pool; `None` where its nodes are not those of AWS.
    pub(super) fn of_pool(pool: &'m NodePool, site: PoolSite<'m>) -> Option<Self> {
        if !pool.is_of_aws() {
            return None;
        }
        let own = pool.offerings.requirements();
        let demands = own.of_types();
        let types = BY_SIZE.iter().filter_map(|it| {
            let taken = demands.take(it);
            (taken != Some(false)).then(|| Slot::new(it, taken == Some(true)))
        });
        let flexible =
            own.iter().filter_map(|(key, set)| Some((key.to_owned(), set.min_values()?)));
        Some(Self {
            types: types.collect(),
            choice: Choice::ForPods {
                offers: Offers::of(own),
                flexibility: flexible.filter(|it| is_of_type(&it.0)).collect(),
                is_strict: site.is_strict,
            },
            site: Site {
                kubelet: Kubelet::of_pool(pool, site.class),
                disk: Disk::of_class(site.class),
                daemons: site.daemons,
            },
        })
    }

    /// The types of a static group: those that are written, or all there are.
    pub(super) fn of_group(group: &NodeGroup, daemons: Daemons) -> Self {
        let site = Site { kubelet: Kubelet::of_group(group), disk: Disk::unknown(), daemons };
        let known = group.shape.types();
        let is_open = known.is_none();
        let mut types = known.unwrap_or_else(|| BY_SIZE.clone());
        types.sort_by_key(|it| Reverse((it.memory(), it.cpus())));
        let types = types.into_iter().map(|it| Slot::new(it, !is_open)).collect();
        Self { types, site, choice: Choice::Chance { is_open } }
    }

    /// The room on the nodes of a type; `None` where they have none for another pod.
    fn on<'r>(&'r self, slot: &'r Slot) -> Option<&'r TypeRoom> {
        slot.room.get_or_init(|| self.site.room(slot.instance)).as_ref()
    }

    /// Whether nodes have room for pods that ask this of their labels.
    pub(super) fn takes(&self, asked: &Requirements, requests: &Requests) -> Decision {
        match &self.choice {
            Choice::Chance { is_open } => self.happens_to_take(*is_open, asked, requests),
            Choice::ForPods { offers, flexibility, is_strict } => {
                let offered = match offers.meet(asked) {
                    Some(false) => {
                        let words = "no offer of an instance type has what is asked for".to_owned();
                        return Decision::no(RefusalCause::Instances, words, None);
                    }
                    offered => offered.is_some(),
                };
                let demands = asked.of_types();
                let sifted = self.sifted(&demands, requests, flexibility.is_empty());
                let doubt = "in which zones and how its nodes are bought is not known";
                let bought = || {
                    if offered { Decision::Yes } else { Decision::undecided(doubt, None) }
                };
                let flexible = || flexibility.iter().map(|it| varied(&sifted, it, *is_strict));
                let all = |a: Decision, b: Decision| a.and(|| b);
                self.chosen(&demands, &sifted)
                    .and(bought)
                    .and(|| flexible().fold(Decision::Yes, all))
            }
        }
    }

    /// Sorts the types; the first that certainly fits is enough where `one_is_enough`.
    fn sifted<'a>(
        &'a self,
        demands: &TypeDemands<'_>,
        requests: &'a Requests,
        one_is_enough: bool,
    ) -> Sifted<'a> {
        let mut found = Sifted::default();
        for slot in &self.types {
            let agrees = demands.take(slot.instance);
            if agrees == Some(false) {
                continue;
            }
            let Some(room) = self.on(slot) else { continue };
            match room.fits(requests) {
                Fit::No(name, request) => {
                    found.missing = found.missing.or(Some((name, request)));
                    continue;
                }
                Fit::Yes if agrees == Some(true) && slot.is_sure => found.sure.push(slot.instance),
                Fit::Yes => found.doubt = Some("which instance types it launches is not known"),
                Fit::Unknown => {
                    found.doubt = Some("whether its nodes are large enough is not known");
                }
            }
            found.possible.push(slot.instance);
            if one_is_enough && !found.sure.is_empty() {
                break;
            }
        }
        found
    }

    /// Whether there is a type to choose.
    fn chosen(&self, demands: &TypeDemands<'_>, sifted: &Sifted<'_>) -> Decision {
        match (sifted.doubt, sifted.missing) {
            _ if !sifted.sure.is_empty() => Decision::Yes,
            (Some(why), _) => Decision::undecided(why, None),
            (None, Some((name, request))) => self.too_small(demands, name, request),
            (None, None) => {
                let words = "no instance type it may launch has what is asked for".to_owned();
                Decision::no(RefusalCause::Instances, words, None)
            }
        }
    }

    /// Whether nodes take pods that nobody chose for them.
    fn happens_to_take(
        &self,
        is_open: bool,
        asked: &Requirements,
        requests: &Requests,
    ) -> Decision {
        let demands = asked.of_labelled_types();
        if requests.is_empty() && demands.is_empty() {
            return Decision::Yes;
        }
        if is_open {
            // The smallest tells whether all are large enough.
            let fits =
                |it: &Slot| self.on(it).is_some_and(|it| matches!(it.fits(requests), Fit::Yes));
            let fit_all = demands.is_empty() && self.types.iter().rev().all(fits);
            let doubt = Decision::undecided("its instance types are not known", None);
            return if fit_all { Decision::Yes } else { doubt };
        }
        let sifted = self.sifted(&demands, requests, false);
        if sifted.sure.len() == self.types.len() {
            return Decision::Yes;
        }
        match sifted.missing {
            Some((name, request)) if sifted.possible.is_empty() => {
                self.too_small(&demands, name, request)
            }
            None if sifted.possible.is_empty() => {
                let words = "none of its instance types has what is asked for".to_owned();
                Decision::no(RefusalCause::Instances, words, None)
            }
            _ if sifted.possible.len() < self.types.len() => {
                Decision::undecided("not all of its instance types have what is asked for", None)
            }
            _ => Decision::undecided("whether its nodes are large enough is not known", None),
        }
    }

    fn too_small(&self, demands: &TypeDemands<'_>, resource: &str, request: &Request) -> Decision {
        let left = self.types.iter().filter(|it| demands.take(it.instance) != Some(false));
        let left = left.filter_map(|it| self.on(it));
        let most = left.map(|it| it.of(resource).most).fold(0.0, f64::max);
        let words = match resource {
            MEMORY | STORAGE => format!(
                "largest type left has {} of {} GiB{}",
                shown(most / MIB / 1024.0),
                shown(request.least / MIB / 1024.0),
                if resource == STORAGE { " for files" } else { "" }
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

impl Slot {
    fn new(instance: &'static InstanceType, is_sure: bool) -> Self {
        Self { instance, is_sure, room: OnceLock::new() }
    }
}

/// Whether the types that are left have as many values of a label as `minValues` asks for.
fn varied(sifted: &Sifted<'_>, (key, least): &(String, u32), is_strict: Option<bool>) -> Decision {
    let least = usize::try_from(*least).unwrap_or(usize::MAX);
    if is_strict == Some(false) || values(key, &sifted.sure).is_some_and(|it| it >= least) {
        return Decision::Yes;
    }
    match values(key, &sifted.possible) {
        Some(found) if found < least && is_strict == Some(true) => {
            let words = format!("the types left have {found} of {least} values of `{key}`");
            Decision::no(RefusalCause::Instances, words, None)
        }
        _ => {
            let why = format!("whether enough values of `{key}` are left is not known");
            Decision::undecided(why, None)
        }
    }
}

/// How many values types have for a label, if that is known.
fn values(key: &str, types: &[&InstanceType]) -> Option<usize> {
    let mut found = BTreeSet::new();
    for it in types {
        match value_of(key, it)? {
            LabelValue::Is(value) => _ = found.insert(value),
            LabelValue::Absent => {}
            LabelValue::Unknown => return None,
        }
    }
    Some(found.len())
}

/// A number with at most one decimal.
fn shown(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}
