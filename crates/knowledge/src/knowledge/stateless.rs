//! Charts whose pods keep no data.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file of the charts.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatelessCharts {
    charts: Vec<StatelessChart>,
}

/// The file of the pods, which nearly every run asks about.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PodFile {
    pods: Vec<StatelessPods>,
}

/// What is in volumes of little worth.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Volumes {
    /// Nothing that is not made again.
    Scratch,
    /// Logs.
    Logs,
}

/// Pods that keep nothing of worth.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatelessPods {
    /// The labels that their publisher gives them.
    labels: BTreeMap<String, String>,
    /// What they have in volumes, where that is of little worth, too.
    pub volumes: Option<Volumes>,
    /// What they keep their state in, and what an eviction costs.
    pub why: String,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// A chart without any template of pods that keep data.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatelessChart {
    /// Its name.
    pub chart: String,
    /// Parts of the addresses of its publisher's repositories.
    repositories: Vec<String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

static READ: LazyLock<Read<StatelessCharts>> =
    LazyLock::new(|| document("stateless-charts.yaml", include_str!("stateless-charts.yaml")));

static PODS: LazyLock<Read<PodFile>> =
    LazyLock::new(|| document("stateless-pods.yaml", include_str!("stateless-pods.yaml")));

/// What could not be read of the charts.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// What could not be read of the pods.
pub(super) fn pod_problems() -> &'static [String] {
    &PODS.problems
}

/// Every such chart.
#[must_use]
pub fn charts() -> &'static [StatelessChart] {
    &READ.data.charts
}

/// All such pods.
#[must_use]
pub fn pods() -> &'static [StatelessPods] {
    &PODS.data.pods
}

/// The pods with these labels that are known to keep nothing.
pub fn pods_with<'l>(label: impl Fn(&str) -> Option<&'l str>) -> Option<&'static StatelessPods> {
    pods().iter().find(|it| it.labels.iter().all(|(key, value)| label(key) == Some(value)))
}

/// Whether the pods of a chart from that repository are known to keep no data.
#[must_use]
pub fn is_stateless(chart: &str, repository: Option<&str>) -> bool {
    // A part of the address may be written with the name of the chart.
    let address = repository.map(|it| it.replace("/ ", "/").replace(' ', "/"));
    let of_publisher = |it: &StatelessChart| {
        address.as_ref().is_some_and(|at| it.repositories.iter().any(|part| at.contains(part)))
    };
    charts().iter().any(|it| it.chart == chart && of_publisher(it))
}
