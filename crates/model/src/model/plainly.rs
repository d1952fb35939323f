//! Folders with a kustomization that a command applies file by file all the same: `kubectl apply -f k8s/`. What the
//! kustomization does not list is applied, too.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    model::command_files::{applied_in, found_in, is_of_commands},
    resolve::kustomize::Kustomize,
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
