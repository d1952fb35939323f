//! Which values Karpenter's charts read: the paths in their templates, against `chart-values.yaml`.

use std::collections::BTreeMap;

use karplint_core::version::Version;
use karplint_knowledge::knowledge::chart_values::{self, Reading};

use crate::{
    ours::Difference,
    tree::{Tree, document},
};

const OURS: &str = "chart-values.yaml";

/// The values that the templates read and the data has not, and those they no longer read.
pub(crate) fn differences(tree: &Tree, release: &Version) -> Vec<Difference> {
    let charts = ["karpenter", "karpenter-crd"].iter();
    charts.flat_map(|chart| of_chart(tree, chart, release)).collect()
}

fn of_chart(tree: &Tree, name: &str, release: &Version) -> Vec<Difference> {
    let templates: Vec<(&str, &str)> = tree.within(&format!("charts/{name}/templates")).collect();
    let Some(ours) = chart_values::of_chart(name).filter(|_| !templates.is_empty()) else {
        return Vec::new();
    };
    let mut theirs: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for (file, text) in templates {
        for (path, line) in read_by(text) {
            theirs.entry(path).or_insert((file, line));
        }
    }
    // Newer releases are held against the newest that is known.
    let newest = &chart_values_newest();
    let release = if ours.verified.contains(release) { release } else { newest };
    let mut found = Vec::new();
    for (path, (file, line)) in &theirs {
        if ours.reading(path, release) == Reading::Nothing {
            let what = format!("the chart {name} reads `{path}`");
            found.push(Difference::at(OURS, &format!("  {name}:"), what).found(file, *line));
        }
    }
    let defaults = tree.ending(&format!("charts/{name}/values.yaml"));
    let defaults = defaults.and_then(|it| document(it.1));
    for path in ours.paths_of(release) {
        let touches = |it: &&&str| is_within(path, it) || is_within(it, path);
        let listed = defaults.as_ref().is_some_and(|it| it.at(path).present().is_some());
        if !theirs.keys().any(|it| touches(&it)) && !listed {
            let what = format!("the chart {name} no longer reads `{path}`");
            found.push(Difference::at(OURS, path, what));
        }
    }
    found
}

fn chart_values_newest() -> Version {
    karplint_knowledge::knowledge::schema::known().verified.newest.clone()
}

/// Whether a path is another, or below it.
fn is_within(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|it| it.is_empty() || it.starts_with('.'))
}

/// The paths after `.Values` in a template, with their lines; comments aside.
fn read_by(template: &str) -> Vec<(&str, usize)> {
    const VALUES: &str = ".Values.";
    let mut found = Vec::new();
    let mut in_comment = false;
    for (at, line) in template.lines().enumerate() {
        in_comment |= line.contains("{{/*") || line.contains("{{- /*");
        let mut rest = if in_comment { "" } else { line };
        in_comment &= !line.contains("*/");
        while let Some(start) = rest.find(VALUES) {
            rest = rest.get(start + VALUES.len()..).unwrap_or_default();
            let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '.';
            let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
            let path = rest.get(..end).unwrap_or_default().trim_end_matches('.');
            if !path.is_empty() {
                found.push((path, at + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use karplint_core::version::Version;
    use karplint_knowledge::knowledge::chart_values;

    use super::{differences, read_by};
    use crate::tree::Tree;

    #[test]
    fn paths_are_read_out_of_templates() {
        let template = "{{- if .Values.a.b }}\n{{/* .Values.not */}}\nx: {{ $.Values.c | default .Values.d.e.f }}.\n\
                        {{- /*\n.Values.nor\n*/ -}}\n{{ toYaml .Values.g. }}\n";
        assert_eq!(read_by(template), [("a.b", 1), ("c", 3), ("d.e.f", 3), ("g", 7)]);
    }

    #[test]
    fn new_and_lost_values_are_found() {
        let release = Version::new(1, 14, 1);
        let chart = chart_values::of_chart("karpenter").expect("it is known");
        let all: Vec<String> =
            chart.paths_of(&release).map(|it| format!("{{{{ .Values.{it} }}}}\n")).collect();
        let compare = |text: &str| -> Vec<String> {
            let tree = Tree::of(&[("k/charts/karpenter/templates/all.yaml", text)]);
            differences(&tree, &release).into_iter().map(|it| it.what).collect()
        };
        assert_eq!(compare(&all.concat()), [""; 0]);
        let lost: String = all.iter().filter(|it| !it.contains("dnsPolicy")).cloned().collect();
        assert_eq!(
            compare(&format!("{lost}{{{{ .Values.settings.moonPhase }}}}\n")),
            [
                "the chart karpenter reads `settings.moonPhase`",
                "the chart karpenter no longer reads `dnsPolicy`"
            ]
        );
    }
}
