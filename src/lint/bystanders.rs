//! Who else is served by the text that a fix would change.
//!
//! A fix mends what a finding is about. Where the same text makes something else too (an anchor with other
//! aliases, a patch for many objects, a base that other overlays build, a values file of another chart, a
//! local that is read elsewhere, a block that several calls share), it is left to a person.

mod anchor;
mod reference;

use std::collections::{HashMap, HashSet};

use crate::{
    findings::{Edit, Finding},
    lint::bystanders::{anchor::is_anchored, reference::serves_others},
    model::{Model, release::Release},
    project::Project,
    resolve::{kustomize::Kustomize, terraform::Terraform},
    source::{FileId, Span},
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
    blocks: HashMap<Span, usize>,
}

impl Bystanders {
    /// Those of a project.
    pub fn of(terraform: &Terraform, kustomize: &Kustomize) -> Self {
        let mut found = Self::default();
        for (index, build) in kustomize.builds.iter().enumerate() {
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
            *found.blocks.entry(object.span).or_default() += 1;
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
                || self.is_in_shared_block(edit, times)
                || is_anchored(project.files.get(file), edit)
                || serves_others(&project.files, edit, times)
                || is_of_several_charts(model, edit))
        })
    }

    /// Whether the edit stands in a block that makes more than the finding speaks of.
    fn is_in_shared_block(&self, edit: &Edit, times: usize) -> bool {
        let around = self.blocks.iter().filter(|(span, _)| span.contains(edit.span));
        around.map(|(_, count)| *count).max().is_some_and(|it| it > times)
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
    let reads = |it: &&Release| it.anchor.file != file && holds(&it.values, edit.span, 0);
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
