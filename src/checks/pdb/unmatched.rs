//! PDBs that select nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    checks::pdb::{near_miss, overlap::are_near},
    findings::{note::Note, silence::Silence},
    model::{
        Model,
        pdb::{Pdb, selections::selects},
        workload::{Workload, WorkloadKind},
    },
    resolve::{pod::selector, release::Release, scope::DeployUnit},
    source::{Span, is_below, outward},
    value::cause::Cause,
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
    /// The namespace of that workload, where only the PDB's own is wrong.
    pub wanted: Option<&'a str>,
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

/// The PDBs that the API server refuses, as both of their bounds are written: where the second is, those of one place
/// together.
pub(crate) fn refused(model: &Model) -> BTreeMap<Span, Vec<&Pdb>> {
    let mut refused: BTreeMap<Span, Vec<&Pdb>> = BTreeMap::new();
    for pdb in model.pdbs.iter().filter(|it| model.is_unchanged(&it.scope)) {
        let bounds = pdb.bounds.min_available.as_ref().zip(pdb.bounds.max_unavailable.as_ref());
        let known = bounds.filter(|(min, max)| min.known().is_some() && max.known().is_some());
        if let Some((_, max)) = known {
            refused.entry(max.span()).or_default().push(pdb);
        }
    }
    refused
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

/// The PDBs with a selector, and those that select nothing.
#[must_use]
pub(crate) fn unmatched_pdbs(model: &Model) -> Vec<(Span, Result<Unmatched<'_>, Silence>)> {
    let matched = matched_pdbs(model);
    let anywhere = blind_namespaces(model, |_| true);
    let mut around: HashMap<DeployUnit, Vec<&Workload>> = HashMap::new();
    // An operator makes pods of other kinds beside those that are known.
    for workload in model.workloads.iter().filter(|it| it.kind != WorkloadKind::Custom) {
        around.entry(workload.scope.deploy_unit()).or_default().push(workload);
    }
    let unprotected = unprotected(model);
    let with_selector = model.pdbs.iter().enumerate().filter(|(_, it)| !it.selector.is_nothing());
    let judged = with_selector.map(|(index, pdb)| {
        let beside = around.get(&pdb.scope.deploy_unit()).map_or(&[][..], Vec::as_slice);
        let near = nearly_selected(pdb, beside);
        let near = near.or_else(|silence| in_other_folder(model, pdb, &unprotected).ok_or(silence));
        // One with the name of a workload beside it is not meant for pods of a chart.
        let is_its = |it: &Unmatched<'_>| it.workload.name == pdb.name && it.wanted.is_none();
        let is_for_others = !near.as_ref().is_ok_and(is_its);
        // A chart that nobody installs has a PDB for pods of its own, or of what it brings along.
        let is_of_chart = model.scalers.lone_charts.holds(&pdb.scope);
        let own =
            is_of_chart.then(|| blind_namespaces(model, |it| it.scope.folder == pdb.scope.folder));
        let blind = Some(own.as_ref().unwrap_or(&anywhere)).filter(|_| is_for_others);
        let matched = if is_for_others { &matched.perhaps } else { &matched.surely };
        let diagnosis = selects_no_workload(model, pdb, matched.contains(&index), blind);
        (pdb.report_span, diagnosis.and(near))
    });
    judged.collect()
}

/// That a PDB selects none of the workloads that are seen, and there may be no others for it; `blind` are the
/// namespaces where others may be.
fn selects_no_workload(
    model: &Model,
    pdb: &Pdb,
    is_matched: bool,
    blind: Option<&HashSet<Option<&str>>>,
) -> Result<(), Silence> {
    if !pdb.selector.is_known() {
        return Err(Silence::undecided(Cause::Value, "its selector is not known"));
    }
    if is_matched {
        return Err(Silence::sound("it selects pods of the repository, or may"));
    }
    if pdb.subject.is_switched_on() {
        let words = "its chart leaves it off, and may leave off the pods that it is meant for";
        return Err(Silence::undecided(Cause::Installation, words));
    }
    if !model.is_complete(&pdb.scope) {
        let words = "its kustomization lists something that is not seen";
        return Err(Silence::undecided(Cause::Value, words));
    }
    let namespace = pdb.namespace.known().map(String::as_str);
    let Some(blind) = blind else { return Ok(()) };
    if let Some(scaler) = of_unseen_pods(model, pdb) {
        let words = "an autoscaler scales a workload of this label, which is not seen";
        return Err(Silence::undecided(Cause::Ambiguous, words).at(scaler, "the autoscaler"));
    }
    let of_chart = pdb.selector.choices().any(|(key, _)| OF_CHARTS.contains(&key));
    let is_blind = blind.contains(&None)
        || blind.contains(&namespace)
        || (namespace.is_none() && !blind.is_empty());
    if of_chart || is_blind {
        let words = "a chart may make the pods that it is meant for";
        return Err(Silence::undecided(Cause::NotRendered, words));
    }
    Ok(())
}

/// The autoscaler in the namespace of a PDB of a workload that is not seen, and that is named by the PDB's selector.
fn of_unseen_pods(model: &Model, pdb: &Pdb) -> Option<Span> {
    let namespace = pdb.namespace.known()?;
    let mut values = pdb.selector.choices().flat_map(|(_, values)| values);
    values.find_map(|name| {
        let mut of_name = model.scalers.of_name(name);
        let scaler = of_name.find(|it| it.namespace.known() == Some(namespace))?;
        let is_its = |it: &&Workload| {
            *it.name == *name && it.namespace.known().is_none_or(|it| it == namespace)
        };
        model.workloads.iter().find(is_its).is_none().then_some(scaler.report_span)
    })
}

/// The workload beside a PDB that it nearly selects.
fn nearly_selected<'a>(pdb: &'a Pdb, beside: &[&'a Workload]) -> Result<Unmatched<'a>, Silence> {
    let list = beside.iter().filter(|it| share_namespace(pdb, it)).take(COMPARED);
    let mut list = list.filter(|it| is_meant_for(pdb, it));
    let near = list.find_map(|it| unmatched(pdb, it));
    near.or_else(|| in_other_namespace(pdb, beside)).ok_or_else(|| {
        let words = "the pods that it is meant for are not in the repository, or not beside it";
        Silence::undecided(Cause::Ambiguous, words)
    })
}

fn unmatched<'a>(pdb: &'a Pdb, workload: &'a Workload) -> Option<Unmatched<'a>> {
    let wanted = near_miss::namespaces(pdb, workload).map(|[_, ours]| ours);
    Some(Unmatched { pdb, near: near_miss::of(pdb, workload)?, workload, wanted })
}

/// The only workload beside a PDB that has all the labels it selects, in another namespace than its own.
fn in_other_namespace<'a>(pdb: &'a Pdb, beside: &[&'a Workload]) -> Option<Unmatched<'a>> {
    let list = beside.iter().take(COMPARED);
    let mut found = list.filter(|it| near_miss::namespaces(pdb, it).is_some());
    let only = found.next().filter(|_| found.next().is_none())?;
    unmatched(pdb, only)
}

/// The workloads of a known namespace that no PDB surely selects, by that namespace.
fn unprotected(model: &Model) -> HashMap<&str, Vec<&Workload>> {
    let mut found: HashMap<&str, Vec<&Workload>> = HashMap::new();
    for (index, it) in model.workloads.iter().enumerate() {
        let is_of_interest = it.kind != WorkloadKind::Custom && it.managed.is_none();
        let is_free = model.pdb_selections.pdbs_of(index).is_empty();
        if let Some(namespace) = it.namespace.known().filter(|_| is_of_interest && is_free) {
            found.entry(namespace).or_default().push(it);
        }
    }
    found
}

/// The workload outside of its own folder that a PDB nearly selects: the only one of its namespace, in the smallest
/// folder around the PDB that holds any.
fn in_other_folder<'a>(
    model: &Model,
    pdb: &'a Pdb,
    unprotected: &HashMap<&str, Vec<&'a Workload>>,
) -> Option<Unmatched<'a>> {
    let list = unprotected.get(pdb.namespace.known()?.as_str())?;
    let is_near = |it: &&&Workload| are_near(model, &pdb.scope, &it.scope);
    let meant = list.iter().take(COMPARED).filter(|it| is_meant_for(pdb, it)).filter(is_near);
    let near: Vec<Unmatched<'a>> = meant.filter_map(|it| unmatched(pdb, it)).collect();
    let within = |folder: &str| {
        let of_folder = |it: &&Unmatched<'_>| is_below(&it.workload.scope.folder, folder);
        near.iter().filter(of_folder).collect::<Vec<_>>()
    };
    let inside = outward(&pdb.scope.folder).map(within).find(|it| !it.is_empty())?;
    let [only] = *inside else { return None };
    Some(only.clone())
}

/// The PDBs that select a workload, as indexes.
#[derive(Default)]
struct MatchedPdbs {
    surely: HashSet<usize>,
    /// With those that may.
    perhaps: HashSet<usize>,
}

fn matched_pdbs(model: &Model) -> MatchedPdbs {
    let mut matched = MatchedPdbs::default();
    for workload in &model.workloads {
        let candidates = &model.pdb_candidates;
        for index in candidates.certain(workload).chain(candidates.doubtful(workload)) {
            let selects = selects(&model.pdbs[index], workload);
            if selects != Some(false) {
                matched.perhaps.insert(index);
            }
            if selects == Some(true) {
                matched.surely.insert(index);
            }
        }
    }
    matched
}

/// The namespaces where pods may run that are not in the repository: those of charts. `None` is any namespace.
fn blind_namespaces(model: &Model, is_meant: impl Fn(&Release) -> bool) -> HashSet<Option<&str>> {
    let releases = model.releases.iter().filter(|it| is_meant(it));
    releases.map(|it| it.namespace.known().map(String::as_str)).collect()
}

/// Whether the PDB seems to be meant for this workload and not for others that have a label in common
/// with it: it names the workload, or the label that differs resembles the wanted one.
fn is_meant_for(pdb: &Pdb, workload: &Workload) -> bool {
    let name = &*workload.name;
    let mut wanted = pdb.selector.choices().flat_map(|(_, values)| values);
    let named = pdb.name.contains(name) || wanted.any(|it| it == name);
    (named && !name.is_empty())
        || selector::near_miss::near_miss(&pdb.selector, &workload.labels)
            .is_some_and(|it| it.resembles)
}

/// Whether two things that are applied together go to one namespace.
fn share_namespace(pdb: &Pdb, workload: &Workload) -> bool {
    match (pdb.namespace.known(), workload.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        (None, None) => !pdb.namespace.is_written() && !workload.namespace.is_written(),
        _ => false,
    }
}
