//! Whether something keeps Karpenter from evicting a workload's pods.

use crate::{
    checks::pdb::near_miss,
    findings::note::Note,
    model::{Model, pdb::selections::selects, workload::Workload},
    resolve::pod::pdb::OwnPdb,
    time::duration,
    version::Version,
};

/// What protects a workload's pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// A PDB or an annotation.
    Present,
    /// Not known.
    Unknown,
    /// Nothing.
    Nothing {
        /// PDBs that nearly select the pods, annotations that have no effect.
        near: Vec<Note>,
    },
}

/// How many near misses are shown.
const HINTS: usize = 3;

/// What protects a workload's pods: a PDB of its namespace that selects them, or an active
/// `karpenter.sh/do-not-disrupt`.
#[must_use]
pub(crate) fn protection(model: &Model, workload: &Workload) -> Protection {
    let mut near = Vec::new();
    match by_annotation(model, workload, &mut near) {
        Some(true) => return Protection::Present,
        None => return Protection::Unknown,
        Some(false) => {}
    }
    match workload.own_pdb {
        OwnPdb::Created(_) => return Protection::Present,
        OwnPdb::Unknown => return Protection::Unknown,
        OwnPdb::Nothing => {}
    }
    match by_pdb(model, workload) {
        Some(true) => return Protection::Present,
        None => return Protection::Unknown,
        Some(false) => {}
    }
    let note = |it: usize| near_miss::of(&model.pdbs[it], workload);
    near.extend(model.pdb_candidates.first_near(workload, HINTS, note));
    near.truncate(HINTS);
    Protection::Nothing { near }
}

/// Whether the annotation is there and active; one that is not is a near miss.
fn by_annotation(model: &Model, workload: &Workload, near: &mut Vec<Note>) -> Option<bool> {
    let Some(setting) = &workload.do_not_disrupt else { return Some(false) };
    let text = setting.known()?;
    let (version, _) = model.karpenter_near(&workload.scope);
    // A duration counts from 1.12 on; with an unknown version the newest release is assumed.
    let durations = version.is_none_or(|it| it >= Version::new(1, 12, 0));
    if text == "true" || (durations && duration::is_positive(text)) {
        return Some(true);
    }
    let message = format!("`{text}` is not `true`, so Karpenter ignores it");
    near.push(Note { span: setting.span(), message });
    Some(false)
}

/// Whether a PDB of the repository selects the pods.
fn by_pdb(model: &Model, workload: &Workload) -> Option<bool> {
    let mut unsure = !model.is_complete(&workload.scope);
    let concerns = |it: &usize| model.may_meet(&model.pdbs[*it].scope, &workload.scope);
    for pdb in model.pdb_candidates.certain(workload).filter(concerns) {
        match selects(&model.pdbs[pdb], workload) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => unsure = true,
        }
    }
    let mut doubtful = model.pdb_candidates.doubtful(workload).filter(concerns);
    let unsure = unsure || doubtful.any(|it| selects(&model.pdbs[it], workload).is_none());
    (!unsure).then_some(false)
}

#[cfg(test)]
mod tests;
