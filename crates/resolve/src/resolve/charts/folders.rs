//! The charts of a repository by their folders, read and ready to be rendered.

use std::{
    borrow::Cow,
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use memchr::memmem;
use rayon::prelude::*;

use crate::{
    engine::{
        chart::{Chart, ChartFile, Content, Place, archives::Archives},
        render::values,
    },
    project::rendered::{Rendered, Renderer},
    resolve::{charts::shown::ExampleValues, kubernetes::names_karpenter_api},
    source::{FileId, Files, file_name, join, outward},
    syntax::yaml,
    value::Value,
};

/// How deep charts of the repository are followed into each other.
const DEPTH: usize = 4;
/// How many charts one chart may be made of, counted once for each way to them.
const MOST: usize = 500;

/// The charts that are installed by themselves, not copies inside others.
#[derive(Debug, Default)]
pub struct ChartFolders {
    /// The charts, in the order of their folders.
    pub(super) charts: Vec<ChartFolder>,
    /// Whether a template names Karpenter's API.
    pub(super) mention_karpenter: bool,
    /// The charts that another program renders.
    pub(super) printed: Vec<ChartFolder>,
    /// What it made of each with its own values, or why it refuses that, by folder.
    pub(super) texts: BTreeMap<String, Result<String, String>>,
    /// The program.
    pub(super) renderer: Option<Arc<dyn Renderer>>,
    templates: BTreeSet<FileId>,
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
    /// The files of values beside it, by name, where it has no `values.yaml`: whoever installs it gives one of them.
    pub values: Vec<(String, Value)>,
    /// The files of values that show how it is installed.
    pub examples: Vec<ExampleValues>,
    /// The files of `crds/`, its own and of charts inside it, each with the chart around it.
    pub crds: Vec<(FileId, String)>,
}

impl ChartFolders {
    /// Finds and reads the charts among the files, several at a time. Dependencies that are not in the
    /// repository are taken from archives, given by file name.
    #[must_use]
    pub fn find(files: &Files, archives: &[(String, Arc<[u8]>)]) -> Self {
        let listed = Listed::find(files);
        let charts = listed.charts(files, archives);
        let held = listed.files.iter().flat_map(|(folder, held)| {
            held.iter().filter(|id| is_template(inside(folder, files.get(**id).path())))
        });
        let templates: BTreeSet<FileId> = held.copied().collect();
        let mentions = |it: &FileId| names_karpenter_api(files.get(*it).text());
        let mention_karpenter = templates.iter().any(mentions);
        Self { charts, mention_karpenter, templates, ..Self::default() }
    }

    /// The same where another program renders them; `None` where it was not asked.
    #[must_use]
    pub fn printed(
        files: &Files,
        rendered: &[Rendered],
        program: Option<&Arc<dyn Renderer>>,
    ) -> Option<Self> {
        if rendered.is_empty() {
            return None;
        }
        let printed = Listed::find(files).charts(files, &[]);
        let texts = rendered.iter().map(|it| (it.folder.clone(), it.text.clone())).collect();
        Some(Self { printed, texts, renderer: program.cloned(), ..Self::default() })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.charts.is_empty() && self.printed.is_empty()
    }

    /// All of them, whatever renders them.
    fn all(&self) -> impl Iterator<Item = &ChartFolder> {
        self.charts.iter().chain(&self.printed)
    }

    /// Whether the chart in a folder is rendered.
    #[must_use]
    pub fn hold(&self, folder: &str) -> bool {
        self.all().any(|it| it.folder == folder)
    }

    /// Whether the chart in a folder is rendered with a dependency of that name inside it.
    #[must_use]
    pub fn hold_part(&self, folder: &str, name: &str) -> bool {
        let chart = self.all().find(|it| it.folder == folder);
        chart.is_some_and(|it| it.chart.subcharts.iter().any(|it| it.metadata.name == name))
    }

    /// The values that the chart in a folder sees when these are given; `None` where there is no such chart.
    #[must_use]
    pub fn values(&self, folder: &str, given: &Value) -> Option<Value> {
        let chart = self.all().find(|it| it.folder == folder)?;
        Some(values(&chart.chart, given))
    }

    /// The files of `crds/` that the chart in a folder holds.
    pub fn crds(&self, folder: &str) -> impl Iterator<Item = FileId> {
        let chart = self.all().find(|it| it.folder == folder);
        chart.into_iter().flat_map(|it| it.crds.iter().map(|it| it.0))
    }

    /// Whether a file is a template of one of them, and so read when that is rendered.
    #[must_use]
    pub fn hold_template(&self, file: FileId) -> bool {
        self.templates.contains(&file)
    }
}

/// The files of charts by the folder of the outermost chart around them.
struct Listed {
    files: BTreeMap<String, Vec<FileId>>,
}

impl Listed {
    fn find(files: &Files) -> Self {
        let described = files.iter().filter(|(_, it)| it.name() == "Chart.yaml");
        let all: BTreeSet<&str> = described.map(|(_, it)| it.folder()).collect();
        let is_copy = |folder: &str| {
            folder.match_indices("charts/").any(|(at, _)| {
                let outer = &folder[..at];
                outer
                    .strip_suffix('/')
                    .map_or(outer.is_empty() && all.contains(""), |it| all.contains(it))
            })
        };
        let outermost: BTreeSet<&str> = all.iter().copied().filter(|it| !is_copy(it)).collect();
        let mut found: BTreeMap<String, Vec<FileId>> = BTreeMap::new();
        if outermost.is_empty() {
            return Self { files: found };
        }
        for (id, file) in files.iter() {
            let above = outward(file.folder());
            if let Some(folder) = above.into_iter().find(|it| outermost.contains(it)) {
                found.entry(folder.to_owned()).or_default().push(id);
            }
        }
        Self { files: found }
    }

    /// The charts, read several at a time, with what they lack from archives.
    fn charts(&self, files: &Files, archives: &[(String, Arc<[u8]>)]) -> Vec<ChartFolder> {
        let archives = Archives::new(archives.iter().cloned());
        let folders: Vec<&String> = self.files.keys().collect();
        let charts = folders.par_iter().filter_map(|it| {
            let mut read = self.load(files, it, (0, &Cell::new(MOST)))?;
            read.chart.complete(&archives);
            Some(read)
        });
        charts.collect()
    }

    /// The files of the chart in a folder, also where Helm passes over it in the one around it (`charts/_common`).
    fn files_of(&self, files: &Files, folder: &str) -> Option<Cow<'_, [FileId]>> {
        if let Some(own) = self.files.get(folder) {
            return Some(Cow::Borrowed(own));
        }
        files.find(&join(folder, "Chart.yaml")?)?;
        let around = outward(folder).into_iter().find_map(|it| self.files.get(it))?;
        let is_inside = |id: &&FileId| {
            let rest = files.get(**id).path().strip_prefix(folder);
            rest.is_some_and(|it| it.starts_with('/'))
        };
        Some(Cow::Owned(around.iter().filter(is_inside).copied().collect()))
    }

    /// Reads a chart, with those of its dependencies that lie elsewhere in the repository.
    fn load(
        &self,
        files: &Files,
        folder: &str,
        (depth, left): (usize, &Cell<usize>),
    ) -> Option<ChartFolder> {
        let own = self.files_of(files, folder)?;
        let path = |it: &FileId| inside(folder, files.get(*it).path());
        let (first, others): (Vec<FileId>, Vec<FileId>) =
            own.iter().copied().partition(|it| is_read_first(path(it)));
        let mut list: Vec<ChartFile> =
            first.iter().filter_map(|it| chart_file(files, *it, path(it))).collect();
        // Only `.Files` reads the rest.
        if list.iter().any(|it| mentions(it, ".Files")) {
            list.extend(others.iter().filter_map(|it| chart_file(files, *it, path(it))));
        }
        let mut chart = Chart::load(list).ok()?;
        let elsewhere = chart.missing().into_iter();
        let elsewhere =
            elsewhere.filter_map(|it| join(folder, it.repository.strip_prefix("file://")?));
        // One chart may be asked for under many names.
        let mut known = BTreeSet::from([folder.to_owned()]);
        let elsewhere: Vec<String> = elsewhere.filter(|it| known.insert(it.clone())).collect();
        for other in elsewhere.iter().filter(|_| depth < DEPTH) {
            let read = left.get().checked_sub(1).and_then(|it| {
                left.set(it);
                self.load(files, other, (depth + 1, left))
            });
            chart.subcharts.extend(read.map(|it| it.chart));
        }
        let description = files.find(&join(folder, "Chart.yaml")?)?;
        let owned = |it: &FileId| Some((*it, owner(path(it), &chart.metadata.name)?.to_owned()));
        let crds = own.iter().filter_map(owned).collect();
        let values = if depth == 0 { values_beside(files, folder, &own) } else { Vec::new() };
        let own = own.iter().map(|it| (*it, path(it)));
        let examples =
            if depth == 0 { ExampleValues::find(files, &chart, own) } else { Vec::new() };
        Some(ChartFolder { folder: folder.to_owned(), chart, description, values, examples, crds })
    }
}

/// Words in the names of files of values that nobody gives as they are.
const NOT_GIVEN: &[&str] =
    &["default", "defaults", "example", "sample", "schema", "template", "test", "ci"];

/// The files of values beside a chart without `values.yaml`: `values-dev.yaml`, `prod.values.yaml`.
fn values_beside(files: &Files, folder: &str, own: &[FileId]) -> Vec<(String, Value)> {
    let inside = |it: &FileId| inside(folder, files.get(*it).path());
    if own.iter().any(|it| matches!(inside(it), "values.yaml" | "values.yml")) {
        return Vec::new();
    }
    let is_given = |it: &&FileId| {
        let name = inside(it);
        let stem = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"));
        let mut words = stem.unwrap_or_default().split(['-', '_', '.']);
        let is_whole = !name.contains('/') && words.clone().any(|it| it == "values");
        is_whole && !words.any(|it| NOT_GIVEN.contains(&it))
    };
    let read = |it: &FileId| {
        let parsed = yaml::parse_file(*it, files.get(*it).text()).values.into_iter().next()?;
        parsed.as_map().is_some().then(|| (inside(it).to_owned(), parsed))
    };
    own.iter().filter(is_given).filter_map(read).collect()
}

/// The path of a file in a chart.
fn inside<'a>(folder: &str, path: &'a str) -> &'a str {
    path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/')
}

/// Whether a file of a chart is a template, its own or of a chart inside it.
pub(super) fn is_template(path: &str) -> bool {
    path.starts_with("templates/") || (path.starts_with("charts/") && path.contains("/templates/"))
}

/// Whether a file says what the chart is and makes.
fn is_read_first(path: &str) -> bool {
    let name = file_name(path);
    let names = ["Chart.yaml", "values.yaml", "requirements.yaml", ".helmignore"];
    let is_archive = Path::new(name).extension().is_some_and(|it| it == "tgz");
    is_template(path) || names.contains(&name) || is_archive
}

fn mentions(file: &ChartFile, word: &str) -> bool {
    match &file.content {
        Content::Text(text) => memmem::find(text.as_bytes(), word.as_bytes()).is_some(),
        Content::Bytes(_) => true,
    }
}

fn chart_file(files: &Files, id: FileId, path: &str) -> Option<ChartFile> {
    let file = files.get(id);
    let content = match file.ending() {
        "tgz" => Content::Bytes(file.archive()?.into()),
        // What is large and no text is not opened: what it holds is not known.
        "md" | "png" | "svg" | "gz" | "zip" => Content::Bytes(Arc::from([])),
        _ if file.is_lost() => Content::Bytes(Arc::from([])),
        _ => Content::Text(Arc::from(file.text())),
    };
    Some(ChartFile { path: path.to_owned(), content, place: Place::File(id) })
}

/// The chart to which a file of `crds/` belongs, by its path in the outermost chart of that name; `None` for other
/// files.
fn owner<'a>(path: &'a str, outermost: &'a str) -> Option<&'a str> {
    let (mut owner, mut rest) = (outermost, path);
    while let Some(inner) = rest.strip_prefix("charts/") {
        (owner, rest) = inner.split_once('/')?;
    }
    rest.starts_with("crds/").then_some(owner)
}

#[cfg(test)]
mod tests {
    use super::owner;

    #[test]
    fn a_crd_belongs_to_the_chart_around_its_folder() {
        for (path, wanted) in [
            ("crds/a.yaml", Some("shop")),
            ("charts/karpenter/crds/a.yaml", Some("karpenter")),
            ("charts/a/charts/b/crds/deep/a.yaml", Some("b")),
            ("templates/crds/a.yaml", None),
            ("charts/a/files/crds/a.yaml", None),
            ("charts/a.tgz", None),
        ] {
            assert_eq!(owner(path, "shop"), wanted, "{path}");
        }
    }
}
