//! The variables that some file of variables sets: their defaults need not be what is applied.
//!
//! Two questions: whether any file sets a variable at all, which settles it for what is absent, and whether
//! one sets it to something else, which settles it for what is written.

mod interpolated;

use std::ops::Range;

use crate::hash::{HashMap, HashSet};

use crate::{
    resolve::{
        setting::Setting,
        terraform::inputs::interpolated::{interpolations_in, locals_in, variables_in},
    },
    source::{FileId, Files, SourceFile, outward},
    value::{Kind, TextSource, Value, step::Step},
};

/// What the repository's files of variables set, also those that are only read when a command line names them.
#[derive(Debug, Default)]
pub struct Inputs {
    /// What is set for the code of a folder.
    of_folder: HashMap<String, FolderInputs>,
    /// What is set for any code: by files that lie beside no code, and by Terragrunt.
    of_any: FolderInputs,
    /// The folder of each file of code, and the files of variables.
    folders: HashMap<FileId, String>,
    files: HashSet<FileId>,
    /// Where code puts variables that are set into texts: `${var.name}`, with the variable.
    interpolated: HashMap<FileId, Vec<(Range<usize>, String)>>,
}

/// What files of variables set for the code of a folder.
#[derive(Debug, Default)]
struct FolderInputs {
    /// The variables of `.tfvars` files.
    names: HashSet<String>,
    /// The texts that variables are set to, in the inputs of Terragrunt, too.
    texts: HashMap<String, HashSet<String>>,
}

impl Inputs {
    /// Reads all of them.
    #[must_use]
    pub fn find(files: &Files) -> Self {
        let mut inputs = Self::default();
        let code = files.iter().filter(|(_, it)| is_code(it));
        inputs.folders = code.map(|(id, it)| (id, it.folder().to_owned())).collect();
        let folders: HashSet<&str> = inputs.folders.values().map(String::as_str).collect();
        let mut of_folder: HashMap<String, FolderInputs> = HashMap::default();
        for (id, file) in files.iter() {
            let of_terraform = file.ending() == "tfvars" || file.path().ends_with(".tfvars.json");
            let of_terragrunt = file.ending() == "hcl" && !file.path().ends_with(".lock.hcl");
            if !of_terraform && !of_terragrunt {
                continue;
            }
            let above = outward(file.folder());
            let own = above.filter(|_| of_terraform).find(|it| folders.contains(it));
            let given = match own {
                Some(folder) => of_folder.entry(folder.to_owned()).or_default(),
                None => &mut inputs.of_any,
            };
            if of_terraform {
                inputs.files.insert(id);
            }
            for (name, text) in file.text().lines().filter_map(entry) {
                if of_terraform {
                    given.names.insert(name.to_owned());
                }
                given.texts.entry(name.to_owned()).or_default().insert(bare(text).to_owned());
            }
        }
        inputs.of_folder = of_folder;
        inputs.interpolated = inputs.interpolations(files);
        inputs
    }

    /// Where code puts variables that some file sets into texts, also by way of its locals.
    fn interpolations(&self, files: &Files) -> HashMap<FileId, Vec<(Range<usize>, String)>> {
        let is_given = |id: FileId| self.given_in(id).any(|it| !it.names.is_empty());
        let code = || files.iter().filter(|(id, it)| is_code(it) && is_given(*id));
        let mut locals: HashMap<&str, HashMap<&str, &str>> = HashMap::default();
        for (_, file) in code() {
            locals.entry(file.folder()).or_default().extend(locals_in(file.text()));
        }
        let of_file = |(id, file): (FileId, &SourceFile)| {
            let is_set = |it: &str| self.given_in(id).any(|own| own.names.contains(it));
            let own = locals.get(file.folder())?;
            let found = interpolations_in(file.text());
            let found = found.filter_map(|(place, text)| {
                let name = variables_in(text, own).into_iter().find(|it| is_set(it))?;
                Some((place, name.to_owned()))
            });
            Some((id, found.collect()))
        };
        code().filter_map(of_file).collect()
    }

    /// What is set for the code in which a step is written.
    fn given(&self, step: &Step) -> impl Iterator<Item = &FolderInputs> {
        self.given_in(step.span.file)
    }

    /// What is set for the code of a file.
    fn given_in(&self, file: FileId) -> impl Iterator<Item = &FolderInputs> {
        let folder = self.folders.get(&file);
        folder.and_then(|it| self.of_folder.get(it)).into_iter().chain([&self.of_any])
    }

    /// Whether a value, or what is put into it, is the default of a variable that some file sets.
    #[must_use]
    pub fn may_replace(&self, value: &Value) -> bool {
        let set = |step: &Step| {
            let name = step.kind.variable();
            name.is_some_and(|name| self.given(step).any(|it| it.names.contains(name)))
        };
        let of_part =
            |(file, name): (FileId, &str)| self.given_in(file).any(|it| it.names.contains(name));
        !self.files.contains(&value.span.file) && value.steps().any(set)
            || self.parts(value).any(of_part)
    }

    /// Whether no file sets a variable that a value came through, or what is put into it, to something else than what
    /// counts here.
    #[must_use]
    pub fn is_settled(&self, value: &Value) -> bool {
        let is_one = |step: &Step| {
            let name = step.kind.variable();
            let texts = name.into_iter().flat_map(|name| {
                self.given(step).filter_map(move |it| it.texts.get(name)).flatten()
            });
            texts.into_iter().collect::<HashSet<&String>>().len() <= 1
        };
        !self.may_replace(value) && value.steps().all(is_one)
    }

    /// The variables that are put into a text, each with the file that does so.
    fn parts<'a>(&'a self, value: &'a Value) -> impl Iterator<Item = (FileId, &'a str)> {
        let layout = if let Kind::String(text) = &value.kind { Some(&text.layout) } else { None };
        let pieces = if let Some(TextSource::Pieces(it)) = layout { &it[..] } else { &[] };
        pieces.iter().filter_map(|it| {
            let mut own = self.interpolated.get(&it.span.file)?.iter();
            let begins = it.span.start as usize;
            own.find(|(place, _)| place.contains(&begins)).map(|(_, name)| (it.span.file, &**name))
        })
    }

    /// Whether a setting is the default of a variable that some file sets to something else: environments
    /// differ in little else as often.
    #[must_use]
    pub fn vary<T>(&self, files: &Files, setting: &Setting<T>) -> bool {
        let default = bare(files.text(setting.span()));
        self.set_others(files, setting, &|text| text == default)
    }

    /// Whether a setting is the default of a variable that some file sets to a text that is not the same.
    #[must_use]
    pub fn set_others<T>(
        &self,
        files: &Files,
        setting: &Setting<T>,
        is_same: &dyn Fn(&str) -> bool,
    ) -> bool {
        let others = |step: &Step| {
            let name = step.kind.variable();
            let texts = name.into_iter().flat_map(|name| {
                self.given(step).filter_map(move |it| it.texts.get(name)).flatten()
            });
            texts.into_iter().any(|text| !is_same(text))
        };
        let mut steps = setting.value().into_iter().flat_map(Value::steps);
        steps.any(others) && files.get(setting.span().file).ending() == "tf"
    }
}

/// Whether a file holds Terraform code.
fn is_code(file: &SourceFile) -> bool {
    matches!(file.ending(), "tf" | "tofu") || file.path().ends_with(".tf.json")
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
