//! What Karpenter needs to be told and is not.

use std::sync::Arc;

use crate::{
    findings::Instance,
    knowledge::chart_values::Reading,
    model::{
        chart_value::{Judged, is_nothing, is_written_alone, version_note},
        release::{Installer, Release},
    },
    resolve::release::Surface,
    source::{Files, Span},
    value::{Field, Value},
    version::Version,
};

/// Something Karpenter needs to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// The name of its cluster.
    ClusterName,
    /// The name of the queue it hears of interruptions by.
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

    /// Whether a key is meant for it, wherever it stands.
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
pub struct Unset {
    /// What it is missing from, or the empty value.
    pub span: Span,
    /// Where it should be written.
    pub path: String,
    /// Whether the chart refuses to be installed without it.
    pub refused: bool,
    /// What should be there.
    pub needed: Needed,
    /// Where the version is written, and which it is.
    pub version: Option<(Span, Arc<str>)>,
    /// Which of several instances of its release.
    pub instance: Option<Instance>,
}

/// The first chart that is not rendered without a cluster's name.
const REQUIRED_SINCE: Version = Version::new(1, 5, 0);

/// All of them.
#[must_use]
pub fn values(files: &Files, releases: &[Release]) -> Vec<Unset> {
    let controllers = releases.iter().filter(|it| it.is_controller() && is_all_known(it));
    let judged = controllers.filter_map(Judged::of).filter(Judged::is_upstream);
    let both = [Needed::ClusterName, Needed::InterruptionQueue];
    let mut found: Vec<Unset> =
        judged.flat_map(|it| both.map(|needed| unset(files, &it, needed))).flatten().collect();
    let of_queue = |it: &Unset| it.needed == Needed::InterruptionQueue;
    if found.iter().any(of_queue) && is_handled(files, releases) {
        found.retain(|it| !of_queue(it));
    }
    found
}

/// Whether something else may drain the nodes that are taken back.
fn is_handled(files: &Files, releases: &[Release]) -> bool {
    const HANDLER: &str = "aws-node-termination-handler";
    const INPUT: &str = "aws_node_termination_handler";
    let has = |text: &str, it: &str| memchr::memmem::find(text.as_bytes(), it.as_bytes()).is_some();
    let is_on = |line: &str| line.contains(INPUT) && line.trim_end().ends_with("true");
    let names = |text: &str| has(text, HANDLER) || (has(text, INPUT) && text.lines().any(is_on));
    releases.iter().any(|it| &*it.chart == HANDLER)
        || files.iter().any(|(_, it)| it.is_loaded() && names(it.text()))
}

/// Whether nobody but those who are seen gives the release its values.
fn is_all_known(release: &Release) -> bool {
    release.installer == Installer::Here
        && release.surface() != Some(Surface::ChartDependency)
        && !release.reusable
        && !release.has_external_values
        && release.parse_errors.is_empty()
}

fn unset(files: &Files, judged: &Judged<'_>, needed: Needed) -> Option<Unset> {
    let names = judged.chart.names_of(needed.path());
    let reads = |name: &str, it: &Version| judged.chart.reading(name, it) == Reading::Whole;
    let is_read = |it: &Version| names.iter().any(|name| reads(name, it));
    let values = &judged.release.values;
    let refused = judged.versions.iter().all(|it| *it >= REQUIRED_SINCE);
    let refused = refused && needed == Needed::ClusterName;
    let told = || {
        names.iter().any(|it| !is_empty(values.at(it)))
            || is_meant(values, needed)
            || (!refused && is_in_environment(values, needed))
    };
    if !judged.versions.iter().all(is_read) || told() {
        return None;
    }
    let all = |name: &&String| judged.versions.iter().all(|it| reads(name, it));
    let path = names.iter().rfind(all).map_or(needed.path(), String::as_str);
    Some(Unset {
        span: place(files, judged.release, path),
        path: path.to_owned(),
        refused,
        needed,
        version: version_note(judged.release),
        instance: judged.release.instance.clone(),
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

/// Whether somebody wrote it in another place, or may have.
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

/// The empty value, or the innermost mapping on the way to it that somebody wrote as one.
fn place(files: &Files, release: &Release, path: &str) -> Span {
    let mut span = release.report_span;
    let mut value = &release.values;
    for key in path.split('.') {
        let Some(entry) = value.as_map().and_then(|it| it.entry(key)) else { return span };
        value = &entry.value;
        if value.as_map().is_none() {
            return if value.span.start < value.span.end { value.span } else { entry.key_span };
        }
        if is_written_alone(files, entry) {
            span = entry.key_span;
        }
    }
    span
}
