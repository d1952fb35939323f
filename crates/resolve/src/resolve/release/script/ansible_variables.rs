//! What the variables of Ansible are given: by the role (`defaults`, `vars`), by plays, tasks and inventories.
//!
//! Which of several wins depends on who runs what, so a variable is known only where all of them agree.

use std::sync::OnceLock;

use crate::{
    project::kind::FileKind,
    resolve::release::script::{
        ansible::{TASK_KEYS, is_playbook, module, role},
        variables::Script,
    },
    source::{FileId, Files, SourceFile, Span, is_below, parent},
    syntax::yaml,
    value::{Kind, Text, Value},
};

/// The folders whose files give variables to all that runs.
const INVENTORIES: [&str; 2] = ["group_vars", "host_vars"];
/// The folders whose files give variables to the tasks of their role.
const OF_ROLE: [&str; 2] = ["defaults", "vars"];

/// The files of a project that give variables, read when the first script asks for them.
#[derive(Default)]
pub(super) struct VariableFiles(OnceLock<Vec<VariableFile>>);

struct VariableFile {
    path: String,
    /// The folder whose tasks it is for.
    below: String,
    /// Whether its top level is variables.
    is_of_variables: bool,
    documents: Vec<Value>,
}

impl VariableFiles {
    /// Adds what the variables of a file of tasks are given, if it has commands.
    pub(super) fn add(&self, files: &Files, own: &SourceFile, script: &mut Script) -> Option<()> {
        script.snippets.first()?;
        let (name, folder) =
            role(own.folder()).map_or(("playbook_dir", own.folder()), |it| ("role_path", it));
        let place = script.place();
        script.assign(name, Text::computed(format!("./{folder}")), place);
        let all = self.0.get_or_init(|| files.iter().filter_map(|(id, it)| read(id, it)).collect());
        for file in all.iter().filter(|it| it.is_for(own)) {
            for document in &file.documents {
                if file.is_of_variables {
                    add_mapping(files, script, document);
                } else {
                    document.items().iter().for_each(|it| add_play(files, script, it));
                }
            }
        }
        Some(())
    }
}

impl VariableFile {
    fn is_for(&self, own: &SourceFile) -> bool {
        is_below(own.folder(), &self.below) || self.path == own.path()
    }
}

fn read(id: FileId, file: &SourceFile) -> Option<VariableFile> {
    if FileKind::of(file.path()) != Some(FileKind::Yaml) {
        return None;
    }
    let folder = file.folder();
    let parts: Vec<&str> = folder.split('/').collect();
    let of_role = parts.iter().rposition(|it| OF_ROLE.contains(it));
    let (below, is_of_variables) = if INVENTORIES.iter().any(|it| parts.contains(it)) {
        (String::new(), true)
    } else if let Some(at) = of_role {
        (parts[..at].join("/"), true)
    } else if let Some(role) = role(folder) {
        (role.to_owned(), false)
    } else if file.skim(is_playbook) {
        // The roles that it runs are beside its folder, or in it.
        let own = if parts.last() == Some(&"playbooks") { parent(folder) } else { folder };
        (own.to_owned(), false)
    } else {
        return None;
    };
    let text = file.text();
    let whole = Span::new(id, 0, text.len());
    let documents = yaml::parse_literal(&Text::verbatim(file.shared_text(), whole), whole).values;
    Some(VariableFile { path: file.path().to_owned(), below, is_of_variables, documents })
}

/// Adds what a play, a block or a task gives.
fn add_play(files: &Files, script: &mut Script, play: &Value) {
    for entry in play.entries() {
        match module(&entry.key) {
            "vars" | "environment" | "set_fact" => add_mapping(files, script, &entry.value),
            "register" => {
                if let Some(name) = entry.value.as_str() {
                    script.assign_word(name, None);
                }
            }
            "vars_prompt" => {
                let names = entry.value.items().iter().filter_map(|it| it.get("name").present());
                names.filter_map(Value::as_str).for_each(|it| script.assign_word(it, None));
            }
            "roles" => entry.value.items().iter().for_each(|it| add_play(files, script, it)),
            key if TASK_KEYS.contains(&key) => {
                entry.value.items().iter().for_each(|it| add_play(files, script, it));
            }
            _ => {}
        }
    }
}

/// Adds the variables of a mapping. One that is empty is left to whoever runs it; a number counts as it is written.
fn add_mapping(files: &Files, script: &mut Script, mapping: &Value) {
    for entry in mapping.entries() {
        let text = match &entry.value.kind {
            Kind::String(text) if !text.text.is_empty() && !text.text.contains("{%") => {
                Some(text.clone())
            }
            Kind::Number(_) | Kind::Bool(_) => {
                Some(Text::verbatim(files.text(entry.value.span), entry.value.span))
            }
            _ => None,
        };
        match text {
            Some(text) => script.assign(&entry.key, text, entry.value.span),
            None => script.assign_word(&entry.key, None),
        }
    }
}
