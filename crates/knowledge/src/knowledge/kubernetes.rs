//! Which Kubernetes versions the releases of Karpenter work with.

use std::{ops::RangeInclusive, sync::LazyLock};

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::{Basis, Fact, Facts},
        read::{Read, document},
    },
    version::{Range, Version, constraint::Constraint},
};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Compatibility {
    source: String,
    checked: String,
    kubernetes: Facts,
}

/// The oldest and the newest Kubernetes a release works with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KubernetesRange {
    oldest: Version,
    newest: Version,
}

static READ: LazyLock<Read<Compatibility>> = LazyLock::new(|| {
    const FILE: &str = "kubernetes-compatibility.yaml";
    let mut read: Read<Compatibility> =
        document(FILE, include_str!("kubernetes-compatibility.yaml"));
    let Compatibility { source, checked, kubernetes } = &mut read.data;
    let basis = Basis { source: source.clone(), checked: checked.clone(), ..Basis::default() };
    kubernetes.complete(&basis);
    if kubernetes.list().iter().any(|it| bounds(it).is_none()) {
        read.problems.push(format!("{FILE}: a release without Kubernetes versions"));
    }
    read
});

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// The facts: the oldest and the newest Kubernetes of each span of releases.
#[must_use]
pub fn facts() -> &'static Facts {
    &READ.data.kubernetes
}

/// The Kubernetes versions that work with every one of the allowed releases of Karpenter or with some of them,
/// from the oldest to the newest; `None` where an allowed release may be one of which nothing is known.
#[must_use]
pub fn supported_by(allowed: &Constraint) -> Option<RangeInclusive<Version>> {
    let facts = facts().list();
    let known = Range {
        since: facts.first()?.range.since.clone(),
        until: facts.last()?.range.until.clone(),
    };
    if allowed.within(&known) != Some(true) {
        return None;
    }
    let possible: Vec<KubernetesRange> =
        self::facts().possible(Some(allowed)).filter_map(bounds).collect();
    let oldest = possible.iter().map(|it| &it.oldest).min()?.clone();
    let newest = possible.iter().map(|it| &it.newest).max()?.clone();
    Some(oldest..=newest)
}

/// The newest version of Kubernetes that releases may work with which are all older than those that are known: none of
/// them works with what is newer than the first of these does.
#[must_use]
pub fn most_of_older(allowed: &Constraint) -> Option<Version> {
    let first = facts().list().first()?;
    let older = Range { since: None, until: first.range.since.clone() };
    (allowed.within(&older) == Some(true)).then(|| bounds(first)).flatten().map(|it| it.newest)
}

/// The newest version of Kubernetes that a release before that one works with.
#[must_use]
pub fn newest_before(release: &Version) -> Option<Version> {
    let is_before = |it: &&Fact| it.range.until.as_ref().is_some_and(|it| it <= release);
    facts().list().iter().filter(is_before).filter_map(bounds).map(|it| it.newest).max()
}

/// The newest version of Kubernetes that a release works with.
#[must_use]
pub fn newest() -> Option<Version> {
    facts().list().iter().filter_map(bounds).map(|it| it.newest).max()
}

/// The version after the newest release of Karpenter that is known.
#[must_use]
pub fn after_newest_release() -> Option<&'static Version> {
    facts().list().last()?.range.until.as_ref()
}

/// The first release of Karpenter that works with that version of Kubernetes.
#[must_use]
pub fn first_release_for(kubernetes: &Version) -> Option<&'static Version> {
    let works = |it: &&Fact| {
        bounds(it)
            .is_some_and(|it| (it.oldest.line()..=it.newest.line()).contains(&kubernetes.line()))
    };
    facts().list().iter().find(works)?.range.since.as_ref()
}

/// Whether no release of Karpenter from that one on works with that version of Kubernetes: it is older than all of these
/// need.
#[must_use]
pub fn is_too_old_from(release: &Version, kubernetes: &Version) -> bool {
    let is_later = |it: &&Fact| it.range.until.as_ref().is_none_or(|it| it > release);
    let oldest = facts().list().iter().filter(is_later).filter_map(bounds).map(|it| it.oldest);
    oldest.min().is_some_and(|it| kubernetes.line() < it.line())
}

fn bounds(fact: &Fact) -> Option<KubernetesRange> {
    KubernetesRange::deserialize(&fact.value).ok()
}

#[cfg(test)]
mod tests {
    use super::{first_release_for, is_too_old_from, most_of_older, newest_before, supported_by};
    use crate::version::{Version, constraint::Constraint};

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
    }

    #[test]
    fn karpenter_works_with_a_few_kubernetes_versions() {
        for (allowed, wanted) in [
            ("0.20.0", None),
            ("0.21.1", Some(("1.21.0", "1.24.0"))),
            ("v0.34.1", Some(("1.23.0", "1.29.0"))),
            ("1.0.4", Some(("1.25.0", "1.30.0"))),
            ("1.0.5", Some(("1.25.0", "1.31.0"))),
            ("1.0", Some(("1.25.0", "1.31.0"))),
            ("1.14.1", Some(("1.26.0", "1.36.0"))),
            ("1.15.0", None),
            ("~> 1.4", None),
            ("~1.4.0", Some(("1.25.0", "1.32.0"))),
            (">= 1.4, < 1.7", Some(("1.25.0", "1.34.0"))),
            ("*", None),
        ] {
            let constraint =
                Constraint::parse(allowed).unwrap_or_else(|| unreachable!("{allowed}"));
            let range = supported_by(&constraint);
            let found = range.map(|it| (it.start().to_string(), it.end().to_string()));
            let wanted = wanted.map(|(oldest, newest)| (oldest.to_owned(), newest.to_owned()));
            assert_eq!(found, wanted, "{allowed}");
        }
        for (kubernetes, first) in [("1.31", "1.0.5"), ("1.32", "1.2.0"), ("1.36", "1.13.0")] {
            let found = first_release_for(&version(kubernetes));
            assert_eq!(found, Some(&version(first)), "{kubernetes}");
        }
        assert_eq!(first_release_for(&version("1.37")), None);
        assert_eq!(newest_before(&version("1.0.0")), Some(version("1.30")));
        for (allowed, most) in [("0.16.3", Some("1.24")), ("0.21.0", None), ("< 0.22", None)] {
            let allowed = Constraint::parse(allowed).unwrap_or_else(|| unreachable!("{allowed}"));
            assert_eq!(most_of_older(&allowed), most.map(version));
        }
    }

    #[test]
    fn a_kubernetes_may_be_too_old_for_all_later_releases() {
        for (release, kubernetes, wanted) in [
            ("0.33.0", "1.22", true),
            ("0.33.0", "1.23", false),
            ("0.27.0", "1.22", false),
            ("1.0.0", "1.24", true),
            ("1.0.0", "1.25", false),
        ] {
            let found = is_too_old_from(&version(release), &version(kubernetes));
            assert_eq!(found, wanted, "{release} with {kubernetes}");
        }
    }
}
