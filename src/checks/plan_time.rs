//! Resources that Terraform can only plan when the cluster has Karpenter's CRDs already.

use crate::{
    findings::silence::Silence,
    model::{Model, environment::are_apart, karpenter::KarpenterResource},
    resolve::{release::Release, scope::Scope},
    value::cause::Cause,
};

/// The release that brings the CRDs without which a `kubernetes_manifest` cannot be planned, in the same
/// root module; `None` for resources of other types, which ask the cluster when they are applied.
pub(crate) fn brought_too_late<'m>(
    model: &'m Model,
    resource: &KarpenterResource,
) -> Option<Result<&'m Release, Silence>> {
    let block = model.blocks_of(resource).find(|it| &*it.kind == "kubernetes_manifest")?;
    let root = model.terraform.roots.get(resource.root)?;
    if root.is_off(block) {
        return Some(Err(Silence::sound("it is off until a variable is set")));
    }
    Some(crd_release(model, resource.root))
}

/// The release of a root module that brings Karpenter's CRDs.
fn crd_release(model: &Model, root: usize) -> Result<&Release, Silence> {
    let here = |it: &&Release| it.scope.root == Some(root) && !it.is_optional;
    let mut releases = model.releases.iter().filter(here);
    if let Some(crds) = releases.clone().find(|it| it.is_crds()) {
        return Ok(crds);
    }
    let scope = model.terraform.roots.get(root).map(|it| Scope::new(Some(root), &it.folder));
    let may_be_here = |it: &Release| {
        scope.as_ref().is_some_and(|scope| {
            model.may_meet(&it.scope, scope) && !are_apart(&it.scope.folder, &scope.folder)
        })
    };
    if model.releases.iter().any(|it| it.is_crds() && may_be_here(it)) {
        let words = "a `karpenter-crd` release elsewhere may bring the CRD";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    let mut controllers = releases.by_ref().filter(|it| it.is_controller()).peekable();
    if controllers.peek().is_none() {
        return Err(Silence::sound("no release in this root module brings its CRD"));
    }
    let mut open = None;
    for controller in controllers {
        match controller.skip_crds.decided("the switch that skips CRDs") {
            Ok(skipped) if !skipped => return Ok(controller),
            Ok(_) => {}
            Err(silence) => open = Some(silence),
        }
    }
    Err(open.unwrap_or_else(|| Silence::sound("the releases of this root module skip the CRDs")))
}
