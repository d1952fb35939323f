//! Which value of its chart gives the pods of a workload their annotations.

use std::{collections::BTreeSet, sync::Arc};

use crate::{resolve::kubernetes::Located, source::Span};

/// What begins the path of a value in a template.
const VALUES: &str = ".Values.";
/// The last key of what charts take annotations of pods by.
const POD_ANNOTATIONS: &str = "podAnnotations";

/// Notes for workloads by which value of the chart their template takes annotations of pods, where it reads only one.
/// Given is the text of the template around a place.
pub(super) fn find<'a>(objects: &mut [Located], template: impl Fn(Span) -> Option<&'a str>) {
    for it in objects.iter_mut().filter(|it| it.object.template_path().is_some()) {
        let text = template(it.object.value.span);
        it.holder.pod_annotations = text.and_then(only_path).map(Arc::from);
    }
}

/// The path of the only such value that a template reads.
fn only_path(template: &str) -> Option<&str> {
    let paths: BTreeSet<&str> = template
        .match_indices(VALUES)
        .filter_map(|(at, _)| {
            let rest = template.get(at + VALUES.len()..)?;
            let is_of_path = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.');
            let path = rest.split(|it| !is_of_path(it)).next()?;
            path.split('.').next_back().filter(|it| *it == POD_ANNOTATIONS).map(|_| path)
        })
        .collect();
    let mut paths = paths.into_iter();
    paths.next().filter(|_| paths.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::only_path;

    #[test]
    fn the_one_value_for_annotations_of_pods_is_found() {
        for (template, wanted) in [
            ("{{- with .Values.podAnnotations }}", Some("podAnnotations")),
            ("{{ toYaml $.Values.a.podAnnotations }}{{ .Values.a.b }}", Some("a.podAnnotations")),
            ("{{ .Values.a.podAnnotations }}{{ .Values.b.podAnnotations }}", None),
            ("{{ .Values.podAnnotationsOfOthers }}", None),
        ] {
            assert_eq!(only_path(template), wanted, "{template}");
        }
    }
}
