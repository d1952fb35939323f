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

/// A scope, with the clusters that what is in it may belong to.
pub(super) struct Around<'a> {
    /// The scope.
    pub(super) scope: &'a Scope,
    clusters: Vec<usize>,
}

impl<'a> Around<'a> {
    /// Looks for the clusters around a scope.
    pub(super) fn of(clusters: &Neighbourhoods, scope: &'a Scope) -> Self {
        Self { scope, clusters: clusters.around(scope) }
    }

    /// Whether what is here certainly goes wherever what is there goes.
    pub(super) fn reaches(&self, to: &Self) -> bool {
        let own = &self.clusters;
        let in_all = own.is_empty() || to.clusters.iter().all(|it| own.contains(it));
        in_all
            && self.scope.aside().is_none_or(|it| is_below(&to.scope.folder, it))
            && !self.scope.is_apart(to.scope)
            && !are_apart(&self.scope.folder, &to.scope.folder)
    }
}

/// Things with names, each with what is around it.
pub(super) fn placed<'a, T: Named>(
    all: &'a [T],
    clusters: &Neighbourhoods,
) -> Vec<(&'a T, Around<'a>)> {
    all.iter().map(|it| (it, Around::of(clusters, it.scope()))).collect()
}

/// Of things that reach a scope the nearest of each name; several where they are equally near.
pub(super) fn nearest<'a, T: Named>(
    all: &[(&'a T, Around<'_>)],
    seen_from: &Around<'_>,
) -> Vec<Vec<&'a T>> {
    let mut found: BTreeMap<&str, (usize, Vec<&T>)> = BTreeMap::new();
    for (it, _) in all.iter().filter(|(_, around)| around.reaches(seen_from)) {
        let near = nearness(it.scope(), seen_from.scope);
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
