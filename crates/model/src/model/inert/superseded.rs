//! Workloads in files that nothing applies, while something applies another file with the same object.

use std::collections::{BTreeSet, HashMap, HashSet};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

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

/// An object that is applied.
struct Applied {
    /// Its namespace, where that is written.
    namespace: Option<String>,
    /// Where it is named.
    place: Span,
}

/// The workloads that others have replaced, by their indexes, each with the place of the one that is applied.
pub(super) fn workloads(files: &Files, model: &Model) -> HashMap<usize, Span> {
    let is_applied = |it: &SourceFile| is_manifest(it) && model.gitops.applies(it.path());
    let applied: Vec<(FileId, &SourceFile)> = files.iter().filter(|it| is_applied(it.1)).collect();
    if applied.is_empty() {
        return HashMap::new();
    }
    let lies_idle = |it: &Workload| {
        let file = files.get(it.report_span.file);
        is_plain(it) && is_manifest(file) && !model.gitops.applies(file.path())
    };
    let idle = model.workloads.iter().enumerate().filter(|(_, it)| lies_idle(it));
    let idle: Vec<(usize, &Workload)> = idle.collect();
    if idle.is_empty() {
        return HashMap::new();
    }
    let built = model.workloads.iter().filter(|it| it.scope.build.is_some());
    let mut by_name: HashMap<(String, String), Vec<Applied>> = HashMap::new();
    for it in built {
        if let Some(named) = name_of(it) {
            let applied = Applied { namespace: namespace_of(it), place: it.report_span };
            by_name.entry(named).or_default().push(applied);
        }
    }
    for (id, file) in applied {
        for (named, object) in file.skim(|text| named_objects(id, text)) {
            by_name.entry(named).or_default().push(object);
        }
    }
    let successor = |it: &Workload| {
        let own = namespace_of(it);
        let mut others = by_name.get(&name_of(it)?)?.iter();
        let is_alike =
            |it: &&Applied| own.is_none() || it.namespace.is_none() || own == it.namespace;
        others.find(is_alike).map(|it| it.place)
    };
    let replaced = idle.into_iter().filter_map(|(index, it)| Some((index, it, successor(it)?)));
    let replaced: Vec<(usize, &Workload, Span)> = replaced.collect();
    let named = named_files(files, replaced.iter().map(|it| it.1.report_span.file));
    let unnamed = replaced.into_iter().filter(|(_, it, _)| !named.contains(&it.report_span.file));
    unnamed.map(|(index, _, by)| (index, by)).collect()
}

/// The kind and name of the object that makes the pods.
fn name_of(workload: &Workload) -> Option<(String, String)> {
    let object = workload.subject.as_ref()?.object.as_ref()?;
    Some((object.kind.to_string(), workload.name.to_string()))
}

/// Its namespace, where that is written.
fn namespace_of(workload: &Workload) -> Option<String> {
    workload.namespace.known().cloned()
}

fn is_manifest(file: &SourceFile) -> bool {
    matches!(file.ending(), "yaml" | "yml" | "json")
}

/// Whether a workload is written in a file of objects, by its whole name.
pub(super) fn is_plain(workload: &Workload) -> bool {
    let is_rendered = workload.subject.as_ref().is_some_and(|it| it.rendered.is_some());
    workload.scope.root.is_none()
        && workload.scope.build.is_none()
        && workload.managed.is_none()
        && !workload.name.is_empty()
        && !is_rendered
}

/// The objects in a text of YAML by their kinds and names.
fn named_objects(file: FileId, text: &str) -> Vec<((String, String), Applied)> {
    let mut start = 0;
    let mut found = Vec::new();
    for document in text.split_inclusive("\n---") {
        let at = start;
        start += document.len();
        let (mut kind, mut named, mut namespace, mut end) = (None, None, None, at);
        for line in document.split_inclusive('\n') {
            let begin = end;
            end += line.len();
            let line = line.trim_end();
            if let Some(it) = value_of(line, "kind") {
                kind.get_or_insert(it);
            } else if let Some(it) = value_of(line, "  name") {
                named.get_or_insert((it, Span::new(file, begin + 2, begin + line.len())));
            } else if let Some(it) = value_of(line, "  namespace") {
                namespace.get_or_insert(it);
            }
        }
        if let (Some(kind), Some((name, place))) = (kind, named) {
            let namespace = namespace.map(str::to_owned);
            found.push(((kind.to_owned(), name.to_owned()), Applied { namespace, place }));
        }
    }
    found
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(key)?.strip_prefix(": ")?;
    Some(rest.trim_matches([' ', '"', '\'']))
}

/// Those of some files that something names: a script, a page that says how it is applied. Each file of the
/// repository is looked through once for all names.
fn named_files(files: &Files, some: impl Iterator<Item = FileId>) -> HashSet<FileId> {
    let some: Vec<FileId> = some.collect::<BTreeSet<FileId>>().into_iter().collect();
    if some.is_empty() {
        return HashSet::new();
    }
    let names = AhoCorasick::new(some.iter().map(|it| files.get(*it).name()));
    let Ok(names) = names else { return HashSet::new() };
    let named_in = |(id, text): (FileId, &str)| -> Vec<FileId> {
        let found = names.find_overlapping_iter(text).filter(|it| {
            let folder = files.get(some[it.pattern()]).folder().rsplit('/').next();
            let folder = folder.filter(|it| !it.is_empty()).unwrap_or(".");
            let before = text.get(..it.start()).unwrap_or_default();
            before.strip_suffix('/').is_none_or(|before| before.ends_with(folder))
        });
        found.map(|it| some[it.pattern()]).filter(|it| *it != id).collect()
    };
    let readers: Vec<(FileId, &SourceFile)> =
        files.iter().filter(|it| READERS.contains(&it.1.ending())).collect();
    readers.into_par_iter().flat_map_iter(|(id, it)| it.skim(|text| named_in((id, text)))).collect()
}

#[cfg(test)]
mod tests {
    use super::named_objects;
    use crate::source::FileId;

    #[test]
    fn objects_are_found_with_their_names() {
        let text = "kind: Service\nmetadata:\n  name: shop\n---\nkind: Deployment\nmetadata:\n  name: \"ledger\"\n  namespace: books\n";
        let found = named_objects(FileId(0), text);
        let shown = found.iter().map(|(named, it)| {
            (&*named.0, &*named.1, it.namespace.as_deref(), &text[it.place.range()])
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                ("Service", "shop", None, "name: shop"),
                ("Deployment", "ledger", Some("books"), "name: \"ledger\"")
            ]
        );
    }
}
