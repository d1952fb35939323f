//! Releases, add-ons and workloads.

use crate::{
    checks::protection::{Protection, protected_by},
    inventory::{
        Item,
        facts::{nothing, of_setting, of_silence, of_written, text, unknown},
        karpenter::version,
    },
    model::{
        Model,
        addon::Addon,
        workload::{Workload, WorkloadKind},
    },
    resolve::release::{Release, surface::Surface},
    value::{Kind, Value},
};

/// A release; a chart of the repository that nobody installs is none.
#[must_use]
pub(crate) fn release(release: &Release) -> Item {
    let span = release.report_span;
    let surface = match release.surface() {
        Surface::Terraform => "terraform",
        Surface::ArgoCd => "argo-cd",
        Surface::Flux => "flux",
        Surface::Helmfile => "helmfile",
        Surface::Kustomize => "kustomize",
        Surface::ChartDependency => "chart",
        Surface::Eksctl => "eksctl",
        Surface::CloudFormation => "cloudformation",
        Surface::Pulumi => "pulumi",
        Surface::Script => "script",
    };
    let named = |it: Option<&str>| it.map_or_else(|| nothing(span), |it| text(it, span));
    let chart = release.local_chart.as_deref().or(Some(&*release.chart));
    let written = release.repository_span.unwrap_or(span);
    let repository = release.repository.as_deref();
    let repository = repository.map_or_else(|| nothing(span), |it| text(it, written));
    let fields = vec![
        ("name", release.name.as_deref().map_or_else(|| unknown("?", span), |it| text(it, span))),
        ("chart", named(chart.filter(|it| !it.is_empty()))),
        ("repository", repository),
        ("version", if release.local_chart.is_some() { nothing(span) } else { version(release) }),
        ("namespace", of_setting(&release.namespace)),
        ("surface", text(surface, span)),
    ];
    Item { fields, span }
}

/// An EKS add-on.
#[must_use]
pub(crate) fn addon(addon: &Addon) -> Item {
    let span = addon.report_span;
    let version = of_written(addon.version.as_ref(), span);
    Item { fields: vec![("name", text(&*addon.name, span)), ("version", version)], span }
}

/// A workload.
#[must_use]
pub(crate) fn workload(model: &Model, workload: &Workload) -> Item {
    let span = workload.report_span;
    let protection = match protected_by(model, workload) {
        Ok(Some(Protection::Annotation)) => text("annotation", span),
        Ok(Some(Protection::Budget)) => text("budget", span),
        Ok(None) => nothing(span),
        Err(silence) => of_silence(&silence, span),
    };
    let named = identity(workload).fields.into_iter();
    let others = [
        ("stateful", Value::new(Kind::Bool(workload.is_stateful()), span)),
        ("protected_by", protection),
    ];
    Item { fields: named.chain(others).collect(), span }
}

/// What a workload is called: its kind, its namespace and its name.
#[must_use]
pub(crate) fn identity(workload: &Workload) -> Item {
    let span = workload.report_span;
    let object = workload.subject.as_ref().and_then(|it| it.object.as_ref());
    let kind = object.map_or_else(|| word(workload.kind), |it| &*it.kind);
    let name = match (&*workload.name, &*workload.title) {
        ("", "") => unknown("?", span),
        ("", title) => text(title, span),
        (name, _) => text(name, span),
    };
    let fields = vec![
        ("kind", text(kind, span)),
        ("namespace", of_setting(&workload.namespace)),
        ("name", name),
    ];
    Item { fields, span }
}

fn word(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::StatefulSet => "StatefulSet",
        WorkloadKind::Deployment => "Deployment",
        WorkloadKind::ReplicaSet => "ReplicaSet",
        WorkloadKind::DaemonSet => "DaemonSet",
        WorkloadKind::Job => "Job",
        WorkloadKind::CronJob => "CronJob",
        WorkloadKind::Pod => "Pod",
        WorkloadKind::Custom => "Custom",
    }
}
