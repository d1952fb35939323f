//! Whether two pools may launch the same nodes.

use std::collections::BTreeSet;

use crate::{
    knowledge::instances::instances,
    model::{
        node_label::{is_undeclared_there, today},
        node_pool::offerings::Offerings,
        requirement::{
            Requirements,
            instance_type::{TypeDemands, is_of_type},
            value_set::{Operator, ValueSet},
        },
    },
};

const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";

impl Offerings {
    /// Whether there certainly are nodes that either pool may launch, by the requirements of both: an
    /// instance type that both take, and for each other label a value that both take or only one asks for.
    /// Labels of one's own that the templates give do not count, because pods need not ask for them.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let in_doubt = |it: &Self| it.written.is_open() || it.labels.is_in_doubt(CAPACITY_TYPE);
        if [self, other].iter().any(|it| in_doubt(it) || it.is_windows()) {
            return false;
        }
        if self.are_apart(other) {
            return false;
        }
        let (own, others) = (self.demands(), other.demands());
        let keys: BTreeSet<&str> = own.iter().chain(others.iter()).map(|it| it.0).collect();
        let mut keys = keys.into_iter().filter(|it| !is_of_type(it));
        keys.all(|key| have_in_common(key, own.get(key), others.get(key)))
            && have_type_in_common(&own.of_types(), &others.of_types())
    }

    /// Whether what is written already has nothing in common: repositories of many pools differ in one label.
    fn are_apart(&self, other: &Self) -> bool {
        let pairs =
            self.written.iter().filter_map(|(key, own)| Some((own, other.written.get(key)?)));
        pairs.filter(|(own, it)| !own.is_open() && !it.is_open()).any(|(own, it)| {
            own.clone().and(it).is_nothing() && !(own.is_nothing() && it.is_nothing())
        })
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

/// Whether both certainly allow some instance type.
fn have_type_in_common(own: &TypeDemands<'_>, others: &TypeDemands<'_>) -> bool {
    let mut types = instances().types.iter();
    types.any(|it| own.take(it) == Some(true) && others.take(it) == Some(true))
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
