//! What Terraform removes in which order.

use crate::{
    checks::unread::hidden_controller,
    findings::silence::Silence,
    model::{Model, karpenter::KarpenterResource},
    resolve::{
        release::{Release, ReleaseCode},
        scope::Scope,
    },
    value::cause::Cause,
};

/// The controller that nothing makes wait, on destroy, until a resource is gone.
pub(crate) fn unordered<'a>(
    model: &'a Model,
    resource: &KarpenterResource,
) -> Result<(&'a Release, &'a ReleaseCode), Silence> {
    let controllers = model.controllers_of_root(resource.root);
    let (controller, code) = match controllers.as_slice() {
        [only] => only.code().map(|it| (*only, it)),
        [] => None,
        _ => {
            let words = "several releases of the controller are in this root module";
            return Err(Silence::undecided(Cause::Ambiguous, words));
        }
    }
    .ok_or_else(|| {
        let scope = Scope::new(Some(resource.root), &"".into());
        let sound = || Silence::sound("no release of the controller is in this root module");
        hidden_controller(model, &scope).unwrap_or_else(sound)
    })?;
    if model.root_waits_for(resource.root, resource.node, code.node) {
        return Err(Silence::sound("it depends on the release of the controller")
            .at(controller.report_span, "the controller"));
    }
    Ok((controller, code))
}
