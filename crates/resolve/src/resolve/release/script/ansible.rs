//! Ansible: the tasks of roles and playbooks that run commands, and the variables that are filled in.

use std::{ops::Range, sync::Arc};

use memchr::memmem;

use crate::{
    resolve::release::script::variables::Script,
    source::SourceFile,
    syntax::shell::{
        self,
        word::{Command, Dialect},
    },
    value::{Kind, Text, TextPiece, TextSource, Value},
};

/// The modules that run commands.
const MODULES: [&str; 2] = ["shell", "command"];
/// The keys below which a play or a block holds tasks.
pub(super) const TASK_KEYS: &[&str] =
    &["tasks", "pre_tasks", "post_tasks", "handlers", "block", "rescue", "always"];
/// The folders of a role that hold tasks.
const TASK_FOLDERS: [&str; 2] = ["tasks", "handlers"];

/// Whether a file of YAML may hold tasks, or plays: by its folder, or by a text that is at hand.
pub(super) fn may_hold_tasks(file: &SourceFile, text: Option<&str>) -> bool {
    role(file.folder()).is_some() || text.is_some_and(is_playbook)
}

/// The folder of the role that a folder of tasks belongs to.
pub(super) fn role(folder: &str) -> Option<&str> {
    let parts: Vec<&str> = folder.split('/').collect();
    let at = parts.iter().rposition(|it| TASK_FOLDERS.contains(it))?;
    let length = parts[..at].iter().map(|it| it.len() + 1).sum::<usize>();
    folder.get(..length.saturating_sub(1))
}

/// Whether a text of YAML lists plays: each says on which hosts it runs.
pub(super) fn is_playbook(text: &str) -> bool {
    // Every manifest that is kept is asked.
    memmem::find(text.as_bytes(), b"hosts:").is_some()
        && text.lines().any(|it| it.starts_with("- hosts:") || it.starts_with("  hosts:"))
}

/// Adds the commands of a document, if it is a list of tasks or plays.
pub(super) fn add(script: &mut Script, document: &Value) {
    let mut tasks = Vec::new();
    document.items().iter().for_each(|it| collect(it, &mut tasks));
    let applied: Vec<&str> = tasks.iter().flat_map(|it| applied(it)).collect();
    for task in tasks {
        let output = task.get("register").present().and_then(Value::as_str);
        let output = output.map(|it| format!("{it}.stdout"));
        let is_applied = output.is_some_and(|it| applied.iter().any(|text| text.contains(&it)));
        for (_, value) in commands(task) {
            let own = [task.at("args.chdir"), value.get("chdir")];
            let folder = own.into_iter().find_map(|it| it.present()?.as_str());
            script.within = folder.filter(|it| !it.contains("{{")).map(Into::into);
            add_command(script, value, is_applied);
            script.within = None;
        }
    }
}

/// The tasks of a play or a block, or the task itself; none that is switched off.
fn collect<'v>(task: &'v Value, found: &mut Vec<&'v Value>) {
    if task.get("when").present().and_then(Value::as_bool) == Some(false) {
        return;
    }
    found.push(task);
    let inner = task.entries().iter().filter(|it| TASK_KEYS.contains(&&*it.key));
    inner.flat_map(|it| it.value.items()).for_each(|it| collect(it, found));
}

/// The modules of a task that run commands, with what they are given.
fn commands(task: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let named = task.entries().iter().map(|it| (module(&it.key), &it.value));
    named.filter(|(name, _)| MODULES.contains(name))
}

/// The texts of a task that applies what it reads: its command, and the input of that.
fn applied(task: &Value) -> Vec<&str> {
    let text = |(_, value)| text(value).map(|it: &Text| &*it.text);
    let command = commands(task).find_map(text).filter(|it| {
        it.contains("kubectl")
            && ["apply", "create", "replace"].iter().any(|verb| it.contains(verb))
    });
    let input = || task.at("args.stdin").present().and_then(Value::as_str);
    command.map_or_else(Vec::new, |it| std::iter::once(it).chain(input()).collect())
}

/// The text that a module runs, also below `cmd`.
fn text(value: &Value) -> Option<&Text> {
    match &value.get("cmd").present().unwrap_or(value).kind {
        Kind::String(text) => Some(text),
        _ => None,
    }
}

/// The name of a module without its collection.
pub(super) fn module(key: &str) -> &str {
    let prefixes = ["ansible.builtin.", "ansible.legacy."];
    prefixes.into_iter().find_map(|it| key.strip_prefix(it)).unwrap_or(key)
}

/// Adds what a module runs: a text or a list of arguments. Its output may be what another task applies.
fn add_command(script: &mut Script, value: &Value, is_applied: bool) {
    let place = value.get("cmd").present().unwrap_or(value).span;
    match (text(value), value.get("argv").present()) {
        // What a statement of the template leaves out is not known.
        (Some(it), _) if !it.text.contains("{%") => {
            let text = if is_applied { piped(it) } else { it.clone() };
            let commands = shell::commands(&text.text, 0..text.text.len(), Dialect::Ansible);
            script.add(text, place, commands);
        }
        (_, Some(list)) => add_arguments(script, list),
        _ => {}
    }
}

/// A text with the command behind it that applies what it prints.
fn piped(text: &Text) -> Text {
    let written = text.text.trim_end();
    let layout = match &text.layout {
        TextSource::Verbatim(span) => {
            let at = TextPiece { at: 0, len: span.end - span.start, span: *span };
            TextSource::Pieces(Arc::new(vec![at]))
        }
        other => other.clone(),
    };
    Text { text: format!("{written} | kubectl apply -f -").into(), layout, ..text.clone() }
}

fn add_arguments(script: &mut Script, list: &Value) {
    let (mut joined, mut pieces, mut ranges) = (String::new(), Vec::new(), Vec::new());
    for item in list.items() {
        let Kind::String(text) = &item.kind else { return };
        let range: Range<usize> = joined.len()..joined.len() + text.text.len();
        let place = text.locate(0, text.text.len(), item.span);
        let length = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        pieces.push(TextPiece { at: length(range.start), len: length(range.len()), span: place });
        joined.push_str(&text.text);
        joined.push('\n');
        ranges.push(range);
    }
    let words = ranges.into_iter().map(|it| shell::argument(&joined, it, Dialect::Ansible));
    let command = Command { words: words.collect(), ..Command::default() };
    let layout = TextSource::Pieces(Arc::new(pieces));
    script.add(Text { layout, ..Text::computed(joined) }, list.span, vec![command]);
}

#[cfg(test)]
mod tests {
    use super::{is_playbook, role};

    #[test]
    fn tasks_are_in_roles_and_plays() {
        for (folder, wanted) in [
            ("roles/karpenter/tasks", Some("roles/karpenter")),
            ("roles/karpenter/tasks/eks", Some("roles/karpenter")),
            ("tasks", Some("")),
            ("roles/karpenter/templates", None),
            ("subtasks", None),
        ] {
            assert_eq!(role(folder), wanted, "{folder}");
        }
        assert!(is_playbook("---\n- name: Karpenter\n  hosts: all\n"));
        assert!(!is_playbook("kind: Ingress\nspec:\n  tls:\n    - hosts: [a]\n"));
    }
}
