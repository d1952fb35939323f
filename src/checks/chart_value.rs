//! The values of Karpenter's charts: what is written and not read, and what is needed and not written.

mod closed;
pub(crate) mod dead;
pub(crate) mod dead_value;
pub(crate) mod former;
mod loss;
mod misplaced;
pub(crate) mod moved;
pub(crate) mod on_demand;
pub(crate) mod queue;
pub(crate) mod queue_name;
mod rename;
pub(crate) mod unset;
pub(crate) mod unset_queue;

use std::sync::Arc;

use crate::{
    findings::silence::Silence,
    knowledge::chart_values::{self, ChartValues},
    model::Model,
    resolve::release::{Release, chart_version::Pin, surface::Surface},
    source::Span,
    value::{Entry, Kind, Value, cause::Cause},
    version::Version,
};

/// A release of one of Karpenter's own charts, and what that chart reads.
#[derive(Clone, Debug)]
pub(crate) struct KarpenterChart<'a> {
    /// The release.
    pub release: &'a Release,
    /// What its chart reads.
    pub values: &'static ChartValues,
    /// One version out of each span of versions that may be installed and read the same.
    pub versions: Vec<Version>,
}

impl<'a> KarpenterChart<'a> {
    /// `None` for other charts, and where nothing is known of the version.
    #[must_use]
    pub(crate) fn of(release: &'a Release) -> Option<Self> {
        // eksctl sets the values itself.
        if release.surface() == Surface::Eksctl {
            return None;
        }
        let values = chart_values::of_chart(&release.chart)?;
        let versions = values.versions(release.published().as_ref());
        (!versions.is_empty()).then_some(Self { release, values, versions })
    }

    /// Whether a chart older than those that are known may be installed, and reads a path.
    pub(super) fn may_be_read_before(&self, path: &str) -> bool {
        let Self { release, values, .. } = self;
        // Who asks for no version gets the newest.
        release.version.pin != Pin::Newest
            && values.may_be_read_before(path, release.published().as_ref())
    }

    /// That nothing is written that only a chart older than those that are known reads.
    fn is_not_set_for_older(&self, names: &[String]) -> Result<(), Silence> {
        let is_written =
            |it: &str| self.release.values.at(it).present().is_some_and(|it| !is_nothing(it));
        let mut older = names.iter().filter(|it| is_written(it) && self.may_be_read_before(it));
        let Some(name) = older.next() else { return Ok(()) };
        self.release.version.decided("the version")?;
        let words = format!("an old chart, which may be installed, reads `{name}`");
        Err(Silence::undecided(Cause::Version, words))
    }

    /// Whether the chart is surely upstream's.
    #[must_use]
    pub(crate) fn is_upstream(&self) -> bool {
        self.release.is_upstream()
    }
}

/// Whether a value says nothing: null, or empty, in each of the few cases that there are.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value.cases() {
        Some(cases) => cases.iter().all(is_one_nothing),
        None => is_one_nothing(value),
    }
}

fn is_one_nothing(value: &Value) -> bool {
    match &value.kind {
        Kind::Null => true,
        Kind::String(text) => text.text.is_empty(),
        Kind::List(list) => list.items.is_empty() && list.rest.is_none(),
        Kind::Map(map) => map.entries.is_empty() && map.rest.is_none(),
        _ => false,
    }
}

/// Whether the key is written by itself, not as part of a path as in a `set`.
pub(super) fn is_written_alone(model: &Model, entry: &Entry) -> bool {
    !model.path_keys.contains(&entry.key_span)
}

/// Keys one inside the other. A dot in a key is none between keys, and is escaped as in a `set`.
pub(super) fn below(path: &str, key: &str) -> String {
    let key = key.replace('.', "\\.");
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

/// Where the version of a release is written, and which it is. An empty text is none.
pub(super) fn written_version(release: &Release) -> Option<(Span, Arc<str>)> {
    let version = release.version.known().filter(|it| !it.trim().is_empty())?;
    if !release.version.is_written() {
        return None;
    }
    Some((release.version.span(), version.as_str().into()))
}
