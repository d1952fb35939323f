//! Argo CD `ApplicationSets`: a template filled in for every element of its generators.

use std::sync::Arc;

use crate::{
    resolve::{
        gitops::{
            generator::Generator,
            parameters::{Params, filled, is_large},
            repository::Repository,
        },
        helm,
    },
    value::{Entry, Kind, Map, Value},
};

/// The Applications that a set makes. Placeholders whose values come from the cluster stay unknown.
#[must_use]
pub(super) fn applications(repository: &Repository<'_>, set: &Value) -> Vec<Value> {
    let go = set.at("spec.goTemplate").present().and_then(Value::as_bool) == Some(true);
    let generators = generators(set);
    let reader = Generator { repository, go };
    let found: Vec<Vec<Params>> = generators.iter().map(|it| reader.elements(it)).collect();
    // What one generator finds of a repository of this name is here, and so is what another one does not find.
    let is_read = |address: &str| {
        let mut all = generators.iter().zip(&found);
        all.any(|(it, found)| git_address(it) == Some(address) && is_known(found))
    };
    let mut made = Vec::new();
    for (generator, elements) in generators.iter().zip(&found) {
        let finds_nothing = !is_known(elements) && git_address(generator).is_some_and(is_read);
        if !finds_nothing {
            made.extend(filled_in(set, generator, elements, go));
        }
    }
    made
}

/// Whether all generators look into git.
#[must_use]
pub(super) fn is_of_git(set: &Value) -> bool {
    let all = generators(set);
    !all.is_empty() && all.iter().all(|it| git_address(it).is_some())
}

/// The generators of a set.
#[must_use]
pub(super) fn generators(set: &Value) -> &[Value] {
    set.at("spec.generators").present().map_or(&[][..], Value::items)
}

fn is_known(elements: &[Params]) -> bool {
    elements.iter().all(|it| !it.is_empty())
}

/// The repository in which a generator looks for files or folders.
fn git_address(generator: &Value) -> Option<&str> {
    generator.at("git.repoURL").present()?.as_str()
}

/// What a generator makes of the template of its set.
fn filled_in(set: &Value, generator: &Value, elements: &[Params], go: bool) -> Vec<Value> {
    let Some(template) = set.at("spec.template").present() else { return Vec::new() };
    let own = generator.entries().iter().find_map(|it| it.value.get("template").present());
    let template = match own {
        Some(own) => helm::merge::merge(template.clone(), &without_empty(own)),
        None => template.clone(),
    };
    let unknown = [Params::new()];
    let elements = if is_large(&template, elements.len()) { &unknown[..] } else { elements };
    elements.iter().map(|it| filled(&template, it, go)).collect()
}

/// The template of a generator without what is empty in it: there the set's own counts.
fn without_empty(template: &Value) -> Value {
    let Kind::Map(map) = &template.kind else { return template.clone() };
    let is_empty = |it: &Value| it.is_empty() || it.as_str() == Some("");
    let inner =
        map.entries.iter().map(|it| Entry { value: without_empty(&it.value), ..it.clone() });
    let entries = inner.filter(|it| !is_empty(&it.value)).collect();
    let kind = Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }));
    Value { kind, ..template.clone() }
}

/// Whether a patch in text form may change the sources of what the template makes.
#[must_use]
pub(super) fn is_patched(set: &Value) -> bool {
    match set.at("spec.templatePatch").present().map(|it| &it.kind) {
        None => false,
        Some(Kind::String(text)) => text.text.contains("source"),
        Some(_) => true,
    }
}
