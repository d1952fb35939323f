//! Objects that several kustomizations build, each in its own way.

use std::{collections::HashMap, sync::Arc};

use crate::{
    findings::subject::{Instance, Subject},
    model::{Model, scope::Scope},
    source::{Files, Span},
};

impl Model {
    /// Tells the workloads, pools and classes apart that several kustomizations build from one object, and calls all
    /// of them what the object is called where it is written.
    pub fn name_overlays(&mut self, files: &Files) {
        let mut counts: HashMap<Span, usize> = HashMap::new();
        let workloads = self.workloads.iter().map(|it| (it.report_span, &it.scope));
        let pools = self.node_pools.iter().map(|it| (it.report_span, &it.scope));
        let classes = self.node_classes.iter().map(|it| (it.report_span, &it.scope));
        for (report_span, _) in
            workloads.chain(pools).chain(classes).filter(|(_, it)| it.build.is_some())
        {
            *counts.entry(report_span).or_default() += 1;
        }
        let several = |report_span: Span, scope: &Scope| {
            let of =
                counts.get(&report_span).copied().filter(|it| *it > 1 && scope.build.is_some())?;
            let written = files.text(report_span).trim_matches(['"', '\'']).into();
            Some((Instance { address: Arc::clone(&scope.folder), of }, written))
        };
        for workload in &mut self.workloads {
            let Some((instance, written)) = several(workload.report_span, &workload.scope) else {
                continue;
            };
            one_of(&mut workload.instance, instance);
            if !workload.name.is_empty() {
                workload.title = written;
            }
        }
        for pool in &mut self.node_pools {
            let Some((instance, written)) = several(pool.report_span, &pool.scope) else {
                continue;
            };
            one_of(&mut pool.instance, instance);
            pool.title = written;
        }
        for class in &mut self.node_classes {
            let Some((instance, written)) = several(class.report_span, &class.scope) else {
                continue;
            };
            one_of(&mut class.instance, instance);
            class.title = written;
        }
    }
}

fn one_of(subject: &mut Option<Subject>, instance: Instance) {
    subject.get_or_insert_default().instance = Some(instance);
}
