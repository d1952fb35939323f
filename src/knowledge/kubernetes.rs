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
