//! Pods that more than one PDB selects: Kubernetes never evicts them.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        environment::are_apart,
        pdb::{
            Pdb,
            selections::{selects, unnamed_alike},
        },
        workload::Workload,
    },
    resolve::{
        pod::{creator::Creator, pdb::OwnPdb},
        scope::Scope,
    },
    source::{Span, is_below, outward},
    value::cause::Cause,
};

/// A PDB for pods that another one selects already.
#[derive(Clone, Debug)]
pub(crate) struct Overlap<'a> {
    /// The later of the PDBs.
    pub pdb: &'a Pdb,
    /// The pods that both select.
    pub workload: &'a Workload,
    /// The PDB that was there before.
    pub earlier: Earlier<'a>,
}

/// The earlier of two PDBs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Earlier<'a> {
    /// It is written in the repository.
    Written(&'a Pdb),
    /// A chart, an add-on or an operator creates it: its place.
    Created(Creator, Span),
}

/// The PDBs that select pods which another one selects already, one for each later PDB and kustomization.
#[must_use]
pub(crate) fn overlapping_pdbs(model: &Model) -> Vec<Overlap<'_>> {
    let mut found: BTreeMap<_, Overlap<'_>> = BTreeMap::new();
    for (index, workload) in model.workloads.iter().enumerate() {
        let selecting = model.pdb_selections.pdbs_of(index).iter();
        let mut pdbs: Vec<&Pdb> = selecting.filter_map(|it| model.pdbs.get(*it)).collect();
        pdbs.sort_by_key(|it| place(it.report_span));
        for (at, pdb) in pdbs.iter().enumerate() {
            let Some(earlier) = earlier(model, workload, pdb, &pdbs[..at]) else { continue };
            let key = (place(pdb.report_span), pdb.scope.build);
            let overlap = Overlap { pdb, workload, earlier };
            // One resource is enough of several that an operator makes the same pods of.
            found
                .entry(key)
                .and_modify(|it| {
                    if workload.title < it.workload.title {
                        *it = overlap.clone();
                    }
                })
                .or_insert(overlap);
        }
    }
    found.into_values().collect()
}

/// The PDB that selects the pods already, of what makes them or written `before`.
fn earlier<'a>(
    model: &Model,
    workload: &Workload,
    pdb: &Pdb,
    before: &[&'a Pdb],
) -> Option<Earlier<'a>> {
    if let OwnPdb::Created(made) = &workload.own_pdb {
        let is_second = !is_of_chart(pdb, workload) && are_near(model, &pdb.scope, &workload.scope);
        return is_second.then_some(Earlier::Created(made.by, made.span));
    }
    let mut met = before.iter().filter(|it| are_together(model, workload, it, pdb)).peekable();
    let first = met.peek().copied()?;
    (!met.any(|it| is_same(it, pdb))).then_some(Earlier::Written(first))
}

/// Whether two PDBs for the same pods are surely in one cluster: applied together, or written with their namespace
/// below the folder that is around all three, one of them with the pods or each in a folder of its own.
fn are_together(model: &Model, workload: &Workload, one: &Pdb, other: &Pdb) -> bool {
    if one.scope.deploy_unit() == other.scope.deploy_unit() {
        return true;
    }
    let unit = workload.scope.deploy_unit();
    let with_pods = one.scope.deploy_unit() == unit || other.scope.deploy_unit() == unit;
    let around = common_folder(&one.scope.folder, &other.scope.folder);
    let named = one.namespace.known().is_some() && other.namespace.known().is_some();
    named
        && (with_pods || is_below(&workload.scope.folder, around))
        && are_near(model, &one.scope, &other.scope)
        && are_near(model, &one.scope, &workload.scope)
        && are_near(model, &other.scope, &workload.scope)
}

/// Whether nothing says that two things are for different environments or clusters.
pub(super) fn are_near(model: &Model, one: &Scope, other: &Scope) -> bool {
    if one.deploy_unit() == other.deploy_unit() {
        return true;
    }
    let (own, others) = (model.clusters_near(one), model.clusters_near(other));
    let share = own.iter().any(|it| others.iter().any(|other| std::ptr::eq(*it, *other)));
    model.may_meet(one, other)
        && !are_apart(&one.folder, &other.folder)
        && (share || own.is_empty() || others.is_empty())
}

/// The folder around two others.
fn common_folder<'a>(one: &'a str, other: &str) -> &'a str {
    outward(one).find(|it| is_below(other, it)).unwrap_or_default()
}

/// The PDBs of which no pods are surely selected by another one, too, and why.
pub(crate) fn lone_pdbs(
    model: &Model,
    overlaps: &[Overlap<'_>],
) -> impl Iterator<Item = (Span, Silence)> {
    let found: HashSet<Span> = overlaps.iter().map(|it| it.pdb.report_span).collect();
    let mut possible = possible_overlaps(model);
    let firsts = overlaps.iter().filter_map(|it| match it.earlier {
        Earlier::Written(first) => Some(first.report_span),
        Earlier::Created(..) => None,
    });
    // The first of two is told with the second.
    let firsts: HashSet<Span> = firsts.collect();
    possible.retain(|it, _| !firsts.contains(&model.pdbs[*it].report_span));
    let others = model.pdbs.iter().enumerate();
    let others = others.filter(move |(_, it)| !found.contains(&it.report_span));
    others.map(move |(index, it)| {
        let apart = possible.get(&index).map(|(span, place)| {
            let words = "another PDB may be for its pods, too: whether both are for one cluster is not known";
            Silence::undecided(Cause::Ambiguous, words).at(*span, *place)
        });
        (it.report_span, apart.unwrap_or_else(|| alone(model, index)))
    })
}

/// How many PDBs for the same pods are compared: a large repository has too many to compare all.
const COMPARED: usize = 64;

/// The PDBs that select pods together with another one, unless they are for different clusters, with that one.
fn possible_overlaps(model: &Model) -> HashMap<usize, (Span, &'static str)> {
    let mut found = HashMap::new();
    for workload in &model.workloads {
        let selects_it = |it: &usize| {
            let pdb = &model.pdbs[*it];
            selects(pdb, workload) == Some(true)
                && model.may_meet(&pdb.scope, &workload.scope)
                && !are_apart(&pdb.scope.folder, &workload.scope.folder)
        };
        let certain = model.pdb_candidates.certain(workload);
        let pdbs: Vec<usize> = certain.take(COMPARED).filter(selects_it).collect();
        for index in &pdbs {
            let pdb = &model.pdbs[*index];
            let mut others = pdbs.iter().map(|it| &model.pdbs[*it]);
            if let Some(other) = others.find(|it| may_be_second(model, pdb, it)) {
                found.insert(*index, (other.report_span, "the other PDB"));
            }
            if let OwnPdb::Created(made) = &workload.own_pdb
                && !is_of_chart(pdb, workload)
            {
                found.insert(*index, (made.span, "the PDB of the same pods"));
            }
        }
    }
    found
}

/// Whether two PDBs are not one object, and may be in one namespace of one cluster.
fn may_be_second(model: &Model, one: &Pdb, other: &Pdb) -> bool {
    if one.subject.excludes(Some(&other.subject)) {
        return false;
    }
    let namespaces = (one.namespace.known(), other.namespace.known());
    let elsewhere = matches!(namespaces, (Some(own), Some(other)) if own != other);
    // Those of one name are one PDB for several stages.
    one.name != other.name
        && !elsewhere
        && model.may_meet(&one.scope, &other.scope)
        && !are_apart(&one.scope.folder, &other.scope.folder)
}

/// Why no other PDB surely selects the pods of one.
fn alone(model: &Model, index: usize) -> Silence {
    let selected = model.pdb_selections.workloads_of(index).iter();
    for workload in selected.filter_map(|it| model.workloads.get(*it)) {
        if let OwnPdb::Unknown(cause, words) = &workload.own_pdb {
            return Silence::undecided(*cause, *words).at(workload.report_span, "the pods");
        }
        let mut doubtful = model.pdb_candidates.doubtful(workload).filter(|it| *it != index);
        let may_select = |it: &usize| {
            let pdb = &model.pdbs[*it];
            pdb.subject.is_surely_there()
                && model.may_meet(&pdb.scope, &workload.scope)
                && selects(pdb, workload).is_none()
        };
        if let Some(other) = doubtful.find(may_select) {
            let words = "another PDB may select its pods, too: its selector is not known";
            let silence = Silence::undecided(Cause::Value, words);
            return silence.at(model.pdbs[other].report_span, "the other PDB");
        }
    }
    Silence::sound("no other PDB selects the pods that it selects")
}

/// Files are numbered by their paths.
fn place(span: Span) -> (u32, u32) {
    (span.file.0, span.start)
}

/// Whether a PDB is the one that the chart of the pods makes, as a rendering or written once more under the name
/// of the release: not a second one.
fn is_of_chart(pdb: &Pdb, workload: &Workload) -> bool {
    let Some(managed) = &workload.managed else { return false };
    let named_alike = managed.release.as_deref() == Some(&*pdb.name);
    let same = named_alike
        && match (pdb.namespace.known(), workload.namespace.known()) {
            (Some(own), Some(other)) => own == other,
            _ => unnamed_alike(&pdb.namespace, &workload.namespace),
        };
    same || pdb.is_rendered && managed.may_be(&pdb.name)
}

/// Whether two PDBs are one object: written twice, for two stages or by mistake.
fn is_same(a: &Pdb, b: &Pdb) -> bool {
    let named_alike = a.name == b.name || a.name.is_empty() || b.name.is_empty();
    let placed_alike = match (a.namespace.known(), b.namespace.known()) {
        (Some(own), Some(other)) => own == other,
        _ => unnamed_alike(&a.namespace, &b.namespace),
    };
    named_alike && placed_alike
}
