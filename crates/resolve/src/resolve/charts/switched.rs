//! What a chart that nobody installs makes besides, once its switches are on.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use crate::{
    engine::{
        render::RenderedFile,
        switches::{SwitchedOn, TurnedOn},
    },
    findings::subject::{Rendered, Switch},
    resolve::{
        charts::{folders::ChartFolder, made::Made, uses::Use},
        kubernetes::Located,
    },
    source::{FileId, Span},
    value::Value,
};

/// An object of one template in another rendering.
type Key = (Arc<str>, Span);

impl Made {
    /// Adds what is there only with the switches on, as what is switched off. What is there only without a value that
    /// the chart leaves out goes: who installs the chart gives it one.
    pub(super) fn and_switched_on(&mut self, on: SwitchedOn, chart: &ChartFolder, usage: &Use) {
        let values = |it: &RenderedFile| {
            let value = on.without_default.get(&it.name).filter(|_| it.text.is_ok())?;
            Some((it.file?, value.clone()))
        };
        let hanging: BTreeMap<FileId, String> = on.files.iter().filter_map(values).collect();
        let usage = Use { is_off: true, rendered: Rendered::SwitchedOn, ..usage.clone() };
        let mut further = Self::of(chart, on.files, &usage, &[]);
        for it in &mut further.objects {
            it.holder.switches = switches(&on.turned_on, it.header);
        }
        let with: HashSet<Key> = further.all().map(key).collect();
        let is_lost =
            |it: &Located| hanging.contains_key(&it.header.file) && !with.contains(&key(it));
        let files = self.all().filter(|it| is_lost(it)).map(|it| it.header.file);
        let files: BTreeSet<FileId> = files.collect();
        let lost = files.iter().copied().filter_map(|file| {
            let value = hanging.get(&file)?;
            Some((file, format!("its chart leaves out `{value}`, which decides what is there")))
        });
        let lost: Vec<(FileId, String)> = lost.collect();
        self.objects.retain(|it| !is_lost(it));
        self.of_tools.retain(|it| !is_lost(it));
        let known: HashSet<Key> = self.all().map(key).collect();
        let new = |it: &Located| !known.contains(&key(it));
        let own: HashSet<String> = self.objects.iter().filter_map(workload_name).collect();
        // A chart that can be the one or the other is judged as the one that it is.
        let is_alternative =
            |it: &Located| workload_name(it).is_some_and(|name| own.contains(&name));
        let added = further.objects.into_iter().filter(|it| new(it) && !is_alternative(it));
        let added: Vec<Located> = added.collect();
        let of_tools = further.of_tools.into_iter().filter(new);
        let names: HashSet<String> = added.iter().filter_map(name).collect();
        let scales_another = |it: &Located| {
            let target = it.object.value.at("spec.scaleTargetRef.name").present();
            let target = target.and_then(Value::as_str);
            target.is_some_and(|it| !names.contains(it))
        };
        self.of_tools.extend(of_tools);
        self.objects.extend(added.iter().filter(|it| !scales_another(it)).cloned());
        let seen: HashSet<FileId> = self.all().map(|it| it.header.file).collect();
        self.closed.retain(|(file, _)| !seen.contains(file));
        self.closed.extend(lost);
        self.without_value = files;
    }

    fn all(&self) -> impl Iterator<Item = &Located> {
        self.objects.iter().chain(&self.of_tools)
    }
}

/// What was turned on around a place.
fn switches(turned_on: &[TurnedOn], place: Span) -> Vec<Switch> {
    let around = turned_on.iter().filter(|it| it.body.is_some_and(|it| it.contains(place)));
    let switch =
        |(written, span): &(String, Span)| Switch { written: (&**written).into(), span: *span };
    let all: BTreeSet<Switch> = around.flat_map(|it| it.values.iter().map(switch)).collect();
    all.into_iter().collect()
}

fn key(it: &Located) -> Key {
    (Arc::clone(&it.object.kind), it.header)
}

/// The name of what makes pods: a chart makes two of one name only in place of each other.
fn workload_name(it: &Located) -> Option<String> {
    let kinds = ["DaemonSet", "Deployment", "StatefulSet"];
    name(it).filter(|_| kinds.contains(&&*it.object.kind))
}

fn name(it: &Located) -> Option<String> {
    it.object.anchor_text().map(str::to_owned)
}
