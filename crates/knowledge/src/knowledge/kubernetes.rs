//! Which Kubernetes versions the releases of Karpenter work with.

use std::{ops::RangeInclusive, sync::OnceLock};

use crate::{
    knowledge::{Fact, Facts, read},
    value::Value,
    version::{Range, Version, constraint::Constraint},
};

pub(super) fn all() -> &'static (Facts, Vec<String>) {
    static ALL: OnceLock<(Facts, Vec<String>)> = OnceLock::new();
    ALL.get_or_init(read::identity::kubernetes)
}

/// The facts: the oldest and the newest Kubernetes of each span of releases.
#[must_use]
pub fn facts() -> &'static Facts {
    &all().0
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
    let possible = facts.iter().filter(|it| allowed.within(&it.range) != Some(false));
    let bounds: Vec<(Version, Version)> = possible.filter_map(bounds).collect();
    let oldest = bounds.iter().map(|(oldest, _)| oldest).min()?.clone();
    let newest = bounds.iter().map(|(_, newest)| newest).max()?.clone();
    Some(oldest..=newest)
}

/// The first release of Karpenter that works with that version of Kubernetes.
#[must_use]
pub fn first_release_for(kubernetes: &Version) -> Option<&'static Version> {
    let works = |it: &&Fact| {
        bounds(it).is_some_and(|(oldest, newest)| {
            (oldest.line()..=newest.line()).contains(&kubernetes.line())
        })
    };
    facts().list().iter().find(works)?.range.since.as_ref()
}

pub(super) fn bounds(fact: &Fact) -> Option<(Version, Version)> {
    let version =
        |key: &str| Version::parse(fact.value.get(key).present().and_then(Value::as_str)?);
    Some((version("oldest")?, version("newest")?))
}

#[cfg(test)]
mod tests {
    use super::{first_release_for, supported_by};
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
    }
}
