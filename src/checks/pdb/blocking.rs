//! PDBs that can never allow an eviction.

use crate::{
    checks::naming,
    findings::subject::Subject,
    model::{
        Model,
        pdb::Pdb,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        pod::{
            creator::Creator,
            pdb::{Bound, Bounds, OwnPdb},
        },
        setting::Setting,
    },
    source::Span,
};

/// A PDB that allows no eviction while all its pods are ready.
#[derive(Clone, Debug)]
pub(crate) struct Blocking<'a> {
    /// Which one.
    pub pdb: Blocker<'a>,
    /// The name of the bound that blocks: `minAvailable`.
    pub name: &'static str,
    /// That bound.
    pub bound: Bound,
    /// Where it is written, else what creates the PDB.
    pub span: Span,
    /// The workloads it certainly selects.
    pub workloads: Vec<&'a Workload>,
    /// How many pods it counts, when that decides.
    pub pods: Option<u32>,
    /// Which of several kustomizations builds it.
    pub subject: Option<&'a Subject>,
}

/// The PDB that blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Blocker<'a> {
    /// It is written in the repository.
    Written(&'a Pdb),
    /// It comes with pods.
    Created {
        /// What creates it.
        by: Creator,
        /// The setting that turns it off.
        without: Option<&'a str>,
    },
}

impl Blocker<'_> {
    /// How messages name it: "PDB `web`", "The PDB of the chart `consul`".
    #[must_use]
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Written(pdb) if pdb.name.is_empty() => "This PDB".to_owned(),
            Self::Written(pdb) => format!("PDB `{}`", pdb.name),
            Self::Created { by, .. } => format!("The PDB of {}", naming::creator(*by)),
        }
    }
}

/// The PDBs that never allow an eviction: written ones, then those that come with pods.
#[must_use]
pub(crate) fn blocking_pdbs(model: &Model) -> Vec<Blocking<'_>> {
    let written = model.pdbs.iter().enumerate().filter_map(|(at, it)| written(model, at, it));
    written.chain(model.workloads.iter().filter_map(|it| created(model, it))).collect()
}

fn written<'a>(model: &'a Model, index: usize, pdb: &'a Pdb) -> Option<Blocking<'a>> {
    let selected = model.pdb_selections.workloads_of(index).iter();
    let workloads: Vec<&Workload> = selected.filter_map(|it| model.workloads.get(*it)).collect();
    if pdb.selector.is_nothing() || !model.is_unchanged(&pdb.scope) {
        return None;
    }
    // What switches the PDB on may well change the number of pods, too.
    let variable = |it: &&Workload| !it.replicas.steps().is_empty();
    if pdb.is_switched_off && !pdb.bounds.block_always() && workloads.iter().any(variable) {
        return None;
    }
    blocking(model, Blocker::Written(pdb), &pdb.bounds, workloads)
}

fn created<'a>(model: &'a Model, workload: &'a Workload) -> Option<Blocking<'a>> {
    let OwnPdb::Created(made) = &workload.own_pdb else { return None };
    let blocker = Blocker::Created { by: made.by, without: made.without.as_deref() };
    let found = blocking(model, blocker, &made.bounds, vec![workload])?;
    Some(Blocking { span: made.span, ..found })
}

fn blocking<'a>(
    model: &Model,
    pdb: Blocker<'a>,
    bounds: &Bounds,
    workloads: Vec<&'a Workload>,
) -> Option<Blocking<'a>> {
    let (name, setting): (_, &Setting<Bound>) = bounds.effective()?;
    let bound = *setting.known()?;
    // Daemon sets are not counted by the disruption controller, and jobs end.
    let counted = |it: &&Workload| {
        !matches!(it.kind, WorkloadKind::DaemonSet | WorkloadKind::Job | WorkloadKind::CronJob)
    };
    let is_gone = |it: &&Workload| model.scalers.fewest_pods(it) == Some(0);
    let gone = !workloads.is_empty() && workloads.iter().all(is_gone);
    if gone || !workloads.iter().all(counted) {
        return None;
    }
    let pods = if bounds.block_always() { None } else { Some(pods_of(model, &workloads)?) };
    if pods.is_some_and(|it| bounds.allowed(it) != Some(0)) {
        return None;
    }
    let subject = workloads.first().and_then(|it| it.subject.as_ref());
    Some(Blocking { pdb, name, bound, span: setting.span(), workloads, pods, subject })
}

/// How many pods the workloads have at the fewest; `None` without any, or if that is not known.
fn pods_of(model: &Model, workloads: &[&Workload]) -> Option<u32> {
    let fewest =
        |it: &&Workload| model.scalers.fewest_pods(it).filter(|_| model.is_unchanged(&it.scope));
    let pods: u32 = workloads.iter().map(fewest).sum::<Option<u32>>()?;
    (pods > 0).then_some(pods)
}
