//! The variables that some file of variables sets: their defaults need not be what is applied.
//!
//! Two questions: whether any file sets a variable at all, which settles it for what is absent, and whether
//! one sets it to something else, which settles it for what is written.

use std::collections::{HashMap, HashSet};

use crate::{
    resolve::setting::Setting,
    source::{FileId, Files},
    value::{Value, step::Step},
};

/// What the repository's files of variables set, also those that are only read when a command line names them.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The variables of `.tfvars` files, and those files.
    names: HashSet<String>,
    files: HashSet<FileId>,
    /// The texts that variables are set to, in the inputs of Terragrunt, too.
    texts: HashMap<String, HashSet<String>>,
}

impl Inputs {
    /// Reads all of them.
    #[must_use]
    pub fn find(files: &Files) -> Self {
        let mut inputs = Self::default();
        for (id, file) in files.iter() {
            let of_terraform = file.ending() == "tfvars" || file.path().ends_with(".tfvars.json");
            let of_terragrunt = file.ending() == "hcl" && !file.path().ends_with(".lock.hcl");
            if !of_terraform && !of_terragrunt {
                continue;
            }
            for (name, text) in file.text().lines().filter_map(entry) {
                if of_terraform {
                    inputs.files.insert(id);
                    inputs.names.insert(name.to_owned());
                }
                inputs.texts.entry(name.to_owned()).or_default().insert(bare(text).to_owned());
            }
        }
        inputs
    }

    /// Whether a value is the default of a variable that some file sets.
    #[must_use]
    pub fn may_replace(&self, value: &Value) -> bool {
        let set = |step: &Step| step.kind.variable().is_some_and(|it| self.names.contains(it));
        !self.files.contains(&value.span.file) && value.steps().any(set)
    }

    /// Whether a setting is the default of a variable that some file sets to something else: environments
    /// differ in little else as often.
    #[must_use]
    pub fn vary<T>(&self, files: &Files, setting: &Setting<T>) -> bool {
        let default = bare(files.text(setting.span()));
        let others = |name: &str| {
            self.texts.get(name).is_some_and(|it| it.iter().any(|text| text != default))
        };
        let mut steps = setting.value().into_iter().flat_map(Value::steps);
        let varies = steps.any(|it| it.kind.variable().is_some_and(others));
        varies && files.get(setting.span().file).ending() == "tf"
    }
}

/// Whether a value came through a variable.
#[must_use]
pub fn is_of_variable(value: &Value) -> bool {
    value.steps().any(|it| it.kind.variable().is_some())
}

/// The text of a value without quotes, and without what follows it on its line.
fn bare(text: &str) -> &str {
    let text = text.split(['#', ';']).next().unwrap_or_default();
    text.trim_matches([' ', '\t', '\r', ',', '"'])
}

/// The name that a line gives a value to, and what follows.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(['=', ':'])?;
    let name = name.trim().trim_start_matches('{').trim().trim_matches('"');
    let plain = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    (!name.is_empty() && name.chars().all(plain)).then_some((name, text))
}

#[cfg(test)]
mod tests {
    use super::{bare, entry};

    #[test]
    fn a_line_of_a_file_of_variables_names_one() {
        for (line, wanted) in [
            ("limits = { cpu = 100 }", Some(("limits", "{ cpu = 100 }"))),
            ("  \"after\": \"5m\",", Some(("after", "5m"))),
            ("version = \"1.2\" # the newest", Some(("version", "1.2"))),
            ("{\"limits\": {\"cpu\": 100}}", Some(("limits", "{\"cpu\": 100}}"))),
            ("# see a = b", None),
            ("]", None),
            ("", None),
        ] {
            let found = entry(line).map(|(name, text)| (name, bare(text)));
            assert_eq!(found, wanted, "{line}");
        }
    }
}
