//! Findings inside modules that Terraform has fetched: they are said at the call, which people can edit.

use std::collections::HashMap;

use crate::{
    findings::Finding,
    project::{Project, kind::is_downloaded},
    resolve::terraform::Terraform,
    source::{FileId, Span},
};

/// The calls behind the blocks of fetched modules, file by file.
#[derive(Debug, Default)]
pub struct Calls {
    blocks: HashMap<FileId, Vec<(Span, Span)>>,
}

impl Calls {
    /// The calls of all roots.
    pub fn of(terraform: &Terraform) -> Self {
        let mut blocks: HashMap<FileId, Vec<(Span, Span)>> = HashMap::new();
        for object in terraform.roots.iter().flat_map(|it| &it.objects) {
            if let Some(call) = object.foreign {
                blocks.entry(object.span.file).or_default().push((object.span, call));
            }
        }
        Self { blocks }
    }

    /// The call that leads to a place in a fetched module.
    fn call(&self, at: Span) -> Option<Span> {
        let blocks = self.blocks.get(&at.file)?;
        let around = blocks.iter().find(|(block, _)| block.contains(at));
        around.or(blocks.first()).map(|(_, call)| *call)
    }

    /// The finding at a place of the project's own; `None` where no call is known. What is written in
    /// fetched files cannot be fixed.
    pub fn bring_home(&self, project: &Project, mut finding: Finding) -> Option<Finding> {
        let fetched = |at: Span| is_downloaded(project.files.get(at.file).path());
        if fetched(finding.span) {
            finding.span = self.call(finding.span)?;
        }
        finding.notes.retain_mut(|note| {
            if !fetched(note.span) {
                return true;
            }
            self.call(note.span).map(|call| note.span = call).is_some()
        });
        if finding.fix.as_ref().is_some_and(|it| it.edits.iter().any(|it| fetched(it.span))) {
            finding.fix = None;
        }
        Some(finding)
    }
}
