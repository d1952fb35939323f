//! Where and how instances are bought: the labels that their type does not decide about.

use std::collections::BTreeMap;

use crate::{
    model::requirement::{Requirements, value_set::ValueSet},
    resolve::answers::{all, any},
};

/// What a pool requires of where and how its instances are bought.
#[derive(Debug)]
pub(super) struct Offers {
    sets: BTreeMap<&'static str, ValueSet>,
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
const LABELS: &[OfferLabel] = &[
    OfferLabel {
        key: "karpenter.sh/capacity-type",
        usual: &["spot", "on-demand"],
        rare: &["reserved"],
    },
    OfferLabel { key: "kubernetes.io/os", usual: &["linux"], rare: &["windows"] },
    OfferLabel { key: "topology.kubernetes.io/zone", usual: &[], rare: &[] },
    OfferLabel { key: "topology.kubernetes.io/region", usual: &[], rare: &[] },
];

impl Offers {
    /// What the requirements of a pool leave.
    pub(super) fn of(own: &Requirements) -> Self {
        let kept = LABELS.iter().filter_map(|it| Some((it.key, own.get(it.key)?.clone())));
        Self { sets: kept.collect() }
    }

    /// Whether instances are offered with the labels that pool and pods ask for together.
    pub(super) fn meet(&self, asked: &Requirements) -> Option<bool> {
        all(LABELS.iter().map(|it| {
            let wanted = match (self.sets.get(it.key), asked.get(it.key)) {
                (Some(own), Some(asked)) => own.and(asked),
                (Some(one), None) | (None, Some(one)) => one.clone(),
                (None, None) => return Some(true),
            };
            it.has(&wanted)
        }))
    }
}

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
