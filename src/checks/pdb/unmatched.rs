//! PDBs that select nothing.

use std::collections::{HashMap, HashSet};

use crate::{
    checks::pdb::near_miss,
    findings::note::Note,
    model::{
        Model,
        pdb::{Pdb, selections::selects},
        workload::{Workload, WorkloadKind},
    },
    resolve::{pod::selector, scope::DeployUnit},
};

/// A PDB that selects no workload, although it nearly selects one beside it. Without such a workload it may be
/// meant for pods that are not in the repository.
#[derive(Clone, Debug)]
pub(crate) struct Unmatched<'a> {
    /// The PDB.
    pub pdb: &'a Pdb,
    /// Why it does not select what it nearly selects.
    pub near: Note,
    /// The workload that it nearly selects.
    pub workload: &'a Workload,
}

/// The PDBs that select nothing whatever the pods: without a selector, or with an empty one in `v1beta1`.
/// A PDB of which the repository has another one is a patch, and one without bounds is no PDB.
pub(crate) fn without_selector(model: &Model) -> impl Iterator<Item = &Pdb> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for pdb in &model.pdbs {
        *count.entry(&pdb.name).or_default() += 1;
    }
    model.pdbs.iter().filter(move |it| {
        it.selector.is_nothing()
            && !it.name.is_empty()
            && count.get(&*it.name) == Some(&1)
            && it.bounds.effective().is_some()
            && model.is_unchanged(&it.scope)
    })
}

/// Labels that charts put on their pods: a selector with one may be meant for pods that are not in the
/// repository.
const OF_CHARTS: &[&str] = &[
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/part-of",
    "helm.sh/chart",
    "release",
    "chart",
    "heritage",
];

/// How many workloads are compared for a hint: a large repository has too many to compare all.
const COMPARED: usize = 256;

/// The PDBs that select nothing.
#[must_use]
pub(crate) fn unmatched_pdbs(model: &Model) -> Vec<Unmatched<'_>> {
    let matched = matched_pdbs(model);
    let blind = blind_namespaces(model);
    let mut around: HashMap<DeployUnit, Vec<&Workload>> = HashMap::new();
    // An operator makes pods of other kinds beside those that are known.
    for workload in model.workloads.iter().filter(|it| it.kind != WorkloadKind::Custom) {
        around.entry(workload.scope.deploy_unit()).or_default().push(workload);
    }
    let unmatched = model.pdbs.iter().enumerate().filter(|(index, pdb)| {
        let known = pdb.selector.is_known() && !pdb.selector.is_nothing();
        let chart = pdb.selector.choices().any(|(key, _)| OF_CHARTS.contains(&key));
        let namespace = pdb.namespace.known().map(String::as_str);
        known
            && !matched.contains(index)
            && !chart
            && model.is_complete(&pdb.scope)
            && !blind.contains(&None)
            && !blind.contains(&namespace)
            && (namespace.is_some() || blind.is_empty())
    });
    let with_hint = unmatched.filter_map(|(_, pdb)| {
        let list = around.get(&pdb.scope.deploy_unit())?;
        let list = list.iter().filter(|it| share_namespace(pdb, it)).take(COMPARED);
        let mut list = list.filter(|it| is_meant_for(pdb, it));
        list.find_map(|it| Some(Unmatched { pdb, near: near_miss::of(pdb, it)?, workload: it }))
    });
    with_hint.collect()
}

/// The PDBs that select a workload, or may, as indexes.
fn matched_pdbs(model: &Model) -> HashSet<usize> {
    let mut matched = HashSet::new();
    for workload in &model.workloads {
        let may_select = |it: &usize| selects(&model.pdbs[*it], workload) != Some(false);
        matched.extend(model.pdb_candidates.certain(workload).filter(may_select));
        matched.extend(model.pdb_candidates.doubtful(workload).filter(may_select));
    }
    matched
}

/// The namespaces where pods may run that are not in the repository: those of charts. `None` is any namespace.
fn blind_namespaces(model: &Model) -> HashSet<Option<&str>> {
    model.releases.iter().map(|it| it.namespace.known().map(String::as_str)).collect()
}

/// Whether the PDB seems to be meant for this workload and not for others that have a label in common
/// with it: it names the workload, or the label that differs resembles the wanted one.
fn is_meant_for(pdb: &Pdb, workload: &Workload) -> bool {
    let name = &*workload.name;
    let mut wanted = pdb.selector.choices().flat_map(|(_, values)| values);
    let named = pdb.name.contains(name) || wanted.any(|it| it == name);
    (named && !name.is_empty())
        || selector::near_miss(&pdb.selector, &workload.labels).is_some_and(|it| it.resembles)
}

/// Whether two things that are applied together go to one namespace.
fn share_namespace(pdb: &Pdb, workload: &Workload) -> bool {
    match (pdb.namespace.known(), workload.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        (None, None) => !pdb.namespace.is_written() && !workload.namespace.is_written(),
        _ => false,
    }
}
