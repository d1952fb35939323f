//! The last lines of a report for people: what was found, what was not decided, what was not read.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    findings::Severity,
    report::{Report, named, plural, undecided, wrap::hanging},
    visible::visible,
};

/// Reasons named one by one; more would hide them.
const REASONS: usize = 4;

/// The lines, each with its end, in `width` columns as far as names allow.
#[must_use]
pub(crate) fn render(report: &Report, lowest: Severity, width: usize) -> String {
    let notes = report.count(Severity::Note);
    let hidden = (notes > 0 && lowest > Severity::Note)
        .then(|| format!("{}: `--severity note` shows them", plural(notes, "note")));
    let line = |it: String| hanging(&it, width, INDENT) + "\n";
    let mut undecided = undecided::summary(report, " (`-v` lists them)").into_iter();
    let first = [Some(report.summary(lowest)), hidden, undecided.next()];
    let causes =
        undecided.map(|it| INDENT.to_owned() + &hanging(&it, width, INDENT_OF_CAUSE) + "\n");
    let last = [not_read(report), without_karpenter(report)];
    let first = first.into_iter().flatten().map(line);
    first.chain(causes).chain(last.into_iter().flatten().map(line)).collect()
}

/// What a clean result may hide, for formats that list neither questions nor files: what was not decided, the causes
/// as lines of their own, and whether nothing of Karpenter is seen.
#[must_use]
pub(crate) fn remarks(report: &Report) -> Vec<String> {
    let undecided = undecided::summary(report, "");
    undecided.into_iter().chain(without_karpenter(report)).collect()
}

/// What is before the second line of a long one, and before a cause.
const INDENT: &str = "  ";
/// What is before the second line of a cause.
const INDENT_OF_CAUSE: &str = "    ";

/// "Not read (`-v` lists them): 30 Helm templates of apps/web, which `--helm PATH` renders; test data (4)".
fn not_read(report: &Report) -> Option<String> {
    let charts: BTreeSet<&str> = report.skipped.iter().filter_map(|it| it.chart).collect();
    let templates = report.skipped.iter().filter(|it| it.chart.is_some()).count();
    let of_charts = (templates > 0).then(|| {
        let charts = visible(&named(&charts.into_iter().collect::<Vec<_>>()));
        format!("{} of {charts}, which `--helm PATH` renders", plural(templates, "Helm template"))
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for it in report.skipped.iter().filter(|it| it.chart.is_none()) {
        *counts.entry(it.reason).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let more = (counts.len() > REASONS).then(|| "…".to_owned());
    let others =
        counts.iter().take(REASONS).map(|(reason, count)| format!("{} ({count})", visible(reason)));
    let parts: Vec<String> = of_charts.into_iter().chain(others).chain(more).collect();
    (!parts.is_empty()).then(|| format!("Not read (`-v` lists them): {}", parts.join("; ")))
}

/// A result without findings says nothing of a repository without Karpenter.
#[must_use]
pub(crate) fn without_karpenter(report: &Report) -> Option<String> {
    let seen = report.uses_karpenter();
    let parts: Vec<&str> = report.made_for_karpenter().into_iter().collect();
    (report.files > 0 && !seen).then(|| match parts.as_slice() {
        [] if report.has_resources_of_karpenter() => {
            "Of Karpenter only resources are seen that nothing here applies".to_owned()
        }
        [] => "Nothing of Karpenter is seen: no release, no resource, no `karpenter.sh/` key"
            .to_owned(),
        [only] => of_aws(only),
        [first @ .., last] => of_aws(&format!("{} and {last}", first.join(", "))),
    })
}

fn of_aws(parts: &str) -> String {
    format!("Of Karpenter only {parts} in AWS are seen: no release and no resource of it")
}
