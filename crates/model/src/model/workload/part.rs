//! Pods that a chart of others makes inside a chart of the repository: its values are edited, not its templates.

use std::sync::Arc;

use crate::{
    knowledge::{
        self,
        component::{Component, Pod},
    },
    model::{
        component,
        workload::{Protection, ProtectionPaths, Workload, WorkloadKind, managed},
    },
    resolve::{
        effective::configuration::Configuration,
        kubernetes::{Object, part::Part},
    },
    source::Span,
    version::{Version, constraint::Constraint},
};

impl Workload {
    /// The same, with what is known of the chart that makes it: which of its values protect the pods, and where
    /// to point when they do not.
    #[must_use]
    pub(crate) fn made_by(mut self, part: &Arc<Part>, object: &Object) -> Self {
        if part.place.is_some() {
            self.part = Some(Arc::clone(part));
            self.protection = Some(Protection::Below(part.keys.clone()));
        }
        let Some((mut paths, span)) = protection(part, &self, object) else { return self };
        // A copy may be another chart of the same name.
        let has = |path: &String| !part.values.at(path).is_missing();
        if part.place.is_some() {
            self.report_span = span;
        } else if !paths.annotations.as_ref().is_some_and(has) {
            return self;
        }
        // A dependency of a dependency has the version that its chart asks for.
        paths.since = paths.since.filter(|_| !part.keys.contains('.'));
        self.protection = Some(Protection::Known(paths));
        self
    }
}

/// Which of the component's pods a workload runs: the only one of its kind, or the only one with its labels.
fn pod(
    component: &'static Component,
    part: &Part,
    workload: &Workload,
    object: &Object,
) -> Option<&'static Pod> {
    let version = Version::parse(&part.version);
    let is_of_kind = |it: &&Pod| match workload.kind {
        // What an operator makes of it is known by the name of the resource.
        WorkloadKind::Custom => it.name.eq_ignore_ascii_case(&object.kind),
        _ => *it.kind == *object.kind,
    };
    let exists = |it: &&Pod| it.exists_in(version.as_ref()) != Some(false) && it.chart.is_some();
    let alike: Vec<&Pod> = component.pods.iter().filter(is_of_kind).filter(exists).collect();
    let is_labelled = |it: &&&Pod| {
        let mut labels = it.labels.iter();
        labels.all(|(key, value)| workload.labels.value(key) == Some(value))
    };
    if let [only] = &alike[..] {
        Some(only)
    } else {
        let mut labelled = alike.iter().filter(is_labelled);
        let first = labelled.next()?;
        labelled.next().is_none().then_some(first)
    }
}

/// The values of a known chart that protect the pods, and where they would be written.
fn protection(
    part: &Part,
    workload: &Workload,
    object: &Object,
) -> Option<(ProtectionPaths, Span)> {
    let component = knowledge::component::of_chart(&part.chart, part.repository.as_deref())?;
    let pod = pod(component, part, workload, object)?;
    let root = part.place.unwrap_or(workload.report_span);
    let from = Configuration {
        pod,
        surface: pod.chart.as_ref()?,
        values: part.values.clone(),
        allowed: Constraint::parse(&part.version),
        release: None,
        wrapped: !part.keys.is_empty(),
        is_renamed: false,
        report_span: root,
    };
    let keys = (!part.keys.is_empty()).then(|| Arc::from(&*part.keys));
    let usage = component::of_part(component, from, (root, keys), &workload.scope);
    managed::protection(&usage, &workload.replicas)
}
