//! Version constraints as Terraform modules and Helm charts take them.
//!
//! Both dialects are read into the same intervals. `~> 1.4` means any later `1.x` to Terraform and only `1.4.x` to
//! Helm: the wider meaning is taken, as a question is answered only when every version that is allowed agrees.

mod below;
mod meet;

use crate::version::{Range, Version};

/// Which versions are acceptable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// One interval suffices.
    any: Vec<Interval>,
}

/// Versions between two bounds, without the excluded ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Interval {
    from: Option<VersionBound>,
    to: Option<VersionBound>,
    except: Vec<Version>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct VersionBound {
    version: Version,
    inclusive: bool,
}

impl Constraint {
    /// Reads a constraint: comparisons, `~>`, `~`, `^`, wildcards, hyphen ranges; joined by commas or
    /// spaces (all must hold) and `||` (one suffices). `None` if it is none of these.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(version) = exact(text) {
            return Some(version.into());
        }
        let any = text.split("||").map(alternative).collect::<Option<Vec<_>>>()?;
        Some(Self { any })
    }

    /// Whether the version is acceptable. A prerelease is, only where the constraint names one.
    #[must_use]
    pub fn allows(&self, version: &Version) -> bool {
        self.any.iter().any(|it| it.allows(version))
    }

    /// The one version it allows, if it is only one.
    #[must_use]
    pub fn is_exact(&self) -> Option<Version> {
        let mut versions = self.any.iter().map(Interval::exact);
        let first = versions.next()??;
        versions.all(|it| it == Some(first)).then(|| first.clone())
    }

    /// Whether it lets more in than the patches of one minor: `>= 1.0`, `*`, `^1`, `~> 1.4`.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let mut lines = self.any.iter().map(Interval::line);
        match lines.next() {
            Some(Some(first)) => !lines.all(|it| it == Some(first)),
            _ => true,
        }
    }

    /// Whether all versions it allows lie in the range (`Some(true)`), none does (`Some(false)`), or only some do.
    #[must_use]
    pub fn within(&self, range: &Range) -> Option<bool> {
        let mut answers = self.any.iter().map(|it| it.within(range));
        let first = answers.next()??;
        answers.all(|it| it == Some(first)).then_some(first)
    }

    /// What one of the two allows.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.any.extend(other.any);
        self
    }
}

impl From<Version> for Constraint {
    fn from(version: Version) -> Self {
        Self { any: vec![Interval::only(version)] }
    }
}

impl Interval {
    fn only(version: Version) -> Self {
        let bound = VersionBound { version, inclusive: true };
        Self { from: Some(bound.clone()), to: Some(bound), except: Vec::new() }
    }

    fn allows(&self, version: &Version) -> bool {
        let names_one = |it: &Option<VersionBound>| {
            it.as_ref().is_some_and(|it| !it.version.prerelease.is_empty())
        };
        if !version.prerelease.is_empty() && !names_one(&self.from) && !names_one(&self.to) {
            return false;
        }
        self.from
            .as_ref()
            .is_none_or(|it| it.version < *version || (it.inclusive && it.version == *version))
            && self
                .to
                .as_ref()
                .is_none_or(|it| *version < it.version || (it.inclusive && it.version == *version))
            && !self.except.contains(version)
    }

    fn exact(&self) -> Option<&Version> {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => (from.version == to.version).then_some(&from.version),
            _ => None,
        }
    }

    /// The minor line all its versions belong to.
    fn line(&self) -> Option<(u64, u64)> {
        let from = self.from.as_ref()?.version.line();
        let to = self.to.as_ref()?;
        let next = Version::new(from.0, from.1.checked_add(1)?, 0);
        let inside = to.version < next || (to.version == next && !to.inclusive);
        inside.then_some(from)
    }

    fn within(&self, range: &Range) -> Option<bool> {
        let after = |since: &Version| self.from.as_ref().is_some_and(|it| it.version >= *since);
        let before = |until: &Version| {
            self.to
                .as_ref()
                .is_some_and(|it| it.version < *until || (it.version == *until && !it.inclusive))
        };
        let inside =
            range.since.as_ref().is_none_or(after) && range.until.as_ref().is_none_or(before);
        let outside =
            range.since.as_ref().is_some_and(before) || range.until.as_ref().is_some_and(after);
        match (inside, outside) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Narrows both bounds; equal versions keep the stricter one.
    fn and(mut self, other: Self) -> Self {
        let tighter_from = |a: &VersionBound, b: &VersionBound| {
            b.version > a.version || (b.version == a.version && !b.inclusive)
        };
        let tighter_to = |a: &VersionBound, b: &VersionBound| {
            b.version < a.version || (b.version == a.version && !b.inclusive)
        };
        self.from = tightest(self.from, other.from, tighter_from);
        self.to = tightest(self.to, other.to, tighter_to);
        self.except.extend(other.except);
        self
    }
}

fn tightest(
    a: Option<VersionBound>,
    b: Option<VersionBound>,
    tighter: impl Fn(&VersionBound, &VersionBound) -> bool,
) -> Option<VersionBound> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if tighter(&a, &b) { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// The only version of most constraints: one with all of its numbers.
fn exact(text: &str) -> Option<Version> {
    let numbers = text.split('-').next()?;
    let is_whole = numbers.bytes().filter(|it| *it == b'.').count() == 2 && !text.contains('+');
    Version::parse(text).filter(|_| is_whole)
}

/// The terms between two `||`.
fn alternative(text: &str) -> Option<Interval> {
    if let Some((from, to)) = text.split_once(" - ") {
        let from = PartialVersion::parse(from)?.interval("");
        let to = PartialVersion::parse(to)?.interval("");
        return Some(Interval { from: from?.from, to: to?.to, except: Vec::new() });
    }
    let mut interval = Interval::default();
    let mut rest = text.trim_matches(is_separator);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let operator_end = rest.find(|it| !"<>=!~^".contains(it)).unwrap_or(rest.len());
        let (operator, after) = rest.split_at(operator_end);
        let after = after.trim_start();
        let (pattern, after) = after.split_at(after.find(is_separator).unwrap_or(after.len()));
        interval = interval.and(PartialVersion::parse(pattern)?.interval(operator)?);
        rest = after.trim_start_matches(is_separator);
    }
    Some(interval)
}

fn is_separator(letter: char) -> bool {
    letter.is_whitespace() || letter == ','
}

/// A version of which the last numbers may be missing or wild.
struct PartialVersion {
    version: Version,
    /// How many numbers are given.
    given: u8,
}

impl PartialVersion {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let is_wild = |it: &str| matches!(it, "x" | "X" | "*");
        let parts: Vec<&str> = bare.splitn(3, '.').collect();
        let given = parts.iter().position(|it| is_wild(it)).unwrap_or(parts.len());
        if !parts.iter().skip(given).all(|it| is_wild(it)) {
            return None;
        }
        let version = match given {
            0 => Version::new(0, 0, 0),
            _ => Version::parse(&parts.get(..given)?.join("."))?,
        };
        Some(Self { version, given: u8::try_from(given).ok()? })
    }

    fn interval(self, operator: &str) -> Option<Interval> {
        let from = |version| Some(VersionBound { version, inclusive: true });
        let below = |version| Some(VersionBound { version, inclusive: false });
        let (version, given) = (self.version.clone(), self.given);
        if given == 0 {
            return matches!(operator, "" | "=" | "==" | ">=" | "~" | "^" | "<=")
                .then(Interval::default);
        }
        let mut interval = Interval::default();
        match operator {
            "" | "=" | "==" if given == 3 => return Some(Interval::only(version)),
            // The tag of a snapshot, `0-7b2f3c1`, contains no version.
            "" | "=" | "==" if !version.prerelease.is_empty() => return None,
            "" | "=" | "==" | "~" => {
                interval.to = below(self.next(given.min(2))?);
                interval.from = from(version);
            }
            "~>" => {
                interval.to = below(self.next(given.saturating_sub(1).max(1))?);
                interval.from = from(version);
            }
            "^" => {
                interval.to = below(self.next(self.significant())?);
                interval.from = from(version);
            }
            ">=" => interval.from = from(version),
            ">" if given == 3 => interval.from = below(version),
            ">" => interval.from = from(self.next(given)?),
            "<" => interval.to = below(version),
            "<=" if given == 3 => interval.to = from(version),
            "<=" => interval.to = below(self.next(given)?),
            "!=" if given == 3 => interval.except.push(version),
            // The hole in the middle is left out: no result here depends on it.
            "!=" => {}
            _ => return None,
        }
        Some(interval)
    }

    /// The first version after all that share the first `numbers` numbers.
    fn next(&self, numbers: u8) -> Option<Version> {
        let Version { major, minor, patch, .. } = self.version;
        Some(match numbers {
            1 => Version::new(major.checked_add(1)?, 0, 0),
            2 => Version::new(major, minor.checked_add(1)?, 0),
            _ => Version::new(major, minor, patch.checked_add(1)?),
        })
    }

    /// A caret holds everything up to the first number that is not zero.
    fn significant(&self) -> u8 {
        let Version { major, minor, .. } = self.version;
        match (major, minor) {
            (1.., _) => 1,
            (0, 1..) => self.given.min(2),
            _ => self.given,
        }
    }
}

#[cfg(test)]
mod tests;
