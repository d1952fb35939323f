//! Files of Karpenter's resources that Terraform nearby applies by the same names from another text.

use std::collections::{BTreeMap, HashMap};

use crate::{
    resolve::kubernetes::Located,
    source::{FileId, Files, is_below},
};

/// The kind and the name of a resource.
type Name<'a> = (&'a str, &'a str);

/// What Terraform applies, by name, and what files hold.
pub(super) struct Twins<'a> {
    applied: HashMap<Name<'a>, Vec<FileId>>,
    written: BTreeMap<FileId, Vec<Option<Name<'a>>>>,
}

impl<'a> Twins<'a> {
    pub(super) fn of(held: &'a [Located], manifests: &'a [Located]) -> Self {
        let mut applied: HashMap<Name<'_>, Vec<FileId>> = HashMap::new();
        for it in held.iter().filter(|it| it.object.is_of_karpenter()) {
            if let Some(name) = name_of(it) {
                applied.entry(name).or_default().push(it.header.file);
            }
        }
        let mut written: BTreeMap<FileId, Vec<Option<Name<'_>>>> = BTreeMap::new();
        for it in manifests.iter().filter(|_| !applied.is_empty()) {
            written.entry(it.object.value.span.file).or_default().push(name_of(it));
        }
        Self { applied, written }
    }

    /// The Terraform that applies all that a file holds, from a folder around that of the file or below it.
    pub(super) fn of_file(&self, files: &Files, id: FileId) -> Option<FileId> {
        let folder = files.get(id).folder();
        let is_near = |it: &&FileId| {
            let own = files.get(**it).folder();
            is_below(folder, own) || is_below(own, folder)
        };
        let by =
            |name: &Option<Name<'_>>| self.applied.get(&(*name)?)?.iter().find(is_near).copied();
        let all: Option<Vec<FileId>> = self.written.get(&id)?.iter().map(by).collect();
        all?.first().copied()
    }
}

/// What every guide calls its pool and its class says nothing.
const COMMON: &str = "default";

fn name_of(it: &Located) -> Option<Name<'_>> {
    Some((&it.object.kind, it.object.anchor_text().filter(|it| *it != COMMON)?))
}
