//! Objects that several kustomizations build, each in its own way.

use std::collections::HashMap;

use crate::{
    findings::Instance,
    model::{Model, place::Place},
    source::{Files, Span},
};

impl Model {
    /// Tells the workloads, pools and classes apart that several kustomizations build from one object, and calls all
    /// of them what the object is called where it is written.
    pub fn name_overlays(&mut self, files: &Files) {
        let mut counts: HashMap<Span, usize> = HashMap::new();
        let workloads = self.workloads.iter().map(|it| (it.anchor, &it.place));
        let pools = self.node_pools.iter().map(|it| (it.anchor, &it.place));
        let classes = self.node_classes.iter().map(|it| (it.anchor, &it.place));
        for (anchor, _) in
            workloads.chain(pools).chain(classes).filter(|(_, it)| it.build.is_some())
        {
            *counts.entry(anchor).or_default() += 1;
        }
        let several = |anchor: Span, place: &Place| {
            let of = counts.get(&anchor).copied().filter(|it| *it > 1 && place.build.is_some())?;
            let written = files.text(anchor).trim_matches(['"', '\'']).into();
            Some((Instance { address: place.folder.to_string(), of }, written))
        };
        for workload in &mut self.workloads {
            let Some((instance, written)) = several(workload.anchor, &workload.place) else {
                continue;
            };
            workload.instance = Some(instance);
            if !workload.name.is_empty() {
                workload.title = written;
            }
        }
        for pool in &mut self.node_pools {
            let Some((instance, written)) = several(pool.anchor, &pool.place) else { continue };
            pool.instance = Some(instance);
            pool.title = written;
        }
        for class in &mut self.node_classes {
            let Some((instance, written)) = several(class.anchor, &class.place) else { continue };
            class.instance = Some(instance);
            class.title = written;
        }
    }
}
