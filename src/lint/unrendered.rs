//! What rules would look at in the templates of charts that are not rendered.

use std::collections::BTreeSet;

use crate::{
    config::Config,
    findings::silence::{Silence, Unreported},
    model::Model,
    project::{Project, rendered::Rendered, skipped::Skipped},
    source::{FileId, Span, join},
    value::cause::Cause,
};

/// Kinds of objects that templates may make, each with a rule that asks about them.
const ASKED: [(&str, &str); 7] = [
    ("StatefulSet", "stateful-pod-unprotected"),
    ("PersistentVolumeClaim", "stateful-pod-unprotected"),
    ("PodDisruptionBudget", "drain-blocking-pdb"),
    ("NodePool", "invalid-karpenter-resource"),
    ("EC2NodeClass", "invalid-karpenter-resource"),
    ("Provisioner", "retired-karpenter-api"),
    ("AWSNodeTemplate", "retired-karpenter-api"),
];

/// The templates of charts that nobody renders.
pub(super) struct Unrendered<'a> {
    pub project: &'a Project,
    model: &'a Model,
}

impl<'a> Unrendered<'a> {
    /// Those that the model was built without.
    pub(super) fn of(project: &'a Project, model: &'a Model) -> Self {
        Self { project, model }
    }

    /// Whether the chart in a folder is not rendered.
    pub(super) fn holds_chart(&self, folder: &str) -> bool {
        !self.model.rendered_charts.contains(path_of(folder))
    }

    /// Whether a file is a template that nobody fills in.
    pub(super) fn holds(&self, file: FileId) -> bool {
        let path = self.project.files.get(file).path();
        let chart = self.project.chart_of(path);
        self.model.unseen_templates.contains_key(&file)
            || (self.project.is_template(file)
                && !self.project.is_rendered(path)
                && chart.is_none_or(|it| self.holds_chart(it)))
    }

    /// The questions that they keep open, once for each rule and file.
    pub(super) fn questions(&self, config: &Config) -> Vec<Unreported> {
        let files = &self.project.files;
        let skipped = self.project.skipped();
        let of_charts = skipped.iter().filter_map(|it| {
            let chart = it.chart.as_deref().filter(|it| self.holds_chart(it))?;
            let words = format!("this template is not rendered, nor is its chart, `{chart}`");
            Some((files.find(&it.path)?, words))
        });
        let unseen = self.model.unseen_templates.iter();
        let unseen =
            unseen.map(|(file, why)| (*file, format!("this template is not rendered: {why}")));
        let mut open = Vec::new();
        let not_rendered = |(file, words)| (file, words, Cause::NotRendered);
        let closed = self.model.closed_templates.iter();
        let closed = closed.map(|(file, why)| (*file, why.clone(), Cause::Installation));
        for (file, words, cause) in of_charts.chain(unseen).map(not_rendered).chain(closed) {
            let chart = self.project.chart_of(files.get(file).path()).unwrap_or_default();
            let mut asked = BTreeSet::new();
            for (rule, span) in kinds(file, files.get(file).text()) {
                if config.runs(rule) && asked.insert(rule) {
                    let mut silence = Silence::undecided(cause, words.clone());
                    if cause == Cause::NotRendered {
                        silence = silence.missing(if chart.is_empty() { "." } else { chart });
                    }
                    open.push(Unreported { rule, span, silence });
                }
            }
        }
        open
    }
}

/// A chart whose rendering failed, as something that was skipped.
pub(super) fn failed(chart: &Rendered) -> Option<Skipped> {
    let why = chart.text.as_ref().err()?;
    let path = join(&chart.folder, "Chart.yaml")?;
    Some(Skipped::new(path, format!("not rendered: {why}")))
}

/// The path of a folder that is shown as `.` where it is the root.
fn path_of(folder: &str) -> &str {
    if folder == "." { "" } else { folder }
}

/// Says of a template that `--helm` did not help.
pub(super) fn name_failure(project: &Project, skipped: &mut Skipped) {
    let Some(chart) = &skipped.chart else { return };
    let folder = path_of(chart);
    if project.rendered.iter().any(|it| it.folder == folder && it.text.is_err()) {
        skipped.reason = format!("chart {chart} is not rendered: helm refuses it");
    }
}

/// The lines of a template that name a kind, each with the rule that would ask about the object.
fn kinds(file: FileId, text: &str) -> impl Iterator<Item = (&'static str, Span)> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = start;
        start += line.len();
        let kind = line.strip_prefix("kind:")?.trim();
        let (_, rule) = ASKED.iter().find(|(it, _)| *it == kind)?;
        Some((*rule, Span::new(file, at, at + line.trim_end().len())))
    })
}

#[cfg(test)]
mod tests {
    use super::kinds;
    use crate::source::FileId;

    #[test]
    fn a_template_names_kinds_in_lines_of_their_own() {
        let text = "{{ if .x }}\nkind: StatefulSet\n---\n  kind: NodePool\nkind: {{ .kind }}\n";
        let found: Vec<_> = kinds(FileId(0), text).collect();
        let [(rule, span)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((*rule, &text[span.range()]), ("stateful-pod-unprotected", "kind: StatefulSet"));
    }
}
