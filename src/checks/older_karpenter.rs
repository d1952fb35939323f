//! What Karpenter before its API `v1` does to running pods: other annotations keep them, and with Provisioners it
//! may leave them alone.

use crate::{
    findings::silence::Silence,
    model::{
        Model,
        annotation::{key::DisruptionKey, position::AnnotationPosition},
        karpenter_object::KarpenterObject,
        workload::Workload,
    },
    resolve::scope::Scope,
    value::{Field, Value},
    version::Version,
};

/// Whether the Karpenter near knows no `NodePools`.
#[must_use]
pub(crate) fn has_provisioners(model: &Model, scope: &Scope) -> bool {
    model.karpenter_near(scope).0.is_some_and(|it| it < Version::new(0, 32, 0))
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

/// That a Provisioner near may have nodes removed while pods run on them.
///
/// # Errors
/// All that is near only removes empty nodes.
pub(super) fn removes_nodes_in_use(model: &Model, workload: &Workload) -> Result<(), Silence> {
    if !has_provisioners(model, &workload.scope) {
        return Ok(());
    }
    let is_near = |it: &&KarpenterObject| {
        &*it.object.kind == "Provisioner" && model.may_meet(&it.scope, &workload.scope)
    };
    let provisioners: Vec<&KarpenterObject> =
        model.karpenter_objects.iter().filter(is_near).collect();
    let idle = provisioners.first().filter(|_| !provisioners.iter().any(|it| disrupts(it)));
    match idle {
        Some(it) if !drifts(model, &workload.scope) => {
            let words = "no Provisioner near removes nodes on which pods run";
            Err(Silence::sound(words).at(it.report_span, "a Provisioner that does not"))
        }
        _ => Ok(()),
    }
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

/// Whether the feature gate of drift is on, or may be; it is off by default.
fn drifts(model: &Model, scope: &Scope) -> bool {
    let installation = model.karpenter_near(scope).1;
    let release = installation.and_then(|it| model.releases.get(it.release?));
    let gates = ["settings.featureGates.driftEnabled", "settings.featureGates.drift"];
    release.is_some_and(|release| {
        gates.into_iter().any(|path| match release.values.at(path) {
            Field::Missing => false,
            field => field.present().and_then(Value::as_bool) != Some(false),
        })
    })
}
