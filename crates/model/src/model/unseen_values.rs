//! Files of values for charts that nothing is seen to install: something that is not read may install them with these.

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{Finding, subject::Subject},
    model::Model,
    resolve::release::Installer,
    source::{FileId, Files, ending, file_name, is_below, join, outward, parent},
};

/// What names of such files hold, and of folders for them.
const WORD: &str = "values";

/// Such files by the names of the charts that they are named for. Those that are not read count, too.
#[derive(Debug)]
pub struct UnseenValues<'p>(HashMap<String, Vec<&'p str>>);

impl<'p> UnseenValues<'p> {
    /// Those among the files of a project, and among what is not read of it.
    #[must_use]
    pub fn find(files: &'p Files, unread: impl Iterator<Item = &'p str>, model: &Model) -> Self {
        let mut named: HashMap<String, Vec<&str>> = HashMap::new();
        let used = model.used_values();
        let read = files.iter().filter(|(id, _)| !used.contains(id)).map(|(_, it)| it.path());
        for path in read.chain(unread) {
            for name in charts_of(path) {
                named.entry(name).or_default().push(path);
            }
        }
        Self(named)
    }

    /// The file that may have the values of the chart that all a finding is about comes from, where nothing is seen to
    /// install it: one elsewhere.
    #[must_use]
    pub fn of(&self, files: &Files, finding: &Finding) -> Option<&'p str> {
        let subjects = &finding.subjects;
        if subjects.is_empty() || !subjects.iter().all(Subject::is_reusable) {
            return None;
        }
        let path = files.get(finding.span.file).path();
        let is_chart = |it: &&str| join(it, "Chart.yaml").and_then(|it| files.find(&it)).is_some();
        let charts: Vec<&str> = outward(path).filter(is_chart).collect();
        let outermost = charts.last()?;
        let mut named = charts.iter().filter_map(|it| self.0.get(file_name(it))).flatten();
        named.find(|it| !is_below(it, outermost)).copied()
    }
}

impl Model {
    /// The files from which a release that is seen takes values.
    fn used_values(&self) -> HashSet<FileId> {
        let seen = self.releases.iter().filter(|it| it.installer != Installer::Anybody);
        seen.flat_map(|it| it.values.entries()).map(|it| it.key_span.file).collect()
    }
}

/// The charts that a file of values may be named for: `loki` for `chart_values/loki_prod.yaml`, `loki-values.yaml` and
/// `values/loki/prod.yaml`.
fn charts_of(path: &str) -> Vec<String> {
    const MARKS: [char; 3] = ['-', '_', '.'];
    let (stem, last) = ending(file_name(path));
    if !matches!(last, "yaml" | "yml") {
        return Vec::new();
    }
    let around = parent(path);
    let mut names = Vec::new();
    if around.split('/').any(|it| it.contains(WORD)) {
        let beginnings = stem.match_indices(MARKS).filter_map(|(at, _)| stem.get(..at));
        let beginnings = beginnings.chain([stem, file_name(around)]);
        names.extend(beginnings.map(str::to_owned));
    }
    let (values, rest): (Vec<&str>, Vec<&str>) = stem.split(MARKS).partition(|it| *it == WORD);
    if !values.is_empty() {
        names.push(rest.join("-"));
    }
    names.sort();
    names.dedup();
    names.retain(|it| !it.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::charts_of;

    #[test]
    fn files_of_values_are_named_for_charts() {
        for (path, is_it) in [
            ("chart_values/loki.yaml", true),
            ("chart_values/loki_with_pools.yaml", true),
            ("deploy/loki-values.yaml", true),
            ("deploy/values-loki.yml", true),
            ("chart_values/loki/prod.yaml", true),
            ("chart_values/loki/values.j2.yaml", true),
            ("chart_values/loki.tf", false),
            ("chart_values/lokistack.yaml", false),
            ("deploy/loki.yaml", false),
            ("deploy/values.yaml", false),
            ("chart_values/redis.yaml", false),
        ] {
            assert_eq!(charts_of(path).iter().any(|it| it == "loki"), is_it, "{path}");
        }
    }
}
