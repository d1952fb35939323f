//! In which folders the commands of a file run Terraform to destroy.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use crate::{
    model::teardown_script::{
        functions,
        step::{PROGRAMS, destroy},
    },
    source::{FileId, Span},
};

/// What makes Terragrunt run a command in all folders below.
const RUNS_ALL: [&str; 3] = ["run-all", "run --all", "destroy-all"];

/// A destroy of what is in one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FolderDestroy {
    /// The last name of the path of the folder; `None` where it is not known.
    pub name: Option<String>,
    /// Whether the whole path is written where the folder is entered.
    pub is_written: bool,
    /// The command.
    pub span: Span,
}

/// The names of a folder that is entered.
#[derive(Clone, Default)]
struct Entered {
    /// Several where a loop goes through them; none where they are not known.
    names: Vec<String>,
    is_written: bool,
}

/// The destroys of a text, in their order.
pub(super) fn destroys(id: FileId, text: &str, commands: &[Range<usize>]) -> Vec<FolderDestroy> {
    let names = Names::of(text);
    let mut current = Entered::default();
    let mut found = Vec::new();
    for place in commands {
        let command = text.get(place.clone()).unwrap_or_default();
        let code = command.trim_start_matches(['(', '@', ' ']);
        let outer = current.clone();
        if let Some(rest) = ["cd ", "pushd "].iter().find_map(|it| code.strip_prefix(it)) {
            current = names.entered(rest);
        } else if ["cd ", "pushd", "popd"].iter().any(|it| command.contains(it)) {
            current = Entered::default();
        }
        let folder = if destroy(command, &command.to_ascii_lowercase()).is_some() {
            Some(names.folder_of(command, &current))
        } else {
            names.destroyed_by_call(command)
        };
        if let Some(folder) = folder {
            found.extend(each(folder, Span::new(id, place.start, place.end)));
        }
        // What a subshell enters is left with it.
        if command.starts_with('(') && command.contains(')') {
            current = outer;
        }
    }
    found
}

/// The names of the folders in which a file destroys, where each was entered by a written name before: `cd ../cluster`.
/// None where one of them is not known.
pub(super) fn written(destroys: &[FolderDestroy]) -> Vec<String> {
    let names = destroys.iter().map(|it| it.name.clone().filter(|_| it.is_written));
    names.collect::<Option<_>>().unwrap_or_default()
}

/// The folder in which a command runs Terraform: `-chdir=layers/addons`.
pub(super) fn chdir(command: &str) -> &str {
    let folder = flag(command);
    // What a variable names is not known.
    if folder.contains('$') { "" } else { folder.trim_start_matches("./").trim_end_matches('/') }
}

fn flag(command: &str) -> &str {
    let named = command.split_once("-chdir=").map_or("", |it| it.1);
    named.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\''])
}

fn each(folder: Entered, span: Span) -> Vec<FolderDestroy> {
    let is_written = folder.is_written;
    let of = |name| FolderDestroy { name, is_written, span };
    if folder.names.is_empty() {
        return vec![of(None)];
    }
    folder.names.into_iter().map(|it| of(Some(it))).collect()
}

/// What the names of a script stand for.
struct Names<'t> {
    /// By the name of a variable the last names of the paths that it is given, all of them at one place; `None` where not
    /// all are known.
    values: HashMap<&'t str, Option<Vec<String>>>,
    /// By the name of a function whether it runs Terraform.
    functions: HashMap<&'t str, bool>,
}

impl<'t> Names<'t> {
    fn of(text: &'t str) -> Self {
        let mut names = Self { values: HashMap::new(), functions: HashMap::new() };
        for function in functions::of(text) {
            let body = text.get(function.body).unwrap_or_default();
            let runs = || PROGRAMS.iter().any(|it| body.contains(it));
            names.functions.entry(function.name).or_insert_with(runs);
        }
        for (variable, values) in text.lines().filter_map(given) {
            match names.values.entry(variable) {
                Entry::Vacant(place) => {
                    place.insert(values);
                }
                Entry::Occupied(mut place) if *place.get() != values => {
                    place.insert(None);
                }
                Entry::Occupied(_) => {}
            }
        }
        names
    }

    /// The folder in which a command destroys: that of its flag, or the one that was entered before.
    fn folder_of(&self, command: &str, current: &Entered) -> Entered {
        if RUNS_ALL.iter().any(|it| command.contains(it)) {
            return Entered::default();
        }
        match flag(command) {
            "" => current.clone(),
            path => Entered { is_written: false, ..self.named(path) },
        }
    }

    /// The folder that a call of a function of the script destroys, which runs Terraform there: `terraform_in destroy
    /// pools`.
    fn destroyed_by_call(&self, command: &str) -> Option<Entered> {
        let mut words = command.split([' ', '\t']).map(|it| it.trim_matches(['"', '\'', ';']));
        let runs = *self.functions.get(words.next()?)?;
        let words: Vec<&str> = words.filter(|it| !it.is_empty()).collect();
        // What also applies is told what to do.
        let is_told = words.contains(&"destroy");
        if !runs || !is_told {
            return None;
        }
        let others = words.iter().filter(|it| **it != "destroy" && !it.starts_with('-'));
        let folders = others.map(|it| self.named(it)).find(|it| !it.names.is_empty());
        Some(Entered { is_written: false, ..folders.unwrap_or_default() })
    }

    /// The folder that a command enters; none where it is not known, or others are entered after it.
    fn entered(&self, rest: &str) -> Entered {
        let path = rest.split([' ', ';', '&', '|', ')']).next().unwrap_or_default();
        if rest.contains("cd ") { Entered::default() } else { self.named(path) }
    }

    /// The last name of a path, also where a variable that the text gives a path is its end.
    fn named(&self, path: &str) -> Entered {
        let path = path.trim_matches(['"', '\'']).trim_end_matches('/');
        let last = path.rsplit('/').next().unwrap_or_default();
        let variable = last.strip_prefix('$').map(|it| it.trim_matches(['{', '}']));
        let names = match variable {
            Some(variable) => self.values.get(variable).cloned().flatten().unwrap_or_default(),
            None if is_name(last) => vec![last.to_owned()],
            None => Vec::new(),
        };
        Entered { is_written: !path.contains('$'), names }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['.', '-', '~']) && !name.contains(['$', '`', '(', ')'])
}

/// The variable that a line gives a value, or the values of a loop, and the last names of those paths; `None` where not all
/// are known.
fn given(line: &str) -> Option<(&str, Option<Vec<String>>)> {
    let mut code = line.trim();
    for word in ["export ", "local ", "readonly "] {
        code = code.strip_prefix(word).unwrap_or(code);
    }
    let end = |it: &str| it.find(|it: char| !(it.is_alphanumeric() || it == '_'));
    let (variable, list): (&str, Vec<&str>) = if let Some(rest) = code.strip_prefix("for ") {
        let (variable, rest) = rest.split_at(end(rest)?);
        let list = rest.strip_prefix(" in ")?.split(';').next()?;
        (variable, list.split_whitespace().collect())
    } else {
        let (variable, rest) = code.split_at(end(code)?);
        (variable, vec![rest.strip_prefix('=')?])
    };
    let name = |it: &str| {
        let path = it.trim_matches(['"', '\'']).trim_end_matches('/');
        path.rsplit('/').next().filter(|it| is_name(it)).map(str::to_owned)
    };
    Some((variable, list.into_iter().map(name).collect()))
}

#[cfg(test)]
mod tests {
    use super::{destroys, written};
    use crate::{model::command_files, source::FileId};

    #[test]
    fn folders_of_destroys_are_named() {
        for (text, wanted) in [
            (
                "cd live/pools && terraform destroy\ncd ../cluster && tofu destroy\n",
                "pools cluster",
            ),
            ("(cd pools && terraform destroy)\nterraform destroy\n", "pools ?"),
            ("terraform -chdir=live/pools destroy\nterraform destroy\n", "pools ?"),
            ("POOLS=\"$HERE/pools\"\ncd \"$POOLS\"\nterraform destroy\n", "pools"),
            (
                "for it in pools cluster; do\n  terraform -chdir=$it destroy\ndone\n",
                "pools cluster",
            ),
            (
                "run() {\n  cd $2\n  terraform $1\n}\nD=a/pools\nrun destroy \"$D\"\nrun apply $D\nrun destroy .\n",
                "pools ?",
            ),
            ("cd $1\nterraform destroy\n", "?"),
            ("A=x\nA=y\nterraform -chdir=$A destroy\n", "?"),
        ] {
            let found = destroys(FileId(0), text, &command_files::commands(text));
            let names = found.iter().map(|it| it.name.as_deref().unwrap_or("?"));
            assert_eq!(names.collect::<Vec<_>>().join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn written_names_are_all_or_none() {
        for (text, wanted) in [
            ("cd a\nterraform destroy\ncd ../b\nterraform destroy\n", "a b"),
            ("cd a\nterraform destroy\nterraform -chdir=b destroy\n", ""),
        ] {
            let found = destroys(FileId(0), text, &command_files::commands(text));
            assert_eq!(written(&found).join(" "), wanted, "{text}");
        }
    }
}
