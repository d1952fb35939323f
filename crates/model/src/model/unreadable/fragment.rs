//! Files of YAML that are no documents: a program puts them into one, which has the anchors of their aliases.

use std::collections::BTreeSet;

use crate::{
    model::left_out::mention::{NamedPath, named},
    source::{FileId, Files, SourceFile},
    syntax::ParseError,
};

/// Why such a file is passed over.
const FRAGMENT: &str = "a part of another document: its anchors are elsewhere";

/// Errors without those of files that are such parts, and these files with why they are passed over. A file that
/// holds an object, or that something names, is none.
pub(super) fn without_fragments(
    files: &Files,
    errors: Vec<ParseError>,
) -> (BTreeSet<(FileId, &'static str)>, Vec<ParseError>) {
    let is_other = |it: &&ParseError| !it.is_alias_without_anchor();
    let other: BTreeSet<FileId> = errors.iter().filter(is_other).map(|it| it.span.file).collect();
    let may_be = |it: &FileId| {
        let file = files.get(*it);
        !other.contains(it) && !holds_object(file) && !is_named_beside(files, file)
    };
    let candidates: BTreeSet<FileId> =
        errors.iter().map(|it| it.span.file).filter(may_be).collect();
    let candidates: Vec<FileId> = candidates.into_iter().collect();
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

/// Whether a file beside this one names it, as a kustomization lists what lies in its folder.
fn is_named_beside(files: &Files, file: &SourceFile) -> bool {
    let mut beside = files.iter().map(|it| it.1).filter(|it| it.folder() == file.folder());
    beside.any(|it| it.path() != file.path() && it.skim(|text| text.contains(file.name())))
}
