//! What a step asks of the Terraform module that makes the role of the controller.

use crate::{
    checks::module_step::raised,
    knowledge::upgrade::{self, Ask, ModuleAsk},
    model::{Model, module_call::ModuleCall},
    project::Project,
    upgrade::karpenter::Karpenter,
    version::{Range, Version, constraint::Constraint},
};

/// What is asked of the calls of the module `karpenter` that belong to a Karpenter.
#[must_use]
pub(super) fn module_asks(
    (model, project): (&Model, &Project),
    karpenter: &Karpenter,
    (from, to): (&Version, &Version),
) -> Vec<Ask> {
    let path = |it: &ModuleCall<'_>| project.files.get(it.object.header.file).path();
    let calls = ModuleCall::all(model).filter(|it| it.module == "karpenter");
    let calls: Vec<ModuleCall<'_>> = calls.filter(|it| karpenter.is_beside(path(it))).collect();
    let of = |ask: &'static ModuleAsk| {
        let calls = calls.clone();
        calls.into_iter().filter_map(move |call| of_call(project, &call, ask))
    };
    let mut asks: Vec<Ask> = upgrade::module_asks(from, to).flat_map(of).collect();
    asks.dedup_by(|a, b| a.r#do == b.r#do);
    asks
}

/// What is asked of a call whose versions are all too old, with what else changes then.
fn of_call(project: &Project, call: &ModuleCall<'_>, ask: &ModuleAsk) -> Option<Ask> {
    let (version, since) = (call.version()?, &ask.since);
    let new = Range { since: Some(since.clone()), until: None };
    Constraint::parse(&version)?.within(&new).filter(|it| !it)?;
    let span = call.version_place();
    let file = project.files.get(span.file);
    let place = format!("{}:{}", file.path(), file.line_of(span.start as usize) + 1);
    let mut done = ask.of(&format!("module.{}", call.object.name), &place, &version);
    for other in raised(call, since).map(|it| it.1).unwrap_or_default() {
        done.r#do.push_str("; ");
        done.r#do.push_str(&other.words);
    }
    Some(done)
}
