//! Versions, ranges and constraints, compared as charts, add-ons and Terraform write them.

pub mod constraint;

use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

use serde::{Deserialize, Deserializer, de};

/// A version as releases carry it: `1.5.0`, `v0.32.1`, `1.0.0-rc.1`, `v1.36.0-eksbuild.2`.
///
/// The suffix `-eksbuild.N` is a build of the same software, so it does not make a prerelease: the first
/// build equals the bare version, later ones sort after it.
#[derive(Clone, Debug)]
pub struct Version {
    /// The first number.
    pub major: u64,
    /// The second number; 0 if it is not written.
    pub minor: u64,
    /// The third number; 0 if it is not written.
    pub patch: u64,
    /// What follows the dash, without the dash; empty for a release.
    pub prerelease: String,
    /// The number of the EKS build, if it is written.
    pub build: Option<u64>,
}

impl Version {
    /// A release of three numbers.
    #[must_use]
    pub const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self { major, minor, patch, prerelease: String::new(), build: None }
    }

    /// Reads a version with one to three numbers, with or without a leading `v`. `None` for anything
    /// else: wildcards, ranges, branch names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let (text, _metadata) = text.split_once('+').unwrap_or((text, ""));
        let (text, build) = match text.rsplit_once("-eksbuild.") {
            Some((version, build)) => (version, Some(number(build)?)),
            None => (text, None),
        };
        let (numbers, prerelease) = match text.split_once('-') {
            Some((_, "")) => return None,
            Some((numbers, prerelease)) => (numbers, prerelease),
            None => (text, ""),
        };
        let sound = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '.';
        if !prerelease.chars().all(sound) {
            return None;
        }
        let mut numbers = numbers.split('.');
        let major = number(numbers.next()?)?;
        let minor = numbers.next().map_or(Some(0), number)?;
        let patch = numbers.next().map_or(Some(0), number)?;
        if numbers.next().is_some() {
            return None;
        }
        Some(Self { major, minor, patch, prerelease: prerelease.to_owned(), build })
    }

    /// Major and minor: `(1, 5)`. Most of what changes, changes between these.
    #[must_use]
    pub fn line(&self) -> (u64, u64) {
        (self.major, self.minor)
    }

    fn numbers(&self) -> (u64, u64, u64) {
        (self.major, self.minor, self.patch)
    }
}

/// Digits only: a sign or a space makes no version.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|it| it.is_ascii_digit()).then(|| text.parse().ok())?
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers()
            .cmp(&other.numbers())
            .then_with(|| compare_prereleases(&self.prerelease, &other.prerelease))
            .then_with(|| self.build.unwrap_or(1).cmp(&other.build.unwrap_or(1)))
    }
}

/// A release comes after all its prereleases; their parts compare as in semantic versioning.
fn compare_prereleases(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        (false, false) => a.split('.').map(part).cmp(b.split('.').map(part)),
    }
}

/// Numbers come before words; a number too large for the machine counts as a word.
fn part(text: &str) -> (bool, u64, &str) {
    match number(text) {
        Some(value) => (false, value, ""),
        None => (true, 0, text),
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.numbers().hash(state);
        self.prerelease.split('.').map(part).for_each(|it| it.hash(state));
        self.build.unwrap_or(1).hash(state);
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.prerelease.is_empty() {
            write!(out, "-{}", self.prerelease)?;
        }
        self.build.map_or(Ok(()), |build| write!(out, "-eksbuild.{build}"))
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(from)?;
        Self::parse(text).ok_or_else(|| de::Error::custom(format!("`{text}` is no version")))
    }
}

/// The versions from `since` up to, and without, `until`; an absent bound is no bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The first version.
    pub since: Option<Version>,
    /// The first version after it.
    pub until: Option<Version>,
}

impl Range {
    /// From the first version to the last, which is inside with all builds of it.
    #[must_use]
    pub fn through(oldest: Version, newest: &Version) -> Self {
        let after = match newest.build {
            // Nothing comes before the prerelease `0` of a version.
            None => Version {
                prerelease: "0".to_owned(),
                ..Version::new(newest.major, newest.minor, newest.patch.saturating_add(1))
            },
            Some(build) => Version { build: Some(build.saturating_add(1)), ..newest.clone() },
        };
        Self { since: Some(oldest), until: Some(after) }
    }

    /// Whether the version lies inside.
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        self.since.as_ref().is_none_or(|it| it <= version)
            && self.until.as_ref().is_none_or(|it| version < it)
    }

    /// Whether some version may lie in both.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let starts_before_end = |a: &Self, b: &Self| match (&a.since, &b.until) {
            (Some(since), Some(until)) => since < until,
            _ => true,
        };
        starts_before_end(self, other) && starts_before_end(other, self)
    }

    /// The versions that lie in both.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        let until = match (self.until, &other.until) {
            (Some(own), Some(other)) => Some(own.min(other.clone())),
            (own, other) => own.or_else(|| other.clone()),
        };
        Self { since: self.since.max(other.since.clone()), until }
    }

    /// Whether the other range starts where this one ends.
    #[must_use]
    pub fn meets(&self, next: &Self) -> bool {
        self.until.is_some() && self.until == next.since
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any, proptest};

    use super::{Range, Version};

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
    }

    #[test]
    fn versions_are_read_as_people_write_them() {
        for (text, wanted) in [
            ("1.5.0", "1.5.0"),
            ("v0.32.1", "0.32.1"),
            (" 1.5 ", "1.5.0"),
            ("2", "2.0.0"),
            ("1.0.0-rc.1", "1.0.0-rc.1"),
            ("1.0.0+build5", "1.0.0"),
            ("v1.36.0-eksbuild.12", "1.36.0-eksbuild.12"),
            ("0-7b2f3c1d", "0.0.0-7b2f3c1d"),
        ] {
            assert_eq!(version(text).to_string(), wanted, "{text}");
        }
        for text in [
            "",
            "v",
            "latest",
            "1.x",
            "1.*",
            "1.2.3.4",
            "1..2",
            "-1",
            "+1",
            "1.2.3-",
            "~> 1.0",
            "=1.0",
            "1.0.0-eksbuild.",
            "1.0.0-a b",
            "99999999999999999999.0.0",
            "1.0.0, 1.1.0",
        ] {
            assert_eq!(Version::parse(text).map(|it| it.to_string()), None, "{text}");
        }
    }

    #[test]
    fn order_is_that_of_releases() {
        let ascending = [
            "0.9.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-rc.2",
            "1.0.0-rc.11",
            "1.0.0-eksbuild.1",
            "1.0.0-eksbuild.2",
            "1.0.0-eksbuild.10",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2",
        ];
        for (at, lower) in ascending.iter().enumerate() {
            for higher in &ascending[at + 1..] {
                assert!(version(lower) < version(higher), "{lower} < {higher}");
            }
        }
        assert_eq!(version("v1.36.0-eksbuild.1"), version("1.36"));
    }

    #[test]
    fn a_range_leaves_its_end_out() {
        let range = |since: &str, until: &str| Range {
            since: Version::parse(since),
            until: Version::parse(until),
        };
        let middle = range("1.0", "2.0");
        for (text, inside) in [
            ("0.9.9", false),
            ("1.0.0-rc.1", false),
            ("1.0.0", true),
            ("1.9.9", true),
            ("2.0.0", false),
        ] {
            assert_eq!(middle.contains(&version(text)), inside, "{text}");
        }
        assert!(!middle.overlaps(&range("2.0", "")));
        assert!(middle.meets(&range("2.0", "")));
        assert!(middle.overlaps(&range("1.9", "")));
        assert!(middle.overlaps(&range("", "")));
        assert!(!range("", "1.0").overlaps(&middle));
        assert!(!range("", "").meets(&middle));
    }

    #[test]
    fn the_last_version_is_inside_with_its_builds() {
        let verified = Range::through(version("1.0"), &version("1.14.1"));
        for (text, inside) in [
            ("0.9.9", false),
            ("1.0.0", true),
            ("1.14.1", true),
            ("1.14.1-eksbuild.7", true),
            ("1.14.2-0.dev", false),
            ("1.14.2", false),
        ] {
            assert_eq!(verified.contains(&version(text)), inside, "{text}");
        }
        let verified = Range::through(version("1.0"), &version("1.14.1-eksbuild.3"));
        assert!(verified.contains(&version("1.14.1-eksbuild.3")));
        assert!(!verified.contains(&version("1.14.1-eksbuild.4")));
    }

    fn any_version() -> impl Strategy<Value = Version> {
        let prerelease =
            proptest::sample::select(vec!["", "rc.1", "rc.2", "alpha", "alpha.1", "9"]);
        let build = proptest::option::of(0..3u64);
        (0..3u64, 0..3u64, 0..3u64, prerelease, build).prop_map(
            |(major, minor, patch, text, build)| Version {
                prerelease: text.to_owned(),
                build,
                ..Version::new(major, minor, patch)
            },
        )
    }

    proptest! {
        #[test]
        fn order_is_total_and_survives_printing(a in any_version(), b in any_version(), c in any_version()) {
            assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
            if a <= b && b <= c {
                assert!(a <= c);
            }
            assert_eq!(version(&a.to_string()), a);
        }

        #[test]
        fn nothing_makes_parsing_panic(text in any::<String>()) {
            let _ = Version::parse(&text);
        }
    }
}
