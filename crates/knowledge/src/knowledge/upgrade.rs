//! The way from one release of Karpenter to another, as upstream allows it.

mod ask;

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::{
        kubernetes::first_release_for,
        publication::has_prefix,
        read::{Read, document},
        upgrade::ask::filled,
    },
    version::Version,
};

pub use crate::knowledge::upgrade::ask::{Ask, Companion, Follower, ModuleAsk, Moment};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Upgrades {
    /// Of the list of releases.
    source: String,
    /// The day the list of releases was checked.
    checked: String,
    releases: Vec<Minor>,
    barriers: Vec<Barrier>,
    rollbacks: Vec<Rollback>,
    always: Vec<Ask>,
    kubernetes: Vec<Ask>,
    followers: Vec<Follower>,
    others: Option<Ask>,
    charts: Option<Ask>,
    local_charts: Option<Ask>,
    companions: Vec<Companion>,
    minors: Vec<Asks>,
    modules: Vec<ModuleAsk>,
}

/// The releases of one minor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Minor {
    newest: Version,
    /// The patches that were never published.
    #[serde(default)]
    without: Vec<Version>,
}

/// A step that upstream forbids: from a release before one to another or a newer one, without a stop between.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Barrier {
    /// The first release that may pass.
    pub below: Version,
    /// The first release that may not be reached from below.
    pub beyond: Version,
    /// Why: "1.1 drops v1beta1".
    pub why: String,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A way back that only some patches allow.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// The first release from which it is narrow.
    pub since: Version,
    /// The patches before it that may be gone back to; later ones of their minor may, too.
    pub only: Vec<Version>,
    /// Whether others cannot read what is stored; else they only cost nodes.
    pub stored: bool,
    /// Why the others may not.
    pub why: String,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// What crossing a minor asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asks {
    minor: Version,
    asks: Vec<Ask>,
}

/// One step of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The release it ends at.
    pub version: Version,
    /// The stop before it that may not be left out.
    pub forbidden_without: Option<Version>,
}

static READ: LazyLock<Read<Upgrades>> = LazyLock::new(|| {
    const FILE: &str = "upgrade-steps.yaml";
    let mut read: Read<Upgrades> = document(FILE, include_str!("upgrade-steps.yaml"));
    let Upgrades { source, checked, releases, .. } = &read.data;
    if source.is_empty() || checked.is_empty() {
        read.problems.push(format!("{FILE}: releases without a source"));
    }
    if !releases.is_sorted_by_key(|it| &it.newest) {
        read.problems.push(format!("{FILE}: releases out of order"));
    }
    read
});

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// The newest release of each minor, the oldest minor first.
#[must_use]
pub fn newest_patches() -> impl DoubleEndedIterator<Item = &'static Version> {
    READ.data.releases.iter().map(|it| &it.newest)
}

/// The newest release of all.
#[must_use]
pub fn newest() -> Option<&'static Version> {
    newest_patches().next_back()
}

/// The newest release of that minor.
#[must_use]
pub fn newest_patch(line: (u64, u64)) -> Option<&'static Version> {
    newest_patches().find(|it| it.line() == line)
}

/// All releases, the oldest first.
pub fn published() -> impl Iterator<Item = Version> {
    let of_minor = |it: &'static Minor| {
        let Version { major, minor, patch, .. } = it.newest;
        let patches = (0..=patch).map(move |patch| Version::new(major, minor, patch));
        patches.filter(|version| !it.without.contains(version))
    };
    READ.data.releases.iter().flat_map(of_minor)
}

/// Whether that release was published.
#[must_use]
pub fn is_published(version: &Version) -> bool {
    let of_minor = |it: &&Minor| it.newest.line() == version.line();
    version.prerelease.is_empty()
        && READ
            .data
            .releases
            .iter()
            .find(of_minor)
            .is_some_and(|it| *version <= it.newest && !it.without.contains(version))
}

/// The shortest way between two releases that upstream allows, the last step at `to`; empty where `to` is not
/// newer.
#[must_use]
pub fn path(from: &Version, to: &Version) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut at = from;
    while at < to {
        let stop = barrier(at, to).and_then(|it| last_before(&it.beyond));
        let next = stop.filter(|it| at < *it).unwrap_or(to);
        let before = steps.last().map(|it| it.version.clone());
        steps.push(Step { version: next.clone(), forbidden_without: before });
        at = next;
    }
    steps
}

/// What forbids to go from one release to another at once: the first stop that is left out.
#[must_use]
pub fn barrier(from: &Version, to: &Version) -> Option<&'static Barrier> {
    READ.data.barriers.iter().find(|it| *from < it.below && it.beyond <= *to)
}

/// The newest release before that one.
fn last_before(version: &Version) -> Option<&'static Version> {
    newest_patches().rfind(|it| *it < version)
}

/// What forbids to go back from a release to an older one.
#[must_use]
pub fn rollback(from: &Version, to: &Version) -> Option<&'static Rollback> {
    let allows =
        |it: &Rollback| it.only.iter().any(|patch| patch.line() == to.line() && patch <= to);
    READ.data.rollbacks.iter().find(|it| it.since <= *from && *to < it.since && !allows(it))
}

/// The way to the first minor that works with that version of Kubernetes, in its newest patch.
#[must_use]
pub fn path_to_kubernetes(from: &Version, kubernetes: &Version) -> Vec<Step> {
    let first = first_release_for(kubernetes).and_then(|it| newest_patch(it.line()));
    first.map_or_else(Vec::new, |to| path(from, to))
}

/// What a step asks for on the cluster: first what comes before the controller is replaced, then the rest, each
/// in the order of the minors.
#[must_use]
pub fn asks(from: &Version, to: &Version) -> Vec<Ask> {
    let crossed = |it: &&Asks| *from < it.minor && it.minor <= *to;
    let minors = READ.data.minors.iter().filter(crossed).flat_map(|it| &it.asks);
    let mut asks: Vec<Ask> = READ.data.always.iter().chain(minors).cloned().collect();
    asks.sort_by_key(|it| it.when);
    for ask in &mut asks {
        ask.r#do = ask.r#do.replace("{version}", &to.to_string()).replace("{tag}", &tag(to));
    }
    asks
}

/// What a release asks of calls of modules that make the role of the controller.
pub fn module_asks(to: &Version) -> impl Iterator<Item = &'static ModuleAsk> {
    READ.data.modules.iter().filter(move |it| it.minor <= *to)
}

/// The add-ons with Kubernetes' own versions.
#[must_use]
pub fn followers() -> &'static [Follower] {
    &READ.data.followers
}

/// The chart of that name, if its program is made for one minor of Kubernetes.
#[must_use]
pub fn companion(chart: &str) -> Option<&'static Companion> {
    READ.data.companions.iter().find(|it| it.chart == chart)
}

/// All of them.
#[must_use]
pub fn companions() -> &'static [Companion] {
    &READ.data.companions
}

/// What a new version of Kubernetes asks of charts of which nothing is known.
#[must_use]
pub fn chart_ask(charts: &str, kubernetes: &str) -> Option<Ask> {
    let holes = [("{charts}", charts), ("{kubernetes}", kubernetes)];
    READ.data.charts.as_ref().map(|it| filled(it, &holes))
}

/// What it asks of a chart of the repository whose `kubeVersion` is another; `place` is where it is installed.
#[must_use]
pub fn local_chart_ask(folder: &str, place: &str, range: &str, kubernetes: &str) -> Option<Ask> {
    let holes = [
        ("{folder}", folder),
        ("{place}", place),
        ("{range}", range),
        ("{kubernetes}", kubernetes),
    ];
    READ.data.local_charts.as_ref().map(|it| filled(it, &holes))
}

/// What a new version of Kubernetes asks of an add-on with versions of its own; `place` is where it is written.
#[must_use]
pub fn addon_ask(addon: &str, place: &str, version: &str, kubernetes: &str) -> Option<Ask> {
    let holes = [
        ("{addon}", addon),
        ("{place}", place),
        ("{version}", version),
        ("{kubernetes}", kubernetes),
    ];
    READ.data.others.as_ref().map(|it| filled(it, &holes))
}

/// What a new version of Kubernetes asks for; `versions` are the minors on the way.
#[must_use]
pub fn kubernetes_asks(versions: &str) -> Vec<Ask> {
    let mut asks = READ.data.kubernetes.clone();
    for ask in &mut asks {
        ask.r#do = ask.r#do.replace("{versions}", versions);
    }
    asks
}

/// How the charts of that release are tagged: `v0.34.13`, `1.14.1`.
#[must_use]
pub fn tag(version: &Version) -> String {
    let prefix = if has_prefix(version) == Some(true) { "v" } else { "" };
    format!("{prefix}{version}")
}

/// All barriers, the oldest first.
#[must_use]
pub fn barriers() -> &'static [Barrier] {
    &READ.data.barriers
}

/// All narrow ways back, the newest first.
#[must_use]
pub fn rollbacks() -> &'static [Rollback] {
    &READ.data.rollbacks
}

/// Everything a step may ask for.
pub fn all_asks() -> impl Iterator<Item = &'static Ask> {
    let minors = READ.data.minors.iter().flat_map(|it| &it.asks);
    let Upgrades { others, charts, local_charts, .. } = &READ.data;
    let of_others = others.iter().chain(charts).chain(local_charts);
    READ.data.always.iter().chain(&READ.data.kubernetes).chain(of_others).chain(minors)
}

#[cfg(test)]
mod tests;
