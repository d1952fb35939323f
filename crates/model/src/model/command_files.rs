//! Files that hold commands for a person or a machine to run: scripts, recipes, pipelines, documents.

use std::ops::Range;

use memchr::memmem;

use crate::{
    project::kind::FileKind,
    source::{FileId, Files, SourceFile, file_name, parent},
};

/// Folders of scripts and documents for what is beside them.
const FOLDERS: &[&str] =
    &["scripts", "script", "bin", "hack", "tools", "ci", "docs", "doc", "tasks", "makefiles"];

/// The folder that the commands of a file in a folder are for, with those below it.
pub(super) fn meant(folder: &str) -> &str {
    if folder.ends_with(".github/workflows") {
        return parent(parent(folder));
    }
    if FOLDERS.contains(&file_name(folder)) { parent(folder) } else { folder }
}

/// What is found in the texts of the files that may hold commands and name a word. The texts are not kept: what was
/// read tells others what is in use.
pub(super) fn found_in<T>(
    files: &Files,
    word: &str,
    find: impl Fn(FileId, &SourceFile, &str) -> T,
) -> Vec<T> {
    let named = |text: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let in_file = |(id, file): (FileId, &SourceFile)| {
        file.skim(|text| named(text).then(|| find(id, file, text)))
    };
    files.iter().filter(|(_, it)| may_hold_commands(it)).filter_map(in_file).collect()
}

fn may_hold_commands(file: &SourceFile) -> bool {
    let kind = FileKind::of(file.path());
    let is_document = matches!(file.ending(), "md" | "markdown");
    is_document || matches!(kind, Some(FileKind::Script | FileKind::Yaml))
}

/// The commands of a text, each with the lines that a backslash continues it on; no comments.
pub(super) fn commands(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut continues) = (0, false);
    for line in text.split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        let end = at + line.trim_end().len();
        let is_comment = line.trim_start().starts_with(['#', '/']);
        match found.last_mut().filter(|_| continues) {
            Some(last) => last.end = end,
            None if start < end && !is_comment => found.push(start..end),
            None => {}
        }
        continues = line.trim_end().ends_with('\\') && (continues || !is_comment);
        at += line.len();
    }
    found
}
