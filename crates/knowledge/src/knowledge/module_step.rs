//! What a major version of a well-known Terraform module changes for its callers.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use crate::{
    knowledge::read::{Read, document},
    version::{Range, Version, constraint::Constraint},
};

/// The file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Steps {
    steps: Vec<ModuleStep>,
}

/// What one version of a module changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleStep {
    /// The submodule of `terraform-aws-modules/eks`; empty for the module itself.
    pub module: String,
    /// The version.
    pub since: Version,
    /// Inputs that have other names, the old names first.
    #[serde(default)]
    pub inputs: BTreeMap<String, String>,
    /// Inputs that are gone.
    #[serde(default)]
    pub gone: Vec<GoneInput>,
    /// Inputs with another default.
    #[serde(default)]
    pub defaults: Vec<NewDefault>,
    /// Outputs that have other names, the old names first.
    #[serde(default)]
    pub outputs: BTreeMap<String, String>,
    /// Where that is written.
    pub source: String,
    /// The day it was checked.
    pub checked: String,
}

/// An input without a successor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoneInput {
    /// Its name.
    pub input: String,
    /// Why it is gone, or what takes its place.
    pub why: String,
    /// The value with which nothing is lost without it.
    pub same_when: Option<Literal>,
}

/// A value as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Literal {
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(String),
}

/// An input that does something else where it is not written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewDefault {
    /// Its name.
    pub input: String,
    /// What it was; the version before did so, whether or not it had the input.
    pub was: bool,
    /// What the other default means.
    pub why: String,
    /// An input without which it means nothing.
    pub with_input: Option<String>,
    /// How the outputs begin of which one has to be used for it to mean something.
    pub with_output: Option<String>,
}

static READ: LazyLock<Read<Steps>> =
    LazyLock::new(|| document("module-steps.yaml", include_str!("module-steps.yaml")));

/// What could not be read.
pub(super) fn problems() -> &'static [String] {
    &READ.problems
}

/// All of them, the oldest of a module first.
#[must_use]
pub fn steps() -> &'static [ModuleStep] {
    &READ.data.steps
}

impl ModuleStep {
    /// Whether an input is one that this version takes away and has under no other meaning.
    #[must_use]
    pub fn ends(&self, input: &str) -> bool {
        let is_gone = self.gone.iter().any(|it| it.input == input);
        let is_renamed =
            self.inputs.contains_key(input) && !self.inputs.values().any(|it| it == input);
        is_gone || is_renamed
    }
}

/// The first version of a module that does not have all of these inputs any more.
#[must_use]
pub fn first_without(module: &str, inputs: &[&str]) -> Option<&'static Version> {
    let of_module = steps().iter().filter(|it| it.module == module);
    let mut ends = of_module.filter(|step| inputs.iter().any(|it| step.ends(it)));
    ends.next().map(|it| &it.since)
}

/// Those of a module between the versions of two constraints, whichever of these are installed.
pub fn between<'a>(
    module: &'a str,
    before: &'a Constraint,
    now: &'a Constraint,
) -> impl Iterator<Item = &'static ModuleStep> + 'a {
    steps().iter().filter(move |it| {
        let newer = Range { since: Some(it.since.clone()), until: None };
        it.module == module
            && before.within(&newer) == Some(false)
            && now.within(&newer) == Some(true)
    })
}

#[cfg(test)]
mod tests {
    use super::{between, first_without};
    use crate::version::constraint::Constraint;

    #[test]
    fn inputs_end_with_a_version() {
        for (module, inputs, wanted) in [
            ("karpenter", "cluster_name", None),
            ("karpenter", "cluster_name enable_irsa", Some("21.0.0")),
            ("karpenter", "irsa_name enable_irsa", Some("20.0.0")),
            // The input of version 19 has another name, and another input this one.
            ("karpenter", "iam_role_name", None),
            ("", "cluster_name vpc_id", Some("21.0.0")),
            ("", "name vpc_id", None),
        ] {
            let inputs: Vec<&str> = inputs.split(' ').collect();
            let found = first_without(module, &inputs).map(ToString::to_string);
            assert_eq!(found.as_deref(), wanted, "{module} {inputs:?}");
        }
    }

    #[test]
    fn a_step_is_taken_where_all_versions_take_it() {
        for (before, now, wanted) in [
            ("19.21.0", "20.0.0", "20.0.0"),
            ("19.21.0", "21.3.0", "20.0.0 21.0.0"),
            ("20.37.2", "21.0.0", "21.0.0"),
            ("~> 20.0", "~> 21.0", "21.0.0"),
            (">= 20.0", "~> 21.0", ""),
            ("~> 20.0", "~> 20.8", ""),
            ("21.0.0", "20.37.0", ""),
        ] {
            let [before, now] = [before, now].map(|it| Constraint::parse(it).expect("it is one"));
            let found = between("karpenter", &before, &now).map(|it| it.since.to_string());
            assert_eq!(found.collect::<Vec<_>>().join(" "), wanted);
        }
    }
}
