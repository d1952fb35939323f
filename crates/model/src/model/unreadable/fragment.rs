//! Files of YAML that are no documents: a program puts them into one, which has the anchors of their aliases.

use std::collections::{BTreeSet, HashMap, HashSet};

use aho_corasick::AhoCorasick;

use crate::{
    model::left_out::mention::{NamedPath, named},
    source::{FileId, Files, SourceFile},
    syntax::ParseError,
};

/// Why such a file is passed over.
const FRAGMENT: &str = "a part of another document: its anchors are elsewhere";

/// Of more such files the rest is reported: each is compared with whatever may name it.
const MOST: usize = 64;

/// Errors without those of files that are such parts, and these files with why they are passed over. A file that
/// holds an object, or that something names, is none.
pub(super) fn without_fragments(
    files: &Files,
    errors: Vec<ParseError>,
) -> (BTreeSet<(FileId, &'static str)>, Vec<ParseError>) {
    let is_other = |it: &&ParseError| !it.is_alias_without_anchor();
    let other: BTreeSet<FileId> = errors.iter().filter(is_other).map(|it| it.span.file).collect();
    let broken: BTreeSet<FileId> = errors.iter().map(|it| it.span.file).collect();
    let may_be = |it: &FileId| !other.contains(it) && !holds_object(files.get(*it));
    let mut candidates: Vec<FileId> = broken.into_iter().filter(may_be).collect();
    let beside = named_beside(files, &candidates);
    candidates.retain(|it| !beside.contains(it));
    candidates.truncate(MOST);
    let paths: Vec<NamedPath<'_>> =
        candidates.iter().map(|it| NamedPath::sample(files.get(*it).path())).collect();
    let named = named(files, &paths);
    let unnamed = candidates.into_iter().enumerate().filter(|(at, _)| !named.contains(at));
    let fragments: BTreeSet<(FileId, &str)> = unnamed.map(|(_, it)| (it, FRAGMENT)).collect();
    let is_left = |it: &ParseError| !fragments.contains(&(it.span.file, FRAGMENT));
    let left = errors.into_iter().filter(is_left).collect();
    (fragments, left)
}

/// Whether a file holds what a cluster would take, or means to.
fn holds_object(file: &SourceFile) -> bool {
    file.text().lines().any(|it| it.starts_with("kind:") || it.starts_with("apiVersion:"))
}

/// Those that a file beside them names, as a kustomization lists what lies in its folder. Each file is read once.
fn named_beside(files: &Files, all: &[FileId]) -> HashSet<FileId> {
    let mut of_folders: HashMap<&str, Vec<FileId>> = HashMap::new();
    for id in all {
        of_folders.entry(files.get(*id).folder()).or_default().push(*id);
    }
    let search = |ids: Vec<FileId>| {
        let names = AhoCorasick::new(ids.iter().map(|it| files.get(*it).name()));
        names.ok().map(|names| (names, ids))
    };
    let searches: HashMap<&str, (AhoCorasick, Vec<FileId>)> =
        of_folders.into_iter().filter_map(|(folder, ids)| Some((folder, search(ids)?))).collect();
    let mut found = HashSet::new();
    for (id, file) in files.iter() {
        let Some((names, ids)) = searches.get(file.folder()) else { continue };
        file.skim(|text| {
            let hits = names.find_overlapping_iter(text);
            found.extend(
                hits.filter_map(|it| ids.get(it.pattern().as_usize())).filter(|it| **it != id),
            );
        });
    }
    found
}
