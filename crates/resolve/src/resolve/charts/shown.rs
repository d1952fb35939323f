//! What a chart only shows: its own examples and tests.

use crate::resolve::release::Release;

/// The folders in which a chart only shows how it may be installed.
pub const SHOWN: &[&str] = &["example", "examples", "samples", "test", "tests", "ci", "docs"];

/// Whether a release only shows how its chart may be installed: it is written in the chart's own examples.
#[must_use]
pub fn is_shown(release: &Release) -> bool {
    let Some(chart) = &release.local_chart else { return false };
    let inside = release.scope.folder.strip_prefix(chart.as_str()).unwrap_or_default();
    inside.split('/').nth(1).is_some_and(|it| SHOWN.contains(&it))
}
