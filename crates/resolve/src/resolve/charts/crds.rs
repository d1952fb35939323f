//! Karpenter's CRDs in the `crds/` of charts: Helm installs them with the first release of the chart, unless that
//! skips them, and never again.

use std::collections::BTreeSet;

use memchr::memmem;

use crate::{
    engine::chart::{Chart, ChartFile, Content, Place},
    resolve::{
        charts::folders::{ChartFolder, ChartFolders},
        release::{Release, surface::Surface},
    },
    source::{FileId, Files},
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
