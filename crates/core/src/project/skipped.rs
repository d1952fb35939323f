//! Files that were not read.

/// Why a template is left to the tool that fills it in.
pub const TEMPLATE: &str = "a template that another tool fills in first";

/// A file that was not read, or not as its author would expect.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Relative to the project's root, with `/`.
    pub path: String,
    /// Why, without a full stop: "over 4 MB".
    pub reason: String,
    /// Of a Helm template: the folder of the chart that would have to be rendered.
    pub chart: Option<String>,
}

impl Skipped {
    /// A file that was not read for that reason.
    pub fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into(), chart: None }
    }

    /// A template of a chart that is not rendered.
    pub fn of_chart(path: impl Into<String>, chart: &str) -> Self {
        let chart = if chart.is_empty() { "." } else { chart };
        let reason = format!("chart {chart} is not rendered: `--helm PATH` renders it");
        Self { path: path.into(), reason, chart: Some(chart.to_owned()) }
    }
}
