//! Stateful pods that nothing protects, and what would: those that one chart makes for one release together.

use std::collections::{HashMap, HashSet};

use crate::{
    checks::{
        naming,
        older_karpenter::{has_provisioners, may_need_old_name},
        protection::{pdb_elsewhere, with_several},
    },
    findings::{
        note::Note,
        silence::Silence,
        subject::{SharedTemplate, Subject},
    },
    knowledge::stateless::{self, Volumes},
    model::{
        Model,
        pdb::Pdb,
        workload::{Protection, ProtectionPaths, Workload, WorkloadKind, storage::Storage},
    },
    resolve::pod::creator::Creator,
    source::Span,
    value::cause::Cause,
    version::Version,
};

/// Stateful pods that nothing protects.
pub(crate) struct Unprotected<'m> {
    /// The first of the workloads.
    pub workload: &'m Workload,
    /// What nearly protects them.
    pub near: Vec<Note>,
    /// What would protect all of them.
    pub remedy: Remedy<'m>,
}

/// What protects workloads.
pub(crate) struct Remedy<'m> {
    /// The workloads: several only of one release.
    pub workloads: Vec<&'m Workload>,
    /// What it is.
    pub kind: RemedyKind<'m>,
}

/// What protects a workload, besides an annotation.
#[derive(Clone, Copy)]
pub(crate) enum RemedyKind<'m> {
    /// The PDB that is there, in the namespace of its pods.
    Namespace(&'m Pdb, &'m str),
    /// A PDB, by values of a chart of which nothing else is known.
    Below(&'m str),
    /// Only the annotation: the pod is made by nothing.
    BarePod,
    /// Only the annotation: there is one replica.
    Lone,
    /// A value that makes a PDB.
    Switch,
    /// A version that makes one.
    Upgrade(&'m Version, Creator),
    /// A PDB besides the chart.
    BesideChart,
    /// A PDB.
    Budget,
}

/// The findings, as they come together.
pub(crate) struct Together<'m> {
    model: &'m Model,
    several: HashSet<Span>,
    /// The findings.
    pub list: Vec<Unprotected<'m>>,
    by_place: HashMap<Span, Vec<usize>>,
}

impl<'m> Together<'m> {
    /// Nothing found yet.
    pub(crate) fn of(model: &'m Model) -> Self {
        let (list, by_place) = (Vec::new(), HashMap::new());
        Self { model, several: with_several(model), list, by_place }
    }

    /// Adds a workload, to those that its chart makes beside it where the same protects them.
    pub(crate) fn add(&mut self, workload: &'m Workload, near: Vec<Note>) {
        let kind = self.kind(workload);
        let at_place = self.by_place.entry(workload.report_span).or_default();
        let is_beside = |it: &&usize| {
            let other = &self.list[**it];
            is_of_one_release(other.workload, workload)
                && other.remedy.kind.is_like(kind)
                && keeps(other.workload) == keeps(workload)
                && keeps_logs(other.workload) == keeps_logs(workload)
        };
        if let Some(at) = at_place.iter().find(is_beside).copied() {
            let other = &mut self.list[at];
            other.near.extend(near);
            other.remedy.workloads.push(workload);
            return;
        }
        at_place.push(self.list.len());
        let remedy = Remedy { workloads: vec![workload], kind };
        self.list.push(Unprotected { workload, near, remedy });
    }

    fn kind(&self, workload: &'m Workload) -> RemedyKind<'m> {
        if let Some((pdb, ours)) = pdb_elsewhere(self.model, workload) {
            return RemedyKind::Namespace(pdb, ours);
        }
        let is_lone = !self.several.contains(&workload.report_span);
        match &workload.protection {
            Some(Protection::Below(keys)) => RemedyKind::Below(keys),
            None if workload.kind == WorkloadKind::Pod => RemedyKind::BarePod,
            Some(Protection::Known(_)) | None if is_lone => RemedyKind::Lone,
            Some(Protection::Known(ProtectionPaths { switch: Some(_), .. })) => RemedyKind::Switch,
            Some(Protection::Known(ProtectionPaths { since: Some(since), creator, .. })) => {
                RemedyKind::Upgrade(since, *creator)
            }
            Some(Protection::Known(_)) => RemedyKind::BesideChart,
            None => RemedyKind::Budget,
        }
    }
}

impl RemedyKind<'_> {
    /// Whether one sentence says both.
    fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Below(one), Self::Below(other)) => one == other,
            (Self::Upgrade(one, _), Self::Upgrade(other, _)) => one == other,
            (Self::Lone, Self::Lone)
            | (Self::Switch, Self::Switch)
            | (Self::BesideChart, Self::BesideChart) => true,
            _ => false,
        }
    }
}

/// Whether one use of a chart or an add-on makes both.
fn is_of_one_release(one: &Workload, other: &Workload) -> bool {
    let [Some(managed), Some(beside)] = [&one.managed, &other.managed] else { return false };
    managed.release == beside.release
        && managed.creator == beside.creator
        && one.subject == other.subject
}

/// Whether pods leave something on their node, or in a volume that only one node mounts.
pub(crate) fn keeps(workload: &Workload) -> bool {
    !matches!(workload.storage, Storage::Nothing | Storage::SharedClaims)
}

/// Whether pods keep nothing but logs.
pub(crate) fn keeps_logs(workload: &Workload) -> bool {
    let known = stateless::pods_with(|it| workload.labels.value(it));
    known.is_some_and(|it| it.volumes == Some(Volumes::Logs))
}

/// The template of the pods, where it makes others, too.
pub(crate) fn shared(workload: &Workload) -> Option<&SharedTemplate> {
    workload.subject.as_ref()?.shared.as_ref()
}

impl Remedy<'_> {
    /// What to do.
    pub(crate) fn help(&self, model: &Model) -> String {
        let below = self.annotation(model);
        let annotation = format!("{below} to {}", naming::series(&self.each(place)));
        match self.kind {
            RemedyKind::Namespace(pdb, ours) => {
                format!("Set `metadata.namespace` of PDB `{}` to `{ours}`", pdb.name)
            }
            RemedyKind::Below(keys) => format!(
                "Add a PodDisruptionBudget that selects these pods, or {below} to their annotations, \
                 in the values of `{keys}`"
            ),
            RemedyKind::BarePod => format!("Add {annotation}: nothing makes a bare pod again"),
            RemedyKind::Lone => format!(
                "Add {annotation}: with one replica a PodDisruptionBudget allows the eviction or blocks every drain"
            ),
            RemedyKind::Switch => {
                format!("Set {}, or add {annotation}", naming::series(&self.each(switch)))
            }
            RemedyKind::Upgrade(since, creator) => format!(
                "Upgrade to {since} or newer of {}, which makes a PDB, or add {annotation}",
                naming::creator(creator)
            ),
            RemedyKind::BesideChart => {
                let is_counted = self.workloads.iter().all(|it| it.replicas.known().is_some());
                let with_several = if is_counted { "" } else { ", with several replicas," };
                format!(
                    "Add {annotation}, or{with_several} a PodDisruptionBudget with `maxUnavailable: 1` for these pods"
                )
            }
            RemedyKind::Budget => {
                format!("Add a PodDisruptionBudget that selects these pods, or {annotation}")
            }
        }
    }

    /// The annotation that keeps pods where they are.
    fn annotation(&self, model: &Model) -> &'static str {
        let old = |it: &Workload| {
            has_provisioners(model, &it.scope) || may_need_old_name(model, &it.scope).is_err()
        };
        if self.workloads.iter().any(|it| old(it)) {
            "`karpenter.sh/do-not-evict: \"true\"`"
        } else {
            "`karpenter.sh/do-not-disrupt: \"true\"`"
        }
    }

    /// What is said of each of the workloads, once.
    fn each(&self, say: fn(&Workload) -> String) -> Vec<String> {
        let mut said = Vec::new();
        for words in self.workloads.iter().map(|it| say(it)) {
            if !said.contains(&words) {
                said.push(words);
            }
        }
        said
    }
}

/// The value that makes a PDB for the pods.
fn switch(workload: &Workload) -> String {
    match &workload.protection {
        Some(Protection::Known(ProtectionPaths { switch: Some(switch), .. })) => {
            format!("`{switch}`")
        }
        _ => String::new(),
    }
}

/// Where the annotation goes.
fn place(workload: &Workload) -> String {
    let of_values = match &workload.protection {
        Some(Protection::Known(paths)) => paths.annotations.as_deref(),
        _ => None,
    };
    let subject = workload.subject.as_ref();
    let of_template = subject.filter(|it| it.shared.is_none());
    let of_template = of_template.and_then(|it| it.pod_annotations.as_deref());
    match (workload.kind, of_values.or(workload.annotations_path).or(of_template)) {
        (_, Some(path)) => format!("`{path}`"),
        (_, None) if shared(workload).is_some() => place_in_shared(workload),
        (WorkloadKind::Pod, None) => "the pod".to_owned(),
        _ => "the pod template".to_owned(),
    }
}

/// Where the annotation goes where the template makes others, too.
fn place_in_shared(workload: &Workload) -> String {
    match shared(workload).and_then(|it| it.keys.as_deref()) {
        Some(keys) => format!("the annotations of these pods, by the values of `{keys}`"),
        None => "the annotations of these pods (their template makes others, too)".to_owned(),
    }
}

/// Why it is not known how pods are protected that a chart of others makes, where the chart around it leaves them off.
pub(crate) fn by_installer(workload: &Workload) -> Option<Silence> {
    let is_switched_on = workload.subject.as_ref().is_some_and(Subject::is_switched_on);
    let words = "the chart around its own leaves it off: who switches it on gives its values";
    let is_open = workload.managed.is_some() && is_switched_on;
    is_open.then(|| Silence::undecided(Cause::Value, words))
}
