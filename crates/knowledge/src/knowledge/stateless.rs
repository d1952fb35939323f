//! Charts whose pods keep no data.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::knowledge::read::{Read, document};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatelessCharts {
    charts: Vec<StatelessChart>,
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

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// Every such chart.
#[must_use]
pub fn charts() -> &'static [StatelessChart] {
    &READ.data.charts
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
