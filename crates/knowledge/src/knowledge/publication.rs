//! Where Karpenter's charts are published and under which name, and which releases are broken.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::{Fact, Facts},
        read::{Read, document},
    },
    value::Value,
    version::{Version, constraint::Constraint},
};

/// Where charts are published.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Publication {
    in_registry: Facts,
    newest_in_retired: Facts,
    tag_prefix: Facts,
    released: Facts,
    #[serde(skip)]
    bad: Facts,
}

/// The releases with a fault.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BadReleases {
    releases: Facts,
}

/// A fault of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFault {
    /// What it does: "leaks memory".
    pub what: &'static str,
    /// The first release of its line without the fault.
    pub fixed: &'static str,
    /// The values of the chart of which one has to be true for the fault to show; none if it always does.
    pub gates: Vec<&'static str>,
    /// Whether it comes from the order of the images that a class may have.
    pub is_of_image_order: bool,
}

static READ: LazyLock<Read<Publication>> = LazyLock::new(|| {
    let mut read: Read<Publication> =
        document("chart-publication.yaml", include_str!("chart-publication.yaml"));
    let bad: Read<BadReleases> =
        document("known-bad-releases.yaml", include_str!("known-bad-releases.yaml"));
    read.data.bad = bad.data.releases;
    read.problems.extend(bad.problems);
    read
});

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Whether the charts of all versions allowed are in the OCI registry; `None` where some are.
#[must_use]
pub fn is_in_registry(allowed: &Constraint) -> Option<bool> {
    READ.data.in_registry.within(allowed)?.as_bool()
}

/// The first version of the charts in the OCI registry.
#[must_use]
pub fn first_in_registry() -> Option<&'static Version> {
    let mut in_registry = READ.data.in_registry.list().iter();
    in_registry.find(|it| it.value.as_bool() == Some(true))?.range.since.as_ref()
}

/// The last chart of the repository before the registry, which is taken where none is asked for.
#[must_use]
pub fn newest_in_retired_repository() -> Option<&'static str> {
    READ.data.newest_in_retired.at(None)?.as_str()
}

/// Whether the tag of that version's charts starts with `v`.
#[must_use]
pub fn has_prefix(version: &Version) -> Option<bool> {
    READ.data.tag_prefix.at(Some(version))?.as_bool()
}

/// A version as the tag of its charts is written: `v0.34.6`, `1.8.5`.
#[must_use]
pub fn tag(version: &str) -> String {
    let has_prefix = Version::parse(version).is_some_and(|it| has_prefix(&it) == Some(true));
    if has_prefix { format!("v{version}") } else { version.to_owned() }
}

/// Whether there is such a version from 0.17 on.
#[must_use]
pub fn is_released(version: &Version) -> bool {
    READ.data.released.at(Some(version)).is_some()
}

/// The oldest version that [`is_released`] knows of.
#[must_use]
pub fn oldest() -> Option<&'static Version> {
    READ.data.released.list().first()?.range.since.as_ref()
}

/// The newest patch of an old minor, where a range allows only its patches and that one: what takes a range takes
/// the newest. `None` for one exact version.
#[must_use]
pub fn newest_of_line(allowed: &Constraint) -> Option<Version> {
    if allowed.is_exact().is_some() || allowed.is_open() {
        return None;
    }
    let last = |it: &Fact| {
        let end = it.range.until.as_ref()?;
        Some(Version::new(end.major, end.minor, end.patch.checked_sub(1)?))
    };
    let released = READ.data.released.list();
    let open = released.last()?.range.since.as_ref()?.line();
    let mut newest = released.iter().rev().filter_map(last);
    newest.find(|it| allowed.allows(it)).filter(|it| it.line() < open)
}

/// The fault all versions allowed have.
#[must_use]
pub fn fault(allowed: &Constraint) -> Option<KnownFault> {
    let value = READ.data.bad.within(allowed)?;
    let text = |key: &str| value.get(key).present().and_then(Value::as_str);
    let gates = value.get("gates").present().map_or(&[][..], Value::items);
    let gates = gates.iter().filter_map(Value::as_str).collect();
    let order = value.get("image_order").present().and_then(Value::as_bool);
    let is_of_image_order = order == Some(true);
    Some(KnownFault { what: text("fault")?, fixed: text("fixed")?, gates, is_of_image_order })
}

/// The facts, by question.
#[must_use]
pub fn facts() -> [(&'static str, &'static Facts); 5] {
    let publication = &READ.data;
    [
        ("in_registry", &publication.in_registry),
        ("newest_in_retired", &publication.newest_in_retired),
        ("tag_prefix", &publication.tag_prefix),
        ("released", &publication.released),
        ("bad_releases", &publication.bad),
    ]
}

#[cfg(test)]
mod tests {
    use super::{fault, has_prefix, is_released, newest_of_line};
    use crate::version::{Version, constraint::Constraint};

    #[test]
    fn a_range_within_an_old_minor_takes_its_newest_patch() {
        for (allowed, newest) in [
            ("~0.36.2", Some("0.36.9")),
            ("~> 1.0.0", Some("1.0.14")),
            ("0.36.x", Some("0.36.9")),
            (">=0.36.0 <0.36.3", None),
            ("0.36.2", None),
            (">= 1.0", None),
            ("~99.0.0", None),
        ] {
            let Some(constraint) = Constraint::parse(allowed) else { unreachable!("{allowed}") };
            let found = newest_of_line(&constraint).map(|it| it.to_string());
            assert_eq!(found.as_deref(), newest, "{allowed}");
        }
    }

    #[test]
    fn releases_are_broken_until_they_are_mended() {
        for (release, fixed) in [
            ("0.28.0", Some("0.28.1")),
            ("0.28.1", None),
            ("0.29.1", Some("0.29.2")),
            ("0.30.0", None),
            ("0.31.4", Some("0.31.5")),
            ("0.32.10", None),
            ("v0.33.0", Some("0.33.5")),
            ("0.36.1", Some("0.36.2")),
            ("0.37.0", None),
            ("1.8.4", Some("1.8.5")),
            ("1.8.5", None),
            ("~> 1.8.4", None),
        ] {
            let Some(allowed) = Constraint::parse(release) else { unreachable!("{release}") };
            let found = fault(&allowed).map(|it| it.fixed);
            assert_eq!(found, fixed, "{release}");
        }
    }

    #[test]
    fn tags_lost_their_prefix_in_0_35() {
        assert_eq!(["0.34.6", "0.35.5"].map(super::tag), ["v0.34.6", "0.35.5"]);
        for (release, prefix, released) in [
            ("0.16.3", None, false),
            ("0.17.0", Some(true), true),
            ("0.34.13", Some(true), true),
            ("0.34.14", Some(true), false),
            ("0.35.0", Some(false), true),
            ("1.0.14", Some(false), true),
            ("1.0.37", Some(false), false),
            ("1.14.1", Some(false), true),
        ] {
            let Some(release) = Version::parse(release) else { unreachable!("{release}") };
            assert_eq!(has_prefix(&release), prefix, "{release}");
            assert_eq!(is_released(&release), released, "{release}");
        }
    }
}
