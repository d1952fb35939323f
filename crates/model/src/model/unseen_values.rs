//! Files of values for charts that nothing is seen to install: something that is not read may install them with these.

use crate::{
    findings::{Finding, subject::Subject},
    model::Model,
    resolve::release::Installer,
    source::{FileId, Files, ending, file_name, is_below, join, outward, parent},
    value::Entry,
};

/// What names of such files hold, and of folders for them.
const WORD: &str = "values";

impl Model {
    /// A file that may have the values of the chart that all a finding is about comes from, where nothing is seen to
    /// install it: one elsewhere that is named for the chart. The files that are not read count, too.
    #[must_use]
    pub fn unseen_values<'p>(
        &self,
        files: &'p Files,
        mut unread: impl Iterator<Item = &'p str>,
        finding: &Finding,
    ) -> Option<&'p str> {
        let subjects = &finding.subjects;
        if subjects.is_empty() || !subjects.iter().all(Subject::is_reusable) {
            return None;
        }
        let path = files.get(finding.span.file).path();
        let is_chart = |it: &&str| join(it, "Chart.yaml").and_then(|it| files.find(&it)).is_some();
        let charts: Vec<&str> = outward(path).filter(is_chart).collect();
        let outermost = charts.last()?;
        let may_be = |it: &str| {
            !is_below(it, outermost) && charts.iter().any(|chart| is_named_for(it, chart))
        };
        let mut read = files.iter().map(|(id, it)| (id, it.path()));
        let read = read.find(|(id, it)| may_be(it) && !self.is_used_as_values(*id));
        read.map(|it| it.1).or_else(|| unread.find(|it| may_be(it)))
    }

    /// Whether a release that is seen takes values from a file.
    fn is_used_as_values(&self, file: FileId) -> bool {
        let is_of = |it: &Entry| it.key_span.file == file;
        let mut seen = self.releases.iter().filter(|it| it.installer != Installer::Anybody);
        seen.any(|it| it.values.entries().iter().any(is_of))
    }
}

/// Whether a file of values is named for a chart: `chart_values/loki.yaml`, `redis-values.yaml`, `values/redis/prod.yaml`.
fn is_named_for(path: &str, chart: &str) -> bool {
    const MARKS: [char; 3] = ['-', '_', '.'];
    let name = file_name(chart);
    let (stem, last) = ending(file_name(path));
    let around = parent(path);
    let is_of_values = around.split('/').any(|it| it.contains(WORD));
    let is_in_folder = is_of_values && file_name(around) == name;
    let without = |it: &str| -> Option<String> {
        let words = it.split(MARKS);
        let (values, rest): (Vec<&str>, Vec<&str>) = words.partition(|it| *it == WORD);
        (!values.is_empty()).then(|| rest.join("-"))
    };
    let continues = |it: &str| it.is_empty() || it.starts_with(MARKS);
    let is_named = is_in_folder
        || is_of_values && stem.strip_prefix(name).is_some_and(continues)
        || without(stem).is_some_and(|it| it == name);
    matches!(last, "yaml" | "yml") && is_named
}

#[cfg(test)]
mod tests {
    use super::is_named_for;

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
            assert_eq!(is_named_for(path, "charts/loki"), is_it, "{path}");
        }
    }
}
