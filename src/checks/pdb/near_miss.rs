//! Why a PDB does not select the pods that it seems to be meant for.

use crate::{
    checks::pdb::words,
    findings::note::Note,
    model::{
        pdb::{Pdb, selections::same_namespace},
        workload::Workload,
    },
    resolve::pod::selector::{
        matches,
        near_miss::{NearMiss, near_miss},
    },
};

/// The namespaces of a PDB and of the pods that it would select if they were the same.
pub(crate) fn namespaces<'a>(pdb: &'a Pdb, workload: &'a Workload) -> Option<[&'a str; 2]> {
    if same_namespace(pdb, workload) || pdb.selector.is_everything() {
        return None;
    }
    let selects = matches(&pdb.selector, &workload.labels) == Some(true);
    let (theirs, ours) = (pdb.namespace.known()?, workload.namespace.known()?);
    selects.then_some([theirs, ours])
}

/// The difference that keeps the PDB from selecting the pods; `None` if there is more than one, or none.
#[must_use]
pub(crate) fn of(pdb: &Pdb, workload: &Workload) -> Option<Note> {
    let name = &pdb.name;
    if !same_namespace(pdb, workload) {
        let [theirs, ours] = namespaces(pdb, workload)?;
        let message =
            format!("`{name}` is a PDB in namespace `{theirs}`, the pods are in `{ours}`");
        return Some(Note { span: pdb.namespace.span(), message });
    }
    let NearMiss { requirement, got, .. } = near_miss(&pdb.selector, &workload.labels)?;
    let key = &requirement.key;
    let message = match got {
        Some(got) => {
            let wanted = words::of_requirement(&requirement);
            let wanted = wanted.trim_matches('`');
            format!("this PDB selects `{key}: {wanted}`, the pods have `{key}: {got}`")
        }
        None => format!("the pods have no label `{key}`"),
    };
    Some(Note { span: requirement.span, message })
}
