//! Karpenter's CRDs in the `crds/` of charts: Helm installs them with the first release of the chart, unless that
//! skips them, and never again.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;

use crate::{
    engine::{
        chart::{Chart, ChartFile, Content, Place},
        render::parts,
    },
    resolve::{
        charts::{
            folders::{ChartFolder, ChartFolders},
            made::located,
            uses::Use,
        },
        kubernetes::{self, Located},
        release::{Release, surface::Surface},
    },
    source::{FileId, Files, Span},
    syntax::yaml,
    value::Text,
};

/// Karpenter's own chart.
const CONTROLLER: &str = "karpenter";

/// Which of the CRDs in charts of the repository are installed.
#[derive(Debug, Default)]
pub struct BundledCrds {
    /// The files of charts whose releases all skip them.
    pub skipped: BTreeSet<FileId>,
    /// The files in copies of Karpenter's own chart, which come with its controller.
    pub of_controller: BTreeSet<FileId>,
    /// Whether the archive of another chart holds some.
    pub in_archives: bool,
}

impl BundledCrds {
    /// Finds them, given what is installed.
    #[must_use]
    pub fn find(files: &Files, folders: &ChartFolders, releases: &[Release]) -> Self {
        let mut found = Self::default();
        for chart in &folders.charts {
            if are_skipped(chart, releases) {
                found.skipped.extend(chart.crds.iter().map(|(file, _)| *file));
                continue;
            }
            let of_controller = chart.crds.iter().filter(|(_, owner)| owner == CONTROLLER);
            found.of_controller.extend(of_controller.map(|(file, _)| *file));
            found.in_archives |= chart.chart.subcharts.iter().any(has_archived);
        }
        // What names their folder may apply them, too.
        if !found.of_controller.is_empty() && files.iter().any(|(_, it)| names_folder(it.text())) {
            found.of_controller.clear();
        }
        found
    }
}

/// The objects in the `crds/` of a chart and of those inside it that one use installs, each chart's once.
pub(super) fn bundled(files: &Files, chart: &ChartFolder, usage: &Use) -> Vec<Located> {
    let parts: BTreeMap<String, &Chart> = parts(&chart.chart, &usage.values).into_iter().collect();
    let unpacked = chart.crds.iter().filter_map(|(id, _)| {
        let file = files.get(*id);
        let inside = file.path().strip_prefix(&*chart.folder)?.trim_start_matches('/');
        let part = inside.get(..inside.find("crds/")?)?.trim_end_matches('/');
        let whole = Span::new(*id, 0, file.text().len());
        parts.contains_key(part).then(|| (Text::verbatim(file.text(), whole), whole))
    });
    let packed = parts.values().flat_map(|it| it.crds());
    let packed = packed.filter(|it| matches!(it.place, Place::Archive(_)));
    let texts = unpacked.chain(packed.map(|it| (it.text(), it.span())));
    let documents = texts.flat_map(|(text, whole)| yaml::parse_literal(&text, whole).values);
    let objects = documents.flat_map(|it| kubernetes::objects(&it));
    objects.map(|it| located(it, usage)).collect()
}

/// Whether each release that installs a chart leaves its CRDs alone.
fn are_skipped(chart: &ChartFolder, releases: &[Release]) -> bool {
    let installs = |it: &&Release| {
        it.local_chart.as_deref() == Some(&*chart.folder)
            && !it.is_wrapped()
            && it.surface() != Surface::ChartDependency
    };
    let mut installing = releases.iter().filter(installs).peekable();
    installing.peek().is_some() && installing.all(|it| it.skip_crds.known_to_be(&true))
}

/// Whether a text names the folder of the CRDs in a copy of Karpenter's chart.
fn names_folder(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"karpenter/crds").is_some()
}

/// Whether a chart, or one inside it, brings Karpenter's CRDs in an archive.
fn has_archived(chart: &Chart) -> bool {
    let names = |it: &ChartFile| match (&it.content, it.place) {
        (Content::Text(text), Place::Archive(_)) => {
            memmem::find(text.as_bytes(), b".karpenter.sh").is_some()
        }
        _ => false,
    };
    (chart.metadata.name != CONTROLLER && chart.crds().any(names))
        || chart.subcharts.iter().any(has_archived)
}
