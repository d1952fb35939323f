//! Environments without Karpenter: every trace of it is in folders of others.

use std::collections::HashSet;

use crate::{
    model::{
        Model,
        environment::{Environments, are_stages_apart},
        inert::clusters::{NAME, names, shown_in},
    },
    source::Files,
};

/// The folders with workloads or PDBs whose environment is without it: Karpenter is shown for others only, and no
/// file of that one names it.
pub(super) fn without_karpenter<'m>(files: &Files, model: &'m Model) -> HashSet<&'m str> {
    let shown = if model.assumed.karpenter_version.is_some() { vec![] } else { shown_in(model) };
    // What is shown in a folder of no environment may be for all of them.
    if shown.is_empty() || shown.iter().any(|it| !Environments::of_name(it).is_any()) {
        return HashSet::new();
    }
    let of_workloads = model.workloads.iter().map(|it| &*it.scope.folder);
    let mut folders: HashSet<&str> = of_workloads.collect();
    folders.extend(model.pdbs.iter().map(|it| &*it.scope.folder));
    folders.retain(|folder| {
        let own = Environments::of_name(folder);
        let is_own = |path: &str| Environments::of_name(path).are_shared_with(&own);
        shown.iter().all(|it| are_stages_apart(it, folder))
            && !files.iter().any(|(_, it)| is_own(it.path()) && names(it, NAME))
    });
    folders
}
