//! Modules that Terraform refuses wherever they are used, and root modules: what they refer to, they do not declare.

use std::sync::Arc;

use crate::{
    resolve::terraform::{
        module::Module,
        object::Mode,
        parsed::Parsed,
        reference::{Reference, in_body, in_expression},
    },
    source::{Files, Span, parent},
};

/// What a module refers to and does not declare, where nothing calls it, although others beside it are called, or where
/// it has providers of its own, declares no variable and refers to one. `None` where files that are not read may declare
/// it: those of other tools, and what could not be read. A single one may be in a file that its author keeps back.
pub(super) fn of_uncalled(
    files: &Files,
    parsed: &Parsed,
    root: &Module,
) -> Option<(Span, Arc<str>)> {
    let is_whole = root.has_own_setup && !root.variables.is_empty();
    if is_whole || root.leads_nowhere || !root.lost.is_empty() {
        return None;
    }
    // Few modules have such a reference: the other questions look through all files.
    let all = undeclared(root);
    let first = all.first()?;
    let found = if root.has_own_setup { all.iter().find(|it| is_variable(&it.1))? } else { first };
    let is_refused = (root.has_own_setup || is_beside_called(parsed, root))
        && !is_written_by_others(files, parsed, &root.folder);
    is_refused.then(|| found.clone())
}

fn is_variable(reference: &str) -> bool {
    reference.starts_with("var.")
}

/// Whether a module has no values, and others beside it are called.
fn is_beside_called(parsed: &Parsed, module: &Module) -> bool {
    let is_beside = |it: &str| {
        parent(it) == parent(&module.folder)
            && it != &*module.folder
            && parsed.modules.contains_key(it)
    };
    let callers = parsed.modules.values().filter(|it| it.folder != module.folder);
    let mut called = callers.flat_map(|it| &it.items).filter_map(|it| it.calls.as_deref());
    let has_values = || parsed.variable_files.keys().any(|it| parent(it) == &*module.folder);
    called.any(is_beside) && !has_values()
}

/// Whether another tool may add files to a folder.
fn is_written_by_others(files: &Files, parsed: &Parsed, folder: &str) -> bool {
    let mut templates = parsed.templates.iter().map(|it| files.get(*it).folder());
    let is_of_tool = |name: &str| {
        let (name, ending) = name.split_once('.').unwrap_or((name, ""));
        name == "terragrunt"
            || matches!(ending, "hcl" | "tm" | "tm.hcl")
            || ending.starts_with("tf.")
    };
    let mut own = files.iter().map(|it| it.1).filter(|it| it.folder() == folder);
    templates.any(|it| it == folder)
        || own.any(|it| !it.name().ends_with(".tf.json") && is_of_tool(it.name()))
}

/// The references of a module, in the order of its text, to what it does not declare.
fn undeclared(module: &Module) -> Vec<(Span, Arc<str>)> {
    let mut found: Vec<(Span, Arc<str>)> = Vec::new();
    let mut see = |it: Reference<'_>| found.extend(missing(module, &it));
    for item in &module.items {
        in_body(&item.block.body, &mut see);
        for it in item.block.body.attributes.iter().filter(|it| &*it.name == "depends_on") {
            in_expression(&it.value, &mut see);
        }
    }
    for local in module.locals.values() {
        in_expression(&local.value, &mut see);
    }
    found.sort_by_key(|it| (it.0.file, it.0.start));
    found
}

/// A reference to a module call, a variable or a local value that is not declared. Resources are left alone: their
/// first word may also be a variable of a loop or of a `dynamic` block.
fn missing(module: &Module, to: &Reference<'_>) -> Option<(Span, Arc<str>)> {
    let name = *to.names.first()?;
    let is_there = match to.root {
        "module" => module.find(Mode::Module, "module", name).is_some(),
        "var" => module.variables.contains_key(name),
        "local" => module.locals.contains_key(name),
        _ => true,
    };
    (!is_there).then(|| (to.whole.span, Arc::from(format!("{}.{name}", to.root))))
}
