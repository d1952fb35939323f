//! Charts of the repository, rendered with the values of each release that installs them; a chart that nobody
//! installs with its own values.

mod files;
mod uses;

use std::{collections::BTreeSet, sync::Arc};

use rayon::prelude::*;

use crate::{
    engine::{
        cluster::Assumptions,
        fault::RenderError,
        render::{RenderedFile, render},
    },
    findings::subject::Subject,
    resolve::{
        charts::{
            files::Folders,
            uses::{Use, uses},
        },
        kubernetes::{self, Located, Object},
        release::Release,
    },
    source::{FileId, Files, Span},
    syntax::yaml,
    value::Value,
};

/// What the charts of a repository make.
#[derive(Clone, Debug, Default)]
pub struct Charts {
    /// The objects, each with the places of what gave it.
    pub objects: Vec<Located>,
    /// The renderings that fail with the values that they certainly get.
    pub failures: Vec<ChartFailure>,
    /// The folders of the charts that were rendered.
    pub rendered: BTreeSet<String>,
    /// Dependencies that are not here, each by the chart's folder and its name.
    pub missing: BTreeSet<(String, String)>,
}

/// A chart that a release cannot install.
#[derive(Clone, Debug)]
pub struct ChartFailure {
    /// The chart's folder.
    pub folder: String,
    /// The release, as an index; `None` for a chart that nobody installs.
    pub release: Option<usize>,
    /// What fails and where.
    pub error: RenderError,
}

/// What one use of a chart makes.
#[derive(Debug, Default)]
struct Made {
    objects: Vec<Located>,
    errors: Vec<RenderError>,
}

/// Renders all charts, several uses at a time. Files in `read` are looked at as they are, which gives the same
/// objects.
#[must_use]
pub fn render_all(
    files: &Files,
    releases: &[Release],
    read: &[FileId],
    kubernetes: Option<&str>,
) -> Charts {
    let folders = Folders::find(files);
    let mut found = Charts::default();
    let read: BTreeSet<FileId> = read.iter().copied().collect();
    let assumptions =
        Assumptions { kubernetes: kubernetes.map(str::to_owned), without_cluster: false };
    let charts: Vec<_> = folders.charts().par_iter().map(|it| folders.load(files, it)).collect();
    for chart in charts.iter().flatten() {
        found.rendered.insert(chart.folder.clone());
        let missing = chart.chart.missing().into_iter();
        found.missing.extend(missing.map(|it| (chart.folder.clone(), it.name.clone())));
    }
    let jobs: Vec<_> = charts
        .iter()
        .flatten()
        .flat_map(|chart| uses(chart, releases).into_iter().map(move |it| (chart, it)))
        .collect();
    let made: Vec<Made> = jobs
        .par_iter()
        .map(|(chart, usage)| {
            let rendering = render(&chart.chart, &usage.values, &usage.release, &assumptions);
            made(rendering.files, usage, &read)
        })
        .collect();
    for ((chart, usage), made) in jobs.iter().zip(made) {
        found.objects.extend(made.objects);
        found.failures.extend(made.errors.into_iter().map(|error| ChartFailure {
            folder: chart.folder.clone(),
            release: usage.index,
            error,
        }));
    }
    found
}

fn made(rendered: Vec<RenderedFile>, usage: &Use, read: &BTreeSet<FileId>) -> Made {
    let mut found = Made::default();
    for file in rendered {
        let is_read = file.file.is_some_and(|it| read.contains(&it));
        // A chart that is only perhaps installed is not judged, nor is what only prints notes.
        if is_read || file.doubt.is_some() || file.name.ends_with("NOTES.txt") {
            continue;
        }
        match file.text {
            Ok(text) => {
                let start = file.file.map_or(usage.place, |it| Span::new(it, 0, 0));
                let documents = yaml::parse_literal(&text, start).values;
                let objects = documents.iter().flat_map(kubernetes::objects);
                let objects = objects.filter(|it| !is_test(it));
                found.objects.extend(objects.map(|it| located(it, usage)));
            }
            Err(error) => found.errors.push(error),
        }
    }
    // One call that fails may be in the way of many files.
    found.errors.sort_by_key(|it| it.span);
    found.errors.dedup_by_key(|it| it.span);
    found
}

fn located(object: Object, usage: &Use) -> Located {
    let header = object.report_span();
    Located {
        object,
        root: usage.scope.root,
        node: None,
        folder: Arc::clone(&usage.scope.folder),
        cluster: usage.scope.cluster,
        header,
        holder: Subject::default(),
        is_off: false,
    }
}

/// Whether an object is applied only by `helm test`.
fn is_test(object: &Object) -> bool {
    let annotations = object.value.get("metadata").get("annotations");
    let hooks = annotations.get("helm.sh/hook").present().and_then(Value::as_str);
    hooks.is_some_and(|it| it.split(',').any(|it| it.trim().starts_with("test")))
}
