//! Which PDBs certainly select which workloads.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    hash::HashMap,
    model::{
        environment::are_apart,
        pdb::{Pdb, candidates::Candidates},
        workload::{Managed, Workload, WorkloadKind},
    },
    resolve::{
        pod::{creator::Creator, selector::matches},
        scope::{ClusterTarget, Scope},
        setting::Setting,
    },
    source::is_below,
};

/// The certain pairs, as indexes into the model's lists.
#[derive(Debug, Default)]
pub struct Selections {
    of_pdb: Vec<Vec<usize>>,
    of_workload: Vec<Vec<usize>>,
}

/// What identifies a workload: its kind, namespace and name; of what a chart runs, what it is and the
/// release.
type WorkloadId<'a> = (WorkloadKind, Option<&'a str>, &'a str, &'a str);

fn identity(workload: &Workload) -> Option<WorkloadId<'_>> {
    let namespace = workload.namespace.known().map(String::as_str);
    let (title, name) = match &workload.managed {
        // A cluster has an add-on once.
        Some(Managed { creator: Creator::Addon(name), .. }) => (&*workload.title, *name),
        Some(managed) => (&*workload.title, managed.release.as_deref()?),
        None => ("", &*workload.name),
    };
    (!name.is_empty()).then_some((workload.kind, namespace, title, name))
}

/// How many things of the repository have the same identity.
#[derive(Default)]
struct Namesakes<'a> {
    workloads: HashMap<WorkloadId<'a>, usize>,
    /// By namespace and name.
    pdbs: HashMap<(Option<&'a str>, &'a str), usize>,
    /// By folder.
    side_by_side: HashMap<(&'a str, WorkloadId<'a>), usize>,
}

fn pdb_identity(pdb: &Pdb) -> (Option<&str>, &str) {
    (pdb.namespace.known().map(String::as_str), &pdb.name)
}

impl<'a> Namesakes<'a> {
    fn new(pdbs: &'a [Pdb], workloads: &'a [Workload]) -> Self {
        let mut namesakes = Self::default();
        for (workload, identity) in workloads.iter().filter_map(|it| Some((it, identity(it)?))) {
            *namesakes.workloads.entry(identity).or_default() += 1;
            if is_plain(&workload.scope) {
                let place = (&*workload.scope.folder, identity);
                *namesakes.side_by_side.entry(place).or_default() += 1;
            }
        }
        for pdb in pdbs {
            *namesakes.pdbs.entry(pdb_identity(pdb)).or_default() += 1;
        }
        namesakes
    }

    /// Whether no other workload of the repository has its name, in its namespace or in none.
    fn is_unique(&self, workload: &Workload) -> bool {
        let Some((kind, namespace, title, name)) = identity(workload) else { return false };
        let count = |namespace| self.workloads.get(&(kind, namespace, title, name)).copied();
        let unnamed = if namespace.is_some() { count(None).unwrap_or_default() } else { 0 };
        count(namespace) == Some(1) && unnamed == 0
    }

    /// Whether its namespace has no other PDB of its name.
    fn is_unique_pdb(&self, pdb: &Pdb) -> bool {
        !pdb.name.is_empty() && self.pdbs.get(&pdb_identity(pdb)) == Some(&1)
    }

    /// Whether files side by side hold the same object: they are for two stages.
    fn is_staged(&self, workload: &Workload) -> bool {
        let place = identity(workload).map(|it| (&*workload.scope.folder, it));
        let count = place.and_then(|it| self.side_by_side.get(&it));
        is_plain(&workload.scope) && count.is_some_and(|it| *it > 1)
    }
}

impl Selections {
    /// Pairs PDBs and workloads. `may_meet` says whether two scopes may be in one cluster.
    #[must_use]
    pub fn new(
        pdbs: &[Pdb],
        workloads: &[Workload],
        candidates: &Candidates,
        may_meet: &(dyn Fn(&Scope, &Scope) -> bool + Sync),
    ) -> Self {
        if pdbs.is_empty() {
            return Self::default();
        }
        let namesakes = Namesakes::new(pdbs, workloads);
        let mut all = Self {
            of_pdb: vec![Vec::new(); pdbs.len()],
            of_workload: vec![Vec::new(); workloads.len()],
        };
        let selecting = |workload: &Workload| -> Vec<usize> {
            if namesakes.is_staged(workload) {
                return Vec::new();
            }
            let selects = |it: &usize| {
                let pdb = &pdbs[*it];
                !pdb.subject.excludes(workload.subject.as_ref())
                    && may_meet(&pdb.scope, &workload.scope)
                    && surely_selects(pdb, workload, &namesakes)
            };
            candidates.certain(workload).filter(selects).collect()
        };
        let selecting: Vec<Vec<usize>> = workloads.par_iter().map(selecting).collect();
        for (index, (workload, selecting)) in workloads.iter().zip(selecting).enumerate() {
            for pdb in selecting {
                all.of_pdb[pdb].push(index);
                if pdbs[pdb].subject.is_sure_beside(workload.subject.as_ref()) {
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
/// one cluster: applied together, or such that the repository has no other pair they could be of. Folders of
/// two environments are no pair.
fn surely_selects(pdb: &Pdb, workload: &Workload, namesakes: &Namesakes<'_>) -> bool {
    let same_namespace = match (pdb.namespace.known(), workload.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        _ => unnamed_alike(&pdb.namespace, &workload.namespace),
    };
    let together = || pdb.scope.deploy_unit() == workload.scope.deploy_unit();
    let only_pair = || {
        namesakes.is_unique(workload)
            && (nested(&pdb.scope, &workload.scope) || namesakes.is_unique_pdb(pdb))
            && !are_apart(&pdb.scope.folder, &workload.scope.folder)
    };
    same_namespace && (together() || only_pair()) && selects(pdb, workload) == Some(true)
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
    let is_of_none = matches!(scope.cluster, ClusterTarget::Only | ClusterTarget::Selected(_));
    scope.root.is_none() && scope.build.is_none() && is_of_none
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
