//! The objects that scripts apply: texts inside of them, and files that no other tool reads.
//!
//! What is in files of YAML is read as manifests are, whoever applies it.

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    project::kind::FileKind,
    resolve::{
        kubernetes::{Located, Object, objects},
        release::{
            installed::Installed,
            script::{
                kubectl::Kubectl,
                path,
                variables::{Script, Snippet},
            },
        },
        scope::ClusterTarget,
    },
    source::{FileId, Files, Span},
    syntax::{
        shell::word::{Command, Word},
        yaml,
    },
    value::{Kind, Text},
};

/// A text that a command applies.
pub(super) struct Applied {
    /// The snippet of the command, and which of its commands it is.
    pub at: (usize, usize),
    /// The text.
    pub text: Text,
    /// Where it is.
    pub place: Span,
    /// The template that it is.
    pub template: Option<FileId>,
}

/// Adds what the commands of a script apply that is in no manifest.
pub(super) fn add(files: &Files, script: &Script, root: Option<usize>, found: &mut Installed) {
    for applied in texts(files, script, &Kubectl::new(script)) {
        let is_known = |it: &FileId| found.templates.contains(it);
        if applied.template.as_ref().is_some_and(is_known) {
            continue;
        }
        found.templates.extend(applied.template);
        let text = &applied.text;
        let documents = yaml::parse(text, applied.place);
        if text.holes.is_empty() && !text.text.contains("{{") && !text.text.contains('$') {
            found.held.parse_errors.extend(documents.parse_errors);
        }
        let objects = documents.values.iter().flat_map(objects);
        found.held.objects.extend(objects.map(|it| located(script, root, it)));
    }
}

/// The texts that the commands of a script apply, in their order.
pub(super) fn texts(files: &Files, script: &Script, applying: &Kubectl<'_>) -> Vec<Applied> {
    let mut found = Vec::new();
    for (index, snippet) in script.snippets.iter().enumerate() {
        for (at, command) in snippet.commands.iter().enumerate() {
            if !applying.applies_input((index, at)) {
                continue;
            }
            let at = (index, at);
            for document in command.document.iter().chain(printed(snippet, command)) {
                let value = script.value(index, document);
                if let Kind::String(text) = value.kind {
                    found.push(Applied { at, text, place: value.span, template: None });
                }
            }
            for id in templates(files, script, (index, command)) {
                let place = Span::new(id, 0, files.get(id).text().len());
                let text = template(files, script, id, fills(snippet, command));
                found.push(Applied { at, text, place, template: Some(id) });
            }
        }
    }
    found
}

/// An object of a script.
pub(super) fn located(script: &Script, root: Option<usize>, object: Object) -> Located {
    Located {
        header: object.report_span(),
        object,
        root,
        node: None,
        folder: Arc::clone(&script.folder),
        cluster: ClusterTarget::Only,
        is_off: false,
        holder: Subject::default(),
        part: None,
    }
}

/// The object that a command prints: the text of `echo`, as it is.
fn printed<'s>(snippet: &Snippet, command: &'s Command) -> Option<&'s Word> {
    let text = &*snippet.text.text;
    let prints = command.words.first().and_then(|it| it.plain(text)).as_deref() == Some("echo");
    let is_object = |it: &&Word| {
        let written = text.get(it.range.clone()).unwrap_or_default();
        written.contains("apiVersion:") && !written.contains("\\n")
    };
    command.words.last().filter(is_object).filter(|_| prints)
}

/// The text of a template: with the variables of the script, where they are put in.
fn template(files: &Files, script: &Script, id: FileId, is_filled: bool) -> Text {
    if let Some(Kind::String(text)) = script.filled(id).filter(|_| is_filled).map(|it| it.kind) {
        return text;
    }
    let text = files.get(id).text();
    Text::verbatim(text, Span::new(id, 0, text.len()))
}

/// Whether a command puts the variables of the script into what it reads.
fn fills(snippet: &Snippet, command: &Command) -> bool {
    let verb = command.words.first().and_then(|it| it.plain(&snippet.text.text));
    verb.as_deref() == Some("envsubst")
}

/// The files that a command reads and that are no manifests by their name: `pool.yaml.tpl`.
fn templates(files: &Files, script: &Script, (index, command): (usize, &Command)) -> Vec<FileId> {
    let words = command.input.iter().chain(&command.words);
    let file = |word: &Word| {
        let Kind::String(path) = script.value(index, word).kind else { return None };
        let name = path.text.rsplit('/').next().unwrap_or_default();
        let is_template = name.contains(".y") && FileKind::of(name).is_none();
        is_template.then(|| path::find(files, &script.folder, &path))?
    };
    words.filter_map(file).collect()
}
