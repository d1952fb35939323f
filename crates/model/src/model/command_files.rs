//! Files that hold commands for a person or a machine to run: scripts, recipes, pipelines, documents.

use std::ops::Range;

use memchr::memmem;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    project::kind::FileKind,
    resolve::release::script::source::is_pipeline,
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

/// What is found in the texts of some files that name one of these words, what documents say last. The texts are not
/// kept: what was read tells others what is in use.
pub(super) fn found_in<T: Send>(
    files: &Files,
    words: &[&str],
    is_meant: fn(&SourceFile) -> bool,
    find: impl Fn(FileId, &SourceFile, &str) -> T + Sync,
) -> Vec<T> {
    let has = |text: &str, word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let named = |text: &str| words.iter().any(|it| has(text, it));
    let in_file = |(id, file): (FileId, &SourceFile)| {
        let found = file.skim(|text| named(text).then(|| find(id, file, text)));
        found.map(|it| (is_document(file), it))
    };
    let meant: Vec<_> = files.iter().filter(|(_, it)| is_meant(it)).collect();
    let mut found: Vec<(bool, T)> = meant.into_par_iter().filter_map(in_file).collect();
    found.sort_by_key(|it| it.0);
    found.into_iter().map(|it| it.1).collect()
}

/// Whether a file is one that people read.
pub(super) fn is_document(file: &SourceFile) -> bool {
    matches!(file.ending(), "md" | "markdown")
}

/// Whether a file may hold commands, at least as what something else reads.
pub(super) fn may_hold_commands(file: &SourceFile) -> bool {
    is_of_commands(file) || FileKind::of(file.path()) == Some(FileKind::Yaml)
}

/// Whether a file is one of commands: a script, a pipeline, a document.
pub(super) fn is_of_commands(file: &SourceFile) -> bool {
    match FileKind::of(file.path()) {
        Some(FileKind::Script) => true,
        Some(FileKind::Yaml) => is_pipeline(file),
        _ => is_document(file),
    }
}

/// The commands of a text, each with the lines that a backslash continues it on; no comments.
pub(super) fn commands(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut at, mut continues) = (0, false);
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|it| it + 1);
    for next in ends.chain([text.len()]) {
        let Some(line) = text.get(at..next).filter(|it| !it.is_empty()) else { break };
        let written = line.trim_end();
        let code = written.trim_start();
        let end = at + written.len();
        let start = end - code.len();
        let is_comment = code.starts_with(['#', '/']);
        match found.last_mut().filter(|_| continues) {
            Some(last) => last.end = end,
            None if start < end && !is_comment => found.push(start..end),
            None => {}
        }
        continues = written.ends_with('\\') && (continues || !is_comment);
        at = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{commands, found_in, is_of_commands};
    use crate::source::{Files, SourceFile};

    #[test]
    fn a_command_ends_where_its_last_line_does() {
        let found = |text: &str| {
            let found = commands(text).into_iter();
            found.map(|it| text.get(it).unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("# a\n  b \\\n\tc  \n\nd"), ["b \\\n\tc", "d"]);
        assert_eq!(found("a \\\n"), ["a \\"]);
    }

    #[test]
    fn scripts_come_before_documents() {
        let command = "kubectl delete nodepools --all --wait\n";
        let names = ["README.md", "docs/review.md", "scripts/teardown.sh"];
        let files = Vec::from(names.map(|it| SourceFile::new(it, command)));
        let found = found_in(&Files::new(files), &["kubectl"], is_of_commands, |_, file, _| {
            file.path().to_owned()
        });
        assert_eq!(found, ["scripts/teardown.sh", "README.md", "docs/review.md"]);
    }
}
