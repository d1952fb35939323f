//! Workloads in files that nothing applies, while something applies another file with the same object.

use std::collections::HashMap;

use crate::{
    model::{Model, workload::Workload},
    source::{FileId, Files, SourceFile, Span},
};

/// The endings of files that say which files are applied.
const READERS: &[&str] = &[
    "sh",
    "bash",
    "ps1",
    "py",
    "yaml",
    "yml",
    "md",
    "tf",
    "mk",
    "Makefile",
    "justfile",
    "Taskfile",
    "Jenkinsfile",
    "Tiltfile",
];

/// The workloads that others have replaced, by their indexes, each with the place of the one that is applied.
pub(super) fn workloads(files: &Files, model: &Model) -> HashMap<usize, Span> {
    let is_applied = |it: &SourceFile| is_manifest(it) && model.gitops.applies(it.folder());
    let applied: Vec<(FileId, &SourceFile)> = files.iter().filter(|it| is_applied(it.1)).collect();
    if applied.is_empty() {
        return HashMap::new();
    }
    let lies_idle = |it: &Workload| {
        let file = files.get(it.report_span.file);
        is_plain(it) && is_manifest(file) && !model.gitops.applies(file.folder())
    };
    let idle = model.workloads.iter().enumerate().filter(|(_, it)| lies_idle(it));
    let idle: Vec<(usize, &Workload)> = idle.collect();
    if idle.is_empty() {
        return HashMap::new();
    }
    let built = model.workloads.iter().filter(|it| it.scope.build.is_some());
    let mut by_name: HashMap<(String, String), Span> = HashMap::new();
    for it in built {
        if let Some(named) = name_of(it) {
            by_name.entry(named).or_insert(it.report_span);
        }
    }
    for (id, file) in applied {
        for (kind, name, place) in file.skim(|text| named_objects(id, text)) {
            by_name.entry((kind, name)).or_insert(place);
        }
    }
    let successor = |it: &Workload| by_name.get(&name_of(it)?).copied();
    let replaced = idle.into_iter().filter_map(|(index, it)| Some((index, it, successor(it)?)));
    let unnamed = replaced.filter(|(_, it, _)| !is_named(files, it.report_span.file));
    unnamed.map(|(index, _, by)| (index, by)).collect()
}

/// The kind and name of the object that makes the pods.
fn name_of(workload: &Workload) -> Option<(String, String)> {
    let object = workload.subject.as_ref()?.object.as_ref()?;
    Some((object.kind.to_string(), workload.name.to_string()))
}

fn is_manifest(file: &SourceFile) -> bool {
    matches!(file.ending(), "yaml" | "yml" | "json")
}

/// Whether a workload is written in a file of objects, by its whole name.
fn is_plain(workload: &Workload) -> bool {
    let is_rendered = workload.subject.as_ref().is_some_and(|it| it.rendered.is_some());
    workload.scope.root.is_none()
        && workload.scope.build.is_none()
        && workload.managed.is_none()
        && !workload.name.is_empty()
        && !is_rendered
}

/// The kinds and names of the objects in a text of YAML, with the places of their names.
fn named_objects(file: FileId, text: &str) -> Vec<(String, String, Span)> {
    let mut start = 0;
    let mut found = Vec::new();
    for document in text.split_inclusive("\n---") {
        let at = start;
        start += document.len();
        let (mut kind, mut named, mut end) = (None, None, at);
        for line in document.split_inclusive('\n') {
            let begin = end;
            end += line.len();
            let line = line.trim_end();
            if let Some(it) = value_of(line, "kind") {
                kind.get_or_insert(it);
            } else if let Some(it) = value_of(line, "  name") {
                named.get_or_insert((it, Span::new(file, begin + 2, begin + line.len())));
            }
        }
        if let (Some(kind), Some((name, place))) = (kind, named) {
            found.push((kind.to_owned(), name.to_owned(), place));
        }
    }
    found
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?.strip_prefix(": ")?;
    Some(rest.trim_matches([' ', '"', '\'']))
}

/// Whether something names a file: a script, a page that says how it is applied.
fn is_named(files: &Files, file: FileId) -> bool {
    let own = files.get(file);
    let folder = own.folder().rsplit('/').next().unwrap_or_default();
    let folder = if folder.is_empty() { "." } else { folder };
    let is_it = |text: &str| {
        text.match_indices(own.name()).any(|(at, _)| {
            text[..at].strip_suffix('/').is_none_or(|before| before.ends_with(folder))
        })
    };
    let may = |it: &SourceFile| READERS.contains(&it.ending());
    files.iter().any(|(id, it)| id != file && may(it) && it.skim(is_it))
}

#[cfg(test)]
mod tests {
    use super::named_objects;
    use crate::source::FileId;

    #[test]
    fn objects_are_found_with_their_names() {
        let text = "kind: Service\nmetadata:\n  name: shop\n---\nkind: Deployment\nmetadata:\n  name: \"ledger\"\n";
        let found = named_objects(FileId(0), text);
        let shown =
            found.iter().map(|it| (&*it.0, &*it.1, &text[it.2.range()])).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [("Service", "shop", "name: shop"), ("Deployment", "ledger", "name: \"ledger\"")]
        );
    }
}
