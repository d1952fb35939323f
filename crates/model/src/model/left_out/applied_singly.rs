//! Files of Karpenter's resources beside others that a script or pipeline applies one by one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    knowledge::schema,
    model::command_files::{applied_in, found_in, is_document, is_of_commands},
    resolve::kubernetes::KARPENTER_GROUPS,
    source::{FileId, Files, SourceFile},
};

/// The kinds of the objects of each file.
pub(super) type Kinds<'a> = BTreeMap<FileId, BTreeSet<&'a str>>;

/// What commands apply, by folder.
pub(super) struct AppliedSingly<'f> {
    folders: HashMap<&'f str, Applied<'f>>,
}

struct Applied<'f> {
    /// The file of the commands.
    by: FileId,
    /// The files that they apply.
    files: BTreeSet<FileId>,
    /// The kinds of the objects in them, as they are called today.
    kinds: BTreeSet<&'f str>,
}

impl<'f> AppliedSingly<'f> {
    /// Looks through the scripts and pipelines for those of some files that they apply.
    pub(super) fn of(files: &'f Files, kinds: &Kinds<'f>) -> Self {
        let mut folders: HashMap<&str, Applied<'_>> = HashMap::new();
        let mut of_folder: HashMap<&str, usize> = HashMap::new();
        for it in kinds.keys() {
            *of_folder.entry(files.get(*it).folder()).or_default() += 1;
        }
        // A file that is alone is left out by no one.
        if of_folder.values().all(|it| *it < 2) {
            return Self { folders };
        }
        let by_path: HashMap<&str, FileId> =
            kinds.keys().map(|it| (files.get(*it).path(), *it)).collect();
        let is_meant = |it: &SourceFile| is_of_commands(it) && !is_document(it);
        let found = found_in(files, &["kubectl"], is_meant, |id, file, text| {
            let applied = applied_in(file, text).filter_map(|it| by_path.get(&*it).copied());
            (id, applied.collect::<Vec<FileId>>())
        });
        for (by, applied) in found {
            for file in applied {
                let folder = files.get(file).folder();
                let new = || Applied { by, files: BTreeSet::new(), kinds: BTreeSet::new() };
                let known = folders.entry(folder).or_insert_with(new);
                known.files.insert(file);
                known.kinds.extend(kinds[&file].iter().map(|it| today(it)));
            }
        }
        Self { folders }
    }

    /// What applies others in the folder of a file and not this, although it holds nothing else than those.
    pub(super) fn beside(&self, files: &Files, file: FileId, kinds: &Kinds<'_>) -> Option<FileId> {
        let applied = self.folders.get(files.get(file).folder())?;
        let is_like = kinds.get(&file)?.iter().all(|it| applied.kinds.contains(today(it)));
        (is_like && !applied.files.contains(&file)).then_some(applied.by)
    }
}

/// What a kind is called today.
pub(super) fn today(kind: &str) -> &str {
    let retired = KARPENTER_GROUPS.iter().find_map(|it| schema::retired_kind(it, kind));
    retired.map_or(kind, |it| &it.successor)
}
