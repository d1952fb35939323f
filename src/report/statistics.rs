//! How many findings each rule has.

use std::collections::BTreeMap;

use crate::{
    findings::Severity,
    report::{Report, summary},
};

/// A line for each rule with findings, the most frequent first, and the summary in lines of `width` columns.
#[must_use]
pub fn render(report: &Report, width: usize, quiet: bool) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for it in &report.shown {
        let (all, fixable) = counts.entry(it.finding.rule).or_default();
        *all += 1;
        *fixable += usize::from(it.finding.fix.is_some());
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (all, _))| std::cmp::Reverse(*all));
    let longest = counts.iter().map(|(rule, _)| rule.len()).max().unwrap_or_default();
    let line = |(rule, (all, fixable)): (&str, (usize, usize))| {
        let title = report.page(rule).map_or("", |it| &*it.title);
        let fixes = if fixable == 0 { String::new() } else { format!(" ({fixable} with a fix)") };
        format!("{all:>5}  {rule:longest$}  {title}{fixes}\n")
    };
    let mut text: String = counts.into_iter().map(line).collect();
    if !quiet {
        text += &summary::render(report, Severity::Note, width);
    }
    text
}
