//! PDBs that can never allow an eviction.

use crate::{
    findings::{silence::Silence, subject::Subject},
    model::{
        Model,
        pdb::Pdb,
        workload::{Workload, WorkloadKind},
    },
    resolve::pod::{
        creator::Creator,
        pdb::{Bound, Bounds, OwnPdb},
    },
    source::Span,
    value::cause::Cause,
};

/// A PDB that allows no eviction while all its pods are ready.
#[derive(Clone, Debug)]
pub struct Blocking<'a> {
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
pub enum Blocker<'a> {
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
    pub fn title(&self) -> String {
        match self {
            Self::Written(pdb) if pdb.name.is_empty() => "This PDB".to_owned(),
            Self::Written(pdb) => pdb.title(),
            Self::Created { by, .. } => format!("The PDB of {}", by.words()),
        }
    }
}

/// The PDBs that never allow an eviction: written ones, then those that come with pods.
#[must_use]
pub fn blocking_pdbs(model: &Model) -> Vec<Blocking<'_>> {
    judged_pdbs(model).filter_map(|(_, it)| it.ok()).collect()
}

/// All PDBs with their places, and whether they never allow an eviction.
pub fn judged_pdbs(model: &Model) -> impl Iterator<Item = (Span, Result<Blocking<'_>, Silence>)> {
    let pdbs = model.pdbs.iter().enumerate();
    let written = pdbs.map(|(at, it)| (it.report_span, of_written(model, at, it)));
    written.chain(model.workloads.iter().filter_map(|it| of_created(model, it)))
}

/// Whether a PDB of the repository, by its index, never allows an eviction.
///
/// # Errors
/// Why it allows one, or why that is not known.
pub fn of_written<'a>(
    model: &'a Model,
    index: usize,
    pdb: &'a Pdb,
) -> Result<Blocking<'a>, Silence> {
    let selected = model.pdb_selections.workloads_of(index).iter();
    let workloads: Vec<&Workload> = selected.filter_map(|it| model.workloads.get(*it)).collect();
    if pdb.selector.is_nothing() {
        return Err(Silence::sound("it selects no pods"));
    }
    if !model.is_unchanged(&pdb.scope) {
        return Err(undecided("its kustomization applies patches that are not known"));
    }
    let is_perhaps = |it: &&Workload| {
        it.subject.as_ref().is_some_and(|it| !it.is_sure_beside(Some(&pdb.subject)))
    };
    if workloads.iter().any(is_perhaps) {
        return Err(undecided("whether the pods are there is not known"));
    }
    // What switches the PDB on may well change the number of pods, too.
    let variable = |it: &&Workload| !it.replicas.steps().is_empty();
    let by_chart = pdb.subject.is_switched_on();
    let may_vary = by_chart || workloads.iter().any(variable);
    if pdb.is_switched_off && !pdb.bounds.block_always() && may_vary {
        return Err(undecided("what switches it on may change the number of pods, too"));
    }
    blocking(model, Blocker::Written(pdb), &pdb.bounds, workloads)
}

/// The PDB that comes with the pods of a workload: its place, and whether it never allows an eviction.
#[must_use]
pub fn of_created<'a>(
    model: &'a Model,
    workload: &'a Workload,
) -> Option<(Span, Result<Blocking<'a>, Silence>)> {
    let OwnPdb::Created(made) = &workload.own_pdb else { return None };
    let blocker = Blocker::Created { by: made.by, without: made.without.as_deref() };
    let found = blocking(model, blocker, &made.bounds, vec![workload]);
    Some((made.span, found.map(|it| Blocking { span: made.span, ..it })))
}

fn blocking<'a>(
    model: &Model,
    pdb: Blocker<'a>,
    bounds: &Bounds,
    workloads: Vec<&'a Workload>,
) -> Result<Blocking<'a>, Silence> {
    let Some((name, setting)) = bounds.effective() else {
        return Err(Silence::sound("it has no bound, or two, which the API server refuses"));
    };
    let bound = *setting.decided(&format!("`{name}`"))?;
    // Daemon sets are not counted by the disruption controller, and jobs end.
    let counted = |it: &&Workload| {
        !matches!(it.kind, WorkloadKind::DaemonSet | WorkloadKind::Job | WorkloadKind::CronJob)
    };
    if !workloads.iter().all(counted) {
        return Err(Silence::sound("it selects pods of a DaemonSet or a Job"));
    }
    let is_gone = |it: &&Workload| model.scalers.fewest_pods(it) == Some(0);
    if !workloads.is_empty() && workloads.iter().all(is_gone) {
        return Err(Silence::sound("its pods may all be scaled away"));
    }
    let pods = if bounds.block_always() {
        None
    } else if name == "maxUnavailable" {
        return Err(allows(setting.span()));
    } else {
        Some(pods_of(model, &workloads)?)
    };
    if pods.is_some_and(|it| bounds.allowed(it) != Some(0)) {
        return Err(allows(setting.span()));
    }
    let subject = workloads.iter().find(|it| !it.is_inert()).or(workloads.first());
    let subject = subject.and_then(|it| it.subject.as_ref());
    Ok(Blocking { pdb, name, bound, span: setting.span(), workloads, pods, subject })
}

fn allows(bound: Span) -> Silence {
    Silence::sound("it allows an eviction while all pods are ready").at(bound, "the bound")
}

fn undecided(words: &'static str) -> Silence {
    Silence::undecided(Cause::Value, words)
}

/// How many pods the workloads have at the fewest.
fn pods_of(model: &Model, workloads: &[&Workload]) -> Result<u32, Silence> {
    if workloads.is_empty() {
        let words = "no workload of the repository is surely one that it selects";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    let fewest =
        |it: &&Workload| model.scalers.fewest_pods(it).filter(|_| model.is_unchanged(&it.scope));
    let pods = workloads.iter().map(fewest).sum::<Option<u32>>();
    pods.filter(|it| *it > 0).ok_or_else(|| uncounted(model, workloads))
}

/// Why the number of pods is not known, with what may set it.
fn uncounted(model: &Model, workloads: &[&Workload]) -> Silence {
    let mut scalers = workloads.iter().flat_map(|it| model.scalers.of(it));
    match scalers.next() {
        Some(scaler) => {
            let silence =
                undecided("something else than its workload may set the number of its pods");
            silence.at(scaler.report_span, "this may set it")
        }
        None => undecided("the number of its pods is not known"),
    }
}
