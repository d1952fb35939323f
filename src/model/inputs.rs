//! The variables that some file of variables sets: their defaults need not be what is applied.
//!
//! Two questions: whether any file sets a variable at all, which settles it for what is absent, and whether
//! one sets it to something else, which settles it for what is written.

use std::collections::HashSet;

use crate::{
    model::setting::Setting,
    source::{FileId, Files, SourceFile},
    value::{Step, Value},
};

/// What the repository's files of variables set, also those that are only read when somebody names them.
#[derive(Debug, Default)]
pub struct Inputs {
    names: HashSet<String>,
    files: HashSet<FileId>,
}

impl Inputs {
    /// Reads the names of all of them.
    #[must_use]
    pub fn find(files: &Files) -> Self {
        let is_input = |it: &str| it.ends_with(".tfvars") || it.ends_with(".tfvars.json");
        let mut inputs = Self::default();
        for (id, file) in files.iter().filter(|(_, it)| is_input(it.path())) {
            inputs.files.insert(id);
            inputs.names.extend(file.text().lines().filter_map(name).map(str::to_owned));
        }
        inputs
    }

    /// Whether a value is the default of a variable that some file sets.
    #[must_use]
    pub fn may_replace(&self, value: &Value) -> bool {
        let set = |step: &Step| variable(&step.message).is_some_and(|it| self.names.contains(it));
        !self.files.contains(&value.span.file) && value.steps().any(set)
    }
}

/// Whether a value came through a variable.
#[must_use]
pub fn is_of_variable(value: &Value) -> bool {
    value.steps().any(|it| variable(&it.message).is_some())
}

/// Whether a setting is the default of a variable that some variable file sets to something else:
/// environments differ in little else as often.
#[must_use]
pub fn is_one_of_several<T>(files: &Files, setting: &Setting<T>) -> bool {
    let is_default = files.get(setting.span().file).ending() == "tf";
    let steps = setting.steps();
    let names: Vec<&str> = steps.iter().filter_map(|it| variable(&it.message)).collect();
    let bare = |text: &str| text.trim_matches([' ', '\t', '\r', ',', '"']).to_owned();
    let default = bare(files.text(setting.span()));
    let sets = |text: &str| {
        let mut entries = text.lines().filter_map(|it| it.split_once(['=', ':']));
        entries.any(|(key, value)| {
            let value = value.split(['#', ';']).next().unwrap_or_default();
            names.contains(&&*bare(key)) && bare(value) != default
        })
    };
    // Those of Terragrunt are inputs.
    let is_input = |it: &SourceFile| match it.ending() {
        "json" => it.path().ends_with(".tfvars.json"),
        "hcl" => !it.path().ends_with(".lock.hcl"),
        ending => ending == "tfvars",
    };
    let mut variables = files.iter().filter(|(_, it)| is_input(it));
    is_default && !names.is_empty() && variables.any(|(_, it)| sets(it.text()))
}

/// The name that a line gives a value to.
fn name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(['=', ':'])?;
    let name = name.trim().trim_start_matches('{').trim().trim_matches('"');
    let plain = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// The variable of a step: "through `var.pool.limits`".
fn variable(message: &str) -> Option<&str> {
    message.strip_prefix("through `var.")?.split(['.', '[', '`']).next()
}

#[cfg(test)]
mod tests {
    use super::{name, variable};

    #[test]
    fn a_line_of_a_file_of_variables_names_one() {
        for (line, wanted) in [
            ("limits = { cpu = 100 }", Some("limits")),
            ("  \"after\": \"5m\",", Some("after")),
            ("{\"limits\": {\"cpu\": 100}}", Some("limits")),
            ("# see a = b", None),
            ("]", None),
            ("", None),
        ] {
            assert_eq!(name(line), wanted, "{line}");
        }
    }

    #[test]
    fn a_step_names_its_variable() {
        for (message, wanted) in [
            ("through `var.limits`", Some("limits")),
            ("through `var.pool.limits`", Some("pool")),
            ("through `var.pools[0]`", Some("pools")),
            ("through `local.limits`", None),
        ] {
            assert_eq!(variable(message), wanted, "{message}");
        }
    }
}
