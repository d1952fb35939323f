//! Versions and their ranges as the Go package Masterminds/semver v3 reads them.

use std::cmp::Ordering;

/// A version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Semver {
    /// Major, minor and patch.
    pub numbers: [u64; 3],
    /// What follows the dash.
    pub prerelease: String,
    /// What follows the plus.
    pub metadata: String,
    /// As it was written.
    pub original: String,
    /// Whether it prints as it was written: the version of Kubernetes does.
    pub keeps_form: bool,
    printed: String,
}

impl Semver {
    /// Reads a version of one to three numbers, with or without `v`.
    pub(crate) fn parse(original: &str) -> Option<Self> {
        let (numbers, count, prerelease, metadata) = parts(original)?;
        if count == 0 {
            return None;
        }
        Some(Self::new(numbers, prerelease, metadata, original))
    }

    fn new(numbers: [u64; 3], prerelease: &str, metadata: &str, original: &str) -> Self {
        let [major, minor, patch] = numbers;
        let mut printed = format!("{major}.{minor}.{patch}");
        if !prerelease.is_empty() {
            printed.push('-');
            printed.push_str(prerelease);
        }
        if !metadata.is_empty() {
            printed.push('+');
            printed.push_str(metadata);
        }
        Self {
            numbers,
            prerelease: prerelease.to_owned(),
            metadata: metadata.to_owned(),
            original: original.to_owned(),
            keeps_form: false,
            printed,
        }
    }

    /// The version of Kubernetes, which prints as it is written.
    pub(crate) fn kept(self) -> Self {
        Self { keeps_form: true, printed: self.original.clone(), ..self }
    }

    /// As `{{ }}` prints it.
    pub(crate) fn printed(&self) -> &str {
        &self.printed
    }

    /// Which of two versions comes first.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        self.numbers
            .cmp(&other.numbers)
            .then_with(|| compare_prereleases(&self.prerelease, &other.prerelease))
    }
}

/// The numbers, how many are written, and the rest; a number may be `x`, `X` or `*` in a range.
fn parts(text: &str) -> Option<([u64; 3], usize, &str, &str)> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, metadata) = match text.split_once('+') {
        Some((_, "")) => return None,
        Some((text, metadata)) => (text, metadata),
        None => (text, ""),
    };
    let (core, prerelease) = match text.split_once('-') {
        Some((_, "")) => return None,
        Some((core, prerelease)) => (core, prerelease),
        None => (text, ""),
    };
    let sound = |it: &str| {
        it.is_empty()
            || it.split('.').all(|it| {
                !it.is_empty() && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
            })
    };
    if !sound(prerelease) || !sound(metadata) {
        return None;
    }
    let mut numbers = [0; 3];
    let mut count = 0;
    for part in core.split('.') {
        let slot = numbers.get_mut(count)?;
        let digits = !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
        *slot = part.parse().ok().filter(|_| digits)?;
        count += 1;
    }
    Some((numbers, count, prerelease, metadata))
}

fn compare_prereleases(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let number = |it: &str| it.parse::<u64>().ok();
    let mut left = a.split('.');
    let mut right = b.split('.');
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match (number(a), number(b)) {
                (Some(a), Some(b)) => a.cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => a.cmp(b),
            },
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// A range of versions: one of several lists of comparisons, all of which hold.
#[derive(Clone, Debug)]
pub(crate) struct Ranges(Vec<Vec<Comparison>>);

#[derive(Clone, Debug)]
struct Comparison {
    operator: Operator,
    version: Semver,
    /// How many numbers are written before a wildcard or the end.
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    AtLeast,
    AtMost,
    Tilde,
    Caret,
}

impl Ranges {
    /// Reads a range; `None` where Masterminds refuses it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = hyphens(text);
        let alternatives = text.split("||").map(comparisons).collect::<Option<Vec<_>>>()?;
        Some(Self(alternatives))
    }

    /// Whether a version is in the range.
    pub(crate) fn allows(&self, version: &Semver) -> bool {
        self.0.iter().any(|all| all.iter().all(|it| it.allows(version)))
    }
}

/// `1.2 - 1.4` is `>=1.2 <=1.4`.
fn hyphens(text: &str) -> String {
    let mut result = String::new();
    for (at, alternative) in text.split("||").enumerate() {
        if at > 0 {
            result.push_str("||");
        }
        match alternative.split_once(" - ") {
            Some((from, to)) => result.extend([">=", from.trim(), ",<=", to.trim()]),
            None => result.push_str(alternative),
        }
    }
    result
}

fn comparisons(text: &str) -> Option<Vec<Comparison>> {
    let mut found = Vec::new();
    let mut rest = text.trim_matches([' ', ',']);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let operator_len = rest.find(|it| !"=!<>~^".contains(it)).unwrap_or(rest.len());
        let (operator, behind) = rest.split_at(operator_len);
        let behind = behind.trim_start();
        let end = behind.find([' ', ',', '<', '>', '=', '!', '~', '^']).unwrap_or(behind.len());
        let (version, after) = behind.split_at(end);
        found.push(comparison(operator, version)?);
        rest = after.trim_start_matches([' ', ',', '\t']);
    }
    Some(found)
}

fn comparison(operator: &str, version: &str) -> Option<Comparison> {
    let operator = match operator {
        "" | "=" => Operator::Equal,
        "!=" => Operator::NotEqual,
        ">" => Operator::Greater,
        "<" => Operator::Less,
        ">=" | "=>" => Operator::AtLeast,
        "<=" | "=<" => Operator::AtMost,
        "~" | "~>" => Operator::Tilde,
        "^" => Operator::Caret,
        _ => return None,
    };
    let (plain, count) = wildcards(version)?;
    let (numbers, _, prerelease, metadata) = parts(&plain)?;
    let version = Semver::new(numbers, prerelease, metadata, version);
    Some(Comparison { operator, version, count })
}

/// The version with zeros for its wildcards, and how many numbers are before the first.
fn wildcards(version: &str) -> Option<(String, usize)> {
    let bare = version.strip_prefix('v').unwrap_or(version);
    let core_end = bare.find(['-', '+']).unwrap_or(bare.len());
    let (core, rest) = bare.split_at(core_end);
    let is_wild = |it: &str| matches!(it, "x" | "X" | "*");
    let written: Vec<&str> = core.split('.').collect();
    if written.len() > 3 || core.is_empty() {
        return None;
    }
    let count = written.iter().position(|it| is_wild(it)).unwrap_or(written.len());
    let plain: Vec<&str> = written.iter().map(|it| if is_wild(it) { "0" } else { *it }).collect();
    Some((format!("{}{rest}", plain.join(".")), count))
}

impl Comparison {
    /// Whether what is written is not a whole version: `1.2`, `1.x`, `*`.
    fn is_dirty(&self) -> bool {
        self.count < 3
    }

    fn allows(&self, version: &Semver) -> bool {
        // A prerelease is looked at only by a comparison that names one.
        let skips = !version.prerelease.is_empty() && self.version.prerelease.is_empty();
        let order = version.compare(&self.version);
        let [major, minor, _] = version.numbers;
        let [own_major, own_minor, _] = self.version.numbers;
        match self.operator {
            Operator::NotEqual if !self.is_dirty() => order != Ordering::Equal,
            Operator::NotEqual if skips => false,
            Operator::NotEqual => match self.count {
                0 => false,
                1 => major != own_major,
                _ => (major, minor) != (own_major, own_minor),
            },
            _ if skips => false,
            Operator::Equal if self.is_dirty() => self.tilde(version),
            Operator::Equal => order == Ordering::Equal,
            Operator::Greater => match self.count {
                _ if !self.is_dirty() => order == Ordering::Greater,
                0 => false,
                1 => major > own_major,
                _ => (major, minor) > (own_major, own_minor),
            },
            Operator::Less => order == Ordering::Less,
            Operator::AtLeast => order != Ordering::Less,
            Operator::AtMost => match self.count {
                _ if !self.is_dirty() => order != Ordering::Greater,
                0 => true,
                1 => major <= own_major,
                _ => (major, minor) <= (own_major, own_minor),
            },
            Operator::Tilde => self.tilde(version),
            Operator::Caret => self.caret(version),
        }
    }

    fn tilde(&self, version: &Semver) -> bool {
        if version.compare(&self.version) == Ordering::Less {
            return false;
        }
        let [major, minor, _] = version.numbers;
        let [own_major, own_minor, _] = self.version.numbers;
        match self.count {
            0 => true,
            1 => major == own_major,
            _ => (major, minor) == (own_major, own_minor),
        }
    }

    fn caret(&self, version: &Semver) -> bool {
        if version.compare(&self.version) == Ordering::Less {
            return false;
        }
        let [major, minor, patch] = version.numbers;
        let [own_major, own_minor, own_patch] = self.version.numbers;
        if own_major > 0 || self.count < 2 {
            return self.count == 0 || major == own_major;
        }
        if major > 0 {
            return false;
        }
        if own_minor > 0 || self.count < 3 {
            return minor == own_minor;
        }
        minor == 0 && patch == own_patch
    }
}

#[cfg(test)]
mod tests {
    use super::{Ranges, Semver};

    #[test]
    fn ranges_are_read_as_masterminds_does() {
        let cases = [
            (">=1.21-0", "1.21.0-eks-1", true),
            (">=1.21", "1.22.0-eks-1", false),
            ("<1.21-0", "1.20.3", true),
            ("^1.2", "1.9.0", true),
            ("^0.2.3", "0.3.0", false),
            ("~1.2.3", "1.2.9", true),
            ("~1", "1.9.9", true),
            ("1.2.x", "1.2.5", true),
            ("1.2", "1.3.0", false),
            ("*", "3.0.0", true),
            ("*-0", "3.0.0-rc1", true),
            ("!=1.2.3", "1.2.4", true),
            (">1.2", "1.2.5", false),
            ("<=1.2", "1.2.5", true),
            ("1.2 - 1.4", "1.3.0", true),
            (">=1.2 <1.4 || >2", "3.0.0", true),
            (">= 1.16.0-0", "v1.32.0", true),
        ];
        for (range, version, expected) in cases {
            let range_read = Ranges::parse(range).unwrap_or(Ranges(Vec::new()));
            let version_read = Semver::parse(version).map(|it| range_read.allows(&it));
            assert_eq!(version_read, Some(expected), "{range} {version}");
        }
    }
}
