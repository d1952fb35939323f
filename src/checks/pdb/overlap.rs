//! Pods that more than one PDB selects: Kubernetes never evicts them.

use std::collections::BTreeMap;

use crate::{
    model::{
        Model,
        pdb::{Pdb, selections::unnamed_alike},
        workload::Workload,
    },
    resolve::pod::{creator::Creator, pdb::OwnPdb},
    source::Span,
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
            (OwnPdb::Created(made), _) => Earlier::Created(made.by, made.span),
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

/// Files are numbered by their paths.
fn place(span: Span) -> (u32, u32) {
    (span.file.0, span.start)
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
