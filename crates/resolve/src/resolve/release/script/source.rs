//! Where scripts are: files of commands, the steps of pipelines, `local-exec` of Terraform.

use std::{ops::Range, sync::Arc};

use memchr::memmem;

use crate::{
    project::kind::FileKind,
    resolve::{
        release::script::variables::Script,
        terraform::{object::Mode, root::Root},
    },
    source::{FileId, Files, SourceFile, Span},
    syntax::{
        shell::{
            self,
            word::{self, Command, Dialect},
        },
        yaml,
    },
    value::{Kind, Text, Value},
};

/// The keys below which the steps of a pipeline hold commands.
const RUN_KEYS: &[&str] =
    &["run", "cmds", "cmd", "script", "before_script", "after_script", "commands"];
/// The keys below which they set variables.
const VARIABLE_KEYS: &[&str] = &["env", "vars", "variables"];

/// The scripts among the files that name Helm.
pub(super) fn scripts(files: &Files) -> Vec<Script> {
    let mut found = Vec::new();
    for (id, file) in files.iter() {
        let kind = FileKind::of(file.path());
        let is_pipeline = kind == Some(FileKind::Yaml) && is_pipeline(file);
        if !is_pipeline && kind != Some(FileKind::Script) {
            continue;
        }
        let names_helm = |it: &str| memmem::find(it.as_bytes(), b"helm").is_some();
        let Some(text) = file.text_if(names_helm) else { continue };
        let mut script = Script::new(file.folder());
        let whole = Span::new(id, 0, text.len());
        let content = Text::verbatim(text, whole);
        match (file.ending(), file.name()) {
            _ if is_pipeline => {
                for document in &yaml::parse_literal(&content, whole).values {
                    add_pipeline(files, &mut script, document);
                }
            }
            ("sh" | "bash", _) => script.add_shell(content, whole),
            ("mk", _) | (_, "Makefile" | "makefile" | "GNUmakefile") => {
                add_recipes(&mut script, id, content, &MAKE);
            }
            _ => add_recipes(&mut script, id, content, &JUST),
        }
        found.push(script);
    }
    found
}

/// The commands that a root module runs where it is applied.
pub(super) fn local_exec(root: &Root) -> Option<Script> {
    let mut script = Script::new(&root.folder);
    for kind in ["null_resource", "terraform_data"] {
        for object in root.of(Mode::Resource, kind).filter(|it| !it.disabled) {
            let provisioners = object.body.get("provisioner").present();
            for block in provisioners.map_or(&[][..], Value::items) {
                let destroys = !block.get("when").is_missing();
                let command = block.get("command").present().filter(|_| !destroys);
                let Some(Value { kind: Kind::String(text), span, .. }) = command else { continue };
                add_variables(&mut script, block.get("environment").present(), &|_| None);
                script.add_shell(text.clone(), *span);
            }
        }
    }
    (!script.snippets.is_empty()).then_some(script)
}

/// Whether a file of YAML describes steps that run commands, by its name.
fn is_pipeline(file: &SourceFile) -> bool {
    const NAMES: &[&str] =
        &["taskfile", "action", ".gitlab-ci", "buildspec", "bitbucket-pipelines"];
    let name = file.name().to_ascii_lowercase();
    let stem = name.split('.').find(|it| !it.is_empty()).unwrap_or_default();
    file.folder().ends_with(".github/workflows")
        || file.path().contains(".circleci/")
        || NAMES.iter().any(|it| stem == it.trim_start_matches('.'))
        || name.starts_with("azure-pipelines")
}

fn add_pipeline(files: &Files, script: &mut Script, value: &Value) {
    for entry in value.entries() {
        if RUN_KEYS.contains(&&*entry.key) {
            let alone = std::slice::from_ref(&entry.value);
            let list = entry.value.as_list().map_or(alone, |it| &it.items);
            for item in list {
                if let Kind::String(text) = &item.kind {
                    script.add_shell(text.clone(), item.span);
                }
            }
        }
        if VARIABLE_KEYS.contains(&&*entry.key) {
            let scalar = |it: &Value| Some(Text::verbatim(files.text(it.span), it.span));
            add_variables(script, Some(&entry.value), &scalar);
        }
        add_pipeline(files, script, &entry.value);
    }
    value.items().iter().for_each(|it| add_pipeline(files, script, it));
}

/// Adds the variables of a mapping. A number counts as it is written: `1.10`.
fn add_variables(
    script: &mut Script,
    mapping: Option<&Value>,
    written: &dyn Fn(&Value) -> Option<Text>,
) {
    for entry in mapping.map_or(&[][..], Value::entries) {
        let text = match &entry.value.kind {
            Kind::String(text) => Some(text.clone()),
            Kind::Number(_) | Kind::Bool(_) => written(&entry.value),
            _ => None,
        };
        match text {
            Some(text) => script.assign(&entry.key, text, entry.value.span),
            None => script.assign_word(&entry.key, None),
        }
    }
}

/// How a file of recipes is written.
struct RecipeForm {
    dialect: Dialect,
    /// What sets a variable, the longest first; those that do so with what is written come with `true`.
    operators: &'static [(&'static str, bool)],
}

const MAKE: RecipeForm = RecipeForm {
    dialect: Dialect::Make,
    operators: &[
        ("::=", true),
        (":=", true),
        ("?=", true),
        ("+=", false),
        ("!=", false),
        ("=", true),
    ],
};
const JUST: RecipeForm = RecipeForm { dialect: Dialect::Shell, operators: &[(":=", true)] };

/// Adds the recipes of a Makefile or justfile, and its variables.
fn add_recipes(script: &mut Script, file: FileId, content: Text, form: &RecipeForm) {
    let text = Arc::clone(&content.text);
    let index = script.snippets.len();
    let mut commands: Vec<Command> = Vec::new();
    let mut assigned = Vec::new();
    for line in logical_lines(&text) {
        let written = &text[line.clone()];
        if written.starts_with(['\t', ' ']) {
            let start = line.end - written.trim_start_matches(['\t', ' ', '@', '-', '+']).len();
            commands.extend(shell::commands(&text, start..line.end, form.dialect));
        } else if let Some((name, value)) = assignment(written, form) {
            let value = value.map(|it| line.start + it.start..line.start + it.end);
            assigned.push((name, value.map(|it| shell::word(&text, it, form.dialect))));
        }
    }
    let place = Span::new(file, 0, text.len());
    script.add(content, place, commands);
    for (name, word) in assigned {
        script.assign_word(&name, word.map(|it| (index, it)));
    }
}

/// The name and the value's bytes of a line that sets a variable; the value is `None` when it is computed.
fn assignment(line: &str, form: &RecipeForm) -> Option<(String, Option<Range<usize>>)> {
    let begins = ["export ", "override "].iter().find_map(|it| line.strip_prefix(it));
    let body = begins.unwrap_or(line);
    let operator = |&(it, _): &&(&str, bool)| body.split_once(it).is_some_and(|it| is_left(it.0));
    let (operator, is_plain) = form.operators.iter().find(operator)?;
    let (name, value) = body.split_once(operator)?;
    let value = value.split(" #").next().unwrap_or(value).trim_end();
    let start = line.len() - body.len() + name.len() + operator.len();
    let blank = value.len() - value.trim_start().len();
    let computed = form.dialect == Dialect::Shell && !value.trim_start().starts_with(['"', '\'']);
    let range = start + blank..start + value.len();
    Some((name.trim().to_owned(), (*is_plain && !computed).then_some(range)))
}

fn is_left(name: &str) -> bool {
    word::is_name(name.trim())
}

/// The lines of a text, those that end in a backslash with the next.
fn logical_lines(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut continues) = (0, false);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        match found.last_mut().filter(|_| continues) {
            Some(last) => last.end = end,
            None => found.push(at..end),
        }
        continues = line.trim_end_matches(['\n', '\r']).ends_with('\\');
        at = end;
    }
    found
}
