//! What pods have to say about being evicted: annotations, PDBs, tolerations, and the time they take to stop.

use crate::{
    findings::{note::Note, silence::Silence},
    model::{
        Model,
        annotation::{Annotation, key::DisruptionKey, position::AnnotationPosition},
        pdb::{
            Pdb,
            blocking::{Blocking, of_created, of_written},
            selections::selects,
        },
        workload::{DO_NOT_DISRUPT, Workload, WorkloadKind},
    },
    resolve::{
        answers::agreed,
        pod::{
            pdb::{Bounds, OwnPdb},
            toleration::{Toleration, tolerates as matches},
        },
    },
    source::Span,
    version::Version,
};

/// The PDBs of a model with what each allows, so that no workload asks again.
pub struct Guards<'m> {
    model: &'m Model,
    written: Vec<Result<Blocking<'m>, Silence>>,
    /// `karpenter.sh/do-not-evict` on pods.
    kept: Vec<&'m Annotation>,
}

impl<'m> Guards<'m> {
    /// Judges them.
    #[must_use]
    pub fn of(model: &'m Model) -> Self {
        let judged = model.pdbs.iter().enumerate().map(|(at, it)| of_written(model, at, it));
        let is_kept = |it: &&Annotation| {
            it.key == DisruptionKey::DoNotEvict
                && it.position == AnnotationPosition::Pods
                && it.is_true()
        };
        let kept = model.annotations.iter().filter(is_kept).collect();
        Self { model, written: judged.collect(), kept }
    }

    /// The annotation that kept pods before 1.0.
    fn former(&self, workload: &Workload) -> Option<&'m Annotation> {
        let subject = workload.subject.as_ref().filter(|_| !self.kept.is_empty())?;
        let (version, _) = self.model.karpenter_near(&workload.scope);
        let is_old = version.is_some_and(|it| it < Version::new(1, 0, 0));
        self.kept.iter().find(|it| is_old && it.subject == *subject).copied()
    }
}

/// What is known of the pods of a workload.
pub struct Pods<'m> {
    /// What creates them.
    pub workload: &'m Workload,
    /// That there are none.
    pub(super) absent: Option<Note>,
    /// What that annotation is called.
    pub(super) annotation_key: &'static str,
    /// `karpenter.sh/do-not-disrupt` on them, or why that is not known.
    pub(super) annotation: Option<Result<(&'m str, Span), Note>>,
    /// Their PDB.
    pub(super) pdb: Guard,
    /// Whether they tolerate the taint of a drain, so that none evicts them.
    pub(super) tolerates: Option<bool>,
    /// Where the toleration is, or what is not known of it.
    pub(super) toleration: Note,
    /// The seconds they take to stop.
    pub(super) grace: Option<f64>,
}

/// What a PDB does with an eviction.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    /// There is none.
    Nothing,
    /// It lets some go at a time.
    Paces(Note),
    /// It lets none go.
    Blocks(Note),
    /// Not known.
    Unknown(Note),
}

impl<'m> Pods<'m> {
    /// Those of a workload, by its index.
    #[must_use]
    pub fn of(guards: &Guards<'m>, index: usize) -> Option<Self> {
        let model = guards.model;
        let workload = model.workloads.get(index)?;
        let absent = workload.replicas.known_to_be(&0.0).then(|| Note {
            span: workload.replicas.span(),
            message: "it has no pods: `replicas` is 0".to_owned(),
        });
        let annotation = workload.do_not_disrupt.as_ref().map(|setting| {
            match setting.decided("`karpenter.sh/do-not-disrupt` on its pods") {
                Ok(text) => Ok((text.as_str(), setting.span())),
                Err(silence) => Err(not_known(&silence, setting.span())),
            }
        });
        let former = guards.former(workload).map(|it| Ok(("true", it.key_span)));
        let annotation_key = match former {
            Some(_) if annotation.is_none() => "karpenter.sh/do-not-evict",
            _ => DO_NOT_DISRUPT,
        };
        let annotation = annotation.or(former);
        let tolerates = tolerates(model, workload);
        Some(Self {
            annotation_key,
            workload,
            absent,
            annotation,
            pdb: guard(guards, index, workload),
            tolerates,
            toleration: toleration(model, workload, tolerates),
            grace: workload.grace.known().copied(),
        })
    }

    /// Whether each node has one of them, whatever else runs there.
    #[must_use]
    pub fn are_agents(&self) -> bool {
        self.workload.kind == WorkloadKind::DaemonSet
    }
}

/// Why something is not known, at a place.
pub(super) fn not_known(silence: &Silence, span: Span) -> Note {
    let reason = silence.reason();
    Note { span, message: reason.words.to_string() }
}

fn tolerates(model: &Model, workload: &Workload) -> Option<bool> {
    let (taints, _) = model.drain_taints.nearest(&workload.scope);
    agreed(taints.iter().map(|it| {
        // Kubernetes lets them tolerate the common taint.
        let given = !it.own && workload.kind == WorkloadKind::DaemonSet;
        if given { Some(true) } else { workload.tolerations.tolerate(&it.taint) }
    }))
}

fn toleration(model: &Model, workload: &Workload, tolerates: Option<bool>) -> Note {
    let (taints, _) = model.drain_taints.nearest(&workload.scope);
    let decides =
        |it: &&Toleration| taints.iter().any(|taint| matches(it, &taint.taint) == Some(true));
    let span = workload
        .tolerations
        .list
        .iter()
        .find(decides)
        .and_then(karplint_resolve::resolve::pod::toleration::Toleration::span);
    let span = span.or(workload.tolerations_key).unwrap_or(workload.report_span);
    let message = match tolerates {
        None => "whether its pods tolerate the taint of a drain is not known",
        Some(_) if workload.kind == WorkloadKind::DaemonSet => {
            "it tolerates the taint of a drain: its pods stay until their node ends"
        }
        Some(_) if workload.mounts_claim() => {
            "it tolerates the taint of a drain, so its pods end with their node, and their volumes \
             are detached by force"
        }
        Some(_) => "it tolerates the taint of a drain, so its pods end with their node",
    };
    Note { span, message: message.to_owned() }
}

fn guard(guards: &Guards<'_>, index: usize, workload: &Workload) -> Guard {
    let model = guards.model;
    let at = |span: Span, message: String| Note { span, message };
    let surely = model.pdb_selections.pdbs_of(index);
    if let OwnPdb::Created(made) = &workload.own_pdb {
        let others = surely.iter().filter_map(|it| model.pdbs.get(*it));
        if let Some(other) = others.into_iter().find(|it| !is_of_chart(it, workload)) {
            return Guard::Blocks(at(other.report_span, two_pdbs()));
        }
        let judged = of_created(model, workload).map(|it| it.1);
        let words = paces(&format!("the PDB of {}", made.by.words()), &made.bounds);
        let paces = Note { span: made.span, message: words };
        return judged.map_or(Guard::Nothing, |it| weighed(it.as_ref(), paces.span, workload));
    }
    if let OwnPdb::Unknown(_, words) = &workload.own_pdb {
        return Guard::Unknown(at(workload.report_span, (*words).to_owned()));
    }
    let [first, others @ ..] = surely else { return doubtful(model, workload) };
    let (Some(pdb), Some(judged)) = (model.pdbs.get(*first), guards.written.get(*first)) else {
        return Guard::Nothing;
    };
    let is_other =
        |it: &&Pdb| it.name != pdb.name && it.scope.deploy_unit() == pdb.scope.deploy_unit();
    if let Some(other) = others.iter().filter_map(|it| model.pdbs.get(*it)).find(is_other) {
        return Guard::Blocks(at(other.report_span, two_pdbs()));
    }
    let title =
        if pdb.name.is_empty() { "its PDB".to_owned() } else { format!("PDB `{}`", pdb.name) };
    let paces = Note { span: pdb.report_span, message: paces(&title, &pdb.bounds) };
    weighed(judged.as_ref(), paces.span, workload)
}

/// "PDB `web` lets some of its pods go at a time: `maxUnavailable: 1`".
fn paces(title: &str, bounds: &Bounds) -> String {
    let bound = bounds.effective().and_then(|(name, it)| Some((name, it.known()?.word())));
    let bound = bound.map_or_else(String::new, |(name, bound)| format!(": `{name}: {bound}`"));
    format!("{title} lets some of its pods go at a time{bound}")
}

fn two_pdbs() -> String {
    "two PDBs select its pods, and Kubernetes evicts no such pod".to_owned()
}

/// Whether a PDB is the one that the chart of the pods makes, as a rendering.
fn is_of_chart(pdb: &Pdb, workload: &Workload) -> bool {
    pdb.is_rendered && workload.managed.as_ref().is_some_and(|it| it.may_be(&pdb.name))
}

fn weighed(judged: Result<&Blocking<'_>, &Silence>, span: Span, workload: &Workload) -> Guard {
    let ends = matches!(
        workload.kind,
        WorkloadKind::DaemonSet | WorkloadKind::Job | WorkloadKind::CronJob
    );
    match judged {
        Ok(blocking) => {
            let title = blocking.pdb.title();
            let (name, bound) = (blocking.name, blocking.bound.word());
            let of = match blocking.pods {
                Some(1) => " of 1 pod".to_owned(),
                Some(pods) => format!(" of {pods} pods"),
                None => String::new(),
            };
            let message = format!("{title} never allows an eviction: `{name}: {bound}`{of}");
            Guard::Blocks(Note { span: blocking.span, message })
        }
        Err(Silence::Sound(_)) if ends => {
            let message = "whether a PDB holds for such pods hangs on their controller".to_owned();
            Guard::Unknown(Note { span, message })
        }
        Err(Silence::Sound(_)) => Guard::Paces(Note {
            span,
            message: "its PDB lets some of them go at a time".to_owned(),
        }),
        Err(silence @ Silence::Undecided(..)) => Guard::Unknown(not_known(silence, span)),
    }
}

/// Where no PDB surely selects the pods: none, unless some may.
fn doubtful(model: &Model, workload: &Workload) -> Guard {
    let concerns = |it: &usize| model.may_meet(&model.pdbs[*it].scope, &workload.scope);
    let certain = model.pdb_candidates.certain(workload).filter(concerns);
    let mut certain = certain.filter(|it| match selects(&model.pdbs[*it], workload) {
        Some(selects) => selects,
        None => model.pdbs[*it].subject.is_surely_there(),
    });
    let doubtful = || {
        let mut all = model.pdb_candidates.doubtful(workload).filter(concerns);
        all.find(|it| {
            let pdb = &model.pdbs[*it];
            pdb.subject.is_surely_there() && selects(pdb, workload).is_none()
        })
    };
    let unknown = |span: Span, message: String| Guard::Unknown(Note { span, message });
    if let Some(pdb) = certain.next().or_else(doubtful).map(|it| &model.pdbs[it]) {
        return unknown(pdb.report_span, format!("{} may select its pods", pdb.title()));
    }
    if !model.is_unchanged(&workload.scope) {
        let words = "its kustomization applies patches that are not known";
        return unknown(workload.report_span, words.to_owned());
    }
    if model.lacks_pdb(&workload.scope) {
        let words = "its kustomization lists what may be a PDB and is not in the repository";
        return unknown(workload.report_span, words.to_owned());
    }
    Guard::Nothing
}
