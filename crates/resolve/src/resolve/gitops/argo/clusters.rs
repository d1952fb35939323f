//! Which of the clusters that Argo CD knows an `ApplicationSet` is for: sets whose selectors exclude each other are for
//! different ones, others that differ may be.

use std::collections::HashMap;

use crate::{
    resolve::{
        pod::selector::{LabelOperator, Requirement, Selector},
        scope::ClusterTarget,
    },
    source::Span,
    value::Value,
};

/// Generators nest once in Argo CD.
const MAX_DEPTH: usize = 3;

/// The clusters that a set selects by their labels, where nothing else makes Applications of it.
#[must_use]
pub(super) fn selected(generators: &[Value]) -> Option<Selector> {
    let [generator] = generators else { return None };
    let mut all = Vec::new();
    of_clusters(generator, 0, &mut all);
    let [only] = *all else { return None };
    let selector = only.get("selector");
    selector.present().is_some().then(|| Selector::read(selector, ""))
}

/// The cluster generators in a generator.
fn of_clusters<'v>(generator: &'v Value, depth: usize, found: &mut Vec<&'v Value>) {
    found.extend(generator.get("clusters").present());
    if depth < MAX_DEPTH {
        for name in ["matrix", "merge"] {
            let inner = generator.get(name).get("generators").present();
            let inner = inner.map_or(&[][..], Value::items);
            for it in inner {
                of_clusters(it, depth + 1, found);
            }
        }
    }
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
    let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
    let target = |(at, own): (usize, &Selector)| {
        if let Some(known) = apart.iter().position(|it| is_alike(it, own)) {
            return ClusterTarget::Known(number(known));
        }
        let first = sets.iter().position(|(_, it)| is_alike(it, own));
        ClusterTarget::Selected(number(first.unwrap_or(at)))
    };
    let placed = |(at, (place, own)): (usize, &(Span, Selector))| (*place, target((at, own)));
    sets.iter().enumerate().map(placed).collect()
}

/// Whether two selectors are for the same clusters.
fn is_alike(one: &Selector, other: &Selector) -> bool {
    let asks = |it: &Selector, what: &Requirement| {
        it.requirements().iter().any(|own| own.key == what.key && own.operator == what.operator)
    };
    let asks_all =
        |it: &Selector, of: &Selector| of.requirements().iter().all(|what| asks(it, what));
    one.is_known() && other.is_known() && asks_all(one, other) && asks_all(other, one)
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

#[cfg(test)]
mod tests {
    use super::{selected, targets};
    use crate::{
        resolve::{gitops::application_set::generators, scope::ClusterTarget},
        source::{FileId, Span},
        syntax::yaml,
    };

    /// The clusters of sets with these generators.
    fn found(sets: &[&str]) -> Vec<ClusterTarget> {
        let place = |at: usize| Span::new(FileId(0), at, at);
        let all = sets.iter().enumerate().filter_map(|(at, written)| {
            let text = format!("spec: {{generators: [{written}]}}\n");
            let set = yaml::parse_file(FileId(0), &text);
            Some((place(at), selected(generators(set.values.first()?))?))
        });
        let targets = targets(&all.collect::<Vec<_>>());
        (0..sets.len()).map(|it| targets.get(&place(it)).copied().unwrap_or_default()).collect()
    }

    #[test]
    fn sets_are_for_the_same_clusters_for_others_or_perhaps_for_others() {
        use ClusterTarget::{Known, Only, Selected};
        let both = "clusters: {selector: {matchLabels: {a: '1', b: '2'}}}";
        let turned = "clusters: {selector: {matchLabels: {b: '2', a: '1'}}}";
        let without =
            "clusters: {selector: {matchExpressions: [{key: a, operator: DoesNotExist}]}}";
        let other = "clusters: {selector: {matchLabels: {c: '3'}}}";
        let matrix = format!("matrix: {{generators: [{{{both}}}, {{list: {{elements: []}}}}]}}");
        assert_eq!(found(&[both, turned, without]), [Known(0), Known(0), Known(1)]);
        assert_eq!(found(&[both, other, &matrix]), [Selected(0), Selected(1), Selected(0)]);
        let all = format!("{both}, clusters: {{}}");
        assert_eq!(found(&["clusters: {}", "list: {elements: []}", &all]), [Only, Only, Only]);
    }
}
