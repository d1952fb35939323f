//! Folders with a kustomization of which something applies the files one by one all the same: a command does
//! (`kubectl apply -f k8s/`), or nothing else can, as the kustomization lists only what is not there. What it does not
//! list is applied, too.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    model::command_files::{applied_in, found_in, is_of_commands},
    resolve::kustomize::{Kustomize, Listing},
    source::Files,
};

/// The command.
const APPLY: &str = "kubectl apply";

/// Takes such folders out of those that only kustomizations apply. Where all is listed, it makes no difference, and no
/// command is looked for.
pub(super) fn leave_to_commands(files: &Files, kustomize: &mut Kustomize) {
    let unlisted = files.iter().filter(|(id, it)| {
        let is_manifest = matches!(it.ending(), "yaml" | "yml" | "json");
        let is_own = it.name().starts_with("kustomization.");
        is_manifest && !is_own && !kustomize.listed.contains(id)
    });
    let beside = unlisted.filter_map(|(_, it)| kustomize.folders.get(it.folder()).cloned());
    let folders: BTreeSet<Arc<str>> = beside.collect();
    if folders.is_empty() {
        return;
    }
    let found = found_in(files, &[APPLY], is_of_commands, |_, file, text| {
        applied_in(file, text).filter_map(|it| folders.get(&*it).cloned()).collect::<Vec<_>>()
    });
    let plain: BTreeSet<Arc<str>> = found.into_iter().flatten().collect();
    kustomize.folders.retain(|it| !plain.contains(it));
}

/// Takes out the folders whose kustomizations list some files of which not one is there: they were never built, and say
/// nothing of the files beside them.
pub(super) fn leave_out_dead(files: &Files, kustomize: &mut Kustomize) {
    let is_gone = |it: &String| {
        let is_file = [".yaml", ".yml", ".json"].iter().any(|ending| it.ends_with(ending));
        is_file && !it.contains(':') && files.find(it).is_none()
    };
    // A single one may be there for its author alone.
    let is_dead = |it: &Listing| {
        it.users.is_empty() && it.entries.len() > 1 && it.entries.iter().all(is_gone)
    };
    let Kustomize { folders, listings, .. } = kustomize;
    folders.retain(|it| !listings.get(it).is_some_and(is_dead));
}
