//! Whether something keeps Karpenter from evicting a workload's pods.

use std::collections::HashSet;

use crate::{
    checks::{
        naming,
        older_karpenter::{removes_nodes_in_use, without_do_not_evict},
        pdb::near_miss,
        reach,
    },
    findings::{note::Note, silence::Silence, subject::Condition},
    knowledge::stateless::{self, Volumes},
    model::{
        Model,
        pdb::{Pdb, selections::selects},
        reach::drained,
        workload::{Workload, storage::Storage},
    },
    resolve::pod::pdb::OwnPdb,
    source::{self, Span},
    time::duration,
    value::cause::Cause,
    version::Version,
};

/// How many near misses are shown.
const HINTS: usize = 3;

/// That Karpenter evicts a workload's pods and nothing protects them. With the PDBs that nearly select them,
/// and annotations without effect.
///
/// # Errors
/// What keeps the pods, or what may.
pub(crate) fn exposed(model: &Model, workload: &Workload) -> Result<Vec<Note>, Silence> {
    // A volume of their own may have been added to them.
    let keeps_nothing = matches!(workload.storage, Storage::Nothing | Storage::Sockets);
    let known = stateless::pods_with(|it| workload.labels.value(it));
    let known = known.filter(|it| keeps_nothing || it.volumes == Some(Volumes::Scratch));
    if let Some(known) = known {
        return Err(Silence::sound(known.why.as_str()));
    }
    let drained = removes_nodes_in_use(model, workload).and_then(|()| drained(model, workload));
    let exposed = match (drained, unprotected(model, workload)) {
        // One reason why they are safe is enough, whatever else is not known.
        (Err(sound @ Silence::Sound(_)), _) | (_, Err(sound @ Silence::Sound(_))) => {
            return Err(sound);
        }
        (Err(undecided), _) => Err(undecided),
        (Ok(()), near) => near,
    };
    match reach::kept_off(model, workload) {
        Some(silence) => Err(silence),
        None => exposed,
    }
}

/// What keeps Karpenter from evicting pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// An active `karpenter.sh/do-not-disrupt`.
    Annotation,
    /// A PDB.
    Budget,
}

/// What protects a workload's pods, if anything does.
///
/// # Errors
/// What is missing to know.
pub(crate) fn protected_by(
    model: &Model,
    workload: &Workload,
) -> Result<Option<Protection>, Silence> {
    let annotation = without_annotation(model, workload).err();
    if matches!(annotation, Some(Silence::Sound(_))) {
        return Ok(Some(Protection::Annotation));
    }
    match unprotected_by_pdb(model, workload).err() {
        Some(Silence::Sound(_)) => Ok(Some(Protection::Budget)),
        pdb => annotation.or(pdb).map_or(Ok(None), Err),
    }
}

/// That nothing protects a workload's pods: neither a PDB of its namespace that selects them, nor an active
/// `karpenter.sh/do-not-disrupt`. With the PDBs that nearly select the pods, and annotations without effect.
///
/// # Errors
/// What protects them, or what may.
fn unprotected(model: &Model, workload: &Workload) -> Result<Vec<Note>, Silence> {
    let mut near = without_annotation(model, workload)?;
    unprotected_by_pdb(model, workload)?;
    // A PDB that selects pods is meant for those.
    let note = |it: usize| {
        let is_theirs = is_for_others(model, it);
        (!is_theirs).then(|| near_miss::of(&model.pdbs[it], workload)).flatten()
    };
    near.extend(model.pdb_candidates.first_near(workload, HINTS, note));
    near.truncate(HINTS);
    Ok(near)
}

/// The places of workloads of which some instance has several pods, or a number that is not known: their root modules,
/// and those who use their charts, may differ.
#[must_use]
pub(crate) fn with_several(model: &Model) -> HashSet<Span> {
    let is_lone = |it: &Workload| it.replicas.known().is_some_and(|it| *it <= 1.0);
    model.workloads.iter().filter(|it| !is_lone(it)).map(|it| it.report_span).collect()
}

/// The PDB that would protect a workload's pods in their namespace, and that namespace; those that protect others are
/// none.
pub(crate) fn pdb_elsewhere<'a>(
    model: &'a Model,
    workload: &'a Workload,
) -> Option<(&'a Pdb, &'a str)> {
    let look = |it: usize| {
        let pdb = &model.pdbs[it];
        let [_, ours] =
            near_miss::namespaces(pdb, workload).filter(|_| !is_for_others(model, it))?;
        Some((pdb, ours))
    };
    model.pdb_candidates.first_near(workload, 1, look).pop()
}

/// That no PDB selects a workload's pods, of the repository or of what makes them.
fn unprotected_by_pdb(model: &Model, workload: &Workload) -> Result<(), Silence> {
    match &workload.own_pdb {
        OwnPdb::Created(made) => {
            let words = format!("{} makes a PDB for its pods", naming::creator(made.by));
            return Err(Silence::sound(words).at(made.span, "the PDB"));
        }
        OwnPdb::Unknown(cause, words) => return Err(Silence::undecided(*cause, *words)),
        OwnPdb::Nothing => {}
    }
    without_pdb(model, workload)
}

/// That no active annotation is on the pods; one that is not active is a near miss.
fn without_annotation(model: &Model, workload: &Workload) -> Result<Vec<Note>, Silence> {
    without_do_not_evict(model, workload)?;
    let Some(setting) = &workload.do_not_disrupt else { return Ok(Vec::new()) };
    let text = setting.decided("`karpenter.sh/do-not-disrupt` on its pods")?;
    let (version, _) = model.karpenter_near(&workload.scope);
    // A duration counts from 1.12 on; with an unknown version the newest release is assumed.
    let durations = version.is_none_or(|it| it >= Version::new(1, 12, 0));
    if text == "true" || (durations && duration::is_positive(text)) {
        let silence = Silence::sound("its pods carry `karpenter.sh/do-not-disrupt`");
        return Err(silence.at(setting.span(), "the annotation"));
    }
    let message = format!("`{text}` is not `true`, so Karpenter ignores it");
    Ok(vec![Note { span: setting.span(), message }])
}

/// That no PDB of the repository selects the pods.
fn without_pdb(model: &Model, workload: &Workload) -> Result<(), Silence> {
    let concerns = |it: &usize| model.may_meet(&model.pdbs[*it].scope, &workload.scope);
    let lone = &model.scalers.lone_charts;
    let is_apart = |it: &usize| {
        let is_of_others = workload.managed.is_some() && is_for_others(model, *it);
        // What is perhaps there for pods that are not known is for any pods, or none.
        let is_vague = !model.pdbs[*it].subject.is_surely_there();
        is_vague || is_of_others || lone.are_apart(&model.pdbs[*it].scope, &workload.scope)
    };
    // What the workload's own chart leaves off does not protect it.
    let is_on = workload.subject.as_ref().is_none_or(|it| !it.is_switched_on());
    let is_off = |it: &usize| is_on && model.pdbs[*it].subject.is_switched_on();
    let certain = model.pdb_candidates.certain(workload).filter(concerns).filter(|it| !is_off(it));
    let own = workload.subject.as_ref();
    let (mut perhaps, mut unsure) = (None, None);
    for index in certain {
        let pdb = &model.pdbs[index];
        match selects(pdb, workload) {
            Some(true) if pdb.subject.excludes(own) => {}
            Some(true) if !pdb.subject.is_sure_beside(own) => perhaps = perhaps.or(Some(pdb)),
            Some(true) => {
                let silence = Silence::sound(format!("{} selects its pods", pdb.title()));
                return Err(silence.at(pdb.report_span, "the PDB"));
            }
            Some(false) => {}
            None => unsure = unsure.or(Some(pdb).filter(|_| !is_apart(&index))),
        }
    }
    let mut doubtful = model.pdb_candidates.doubtful(workload).filter(concerns);
    let may_select_it = |it: &usize| !is_apart(it) && selects(&model.pdbs[*it], workload).is_none();
    let unsure = unsure.or_else(|| doubtful.find(may_select_it).map(|it| &model.pdbs[it]));
    if let Some(pdb) = perhaps {
        return Err(may_be_there(pdb));
    }
    match unsure {
        Some(pdb) => Err(may_select(pdb)),
        None => built_as_seen(model, workload),
    }
}

/// Whether a PDB is for other pods than those of a chart whose labels are not all known: it certainly selects some.
fn is_for_others(model: &Model, pdb: usize) -> bool {
    !model.pdb_selections.workloads_of(pdb).is_empty()
}

/// A PDB that selects the pods, where it is not known whether it is there.
fn may_be_there(pdb: &Pdb) -> Silence {
    let why = pdb.subject.conditions.first().map(Condition::words).unwrap_or_default();
    let words = format!("{} selects its pods, and {why}", pdb.title());
    Silence::undecided(Cause::Value, words).at(pdb.report_span, "the PDB")
}

fn may_select(pdb: &Pdb) -> Silence {
    let words = format!("{} may select its pods", pdb.title());
    Silence::undecided(Cause::Value, words).at(pdb.report_span, "the PDB")
}

/// That the kustomization of the workload has no unseen PDB for it, nor an unseen patch.
fn built_as_seen(model: &Model, workload: &Workload) -> Result<(), Silence> {
    let silence = |words: &'static str| Err(Silence::undecided(Cause::Value, words));
    if !model.is_unchanged(&workload.scope) {
        return silence("its kustomization applies patches that are not known");
    }
    if model.lacks_pdb(&workload.scope) {
        return silence("its kustomization lists what may be a PDB and is not in the repository");
    }
    // Of what a kustomization builds, the same is known by its entries.
    let folder = &workload.scope.folder;
    let mut broken = model.broken_pdbs.iter().filter(|_| workload.scope.build.is_none());
    match broken.find(|it| are_near(&it.0, folder)) {
        Some((_, at)) => {
            let words = "a PDB near it cannot be read";
            Err(Silence::undecided(Cause::Unreadable, words).at(*at, "what cannot be read"))
        }
        None => Ok(()),
    }
}

/// Whether one folder is the other, lies in it, or beside it in a folder of its own.
fn are_near(one: &str, other: &str) -> bool {
    let parent = source::parent(one);
    let beside = !parent.is_empty() && parent == source::parent(other);
    let within = |one: &str, other: &str| !one.is_empty() && source::is_below(other, one);
    one == other || beside || within(one, other) || within(other, one)
}

#[cfg(test)]
mod tests;
