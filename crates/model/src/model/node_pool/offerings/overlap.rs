//! Whether two pools may launch the same nodes.

use std::{cell::OnceCell, collections::BTreeSet};

use crate::{
    knowledge::instances::{InstanceType, instances},
    model::{
        node_label::{is_undeclared_there, today},
        node_pool::offerings::Offerings,
        requirement::{
            Requirements,
            instance_type::is_of_type,
            value_set::{Operator, ValueSet},
        },
    },
};

const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

/// The nodes that a pool may launch, to be compared with those of many other pools.
#[derive(Debug)]
pub struct Launches {
    demands: Requirements,
    /// Which of all instance types it certainly takes: a bit for each.
    types: OnceCell<Vec<u64>>,
}

impl Launches {
    /// Whether there certainly are nodes that either pool may launch, by the requirements of both: an
    /// instance type that both take, and for each other label a value that both take or only one asks for.
    /// Labels of one's own that the templates give do not count, because pods need not ask for them.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> bool {
        let (own, others) = (&self.demands, &other.demands);
        let both = own.iter().filter_map(|(key, set)| Some((set, others.get(key)?)));
        let mut lists = both.filter_map(|(a, b)| Some((a.listed()?, b.listed()?)));
        // Repositories of many pools differ in one label.
        if lists.any(|(a, b)| a.is_disjoint(b) && !(a.is_empty() && b.is_empty())) {
            return false;
        }
        let keys: BTreeSet<&str> = own.iter().chain(others.iter()).map(|it| it.0).collect();
        let mut keys = keys.into_iter().filter(|it| !is_of_type(it));
        keys.all(|key| have_in_common(key, own.get(key), others.get(key)))
            && self.types().iter().zip(other.types()).any(|(own, it)| own & it != 0)
    }

    /// The labels of which a few values are listed, with these: nodes of pools that list others are others.
    pub fn listed(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> {
        let all = self.demands.iter();
        all.filter_map(|(key, set)| Some((key, set.listed().filter(|it| !it.is_empty())?)))
    }

    fn types(&self) -> &[u64] {
        self.types.get_or_init(|| {
            let demands = self.demands.of_types();
            let takes = |it: &InstanceType| demands.take(it) == Some(true);
            let bits = |types: &[InstanceType]| {
                types.iter().rev().fold(0, |bits, it| bits << 1 | u64::from(takes(it)))
            };
            instances().types.chunks(64).map(bits).collect()
        })
    }
}

impl Offerings {
    /// The nodes; `None` where it is not known which, or where they are for Windows.
    #[must_use]
    pub fn launches(&self) -> Option<Launches> {
        let in_doubt = self.written.is_open() || self.labels.is_in_doubt(CAPACITY_TYPE);
        let known = !in_doubt && !self.is_windows();
        known.then(|| Launches { demands: self.demands(), types: OnceCell::new() })
    }

    /// The requirements, and the labels that limit the choice as these do: those Karpenter knows.
    fn demands(&self) -> Requirements {
        let mut found = self.written.clone();
        let labels = self.labels.pairs();
        for (key, value) in labels.filter(|(key, _)| is_undeclared_there(today(key)) == Some(true))
        {
            found.add(today(key), ValueSet::one_of([Some(value)]));
        }
        found
    }
}

/// Whether a label that has nothing to do with the instance type certainly has a value that both allow.
fn have_in_common(key: &str, own: Option<&ValueSet>, other: Option<&ValueSet>) -> bool {
    // No pool without reservations launches anything else.
    let paid = (key == CAPACITY_TYPE).then(|| ValueSet::one_of([Some("spot"), Some("on-demand")]));
    let given = [own, other].into_iter().flatten().chain(&paid);
    if given.clone().any(ValueSet::is_open) {
        return false;
    }
    let both = given.fold(ValueSet::any(), |all, it| all.and(it));
    let [Some(own), Some(other)] = [own, other] else {
        return paid.is_none() || !both.is_nothing();
    };
    match both.operator() {
        Operator::In => true,
        Operator::DoesNotExist => own.is_nothing() && other.is_nothing(),
        // What two lists of exceptions leave is not known, nor whether a number lies between two bounds.
        Operator::Exists => both.bounds() == (None, None),
        Operator::NotIn => false,
    }
}

#[cfg(test)]
mod tests;
