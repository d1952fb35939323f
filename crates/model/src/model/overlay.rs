//! Objects that several kustomizations build, each in its own way.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::subject::{InstanceKey, Subject},
    model::Model,
    resolve::scope::Scope,
    source::{Files, Span},
};

/// Tells the workloads, pools and classes apart that several kustomizations build from one object, and calls all
/// of them what the object is called where it is written.
pub(super) fn name_overlays(files: &Files, model: &mut Model) {
    let Model { workloads, node_pools: pools, node_classes: classes, .. } = model;
    let mut counts: HashMap<Span, usize> = HashMap::new();
    let of_workloads = workloads.iter().map(|it| (it.report_span, &it.scope));
    let of_pools = pools.iter().map(|it| (it.report_span, &it.scope));
    let of_classes = classes.iter().map(|it| (it.report_span, &it.scope));
    for (report_span, _) in
        of_workloads.chain(of_pools).chain(of_classes).filter(|(_, it)| it.build.is_some())
    {
        *counts.entry(report_span).or_default() += 1;
    }
    let several = |report_span: Span, scope: &Scope| {
        let of = counts.get(&report_span).copied().filter(|it| *it > 1 && scope.build.is_some())?;
        let written = files.text(report_span).trim_matches(['"', '\'']).into();
        Some((InstanceKey { address: Arc::clone(&scope.folder), of }, written))
    };
    for workload in workloads {
        let Some((instance, written)) = several(workload.report_span, &workload.scope) else {
            continue;
        };
        one_of(&mut workload.subject, instance);
        if !workload.name.is_empty() {
            workload.title = written;
        }
    }
    for pool in pools {
        let Some((instance, written)) = several(pool.report_span, &pool.scope) else {
            continue;
        };
        one_of(&mut pool.subject, instance);
        pool.title = written;
    }
    for class in classes {
        let Some((instance, written)) = several(class.report_span, &class.scope) else {
            continue;
        };
        one_of(&mut class.subject, instance);
        class.title = written;
    }
}

fn one_of(subject: &mut Option<Subject>, instance: InstanceKey) {
    subject.get_or_insert_default().instance = Some(instance);
}
