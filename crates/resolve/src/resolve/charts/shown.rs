//! What a chart only shows: its own examples and tests.

use std::collections::BTreeSet;

use crate::{
    engine::chart::{Chart, ChartFile, Content},
    resolve::{kubernetes::names_karpenter_api, release::Release},
    source::{FileId, Files},
    syntax::yaml,
    value::Value,
};

/// The folders in which a chart only shows how it may be installed.
pub const SHOWN: &[&str] = &["example", "examples", "samples", "test", "tests", "ci", "docs"];

/// Whether a release only shows how its chart may be installed: it is written in the chart's own examples.
#[must_use]
pub fn is_shown(release: &Release) -> bool {
    let Some(chart) = &release.local_chart else { return false };
    let inside = release.scope.folder.strip_prefix(chart.as_str()).unwrap_or_default();
    inside.split('/').nth(1).is_some_and(|it| SHOWN.contains(&it))
}

/// The folders, directly below that of the chart: `ci` is that of chart-testing.
/// <https://github.com/helm/chart-testing/blob/v3.13.0/README.md>
const FOLDERS: &[&str] = &["example", "examples", "samples", "ci"];

/// A chart with more examples is judged with the first of them.
const MOST: usize = 50;

/// A file of values that a chart brings along to show how it is installed.
#[derive(Debug)]
pub(super) struct ExampleValues {
    /// Its path in the chart.
    pub path: String,
    /// The file.
    pub file: FileId,
    /// The values.
    pub values: Value,
}

impl ExampleValues {
    /// Those of a chart that makes objects of Karpenter's API, given its files with their paths in it. What pods look
    /// like in an example, or in a test of the chart, is for no cluster that Karpenter runs in.
    pub(super) fn find<'p>(
        files: &Files,
        chart: &Chart,
        own: impl Iterator<Item = (FileId, &'p str)>,
    ) -> Vec<Self> {
        let is_example = |it: &(FileId, &str)| {
            let inside = it.1.split_once('/').filter(|it| !it.1.contains('/'));
            let is_yaml = matches!(files.get(it.0).ending(), "yaml" | "yml");
            is_yaml && inside.is_some_and(|it| FOLDERS.contains(&it.0))
        };
        let mut own = own.filter(is_example).peekable();
        if own.peek().is_none() || !chart.templates.iter().any(names_karpenter) {
            return Vec::new();
        }
        let read = |(file, path): (FileId, &str)| {
            let [values] =
                <[Value; 1]>::try_from(yaml::parse_file(file, files.get(file).text()).values)
                    .ok()?;
            is_for(chart, &values).then(|| Self { path: path.to_owned(), file, values })
        };
        own.filter_map(read).take(MOST).collect()
    }
}

fn names_karpenter(template: &ChartFile) -> bool {
    match &template.content {
        Content::Text(text) => names_karpenter_api(text),
        Content::Bytes(_) => false,
    }
}

/// Whether values are a chart's: a mapping, no object, of keys that its own values have.
fn is_for(chart: &Chart, values: &Value) -> bool {
    let entries = values.entries();
    let own: BTreeSet<&str> = chart.values.entries().iter().map(|it| &*it.key).collect();
    let is_object = ["apiVersion", "kind"].iter().all(|it| values.get(it).present().is_some());
    let is_read = |key: &str| key == "global" || own.contains(key);
    !entries.is_empty() && !is_object && entries.iter().all(|it| is_read(&it.key))
}
