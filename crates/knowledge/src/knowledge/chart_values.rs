//! Which values Karpenter's own charts read, version by version.
//!
//! Helm takes any key; one that no template reads is without effect, without a warning.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{
    knowledge::{
        fact::{Basis, Fact, Facts, Verified, may_be_within, version_ranges},
        read::{Read, document},
    },
    value::{Entry, Kind, Value, deserialize::NOWHERE},
    version::{Range, Version, constraint::Constraint},
};

/// What a chart reads.
#[derive(Debug)]
pub struct ChartValues {
    /// The chart.
    pub chart: String,
    /// The versions that were compared with the data.
    pub verified: Range,
    paths: Vec<(String, Facts)>,
    before: Vec<String>,
    names: Vec<Vec<String>>,
    switches: BTreeMap<String, String>,
    elsewhere: BTreeMap<String, String>,
    makes_anyway: BTreeMap<String, Facts>,
    unasked: Vec<String>,
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
pub enum UnreadReason {
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
    // Most charts are not there, and then the file need not be read.
    let is_there = TEXT.contains(&format!("\n  {chart}:\n"));
    if is_there { all().iter().find(|it| it.chart == chart) } else { None }
}

/// All facts, with the chart and the path.
pub fn facts() -> impl Iterator<Item = (String, &'static Facts)> {
    let named = |it: &'static ChartValues| {
        let made = it.makes_anyway.iter();
        let paths = it.paths.iter().map(|(path, facts)| (path, facts)).chain(made);
        paths.map(|(path, facts)| (format!("{}/{path}", it.chart), facts))
    };
    all().iter().flat_map(named)
}

/// The field of an `EC2NodeClass` that took the place of a value of the chart.
#[must_use]
pub fn field_of_class(path: &str) -> Option<&'static str> {
    let key = path.rsplit('.').next()?;
    all().iter().find_map(|it| it.elsewhere.get(key)).map(String::as_str)
}

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

fn all() -> &'static [ChartValues] {
    &READ.data
}

static READ: LazyLock<Read<Vec<ChartValues>>> =
    LazyLock::new(|| document("chart-values.yaml", TEXT).map(ChartValuesFile::charts));

const TEXT: &str = include_str!("chart-values.yaml");

/// The file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ChartValuesFile {
    source: String,
    checked: String,
    verified: Option<Verified>,
    charts: BTreeMap<String, ChartRecord>,
}

/// What the file records of a chart.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChartRecord {
    /// What all versions read.
    always: Vec<String>,
    /// What some versions read, with the versions.
    read: BTreeMap<String, Ranges>,
    /// What versions before those that were compared read.
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    names: Vec<Vec<String>>,
    #[serde(default)]
    switches: BTreeMap<String, String>,
    #[serde(default)]
    elsewhere: BTreeMap<String, String>,
    /// What paths that are not read would have to ask for to change nothing, version by version.
    #[serde(default)]
    makes_anyway: BTreeMap<String, Facts>,
    /// Parts of the names of what is made or done without being asked, in small letters.
    #[serde(default)]
    unasked: Vec<String>,
}

/// `0.19.0..0.33.0, 1.1.0..`: from the first version, before the second.
#[derive(Clone, Default, Deserialize)]
#[serde(try_from = "String")]
struct Ranges(Vec<Range>);

impl TryFrom<String> for Ranges {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let end = |text: &str| match text {
            "" => Some(None),
            text => Version::parse(text).map(Some),
        };
        let range = |text: &str| {
            let (since, until) = text.split_once("..")?;
            let range = Range { since: end(since)?, until: end(until)? };
            (range != Range::default()).then_some(range)
        };
        let ranges = text
            .split(", ")
            .map(|it| range(it).ok_or_else(|| format!("`{it}` is no range of versions")));
        ranges.collect::<Result<_, _>>().map(Self)
    }
}

impl ChartValuesFile {
    fn charts(self) -> Vec<ChartValues> {
        let verified = self.verified.as_ref().map(Verified::range).unwrap_or_default();
        let basis = Basis { source: self.source, checked: self.checked, verified };
        let charts = self.charts.into_iter();
        charts.map(|(name, chart)| chart.complete(name, &basis)).collect()
    }
}

impl ChartRecord {
    fn complete(self, chart: String, basis: &Basis) -> ChartValues {
        let fact = |range| Fact::during(range, Value::new(Kind::Bool(true), NOWHERE));
        let facts = |ranges: Vec<Range>| {
            let mut facts = Facts::from(ranges.into_iter().map(fact).collect::<Vec<_>>());
            facts.complete(basis);
            facts
        };
        let always = self.always.into_iter().map(|it| (it, vec![Range::default()]));
        let paths = always.chain(self.read.into_iter().map(|(path, ranges)| (path, ranges.0)));
        let paths = paths.map(|(path, ranges)| (path, facts(ranges))).collect();
        let Self { before, names, switches, elsewhere, mut makes_anyway, unasked, .. } = self;
        for it in makes_anyway.values_mut() {
            it.complete(basis);
        }
        let verified = basis.verified.clone();
        ChartValues {
            chart,
            verified,
            paths,
            before,
            names,
            switches,
            elsewhere,
            makes_anyway,
            unasked,
        }
    }
}

impl ChartValues {
    /// One version of each span within which the chart reads the same, of those that are allowed; none if
    /// nothing is known of them.
    #[must_use]
    pub fn versions(&self, allowed: Option<&Constraint>) -> Vec<Version> {
        if let Some(exact) = allowed.and_then(Constraint::is_exact) {
            return if self.verified.contains(&exact) { vec![exact] } else { Vec::new() };
        }
        let version_ranges = version_ranges(self.paths.iter().map(|it| &it.1)).into_iter();
        version_ranges.filter(|it| may_be_within(allowed, it)).filter_map(|it| it.since).collect()
    }

    /// Whether a version older than those that were compared may be installed, and reads a path.
    #[must_use]
    pub fn may_be_read_before(&self, path: &str, allowed: Option<&Constraint>) -> bool {
        let older = Range { since: None, until: self.verified.since.clone() };
        self.before.iter().any(|it| is_at_or_below(path, it)) && may_be_within(allowed, &older)
    }

    /// What a version does with a path.
    #[must_use]
    pub fn reading(&self, path: &str, version: &Version) -> Reading {
        let mut found = Reading::Nothing;
        for (read, facts) in &self.paths {
            let whole = is_at_or_below(path, read);
            // Most paths are unrelated: versions, which take longer to compare, are compared for the others.
            let related = whole || is_at_or_below(read, path);
            if !related || facts.at(Some(version)).is_none() {
                continue;
            }
            if whole {
                return Reading::Whole;
            }
            found = Reading::Inside;
        }
        found
    }

    /// The paths that a version reads.
    pub fn paths_of<'a>(&'a self, version: &'a Version) -> impl Iterator<Item = &'a str> {
        let read = self.paths.iter().filter(|it| it.1.at(Some(version)).is_some());
        read.map(|it| it.0.as_str())
    }

    /// Why none of these versions reads a path.
    #[must_use]
    pub fn why_not(&self, path: &str, versions: &[Version]) -> UnreadReason {
        let touches =
            |it: &&(String, Facts)| is_at_or_below(path, &it.0) || is_at_or_below(&it.0, path);
        let read = || self.paths.iter().filter(touches).flat_map(|it| it.1.list());
        let (Some(first), Some(last)) = (versions.iter().min(), versions.iter().max()) else {
            return UnreadReason::Never;
        };
        let ended = |it: &Fact| it.range.until.clone().filter(|until| until <= first);
        let begins = |it: &Fact| it.range.since.clone().filter(|since| since > last);
        match (read().filter_map(ended).max(), read().filter_map(begins).min()) {
            (Some(until), _) => UnreadReason::GoneSince(until),
            (None, Some(since)) => UnreadReason::NotBefore(since),
            (None, None) => UnreadReason::Never,
        }
    }

    /// Whether it is a path that some version reads, or one that is known to be mistaken for such.
    #[must_use]
    pub fn knows(&self, path: &str) -> bool {
        let touches = |it: &String| is_at_or_below(path, it) || is_at_or_below(it, path);
        self.paths.iter().any(|it| touches(&it.0)) || self.names.iter().flatten().any(touches)
    }

    /// Whether some version reads, below whatever other keys, one of that name, or it is known to be mistaken for such.
    #[must_use]
    pub fn knows_key(&self, key: &str) -> bool {
        let is_it = |it: &String| it.rsplit('.').next() == Some(key);
        self.paths.iter().any(|it| is_it(&it.0)) || self.names.iter().flatten().any(is_it)
    }

    /// Whether all that is written at a path asks for what these versions make in any case: without it nothing changes.
    #[must_use]
    pub fn makes_anyway(&self, path: &str, value: &Value, versions: &[Version]) -> bool {
        let inner = value.entries();
        if !inner.is_empty() {
            let is_made =
                |it: &Entry| self.makes_anyway(&format!("{path}.{}", it.key), &it.value, versions);
            return inner.iter().all(is_made);
        }
        let newest = || self.newest_name(path).and_then(|it| self.makes_anyway.get(&it));
        let Some(facts) = self.makes_anyway.get(path).or_else(newest) else { return false };
        let asks_for_it = |version: &Version| {
            facts.at(Some(version)).is_some_and(|it| it.same_as(value) == Some(true))
        };
        !versions.is_empty() && versions.iter().all(asks_for_it)
    }

    /// Whether all that is written at a path switches off one thing that no version has: nothing is lost with it.
    #[must_use]
    pub fn never_had(&self, path: &str, value: &Value) -> bool {
        if let [only] = value.entries() {
            return self.never_had(&format!("{path}.{}", only.key), &only.value);
        }
        let Some((thing, switch)) = path.rsplit_once('.') else { return false };
        let touches = |it: &String| is_at_or_below(thing, it) || is_at_or_below(it, thing);
        let is_made = self.before.iter().chain(self.makes_anyway.keys()).any(touches);
        let name = letters(thing);
        matches!(switch, "create" | "enabled")
            && value.as_flag() == Some(false)
            && !is_made
            && !self.knows(thing)
            && !self.unasked.iter().any(|it| name.contains(it.as_str()))
    }

    /// The names of one setting, the newest last; none for a path that has only one.
    #[must_use]
    pub fn names_of(&self, path: &str) -> &[String] {
        let group = self.names.iter().find(|it| it.iter().any(|it| it == path));
        group.map_or(&[], Vec::as_slice)
    }

    /// A path with the newest name of the setting that it is, or is part of, whether any version reads that or not.
    fn newest_name(&self, path: &str) -> Option<String> {
        let around = path.match_indices('.').map(|it| it.0).rev();
        let mut ends = std::iter::once(path.len()).chain(around);
        ends.find_map(|end| {
            let (setting, below) = path.split_at(end);
            Some(format!("{}{below}", self.names_of(setting).last()?))
        })
    }

    /// The value without which the templates read nothing of a path.
    #[must_use]
    pub fn switch_of(&self, path: &str) -> Option<&str> {
        let mut switches = self.switches.iter();
        switches.find(|(above, _)| is_at_or_below(path, above)).map(|it| it.1.as_str())
    }

    /// The name by which all of these versions read what is written at a path: another one of its names, or
    /// of a setting around it, or the same with other capital letters.
    #[must_use]
    pub fn name_in(&self, path: &str, versions: &[Version]) -> Option<String> {
        let is_read =
            |it: &str| versions.iter().all(|version| self.reading(it, version) != Reading::Nothing);
        let by_letters = || {
            let written = letters(path);
            let mut paths = self.paths.iter().map(|it| it.0.as_str());
            paths.find(|it| letters(it) == written && is_read(it)).map(str::to_owned)
        };
        let around = path.match_indices('.').map(|it| it.0).rev();
        let mut ends = std::iter::once(path.len()).chain(around);
        let renamed = ends.find_map(|end| {
            let (setting, below) = path.split_at(end);
            let mut names = self.names_of(setting).iter().rev().map(|it| format!("{it}{below}"));
            names.find(|it| is_read(it))
        });
        // `setting.clusterEndpoint` lacks a letter.
        let by_plural = || {
            let (first, below) = path.split_once('.').filter(|(it, _)| !it.ends_with('s'))?;
            let plural = format!("{first}s.{below}");
            if is_read(&plural) { Some(plural) } else { self.name_in(&plural, versions) }
        };
        renamed.or_else(by_letters).or_else(by_plural).filter(|it| it != path)
    }
}

/// A path without what the styles of names differ in: `cluster_endpoint` is `clusterEndpoint`, and a dot that is escaped
/// is one between keys.
fn letters(path: &str) -> String {
    let letters = path.chars().filter(|it| !['_', '-', '\\'].contains(it));
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether a path is another, or lies below it.
fn is_at_or_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|it| it.is_empty() || it.starts_with('.'))
}

#[cfg(test)]
mod tests;
