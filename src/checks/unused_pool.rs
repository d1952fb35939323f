//! Pools that no pod of the repository can use.

use crate::{
    checks::settled,
    findings::{silence::Silence, subject::Subject},
    knowledge::{schema, startup},
    model::{
        Model,
        component::ComponentUse,
        karpenter_object::KarpenterObject,
        node_pool::NodePool,
        workload::{Workload, WorkloadKind},
    },
    resolve::{
        answers::any,
        pod::toleration::{Taint, Tolerations},
    },
    source::Span,
    value::cause::Cause,
};

/// A taint that no pod tolerates, and where it is written.
pub(crate) type UnusedTaint<'a> = (&'a Taint, Span);

/// The lasting taint of each pool that no pod of the repository tolerates.
pub(crate) fn unused(
    model: &Model,
) -> impl Iterator<Item = (&NodePool, Result<UnusedTaint<'_>, Silence>)> {
    settled::pools(model).map(|pool| (pool, judged(model, pool)))
}

/// The pools of an API version that no release of Karpenter has, which are not judged.
pub(crate) fn unserved_pools(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let is_unserved = |it: &&KarpenterObject| {
        &*it.object.kind == "NodePool" && schema::of(&it.object.api_version, "NodePool").is_none()
    };
    let words = "no release of Karpenter has its API version";
    let silence = move || Silence::undecided(Cause::Value, words);
    model.karpenter_objects.iter().filter(is_unserved).map(move |it| (it.report_span, silence()))
}

fn judged<'a>(model: &Model, pool: &'a NodePool) -> Result<UnusedTaint<'a>, Silence> {
    settled::pool(model, pool)?;
    settled::whole(model, &pool.scope)?;
    if pool.subject.as_ref().is_some_and(Subject::is_switched_on) {
        return Err(Silence::sound("whoever asks its chart for it has pods for it"));
    }
    let is_controller = |it: &Workload| {
        let mut rendered = model.installations.iter().filter_map(|it| it.rendered.as_ref());
        rendered.any(|own| own.report_span == it.report_span)
    };
    if !model.workloads.iter().any(|it| it.managed.is_none() && !is_controller(it)) {
        return Err(without_workloads(model));
    }
    // The workloads of such a cluster are somebody else's, and described elsewhere.
    let near = model.pool_groups(&pool.scope).concat();
    let is_only = |it: &Workload| !is_controller(it) && sees_only(model, it, pool);
    if !near.iter().any(|it| is_in_use(model, it)) && !model.workloads.iter().any(is_only) {
        return Err(Silence::sound("the pods of the repository use none of the NodePools"));
    }
    let lasting = pool
        .taints
        .list
        .iter()
        .filter(|(it, _)| it.keeps_pods_away() && !startup::is_temporary(&it.key));
    let mut doubt = None;
    for (taint, place) in lasting {
        match tolerated(model, taint) {
            Some(false) => return Ok((taint, *place)),
            Some(true) => {}
            None => doubt = Some(*place),
        }
    }
    match doubt {
        Some(place) => Err(Silence::undecided(Cause::Value, "some tolerations are not known")
            .at(place, "the taint")),
        None => Err(Silence::sound("pods of the repository tolerate its taints")),
    }
}

/// That the repository has no workloads but those of charts, if any.
fn without_workloads(model: &Model) -> Silence {
    let mut others = model.releases.iter().filter(|it| !it.is_of_karpenter());
    match others.next() {
        Some(release) => {
            let words = "the only workloads of the repository are those of charts";
            Silence::sound(words).at(release.report_span, "a chart")
        }
        None => Silence::sound("there are no workloads in the repository"),
    }
}

/// Whether a pool is the only one of the cluster that a workload surely runs in: if that does not tolerate its taint, no
/// node of Karpenter is for it.
fn sees_only(model: &Model, workload: &Workload, pool: &NodePool) -> bool {
    let is_pod_of_the_cluster = workload.managed.is_none()
        && workload.kind != WorkloadKind::DaemonSet
        && !workload.is_inert();
    let groups = model.pool_groups(&workload.scope);
    is_pod_of_the_cluster
        && matches!(groups.as_slice(), [only] if matches!(only.as_slice(), [it] if std::ptr::eq(*it, pool)))
}

/// Whether nothing keeps all pods of the repository off a pool.
fn is_in_use(model: &Model, pool: &NodePool) -> bool {
    let mut hard = pool.taints.list.iter().filter(|(it, _)| it.keeps_pods_away());
    hard.all(|(it, _)| tolerated(model, it) != Some(false))
}

/// Whether pods tolerate a taint. What runs on each node tolerates it without being meant for these.
fn tolerated(model: &Model, taint: &Taint) -> Option<bool> {
    // What is in a cluster without Karpenter has nothing to do with its pools.
    let of_workloads = model.workloads.iter().filter(|it| !it.is_inert());
    let of_workloads = of_workloads.map(|it| meant(it, taint));
    let is_inert = |it: &ComponentUse| it.subject.as_ref().is_some_and(|it| it.inert.is_some());
    let of_components = model.components.iter().filter(|it| it.pod.kind != "DaemonSet");
    let of_components = of_components.filter(|it| !is_inert(it));
    any(of_workloads.chain(of_components.map(|it| it.tolerates(taint))))
}

fn meant(workload: &Workload, taint: &Taint) -> Option<bool> {
    let own: &Tolerations = &workload.tolerations;
    let is_daemon = workload.kind == WorkloadKind::DaemonSet;
    let is_blanket = || own.list.iter().any(|it| it.is_blanket(taint.effect) == Some(true));
    if is_daemon && is_blanket() { Some(false) } else { own.tolerate(taint) }
}
