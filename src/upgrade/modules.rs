//! What a step asks of the Terraform modules that make the role of the controller.

use crate::{
    checks::module_step::raised,
    edits::edits,
    findings::{Fix, Safety, edit::Edit},
    knowledge::upgrade::{self, Ask, ModuleAsk},
    model::{Model, module_call::ModuleCall},
    project::Project,
    upgrade::{karpenter::Karpenter, kubernetes::place},
    value::Value,
    version::{Range, Version, constraint::Constraint},
};

/// Something that is asked of a call.
pub(super) struct ModuleStep {
    /// What.
    pub ask: Ask,
    /// What does it; unsafe, as the module may make other roles then.
    pub fix: Option<Fix>,
}

/// What is asked of the calls that belong to a Karpenter. What an earlier version asked for and was not done is
/// asked, too.
#[must_use]
pub(super) fn module_steps(
    (model, project): (&Model, &Project),
    karpenter: &Karpenter,
    to: &Version,
) -> Vec<ModuleStep> {
    let path = |it: &ModuleCall<'_>| project.files.get(it.object.header.file).path();
    let calls = ModuleCall::all(model).filter(|it| karpenter.is_beside(path(it)));
    let calls: Vec<ModuleCall<'_>> = calls.filter(makes_role).collect();
    let of = |ask: &'static ModuleAsk| {
        let calls = calls.clone().into_iter().filter(|it| it.module == ask.module);
        calls.filter_map(move |call| of_call(project, &call, ask))
    };
    let mut steps: Vec<ModuleStep> = upgrade::module_asks(to).flat_map(of).collect();
    steps.dedup_by(|a, b| a.ask.r#do == b.ask.r#do);
    steps
}

/// Whether a call may make the role of a controller: the blueprints do so where they install Karpenter.
fn makes_role(call: &ModuleCall<'_>) -> bool {
    let switch = call.object.body.get("enable_karpenter").present();
    call.module != "eks-blueprints-addons" || switch.and_then(Value::as_bool) == Some(true)
}

/// What is asked of a call whose versions are all too old, with what else changes then.
fn of_call(project: &Project, call: &ModuleCall<'_>, ask: &ModuleAsk) -> Option<ModuleStep> {
    let (version, since) = (call.version()?, &ask.since);
    let new = Range { since: Some(since.clone()), until: None };
    Constraint::parse(&version)?.within(&new).filter(|it| !it)?;
    let place = place(project, call.version_place());
    let mut done = ask.of(&format!("module.{}", call.object.name), &place, &version);
    let raised = raised(call, since);
    for other in raised.iter().flat_map(|it| &it.1) {
        done.r#do.push_str("; ");
        done.r#do.push_str(&other.words);
    }
    let fix = raised.and_then(|(version, others)| {
        let others = others.into_iter().map(|it| it.change);
        let changes = [Some(version)].into_iter().chain(others).collect::<Option<Vec<_>>>()?;
        let edits = edits(&project.files, &changes)?;
        let is_asked = |it: &Edit| project.is_asked_for(project.files.get(it.span.file).path());
        let title = "Raise the module".to_owned();
        edits.iter().all(is_asked).then_some(Fix { title, safety: Safety::Unsafe, edits })
    });
    if fix.is_some() {
        done.r#do.push_str(" (`--unsafe-fixes` does it)");
    }
    Some(ModuleStep { ask: done, fix })
}
