//! Charts of the repository, rendered with the values of each release that installs them; a chart that nobody
//! installs with its own values.

mod annotations;
pub mod crds;
mod examples;
pub mod folders;
pub mod made;
mod named;
mod parts;
mod printed;
mod shared;
pub mod shown;
mod switched;
mod uses;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use rayon::prelude::*;

pub use crate::engine::left_out::LeftOutKey;
use crate::{
    engine::{
        chart::Chart,
        cluster::Assumptions,
        fault::{ErrorKind, RenderError},
        render::lacking,
        switches::switched_on,
        templates::Templates,
    },
    knowledge::component,
    resolve::{
        charts::{
            crds::bundled,
            folders::{ChartFolder, ChartFolders},
            made::Made,
            uses::{Use, uses},
        },
        kubernetes::Located,
        release::Release,
        scope::Scope,
    },
    source::{FileId, Files},
    version::Version,
};

/// What the charts of a repository make.
#[derive(Clone, Debug, Default)]
pub struct Charts {
    /// The objects, each with the places of what gave it.
    pub objects: Vec<Located>,
    /// Those of `GitOps` tools.
    pub of_tools: Vec<Located>,
    /// The renderings that fail with the values that they certainly get.
    pub failures: Vec<ChartFailure>,
    /// The folders of the charts that were rendered.
    pub rendered: BTreeSet<String>,
    /// The templates that some use of their chart leaves unseen, and why.
    pub unseen: BTreeMap<FileId, String>,
    /// The templates that print no object with the values seen but may with others, and why.
    pub closed: BTreeMap<FileId, String>,
    /// The keys that templates of Karpenter's objects do not print because of values.
    pub left_out_keys: Vec<LeftOutKey>,
    /// What is said of charts that another program renders, each at the file that describes it.
    pub remarks: Vec<(FileId, String)>,
    /// Whether a template names Karpenter's API.
    pub mentions_karpenter: bool,
    /// Which of the objects are a release's.
    of_releases: BTreeMap<usize, Range<usize>>,
}

impl Charts {
    /// The objects that a chart makes for a release, by its index; `None` where the chart is not rendered for it.
    #[must_use]
    pub fn objects_of(&self, release: usize) -> Option<&[Located]> {
        self.objects.get(self.of_releases.get(&release)?.clone())
    }

    /// The same, to be marked.
    pub fn objects_of_mut(&mut self, release: usize) -> &mut [Located] {
        let range = self.of_releases.get(&release).cloned();
        range.and_then(|it| self.objects.get_mut(it)).unwrap_or_default()
    }

    fn add(&mut self, rendering: Rendering) {
        let Rendering { folder, release, made, .. } = rendering;
        let before = self.objects.len();
        self.objects.extend(made.objects);
        if let Some(release) = release {
            self.of_releases.insert(release, before..self.objects.len());
        }
        self.objects.extend(made.of_examples);
        self.of_tools.extend(made.of_tools);
        self.remarks.extend(made.remarks);
        self.unseen.extend(made.unseen);
        self.closed.extend(made.closed);
        self.left_out_keys.extend(made.left_out);
        self.mentions_karpenter |= made.mentions_karpenter;
        self.failures.extend(made.failures.into_iter().map(|it| ChartFailure {
            folder: folder.clone(),
            release,
            lacks: it.lacks,
            reads_file: it.reads_file,
            error: it.error,
        }));
    }
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
    /// The dependency of the chart that is not here and may be the reason.
    pub lacks: Option<String>,
    /// Whether the call is made of a file of the chart.
    pub reads_file: bool,
}

/// What of a release is at fault where its chart does not render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A template that Go does not parse.
    Syntax,
    /// A template that is called and that there is not.
    Template,
    /// A template with a file of the chart.
    File,
    /// The chart itself.
    Chart,
    /// A template with the values of the release.
    Values,
}

impl ChartFailure {
    /// What is at fault.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self.error.kind {
            ErrorKind::Syntax => FailureKind::Syntax,
            ErrorKind::Chart => FailureKind::Chart,
            ErrorKind::Template if self.error.message.contains("no template \"") => {
                FailureKind::Template
            }
            _ if self.reads_file => FailureKind::File,
            _ => FailureKind::Values,
        }
    }
}

/// What a chart makes for one release.
#[derive(Debug)]
pub struct Rendering {
    /// The chart's folder.
    pub folder: String,
    /// The release, as an index; `None` for a chart that nobody installs.
    pub release: Option<usize>,
    /// What it makes.
    pub made: Made,
    /// What its `crds/` hold, where that was asked for and the release does not skip them.
    pub crds: Vec<Located>,
}

/// Renders all charts for the releases that install them, several at a time. The Kubernetes version is that of
/// the cluster which a scope belongs to.
#[must_use]
pub fn render(
    files: &Files,
    folders: &ChartFolders,
    releases: &[Release],
    kubernetes: &(dyn Fn(&Scope) -> Option<Version> + Sync),
) -> Charts {
    let mut found = Charts { mentions_karpenter: folders.mention_karpenter, ..Charts::default() };
    for chart in &folders.charts {
        found.rendered.insert(chart.folder.clone());
    }
    for it in renderings(folders, releases, kubernetes, None) {
        found.add(it);
    }
    let version = |it: &Use| kubernetes(&it.scope).map(|it| it.to_string());
    let answers = folders.answers(files, releases, &version);
    let renderings = answers.len();
    for (chart, usage, answer) in answers {
        let assumptions = assumptions(&usage, version(&usage), renderings);
        let own = made_of(&Templates::default(), chart, &usage, &assumptions);
        let made = match answer {
            Ok(printed) => printed.with_places_of(own),
            Err(why) => {
                let name = usage.release.name.as_str().unwrap_or_default();
                let remark = format!("rendered without helm for the release `{name}`: {why}");
                found.remarks.push((chart.description, remark));
                own
            }
        };
        found.rendered.insert(chart.folder.clone());
        let (folder, crds) = (chart.folder.clone(), Vec::new());
        found.add(Rendering { folder, release: usage.index, made, crds });
    }
    found
}

/// The same, apart for each release; with the charts' CRDs, which are in these files.
#[must_use]
pub fn renderings(
    folders: &ChartFolders,
    releases: &[Release],
    kubernetes: &(dyn Fn(&Scope) -> Option<Version> + Sync),
    crds_in: Option<&Files>,
) -> Vec<Rendering> {
    let charts = folders.charts.iter();
    let jobs: Vec<_> = charts
        .flat_map(|chart| uses(chart, releases).into_iter().map(move |it| (chart, it)))
        .collect();
    let rendered = jobs.par_iter().map_init(Kept::default, |kept, (chart, usage)| {
        let version = kubernetes(&usage.scope).map(|it| it.to_string());
        let assumptions = assumptions(usage, version, jobs.len());
        let made = made_of(kept.of(&chart.chart), chart, usage, &assumptions);
        let release = usage.index.and_then(|it| releases.get(it));
        let skips = release.is_some_and(|it| it.skip_crds.known_to_be(&true));
        let crds = crds_in.filter(|_| !skips).map(|it| bundled(it, chart, usage));
        let crds = crds.unwrap_or_default();
        Rendering { folder: chart.folder.clone(), release: usage.index, made, crds }
    });
    rendered.collect()
}

/// What is assumed where a use of a chart leaves it open, in one of so many renderings.
fn assumptions(usage: &Use, kubernetes: Option<String>, renderings: usize) -> Assumptions {
    let others_give_values = usage.index.is_none() && usage.values.entries().is_empty();
    Assumptions {
        kubernetes,
        others_give_values,
        without_cluster: false,
        is_helm_4: false,
        renderings,
    }
}

/// What one use of a chart makes.
fn made_of<'a>(
    templates: &Templates<'a>,
    chart: &'a ChartFolder,
    usage: &Use,
    assumptions: &Assumptions,
) -> Made {
    let rendering = templates.render(&chart.chart, &usage.values, &usage.release, assumptions);
    let lacks = lacking(&chart.chart, &usage.values);
    let mut made = Made::of(chart, rendering.files, usage, &lacks);
    made.keep_left_out(rendering.left_out);
    // What a copy of a known chart leaves off is for its maintainers to judge.
    let is_copy = || component::is_chart(&chart.chart.metadata.name);
    let on = (assumptions.others_give_values && !is_copy())
        .then(|| switched_on(templates, &chart.chart, &usage.release, assumptions));
    if let Some(on) = on.flatten() {
        made.and_switched_on(on, chart, usage);
    }
    if assumptions.others_give_values && !is_copy() {
        made.and_examples((templates, chart), usage, assumptions);
    }
    made
}

/// The templates of the chart that a thread renders, until it comes to another: a chart may be used a hundred times.
#[derive(Default)]
struct Kept<'a> {
    chart: Option<&'a Chart>,
    templates: Templates<'a>,
}

impl<'a> Kept<'a> {
    fn of(&mut self, chart: &'a Chart) -> &Templates<'a> {
        if !self.chart.is_some_and(|it| std::ptr::eq(it, chart)) {
            *self = Self { chart: Some(chart), templates: Templates::default() };
        }
        &self.templates
    }
}
