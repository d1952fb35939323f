//! Pools that the commands of a provisioner apply: Terraform never deletes them, and removes their controller.

use crate::{
    checks::{destroy_order::only_controller, teardown::removes_any_nodes},
    findings::silence::Silence,
    model::{
        Model,
        local_run::{LocalRun, RUNNERS, provisioners, runs_on_destroy},
        teardown_script::KeptOrder,
    },
    resolve::{release::Release, terraform::object::Mode},
    value::cause::Cause,
};

/// What destroys the controller of pools that stay.
pub(crate) struct LeftBehind<'m> {
    /// Its release.
    pub controller: &'m Release,
    /// A document by which a person deletes the pools before.
    pub kept: Option<KeptOrder>,
    /// Whether nothing makes the commands wait for the release.
    pub is_unordered: bool,
}

/// The controller that a destroy removes while the pools of a resource's commands are there.
pub(crate) fn left_behind<'m>(model: &'m Model, run: &LocalRun) -> Result<LeftBehind<'m>, Silence> {
    let (controller, code) = only_controller(model, run.root)?;
    if run.is_optional || controller.is_optional {
        let words = "it, or the controller, is there only where a variable is set";
        return Err(Silence::undecided(Cause::Value, words));
    }
    removed_on_destroy(model, run.root)?;
    let kept = model.removes_nodes_first(run.root, false);
    if let Some(script) = kept.filter(|it| !it.is_documented) {
        let silence = Silence::sound("a script takes care of it before the destroy");
        return Err(silence.at(script.span, "the command"));
    }
    let waits = model.root_waits_for(run.root, run.node, code.node)
        || model.undeclared_wait(run.root, run.node).is_some();
    Ok(LeftBehind { controller, kept, is_unordered: !waits && !run.waits_for_crds })
}

/// That no provisioner of a root module deletes pools when it is destroyed, as far as its commands are known.
fn removed_on_destroy(model: &Model, root: usize) -> Result<(), Silence> {
    let root = model.terraform.roots.get(root);
    let blocks = root
        .into_iter()
        .flat_map(|root| RUNNERS.into_iter().flat_map(move |kind| root.of(Mode::Resource, kind)));
    for provisioner in blocks.flat_map(provisioners).filter(|it| runs_on_destroy(it)) {
        match removes_any_nodes(provisioner) {
            Some(false) => {}
            Some(true) => {
                let words = "a provisioner deletes NodePools when it is destroyed";
                return Err(Silence::sound(words).at(provisioner.name, "the provisioner"));
            }
            None => {
                let words = "a provisioner may delete NodePools when it is destroyed";
                let silence = Silence::undecided(Cause::Value, words);
                return Err(silence.at(provisioner.name, "the provisioner"));
            }
        }
    }
    Ok(())
}
