//! Which of the clusters that Argo CD knows an `ApplicationSet` is for: sets whose selectors exclude each other are for
//! different ones.

use std::collections::HashMap;

use crate::{
    resolve::{
        pod::selector::{LabelOperator, Requirement, Selector},
        scope::ClusterTarget,
    },
    source::Span,
    value::Value,
};

/// The clusters that a set selects by their labels, where nothing else makes Applications of it.
#[must_use]
pub(super) fn selected(generators: &[Value]) -> Option<Selector> {
    let [generator] = generators else { return None };
    let [only] = generator.entries() else { return None };
    let selector = only.value.get("selector");
    (&*only.key == "clusters" && selector.present().is_some()).then(|| Selector::read(selector, ""))
}

/// The clusters of sets, by their places. Only those are told apart of which each excludes every other one.
#[must_use]
pub(super) fn targets(sets: &[(Span, Selector)]) -> HashMap<Span, ClusterTarget> {
    let mut apart: Vec<&Selector> = Vec::new();
    for (_, own) in sets {
        let is_alone = !sets.iter().any(|(_, other)| exclude(own, other));
        let is_known = apart.iter().any(|it| is_alike(it, own));
        if !is_alone && !is_known && apart.iter().all(|it| exclude(it, own)) {
            apart.push(own);
        }
    }
    let target = |own: &Selector| {
        let at = apart.iter().position(|it| is_alike(it, own))?;
        Some(ClusterTarget::Known(u32::try_from(at).ok()?))
    };
    sets.iter().filter_map(|(place, own)| Some((*place, target(own)?))).collect()
}

/// Whether two selectors are for the same clusters.
fn is_alike(one: &Selector, other: &Selector) -> bool {
    let asked = |it: &Selector| -> Vec<(String, LabelOperator)> {
        it.requirements().iter().map(|it| (it.key.clone(), it.operator.clone())).collect()
    };
    one.is_known() && other.is_known() && asked(one) == asked(other)
}

/// Whether no cluster has the labels that both ask for.
fn exclude(one: &Selector, other: &Selector) -> bool {
    let all = |it: &Requirement| other.requirements().iter().any(|other| contradict(it, other));
    one.requirements().iter().any(all)
}

fn contradict(one: &Requirement, other: &Requirement) -> bool {
    use LabelOperator::{DoesNotExist, Exists, In, NotIn};
    one.key == other.key
        && match (&one.operator, &other.operator) {
            (In(_) | Exists, DoesNotExist) | (DoesNotExist, In(_) | Exists) => true,
            (In(own), In(other)) => {
                own.iter().chain(other).all(Option::is_some)
                    && !own.iter().any(|it| other.contains(it))
            }
            (In(some), NotIn(others)) | (NotIn(others), In(some)) => {
                some.iter().all(|it| it.is_some() && others.contains(it))
            }
            _ => false,
        }
}
