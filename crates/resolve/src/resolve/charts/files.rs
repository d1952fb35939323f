//! The folders of charts and what lies in them.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    engine::chart::{Chart, ChartFile, Content, Place},
    source::{FileId, Files, join, parent},
};

/// The files of a repository by the chart they belong to.
#[derive(Debug)]
pub(super) struct Folders {
    charts: Vec<String>,
    files: BTreeMap<String, Vec<FileId>>,
}

/// A chart and its folder.
#[derive(Debug)]
pub(super) struct ChartFolder {
    /// The folder, relative to the project's root.
    pub folder: String,
    /// The chart.
    pub chart: Chart,
    /// The file that describes it.
    pub description: FileId,
}

impl Folders {
    /// The charts that are installed by themselves, with all that lies below them.
    pub(super) fn find(files: &Files) -> Self {
        let described = files.iter().filter(|(_, it)| it.name() == "Chart.yaml");
        let all: Vec<String> = described.map(|(_, it)| it.folder().to_owned()).collect();
        let is_inner = |folder: &str| {
            all.iter().any(|outer| {
                let inside = match outer.as_str() {
                    "" => Some(folder),
                    outer => folder.strip_prefix(outer).and_then(|it| it.strip_prefix('/')),
                };
                inside.is_some_and(|it| it.starts_with("charts/")) && outer != folder
            })
        };
        let charts: Vec<String> = all.iter().filter(|it| !is_inner(it)).cloned().collect();
        let mut found: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
        for (id, file) in files.iter() {
            let mut folder = parent(file.path());
            loop {
                if charts.iter().any(|it| it == folder) {
                    found.entry(folder.to_owned()).or_default().push(id);
                    break;
                }
                if folder.is_empty() {
                    break;
                }
                folder = parent(folder);
            }
        }
        Self { charts, files: found }
    }

    /// The folders of the charts.
    pub(super) fn charts(&self) -> &[String] {
        &self.charts
    }

    /// Reads a chart, with those of its dependencies that lie elsewhere in the repository.
    pub(super) fn load(&self, files: &Files, folder: &str) -> Option<ChartFolder> {
        self.at_depth(files, folder, 0)
    }

    fn at_depth(&self, files: &Files, folder: &str, depth: usize) -> Option<ChartFolder> {
        let own = self.files.get(folder)?;
        let list = own.iter().filter_map(|it| chart_file(files, *it, folder)).collect();
        let mut chart = Chart::load(list).ok()?;
        let elsewhere: Vec<String> = chart
            .missing()
            .into_iter()
            .filter_map(|it| join(folder, it.repository.strip_prefix("file://")?))
            .collect();
        for other in elsewhere.iter().filter(|it| depth < 4 && *it != folder) {
            let found = self.at_depth(files, other, depth + 1);
            chart.subcharts.extend(found.map(|it| it.chart));
        }
        let description = files.find(&join(folder, "Chart.yaml")?)?;
        Some(ChartFolder { folder: folder.to_owned(), chart, description })
    }
}

fn chart_file(files: &Files, id: FileId, folder: &str) -> Option<ChartFile> {
    let file = files.get(id);
    let path = file.path().strip_prefix(folder)?.trim_start_matches('/').to_owned();
    let content = match file.ending() {
        "tgz" => Content::Bytes(file.archive()?.into()),
        // What is large and no part of the chart is not opened.
        "md" | "png" | "svg" | "gz" | "zip" => Content::Text(Arc::from("")),
        _ => Content::Text(Arc::from(file.text())),
    };
    Some(ChartFile { path, content, place: Place::File(id) })
}
