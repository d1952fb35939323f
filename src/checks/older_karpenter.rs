//! What Karpenter before its API `v1` does to running pods: other annotations keep them, and with Provisioners it
//! may leave them alone.

use crate::{
    findings::silence::Silence,
    knowledge::schema,
    model::{
        Model,
        annotation::{key::DisruptionKey, position::AnnotationPosition},
        karpenter_object::KarpenterObject,
        workload::Workload,
    },
    resolve::{answers::any, scope::Scope},
    value::{Field, Value, cause::Cause},
    version::Version,
};

/// Whether the Karpenter near knows no `NodePools`.
#[must_use]
pub(crate) fn has_provisioners(model: &Model, scope: &Scope) -> bool {
    model.karpenter_near(scope).0.is_some_and(|it| it < Version::new(0, 32, 0))
}

/// Whether the Karpenter near knows no `NodePools`, and no Provisioner is in the repository: one that is written without
/// consolidation and expiry only removes empty nodes.
#[must_use]
pub(crate) fn has_unseen_provisioners(model: &Model, scope: &Scope) -> bool {
    has_provisioners(model, scope)
        && model.node_pools.is_empty()
        && model.karpenter_objects.is_empty()
}

/// That the Karpenter near, of an unknown version, is none that only knows the names from before 0.32.
///
/// # Errors
/// Where Provisioners are near and no `NodePool` is.
pub(crate) fn may_need_old_name(model: &Model, scope: &Scope) -> Result<(), Silence> {
    match model.first_object_near("Provisioner", scope) {
        Some(provisioner)
            if model.karpenter_near(scope).0.is_none()
                && model.objects_near("NodePool", scope).next().is_none() =>
        {
            let words = "the Karpenter near may be one that has no other name for it";
            let silence = Silence::undecided(Cause::Version, words);
            Err(silence.at(provisioner.report_span, "only Provisioners are near"))
        }
        _ => Ok(()),
    }
}

/// That no `karpenter.sh/do-not-evict` of which a Karpenter before 1.0 takes notice is on a workload's pods.
///
/// # Errors
/// Where it is.
pub(super) fn without_do_not_evict(model: &Model, workload: &Workload) -> Result<(), Silence> {
    let (version, _) = model.karpenter_near(&workload.scope);
    let Some(subject) = workload.subject.as_ref() else { return Ok(()) };
    if version.is_none_or(|it| it >= Version::new(1, 0, 0)) {
        return Ok(());
    }
    let found = model.annotations.iter().find(|it| {
        it.key == DisruptionKey::DoNotEvict
            && it.position == AnnotationPosition::Pods
            && it.is_true()
            && it.subject == *subject
    });
    found.map_or(Ok(()), |it| {
        let silence = Silence::sound("its pods carry `karpenter.sh/do-not-evict`");
        Err(silence.at(it.key_span, "the annotation"))
    })
}

/// That a Provisioner or a `NodePool` near may have nodes removed while pods run on them.
///
/// # Errors
/// All Provisioners near only remove empty nodes, or no release admits the `NodePools` near.
pub(super) fn removes_nodes_in_use(model: &Model, workload: &Workload) -> Result<(), Silence> {
    let scope = &workload.scope;
    let provisioner = model.provisioners_near(scope).next();
    let idle = provisioner.filter(|_| !model.provisioners_near(scope).any(disrupts));
    let has_provisioners = || match model.karpenter_near(scope).0 {
        Some(it) => it < Version::new(0, 32, 0),
        None => model.objects_near("NodePool", scope).next().is_none() && !has_pools(model, scope),
    };
    match idle {
        Some(it) if has_provisioners() => match drifts(model, scope) {
            Some(true) => {}
            Some(false) => {
                let words = "no Provisioner near removes nodes on which pods run";
                return Err(Silence::sound(words).at(it.report_span, "a Provisioner that does not"));
            }
            None => {
                let words = "whether nodes are replaced that drift is not known";
                return Err(Silence::undecided(Cause::Value, words));
            }
        },
        _ => {}
    }
    let is_served = |it: &KarpenterObject| schema::of(&it.object.api_version, "NodePool").is_some();
    let unserved = provisioner.is_none()
        && !model.objects_near("NodePool", scope).any(is_served)
        && !has_pools(model, scope);
    match unserved.then(|| model.first_object_near("NodePool", scope)).flatten() {
        Some(pool) => {
            let words = "no release of Karpenter has the API version of the NodePools near";
            Err(Silence::undecided(Cause::Value, words).at(pool.report_span, "a NodePool"))
        }
        None => Ok(()),
    }
}

/// Whether some pool that Karpenter admits may be in the cluster of a scope.
fn has_pools(model: &Model, scope: &Scope) -> bool {
    model.node_pools.iter().any(|it| model.may_meet(&it.scope, scope))
}

/// Whether a Provisioner consolidates or expires nodes, or may.
fn disrupts(provisioner: &KarpenterObject) -> bool {
    let spec = provisioner.object.value.get("spec");
    let consolidates = match spec.get("consolidation").get("enabled") {
        Field::Missing => false,
        field => field.present().and_then(Value::as_bool) != Some(false),
    };
    consolidates || !spec.get("ttlSecondsUntilExpired").is_missing() || !provisioner.is_whole
}

/// Whether the feature gate of drift is on; it is off by default.
fn drifts(model: &Model, scope: &Scope) -> Option<bool> {
    let installation = model.karpenter_near(scope).1;
    let release = installation.and_then(|it| model.releases.get(it.release?));
    let Some(release) = release else { return Some(false) };
    let gates = ["settings.featureGates.driftEnabled", "settings.featureGates.drift"];
    any(gates.into_iter().map(|path| match release.values.at(path) {
        Field::Missing => Some(false),
        field => field.present().and_then(Value::as_bool),
    }))
}
