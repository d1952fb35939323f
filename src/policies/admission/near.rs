//! Which admission policies are in the cluster that an object goes to.

use std::collections::BTreeMap;

use crate::{
    model::{environment::are_apart, neighbourhood::Neighbourhoods},
    resolve::scope::Scope,
    source::is_below,
};

/// Something with a name, of which one cluster has one.
pub(super) trait Named {
    /// Its name.
    fn name(&self) -> &str;
    /// Where it belongs.
    fn scope(&self) -> &Scope;
}

/// Whether what is in one scope certainly goes wherever what is in another one goes.
pub(super) fn reaches(clusters: &Neighbourhoods, from: &Scope, to: &Scope) -> bool {
    let aside = from.aside().is_none_or(|it| is_below(&to.folder, it));
    let (own, wanted) = (clusters.around(from), clusters.around(to));
    let in_all = own.is_empty() || wanted.iter().all(|it| own.contains(it));
    aside && in_all && !from.is_apart(to) && !are_apart(&from.folder, &to.folder)
}

/// Of things that reach a scope the nearest of each name; several where they are equally near.
pub(super) fn nearest<'a, T: Named>(
    all: impl Iterator<Item = &'a T>,
    clusters: &Neighbourhoods,
    scope: &Scope,
) -> Vec<Vec<&'a T>> {
    let mut found: BTreeMap<&str, (usize, Vec<&T>)> = BTreeMap::new();
    for it in all.filter(|it| reaches(clusters, it.scope(), scope)) {
        let near = nearness(it.scope(), scope);
        let best = found.entry(it.name()).or_default();
        match near.cmp(&best.0) {
            std::cmp::Ordering::Greater => *best = (near, vec![it]),
            std::cmp::Ordering::Equal => best.1.push(it),
            std::cmp::Ordering::Less => {}
        }
    }
    found.into_values().map(|it| it.1).filter(|it| !it.is_empty()).collect()
}

/// How many steps two scopes have in common, from the root of the repository on; more for one deploy unit.
fn nearness(one: &Scope, other: &Scope) -> usize {
    let steps = one.folder.split('/').zip(other.folder.split('/'));
    let common = steps.take_while(|(a, b)| a == b).count();
    let together = one.deploy_unit() == other.deploy_unit();
    if together { usize::MAX } else { common }
}
