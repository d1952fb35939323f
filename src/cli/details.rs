//! What `karplint check -v` prints besides the report.

use std::{collections::BTreeSet, time::Duration};

use crate::{
    cli::args::Check,
    report::{Report, plural, undecided},
    visible::visible,
};

/// What `-v` prints, in lines of that width where that can be: what was not decided, what was not read, and how
/// long all took, in the walk and in sum.
#[must_use]
pub(super) fn details(
    check: &Check,
    report: &Report,
    (loaded, total): (Duration, Duration),
    width: usize,
) -> String {
    let counts = report.parts.iter().map(|it| {
        let place = if it.project.descends { "below" } else { "in" };
        let (files, root) =
            (plural(it.project.files.len(), "file"), visible(&it.project.root.to_string_lossy()));
        format!("{files} {place} {root}, {} read\n", it.project.loads())
    });
    let own = report.parts.iter().flat_map(|it| &it.outcome.timings);
    let own = own.map(|(stage, time)| (*stage, *time));
    let stages = [("walk", loaded)].into_iter().chain(own).chain([("total", total)]);
    let times =
        stages.map(|(stage, time)| format!("{:>9.1} ms  {stage}\n", time.as_secs_f64() * 1000.0));
    let skipped = report.parts.iter().enumerate().flat_map(|(part, it)| {
        let skipped = it.outcome.skipped.iter();
        skipped.map(move |it| {
            format!("skipped: {}: {}\n", report.shown_path(part, &it.path), visible(&it.reason))
        })
    });
    let templates = not_rendered(check, report).into_iter();
    let undecided = [undecided::list(report, width)].into_iter();
    undecided.chain(skipped).chain(templates).chain(counts).chain(times).collect()
}

/// How many templates were not rendered, and what would render them.
fn not_rendered(check: &Check, report: &Report) -> Option<String> {
    let mut templates = 0;
    let mut charts = BTreeSet::new();
    for (part, it) in report.parts.iter().enumerate() {
        for skipped in it.outcome.skipped.iter().filter(|it| it.chart.is_some()) {
            templates += 1;
            charts.extend(it.project.chart_of(&skipped.path).map(|chart| (part, chart)));
        }
    }
    let hint = if check.scope.helm.is_some() { "" } else { " (--helm PATH renders them)" };
    (templates > 0).then(|| {
        let templates = plural(templates, "template");
        format!("{templates} of {} not rendered{hint}\n", plural(charts.len(), "chart"))
    })
}
