//! Pods that more than one PDB selects: Kubernetes never evicts them.

use std::collections::{BTreeMap, HashSet};

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        pdb::{
            Pdb,
            selections::{selects, unnamed_alike},
        },
        workload::Workload,
    },
    resolve::pod::{creator::Creator, pdb::OwnPdb},
    source::Span,
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
        let earlier = match (&workload.own_pdb, pdbs.as_slice()) {
            (OwnPdb::Created(made), _) => {
                pdbs.retain(|it| !is_of_chart(it, workload));
                Earlier::Created(made.by, made.span)
            }
            (_, [first, ..]) => Earlier::Written(first),
            _ => continue,
        };
        for pdb in pdbs {
            if let Earlier::Written(first) = earlier
                && (is_same(first, pdb) || first.scope.deploy_unit() != pdb.scope.deploy_unit())
            {
                continue;
            }
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

/// The PDBs of which no pods are surely selected by another one, too, and why.
pub(crate) fn lone_pdbs(
    model: &Model,
    overlaps: &[Overlap<'_>],
) -> impl Iterator<Item = (Span, Silence)> {
    let found: HashSet<Span> = overlaps.iter().map(|it| it.pdb.report_span).collect();
    let others = model.pdbs.iter().enumerate();
    let others = others.filter(move |(_, it)| !found.contains(&it.report_span));
    others.map(|(index, it)| (it.report_span, alone(model, index)))
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
            model.may_meet(&pdb.scope, &workload.scope) && selects(pdb, workload).is_none()
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
