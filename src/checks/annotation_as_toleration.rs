//! `karpenter.sh/do-not-disrupt` as the key of a toleration, where it has no effect.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        annotation::key::DisruptionKey,
        cluster::Taints,
        workload::{Workload, WorkloadKind},
    },
    source::Span,
};

/// The places of such keys in tolerations of workloads, and whether pods are without protection by that.
///
/// An agent of every node is none of them: no annotation of its pods is wanted.
#[must_use]
pub(crate) fn tolerated_annotations(model: &Model) -> Vec<(Span, Result<&Workload, Silence>)> {
    let all = model.workloads.iter().filter(|it| it.kind != WorkloadKind::DaemonSet);
    let keys = all.flat_map(|workload| keys_of(workload).map(move |span| (span, workload)));
    keys.map(|(span, workload)| (span, judged(model, workload))).collect()
}

fn keys_of(workload: &Workload) -> impl Iterator<Item = Span> {
    let key = DisruptionKey::DoNotDisrupt.word();
    let named = workload.tolerations.list.iter().filter(move |it| it.key.known() == Some(key));
    named.filter_map(|it| Some(it.written.as_ref()?.get("key").present()?.span))
}

fn judged<'a>(model: &Model, workload: &'a Workload) -> Result<&'a Workload, Silence> {
    if workload.do_not_disrupt.is_some() || workload.pod_spec.is_none() {
        return Err(Silence::sound("the pods carry it as an annotation, too, or may"));
    }
    if is_taint(model) {
        return Err(Silence::sound("nodes have a taint of that name"));
    }
    Ok(workload)
}

/// Whether nodes of the repository have a taint of that name.
fn is_taint(model: &Model) -> bool {
    let of_pools = model.node_pools.iter().flat_map(|it| [&it.taints, &it.startup_taints]);
    let of_groups = model.clusters.iter().flat_map(|it| &it.node_groups).map(|it| &it.taints);
    let named = |it: &Taints| {
        let mut all = it.list.iter().chain(&it.of_unknown_value);
        all.any(|(it, _)| it.key == DisruptionKey::DoNotDisrupt.word())
    };
    of_pools.chain(of_groups).any(named)
}
