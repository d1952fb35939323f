//! Variants: the same repository judged with several sets of variable files.

use std::collections::HashMap;

use crate::{
    config::Config,
    findings::Finding,
    lint::{repeated::FindingId, verdicts::Verdicts},
    model::Model,
};

/// The sets to judge with; one without a name where the config names none.
pub(super) fn sets(config: &Config) -> Vec<(Option<&str>, &[String])> {
    if config.variants.is_empty() {
        return vec![(None, &[])];
    }
    config.variants.iter().map(|(name, files)| (Some(name.as_str()), files.as_slice())).collect()
}

/// A set's name, and what was found with it.
pub(super) type VariantResult<'c> = (Option<&'c str>, (Model, Verdicts));

/// What was found with each set as one list. A finding that holds with some sets only says with which.
/// The model is that of the first set.
pub(super) fn merge(judged: Vec<VariantResult<'_>>) -> (Model, Verdicts) {
    let all = judged.len();
    let mut model = None;
    let mut found: Vec<(Finding, Vec<&str>)> = Vec::new();
    let mut unreported = Vec::new();
    let mut places: HashMap<FindingId, usize> = HashMap::new();
    for (name, (its_model, verdicts)) in judged {
        model.get_or_insert(its_model);
        unreported.extend(verdicts.unreported);
        for finding in verdicts.findings {
            let place = *places.entry(FindingId::of(&finding)).or_insert(found.len());
            if place == found.len() {
                found.push((finding, Vec::new()));
            }
            if let Some((_, names)) = found.get_mut(place) {
                names.extend(name);
            }
        }
    }
    let findings = found.into_iter().map(|(mut finding, names)| {
        if names.len() < all && !names.is_empty() {
            let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
            let word = if names.len() == 1 { "variant" } else { "variants" };
            let message = format!("only with {word} {}", names.join(", "));
            finding.note(finding.span, message);
        }
        finding
    });
    let findings = findings.collect();
    (model.unwrap_or_default(), Verdicts { findings, unreported }.once_each())
}
