//! Who else is served by the text that a fix would change.
//!
//! A fix mends what a finding is about. Where the same text makes something else too (an anchor with other
//! aliases, a patch for many objects, a base that other overlays build, a values file of another chart, a
//! local that is read elsewhere, a block that several calls share), it is left to a person.

mod anchor;
mod reference;

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    findings::{Edit, Finding},
    lint::bystanders::anchor::is_anchored,
    model::{Model, release::Release},
    project::Project,
    resolve::{kustomize::Kustomize, terraform::Terraform},
    source::{FileId, Files, Span},
    value::Value,
};

/// What is made of the files of a project, as far as several things are made of one.
#[derive(Debug, Default)]
pub struct Bystanders {
    /// How many different objects the patches of a file change.
    patched: HashMap<FileId, HashSet<String>>,
    /// The builds that an object's file is part of.
    builds: HashMap<FileId, HashSet<usize>>,
    /// How many objects each block of Terraform makes.
    blocks: HashMap<FileId, HashMap<Span, usize>>,
    /// How often code names each file that was asked about.
    named: RefCell<HashMap<FileId, usize>>,
    /// The calls of the modules in each folder.
    calls: HashMap<Arc<str>, HashSet<String>>,
}

impl Bystanders {
    /// Those of a project.
    pub fn of(terraform: &Terraform, kustomize: &Kustomize) -> Self {
        let mut found = Self::default();
        for (index, build) in kustomize.builds.iter().enumerate() {
            for chart in &build.charts {
                found.builds.entry(chart.value.span.file).or_default().insert(index);
            }
            for built in &build.objects {
                let Some((own, patches)) = built.source.split_first() else { continue };
                found.builds.entry(*own).or_default().insert(index);
                let name = built.object.anchor_text().unwrap_or_default();
                for patch in patches {
                    let identity = format!("{}/{name}", built.object.kind);
                    found.patched.entry(*patch).or_default().insert(identity);
                }
            }
        }
        for object in terraform.roots.iter().flat_map(|it| &it.objects) {
            let blocks = found.blocks.entry(object.span.file).or_default();
            *blocks.entry(object.span).or_default() += 1;
            let own = format!("{}.{}", object.kind, object.name);
            let call = object.address.find(&own).map_or("", |at| &object.address[..at]);
            found.calls.entry(object.folder.clone()).or_default().insert(call.to_owned());
        }
        found
    }

    /// Whether a fix changes nothing but what its finding is about. The same was found so many times.
    pub fn are_spared(
        &self,
        project: &Project,
        model: &Model,
        (finding, times): (&Finding, usize),
    ) -> bool {
        let Some(fix) = &finding.fix else { return true };
        let is_patch = |file: FileId| self.patched.get(&file).is_some_and(|it| it.len() > 1);
        let is_base = |file: FileId| self.builds.get(&file).is_some_and(|it| it.len() > times);
        fix.edits.iter().filter(|it| !is_blank(project, it)).all(|edit| {
            let file = edit.span.file;
            !(is_patch(file)
                || is_base(file)
                || self.is_in_shared_block(project, edit, times)
                || is_anchored(project.files.get(file), edit)
                || self.serves_others(&project.files, edit, times)
                || is_of_several_charts(model, edit))
        })
    }

    /// Whether more places read what an edit changes than the finding was made at.
    fn serves_others(&self, files: &Files, edit: &Edit, times: usize) -> bool {
        let id = edit.span.file;
        let uses = match files.get(id).ending() {
            "tf" | "tofu" => reference::reads(files, edit),
            "yaml" | "yml" | "json" | "tpl" | "tftpl" => {
                *self.named.borrow_mut().entry(id).or_insert_with(|| reference::names(files, id))
            }
            _ => 0,
        };
        uses > times.max(1)
    }

    /// Whether the edit stands in a block, or elsewhere in a module, that makes more than the finding speaks
    /// of.
    fn is_in_shared_block(&self, project: &Project, edit: &Edit, times: usize) -> bool {
        let file = project.files.get(edit.span.file);
        let beside = self.blocks.get(&edit.span.file).into_iter().flatten();
        let around = beside.filter(|(span, _)| span.contains(edit.span));
        let made = around.map(|(_, count)| *count).max();
        let in_code = || matches!(file.ending(), "tf" | "tofu");
        let calls = || self.calls.get(file.folder()).filter(|_| in_code()).map(HashSet::len);
        made.or_else(calls).is_some_and(|it| it > times)
    }
}

/// Whether an edit only moves a `=`.
fn is_blank(project: &Project, edit: &Edit) -> bool {
    let old = project.files.get(edit.span.file).text().get(edit.span.range()).unwrap_or_default();
    !old.is_empty() && old.trim().is_empty() && edit.text.trim().is_empty()
}

/// Whether releases of different charts take values from there: from one file, or from what makes them all.
fn is_of_several_charts(model: &Model, edit: &Edit) -> bool {
    let is_made_there = |it: &(Span, &str)| it.0.contains(edit.span);
    let made = model.generated_sources().into_iter().filter(is_made_there).map(|it| it.1);
    let file = edit.span.file;
    // Of Terraform's values in the same file, some may stand in locals on both sides of others.
    let apart = |it: &Release| it.anchor.file != file || it.surface().is_some();
    let reads = |it: &&Release| apart(it) && holds(&it.values, edit.span, 0);
    // A chart of this repository hands its values on to those it depends on.
    let read = model.releases.iter().filter(reads).map(|it| &*it.chart).filter(|it| !it.is_empty());
    let charts: HashSet<&str> = made.collect();
    charts.len() > 1 || read.collect::<HashSet<_>>().len() > 1
}

/// Whether a place stands among the entries of values, or of mappings in them.
fn holds(values: &Value, place: Span, depth: usize) -> bool {
    let here = || values.entries().iter().filter(|it| it.key_span.file == place.file);
    let first = here().map(|it| it.key_span.start).min();
    let last = here().map(|it| it.value.span.end.max(it.key_span.end)).max();
    let around =
        first.zip(last).is_some_and(|(first, last)| first <= place.start && place.start <= last);
    around || (depth < 4 && values.entries().iter().any(|it| holds(&it.value, place, depth + 1)))
}
