//! Node agents that Karpenter evicts while it drains their node.

use crate::{
    checks::{reach::stays_off_own_nodes, static_nodes::unknown_tolerations},
    findings::silence::Silence,
    model::{
        Model,
        component::{ComponentUse, tolerating::ToleratedBy},
        reach::in_its_cluster,
        scope::Scoped,
        toleration::drain_taint::DrainTaint,
    },
    resolve::{
        pod::{placement::Placement, toleration::Taint},
        release::Release,
    },
    value::cause::Cause,
};

/// The taint of a drain that the pods of an agent do not tolerate.
#[derive(Clone, Debug)]
pub(crate) struct Evicted<'a> {
    /// The taint.
    pub taint: Taint,
    /// The release whose version sets it.
    pub release: Option<&'a Release>,
}

/// The taint by which Karpenter evicts the pods of an agent.
pub(crate) fn evicted<'a>(model: &'a Model, usage: &ComponentUse) -> Result<Evicted<'a>, Silence> {
    in_its_cluster(model, usage.scope())?;
    let (mut taints, release) = model.drain_taints.nearest(usage.scope());
    // What the pods of a DaemonSet tolerate by default does not evict them.
    if !taints.iter().any(|it| it.own) {
        return Err(Silence::sound("Karpenter before 0.32 sets no taint that evicts agents"));
    }
    let evicts = |it: &DrainTaint| match usage.tolerates(&it.taint) {
        _ if !it.own => Some(false),
        tolerates => tolerates.map(|it| !it),
    };
    let spared = taints.iter().find(|it| evicts(it) == Some(false));
    let doubtful = taints.iter().any(|it| evicts(it).is_none());
    match (spared, taints.iter().any(|it| evicts(it) == Some(true))) {
        (Some(_), true) => {
            let why = "which taint a drain sets depends on the version of Karpenter";
            return Err(Silence::undecided(Cause::Version, why));
        }
        _ if doubtful => return Err(unknown_tolerations(usage)),
        (Some(it), false) => return Err(tolerated(usage, &it.taint)),
        (None, _) => {}
    }
    let elsewhere = |it: &Placement| stays_off_own_nodes(model, it, usage.scope()) == Some(true);
    if usage.placements().iter().any(elsewhere) {
        return Err(Silence::sound("its pods stay off the nodes that Karpenter makes"));
    }
    let taint = taints.pop().ok_or_else(|| Silence::sound("no taint is set"))?.taint;
    Ok(Evicted { taint, release: release.and_then(|it| model.releases.get(it)) })
}

/// The pods tolerate the taint, by what is written or by default.
fn tolerated(usage: &ComponentUse, taint: &Taint) -> Silence {
    let (title, key) = (&usage.pod.title, &taint.key);
    let what = if usage.is_addon() { "add-on" } else { "chart" };
    match usage.tolerated_by(taint) {
        ToleratedBy::Written(place) => {
            Silence::sound(format!("{title} pods tolerate `{key}`")).at(place, "by this toleration")
        }
        ToleratedBy::Default { since: Some(since) } => Silence::sound(format!(
            "{title} pods tolerate `{key}` with these values from {what} {since} on"
        )),
        ToleratedBy::Default { since: None } => Silence::sound(format!(
            "{title} pods tolerate `{key}` with these values in every {what} version"
        )),
    }
}
