//! Settings that Karpenter needs and that are not set.

use std::sync::Arc;

use crate::{
    checks::chart_value::{KarpenterChart, is_nothing, is_written_alone, written_version},
    findings::subject::Subject,
    knowledge::chart_values::Reading,
    model::Model,
    resolve::release::{Installer, Release, surface::Surface},
    source::Span,
    value::{Field, Value},
    version::Version,
};

/// A setting that Karpenter needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// The name of its cluster.
    ClusterName,
    /// The name of the queue by which EC2 announces interruptions.
    InterruptionQueue,
}

impl Needed {
    /// What it is called today.
    fn path(self) -> &'static str {
        match self {
            Self::ClusterName => "settings.clusterName",
            Self::InterruptionQueue => "settings.interruptionQueue",
        }
    }

    /// The variable in the controller's environment that says the same.
    fn variable(self) -> &'static str {
        match self {
            Self::ClusterName => "CLUSTER_NAME",
            Self::InterruptionQueue => "INTERRUPTION_QUEUE",
        }
    }

    /// Whether a key is meant for it, wherever it is written.
    fn is_meant_by(self, key: &str) -> bool {
        let key = key.replace(['_', '-'], "").to_lowercase();
        match self {
            Self::ClusterName => key == "clustername",
            Self::InterruptionQueue => key.contains("interruptionqueue"),
        }
    }
}

/// A value that is not written, or empty.
#[derive(Clone, Debug)]
pub(crate) struct Unset {
    /// What it is missing from, or the empty value.
    pub span: Span,
    /// Where it should be written.
    pub path: String,
    /// Whether the chart refuses to be installed without it.
    pub refused: bool,
    /// Where the version is written, and which it is.
    pub version: Option<(Span, Arc<str>)>,
    /// Which of several instances of its release.
    pub subject: Option<Subject>,
}

/// The first chart that is not rendered without a cluster's name.
const REQUIRED_SINCE: Version = Version::new(1, 5, 0);

/// The controllers that are not given something they need.
#[must_use]
pub(crate) fn values(model: &Model, needed: Needed) -> Vec<Unset> {
    let controllers = model.controllers().filter(|it| is_all_known(it));
    let charts = controllers.filter_map(KarpenterChart::of).filter(KarpenterChart::is_upstream);
    charts.filter_map(|it| unset(model, &it, needed)).collect()
}

/// Whether all values of the release are known.
fn is_all_known(release: &Release) -> bool {
    release.installer == Installer::Here
        && release.surface() != Surface::ChartDependency
        && !release.reusable
        && !release.has_external_values
        && release.parse_errors.is_empty()
}

fn unset(model: &Model, chart: &KarpenterChart<'_>, needed: Needed) -> Option<Unset> {
    let names = chart.values.names_of(needed.path());
    let reads = |name: &str, it: &Version| chart.values.reading(name, it) == Reading::Whole;
    let is_read = |it: &Version| names.iter().any(|name| reads(name, it));
    let values = &chart.release.values;
    let refused = chart.versions.iter().all(|it| *it >= REQUIRED_SINCE);
    let refused = refused && needed == Needed::ClusterName;
    let is_set = || {
        names.iter().any(|it| !is_empty(values.at(it)))
            || is_meant(values, needed)
            || (!refused && is_in_environment(values, needed))
    };
    if is_set() || !chart.versions.iter().all(is_read) {
        return None;
    }
    let all = |name: &&String| chart.versions.iter().all(|it| reads(name, it));
    let path = names.iter().rfind(all).map_or(needed.path(), String::as_str);
    Some(Unset {
        span: place(model, chart.release, path),
        path: path.to_owned(),
        refused,
        version: written_version(chart.release),
        subject: chart.release.subject.clone(),
    })
}

/// Whether nothing is there, for sure.
fn is_empty(field: Field<'_>) -> bool {
    match field {
        Field::Missing => true,
        Field::Present(value) => is_nothing(value),
        Field::Unknown => false,
    }
}

/// Whether it is written in another place, or may be.
fn is_meant(value: &Value, needed: Needed) -> bool {
    value.entries().iter().any(|it| {
        (needed.is_meant_by(&it.key) && !is_nothing(&it.value)) || is_meant(&it.value, needed)
    })
}

fn is_in_environment(values: &Value, needed: Needed) -> bool {
    let controller = values.get("controller");
    if !is_empty(controller.get("envFrom")) {
        return true;
    }
    match controller.get("env") {
        Field::Missing => false,
        Field::Unknown => true,
        Field::Present(list) => {
            let names = |it: &Value| match it.get("name") {
                Field::Present(name) => name.as_str().is_none_or(|it| it == needed.variable()),
                Field::Missing => false,
                Field::Unknown => true,
            };
            let open = list.as_list().is_none_or(|it| it.rest.is_some());
            open || list.items().iter().any(names)
        }
    }
}

/// The empty value, or the innermost mapping on the way to it that is written as one.
fn place(model: &Model, release: &Release, path: &str) -> Span {
    let mut span = release.report_span;
    let mut value = &release.values;
    for key in path.split('.') {
        let Some(entry) = value.as_map().and_then(|it| it.entry(key)) else { return span };
        value = &entry.value;
        if value.as_map().is_none() {
            return if value.span.start < value.span.end { value.span } else { entry.key_span };
        }
        if is_written_alone(model, entry) {
            span = entry.key_span;
        }
    }
    span
}
