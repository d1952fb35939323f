//! Which values Karpenter's own charts read, version by version.
//!
//! Helm takes any key; one that no template reads is without effect, and nobody says so.

use std::sync::OnceLock;

use crate::{
    knowledge::{Fact, Facts, answer::version_ranges, read},
    version::{Version, constraint::Constraint},
};

/// What a chart reads.
#[derive(Debug)]
pub struct ChartValues {
    /// The chart.
    pub chart: String,
    pub(super) oldest: Version,
    pub(super) newest: Version,
    pub(super) paths: Vec<(String, Facts)>,
    pub(super) names: Vec<Vec<String>>,
}

/// What a version of the chart does with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It reads what is written there, and below.
    Whole,
    /// It reads something below.
    Inside,
    /// It reads nothing of it.
    Nothing,
}

/// Why a chart does not read a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It did, up to this version.
    GoneSince(Version),
    /// It does from this version on.
    NotBefore(Version),
    /// It never did.
    Never,
}

/// What is known of a chart.
#[must_use]
pub fn of_chart(chart: &str) -> Option<&'static ChartValues> {
    all().0.iter().find(|it| it.chart == chart)
}

/// All facts, with the chart and the path.
pub fn facts() -> impl Iterator<Item = (String, &'static Facts)> {
    let named = |it: &'static ChartValues| {
        it.paths.iter().map(|(path, facts)| (format!("{}/{path}", it.chart), facts))
    };
    all().0.iter().flat_map(named)
}

/// What could not be read of the facts.
pub(super) fn problems() -> &'static [String] {
    &all().1
}

fn all() -> &'static (Vec<ChartValues>, Vec<String>) {
    static ALL: OnceLock<(Vec<ChartValues>, Vec<String>)> = OnceLock::new();
    ALL.get_or_init(read::chart_values)
}

impl ChartValues {
    /// One version of each span within which the chart reads the same, of those that are allowed; none if
    /// nothing is known of them.
    #[must_use]
    pub fn versions(&self, allowed: Option<&Constraint>) -> Vec<Version> {
        if let Some(exact) = allowed.and_then(Constraint::is_exact) {
            return if exact < self.oldest { Vec::new() } else { vec![exact] };
        }
        let version_ranges = version_ranges(self.paths.iter().map(|it| &it.1)).into_iter();
        let may_be = version_ranges
            .filter(|era| allowed.is_none_or(|allowed| allowed.within(era) != Some(false)));
        may_be.map(|it| it.since.unwrap_or_else(|| self.oldest.clone())).collect()
    }

    /// Whether the version is of a line that came after all that is known.
    #[must_use]
    pub fn is_outdated_by(&self, version: &Version) -> bool {
        version.line() > self.newest.line()
    }

    /// What a version does with a path.
    #[must_use]
    pub fn reading(&self, path: &str, version: &Version) -> Reading {
        let mut found = Reading::Nothing;
        for (read, facts) in &self.paths {
            if facts.at(Some(version)).is_none() {
                continue;
            }
            if is_at_or_below(path, read) {
                return Reading::Whole;
            }
            if is_at_or_below(read, path) {
                found = Reading::Inside;
            }
        }
        found
    }

    /// Why none of these versions reads a path.
    #[must_use]
    pub fn why_not(&self, path: &str, versions: &[Version]) -> Why {
        let touches =
            |it: &&(String, Facts)| is_at_or_below(path, &it.0) || is_at_or_below(&it.0, path);
        let read = || self.paths.iter().filter(touches).flat_map(|it| it.1.list());
        let (Some(first), Some(last)) = (versions.iter().min(), versions.iter().max()) else {
            return Why::Never;
        };
        let ended = |it: &Fact| it.range.until.clone().filter(|until| until <= first);
        let begins = |it: &Fact| it.range.since.clone().filter(|since| since > last);
        match (read().filter_map(ended).max(), read().filter_map(begins).min()) {
            (Some(until), _) => Why::GoneSince(until),
            (None, Some(since)) => Why::NotBefore(since),
            (None, None) => Why::Never,
        }
    }

    /// Whether it is a path that some version reads, or one that is known to be mistaken for such.
    #[must_use]
    pub fn knows(&self, path: &str) -> bool {
        let touches = |it: &String| is_at_or_below(path, it) || is_at_or_below(it, path);
        self.paths.iter().any(|it| touches(&it.0)) || self.names.iter().flatten().any(touches)
    }

    /// The names of one setting, the newest last; none for a path that has only one.
    #[must_use]
    pub fn names_of(&self, path: &str) -> &[String] {
        let group = self.names.iter().find(|it| it.iter().any(|it| it == path));
        group.map_or(&[], Vec::as_slice)
    }

    /// The name by which all of these versions read what is written at a path: another one of its names, or
    /// the same with other capital letters.
    #[must_use]
    pub fn name_in(&self, path: &str, versions: &[Version]) -> Option<&str> {
        let read = |it: &&String| {
            versions.iter().all(|version| self.reading(it, version) != Reading::Nothing)
        };
        let same = |it: &&String| it.eq_ignore_ascii_case(path);
        let by_letters = || self.paths.iter().map(|it| &it.0).filter(same).find(read);
        let name = self.names_of(path).iter().rfind(read).or_else(by_letters)?;
        (name != path).then_some(name)
    }
}

/// Whether a path is another, or lies below it.
fn is_at_or_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|it| it.is_empty() || it.starts_with('.'))
}

#[cfg(test)]
mod tests;
