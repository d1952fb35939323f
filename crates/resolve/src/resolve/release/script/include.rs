//! Files of variables that a script reads: `source ./versions.sh`, `. .env`, `include` of Makefiles, `dotenv` of
//! Taskfiles.

use std::collections::HashSet;

use crate::{
    resolve::release::script::{path, recipes, variables::Script},
    source::{FileId, Files, Span},
    syntax::shell::{
        self,
        word::{Command, Dialect, Word},
    },
    value::{Kind, Text, Value},
};

/// How many files one script may read, those that they read included.
const MAX_FILES: usize = 32;

/// Adds the variables of the files that a script reads, and of those that these read. Each is read once.
pub(super) fn add_sourced(files: &Files, own: FileId, script: &mut Script) {
    let mut seen = HashSet::from([own]);
    let mut next = 0;
    while let Some(snippet) = script.snippets.get(next) {
        let sourced = snippet.commands.iter().filter_map(|it| sourced(&snippet.text.text, it));
        let sourced: Vec<Word> = sourced.cloned().collect();
        for word in sourced {
            let Kind::String(path) = script.value(next, &word).kind else { continue };
            let found = path::find(files, &script.folder, &path);
            let Some(id) = found.filter(|it| seen.len() <= MAX_FILES && seen.insert(*it)) else {
                continue;
            };
            script.sourced_folder = Some(files.get(id).folder().into());
            add_shell(files, id, script);
            script.sourced_folder = None;
        }
        next += 1;
    }
}

/// Adds the files that a script fills in with its variables: `envsubst < pool.yaml.tpl`.
pub(super) fn add_templates(files: &Files, script: &mut Script) {
    let mut found: Vec<FileId> = Vec::new();
    for (index, snippet) in script.snippets.iter().enumerate() {
        for command in &snippet.commands {
            let verb = command.words.first().and_then(|it| it.plain(&snippet.text.text));
            let Some(input) =
                command.input.as_ref().filter(|_| verb.as_deref() == Some("envsubst"))
            else {
                continue;
            };
            let Kind::String(path) = script.value(index, input).kind else { continue };
            let file = path::find(files, &script.folder, &path).filter(|it| !found.contains(it));
            found.extend(file.filter(|_| found.len() < MAX_FILES));
        }
    }
    for id in found {
        let (content, whole) = content(files, id);
        script.add_template(content, whole);
    }
}

/// Adds the variables of the files that a Taskfile names.
pub(super) fn add_named(files: &Files, document: &Value, script: &mut Script) {
    let named = document.get("dotenv").present().map_or(&[][..], Value::items);
    for value in named.iter().take(MAX_FILES) {
        let Kind::String(path) = &value.kind else { continue };
        if let Some(id) = path::find(files, &script.folder, path) {
            add_shell(files, id, script);
        }
    }
}

/// Adds the variables of the files that a Makefile includes, and of those that these include.
pub(super) fn add_makefiles(files: &Files, own: FileId, script: &mut Script) {
    let (mut seen, mut waiting) = (HashSet::from([own]), vec![own]);
    while let Some(from) = waiting.pop() {
        let included = files.get(from).text().lines().filter_map(|line| {
            let words = ["include ", "-include ", "sinclude "];
            words.iter().find_map(|it| line.strip_prefix(it))
        });
        for name in included.flat_map(str::split_whitespace) {
            let found = path::find(files, &script.folder, &Text::computed(name));
            let Some(id) = found.filter(|it| seen.len() <= MAX_FILES && seen.insert(*it)) else {
                continue;
            };
            waiting.push(id);
            add_makefile(files, id, script);
        }
    }
}

fn add_makefile(files: &Files, id: FileId, script: &mut Script) {
    let (content, whole) = content(files, id);
    let index = script.snippets.len();
    let text = files.get(id).text();
    script.add(content, whole, Vec::new());
    for (name, range) in recipes::variables(text) {
        let word = range.map(|it| (index, shell::word(text, it, Dialect::Make)));
        script.assign_word(&name, word);
    }
}

/// Adds what a file of commands assigns; what else it runs is read with the file itself.
fn add_shell(files: &Files, id: FileId, script: &mut Script) {
    let (content, whole) = content(files, id);
    let text = files.get(id).text();
    let mut commands = shell::commands(text, 0..text.len(), Dialect::Shell);
    commands.retain(|it| sourced(text, it).is_some() || Script::only_assigns(text, it));
    script.add(content, whole, commands);
}

fn content(files: &Files, id: FileId) -> (Text, Span) {
    let text = files.get(id).text();
    let whole = Span::new(id, 0, text.len());
    (Text::verbatim(text, whole), whole)
}

/// The file that a command reads into the running shell.
fn sourced<'a>(text: &str, command: &'a Command) -> Option<&'a Word> {
    match &*command.words {
        [verb, file, ..] => {
            let verb = verb.plain(text)?;
            matches!(&*verb, "source" | ".").then_some(file)
        }
        _ => None,
    }
}
