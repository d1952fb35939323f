//! Releases of a helmfile by its environments: what is alike in all of them is one release.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    findings::subject::{InstanceKey, Subject},
    resolve::{
        release::{Means, Release, unit::Unit},
        scope::ClusterTarget,
        setting::Setting,
    },
    source::Span,
};

/// The releases of one environment.
pub(super) struct InEnvironment {
    /// Its name.
    pub name: Arc<str>,
    /// Its number among those of all helmfiles.
    pub number: u32,
    /// The releases, in their order.
    pub releases: Vec<Release>,
}

/// Where an entry is written, and which it is of those that are made of that text.
type Place = (Span, usize);

/// The releases of all environments, each in the order of its first one.
pub(super) fn of_all(environments: Vec<InEnvironment>) -> Vec<Release> {
    let of = environments.len();
    let mut entries: BTreeMap<Place, Vec<(Arc<str>, u32, Release)>> = BTreeMap::new();
    let mut order: Vec<Place> = Vec::new();
    for InEnvironment { name, number, releases } in environments {
        let mut counts: BTreeMap<Span, usize> = BTreeMap::new();
        for release in releases {
            let count = counts.entry(release.report_span).or_default();
            let place = (release.report_span, *count);
            *count += 1;
            if !entries.contains_key(&place) {
                order.push(place);
            }
            entries.entry(place).or_default().push((Arc::clone(&name), number, release));
        }
    }
    let mut found = Vec::new();
    for place in order {
        let all = entries.remove(&place).unwrap_or_default();
        let first = all.first().map(|it| &it.2);
        let is_one = all.len() == of
            && first.is_some_and(|first| all.iter().all(|(_, _, it)| are_alike(first, it)));
        let kept = if is_one { 1 } else { all.len() };
        for (index, (name, number, release)) in all.into_iter().take(kept).enumerate() {
            let element = place.1 * of + index;
            let of_one = (!is_one && of > 1).then_some((name, number));
            found.push(placed(release, element, of_one, of));
        }
    }
    found
}

/// A release with what tells it from the others of its text.
fn placed(
    release: Release,
    element: usize,
    environment: Option<(Arc<str>, u32)>,
    of: usize,
) -> Release {
    let Release { means: Means::Tool(unit), scope, subject, .. } = &release else { return release };
    let name = environment.as_ref().map(|it| Arc::clone(&it.0));
    let instance = name.clone().map(|address| InstanceKey { address, of });
    let unit = Unit { element, environment: name, ..Unit::clone(unit) };
    let cluster = environment.map_or(ClusterTarget::Only, |it| ClusterTarget::Known(it.1));
    Release {
        means: Means::Tool(Arc::new(unit)),
        scope: scope.clone().in_cluster(cluster),
        subject: subject.clone().map(|it: Subject| it.as_one_of(instance)),
        ..release
    }
}

/// Whether two releases of one entry do not differ.
fn are_alike(one: &Release, other: &Release) -> bool {
    fn same<T: PartialEq>(one: &Setting<T>, other: &Setting<T>) -> bool {
        one.known() == other.known()
    }
    one.name == other.name
        && one.chart == other.chart
        && one.local_chart == other.local_chart
        && one.repository == other.repository
        && one.version.same_as(&other.version) == Some(true)
        && same(&one.namespace, &other.namespace)
        && same(&one.skip_crds, &other.skip_crds)
        && one.values.same_as(&other.values) == Some(true)
}
