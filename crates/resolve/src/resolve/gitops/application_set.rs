//! Argo CD `ApplicationSets`: a template filled in for every element of its generators.

use crate::{
    resolve::{
        gitops::{
            generator::Generator,
            parameters::{Params, filled, is_large},
            repository::Repository,
        },
        helm,
    },
    value::{Kind, Value},
};

/// The Applications that a set makes. Placeholders whose values come from the cluster stay unknown.
#[must_use]
pub(super) fn applications(repository: &Repository<'_>, set: &Value) -> Vec<Value> {
    let Some(template) = set.at("spec.template").present() else { return Vec::new() };
    let go = set.at("spec.goTemplate").present().and_then(Value::as_bool) == Some(true);
    let generators = set.at("spec.generators").present().map_or(&[][..], Value::items);
    let mut made = Vec::new();
    for generator in generators {
        let own = generator.entries().iter().find_map(|it| it.value.get("template").present());
        let template = match own {
            Some(own) => helm::merge::merge(template.clone(), own),
            None => template.clone(),
        };
        let mut elements = (Generator { repository, go }).elements(generator);
        if is_large(&template, elements.len()) {
            elements = vec![Params::new()];
        }
        made.extend(elements.iter().map(|it| filled(&template, it, go)));
    }
    made
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
