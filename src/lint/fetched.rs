//! Findings inside modules that Terraform has fetched: they are reported at the call, which people can edit.

use std::collections::{BTreeSet, HashMap};

use crate::{
    findings::Finding,
    project::{Project, kind::is_downloaded},
    resolve::terraform::Terraform,
    source::{FileId, Span},
};

/// The calls that lead to fetched modules, by the files of these.
#[derive(Debug, Default)]
pub(super) struct FetchedModules {
    calls: HashMap<FileId, BTreeSet<Span>>,
}

impl FetchedModules {
    /// Those of all roots.
    pub(super) fn of(terraform: &Terraform) -> Self {
        let mut calls: HashMap<FileId, BTreeSet<Span>> = HashMap::new();
        for object in terraform.roots.iter().flat_map(|it| &it.objects) {
            if let Some(call) = object.foreign {
                calls.entry(object.span.file).or_default().insert(call);
            }
        }
        Self { calls }
    }

    /// The call that leads to a place: that of what the finding is about, else the first.
    fn call(&self, at: Span, own: &BTreeSet<Span>) -> Option<Span> {
        let calls = self.calls.get(&at.file)?;
        calls.intersection(own).next().or(calls.first()).copied()
    }

    /// The finding at a place of the project's own; `None` where no call is known. What is written in
    /// fetched files cannot be fixed.
    pub(super) fn report_at_call(
        &self,
        project: &Project,
        mut finding: Finding,
    ) -> Option<Finding> {
        let fetched = |at: Span| is_downloaded(project.files.get(at.file).path());
        let blocks = finding.subjects.iter().filter_map(|it| it.block.as_ref());
        let own: BTreeSet<Span> = blocks.filter_map(|it| it.call).collect();
        if fetched(finding.span) {
            finding.span = self.call(finding.span, &own)?;
        }
        finding.notes.retain_mut(|note| {
            if !fetched(note.span) {
                return true;
            }
            self.call(note.span, &own).map(|call| note.span = call).is_some()
        });
        if finding.fix.as_ref().is_some_and(|it| it.edits.iter().any(|it| fetched(it.span))) {
            finding.fix = None;
        }
        Some(finding)
    }
}
