//! Which PDBs certainly select which workloads.

use std::collections::HashMap;

use crate::{
    model::{
        pdb::{Pdb, candidates::Candidates},
        workload::{Workload, WorkloadKind},
    },
    resolve::{pod::selector::matches, scope::Scope, setting::Setting},
    source::is_below,
};

/// The certain pairs, as indexes into the model's lists.
#[derive(Debug, Default)]
pub struct Selections {
    of_pdb: Vec<Vec<usize>>,
    of_workload: Vec<Vec<usize>>,
}

/// What identifies a workload: its kind, namespace and name.
type WorkloadId<'a> = (WorkloadKind, Option<&'a str>, &'a str);

fn identity(workload: &Workload) -> Option<WorkloadId<'_>> {
    let namespace = workload.namespace.known().map(String::as_str);
    (!workload.name.is_empty()).then_some((workload.kind, namespace, &*workload.name))
}

impl Selections {
    /// Pairs PDBs and workloads. `may_meet` says whether two scopes may be in one cluster.
    #[must_use]
    pub fn new(
        pdbs: &[Pdb],
        workloads: &[Workload],
        candidates: &Candidates,
        may_meet: &dyn Fn(&Scope, &Scope) -> bool,
    ) -> Self {
        let mut namesakes: HashMap<WorkloadId<'_>, usize> = HashMap::new();
        let mut in_folder: HashMap<(&str, WorkloadId<'_>), usize> = HashMap::new();
        for (workload, identity) in workloads.iter().filter_map(|it| Some((it, identity(it)?))) {
            *namesakes.entry(identity).or_default() += 1;
            if is_plain(&workload.scope) {
                *in_folder.entry((&*workload.scope.folder, identity)).or_default() += 1;
            }
        }
        let mut all = Self {
            of_pdb: vec![Vec::new(); pdbs.len()],
            of_workload: vec![Vec::new(); workloads.len()],
        };
        for (index, workload) in workloads.iter().enumerate() {
            let identity = identity(workload);
            let is_unique = |it| namesakes.get(&it) == Some(&1);
            let is_unique = workload.namespace.known().is_some() && identity.is_some_and(is_unique);
            // Files side by side that hold the same object are for two stages.
            let staged = identity.and_then(|it| in_folder.get(&(&*workload.scope.folder, it)));
            if is_plain(&workload.scope) && staged.is_some_and(|it| *it > 1) {
                continue;
            }
            for pdb in candidates.certain(workload) {
                if may_meet(&pdbs[pdb].scope, &workload.scope)
                    && surely_selects(&pdbs[pdb], workload, is_unique)
                {
                    all.of_pdb[pdb].push(index);
                    all.of_workload[index].push(pdb);
                }
            }
        }
        all
    }

    /// The workloads that a PDB certainly selects, as indexes.
    #[must_use]
    pub fn workloads_of(&self, pdb: usize) -> &[usize] {
        self.of_pdb.get(pdb).map_or(&[], Vec::as_slice)
    }

    /// The PDBs that certainly select a workload, as indexes.
    #[must_use]
    pub fn pdbs_of(&self, workload: usize) -> &[usize] {
        self.of_workload.get(workload).map_or(&[], Vec::as_slice)
    }
}

/// Whether a PDB selects a workload without any doubt: labels and namespace are known, and both are part of
/// one cluster: applied together, or one in a folder above the other while no other workload of the
/// repository has its name (`is_unique`). Two folders side by side may be two stages.
fn surely_selects(pdb: &Pdb, workload: &Workload, is_unique: bool) -> bool {
    let together = pdb.scope.deploy_unit() == workload.scope.deploy_unit();
    let namespace = match (pdb.namespace.known(), workload.namespace.known()) {
        (Some(own), Some(other)) => {
            own == other && (together || is_unique && nested(&pdb.scope, &workload.scope))
        }
        _ => together && unnamed_alike(&pdb.namespace, &workload.namespace),
    };
    namespace && selects(pdb, workload) == Some(true)
}

/// Whether a PDB selects a workload's pods. A namespace that is not written on one side matches.
#[must_use]
pub fn selects(pdb: &Pdb, workload: &Workload) -> Option<bool> {
    if !same_namespace(pdb, workload) {
        return Some(false);
    }
    matches(&pdb.selector, &workload.labels)
}

/// Whether nothing known says that the two are in different namespaces.
#[must_use]
pub fn same_namespace(pdb: &Pdb, workload: &Workload) -> bool {
    match (pdb.namespace.known(), workload.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        _ => true,
    }
}

/// Whether it is in a file that nothing is known to apply together with others.
fn is_plain(scope: &Scope) -> bool {
    scope.root.is_none() && scope.build.is_none()
}

/// Whether one of two folders holds the other.
fn nested(a: &Scope, b: &Scope) -> bool {
    is_below(&a.folder, &b.folder) || is_below(&b.folder, &a.folder)
}

/// Whether neither namespace is written, or both are the same expression.
#[must_use]
pub fn unnamed_alike(a: &Setting<String>, b: &Setting<String>) -> bool {
    (!a.is_written() && !b.is_written()) || a.same_as(b) == Some(true)
}
