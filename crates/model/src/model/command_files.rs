//! Files that hold commands for a person or a machine to run: scripts, recipes, pipelines, documents.

use std::ops::Range;

use memchr::memmem;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    project::kind::FileKind,
    resolve::release::script::source::is_pipeline,
    source::{FileId, Files, SourceFile, file_name, join, parent},
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

/// What names a file or a folder to `kubectl apply`.
const FLAGS: &[&str] = &["-f", "-Rf", "-fR", "--filename"];

/// The paths that the commands of a file apply, as they may be meant: from its own folder, from the one it is for, or from
/// the root.
pub(super) fn applied_in(file: &SourceFile, text: &str) -> impl Iterator<Item = String> {
    let mut paths = Vec::new();
    for command in commands(text) {
        let command = text.get(command).unwrap_or_default();
        let applies = command.contains("kubectl apply") || command.contains("kubectl create");
        if !applies || command.contains("--dry-run") {
            continue;
        }
        let words: Vec<&str> = command.split([' ', '\t', '\n', '\\', '=']).collect();
        let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
        let named = words.windows(2).filter(|it| FLAGS.contains(&it[0])).map(|it| it[1]);
        for path in named.flat_map(|it| it.split(',')) {
            // In prose a sentence may end behind it.
            let path = path.trim_end_matches("`.").trim_matches(['"', '\'', '`', ';', ')', '&']);
            paths.extend([meant(file.folder()), file.folder(), ""].map(|it| join(it, path)));
        }
    }
    paths.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::{applied_in, commands, found_in, is_of_commands};
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

    #[test]
    fn paths_are_read_from_commands() {
        for (path, text, wanted) in [
            (
                ".github/workflows/eks.yml",
                "  run: kubectl apply -f karpenter/pool.yaml\n",
                "karpenter/pool.yaml",
            ),
            ("scripts/up.sh", "kubectl apply -f ../pools/web.yaml\n", "pools/web.yaml"),
            ("scripts/up.sh", "kubectl apply \\\n  --filename=pools/web.yaml;\n", "pools/web.yaml"),
        ] {
            let found: Vec<String> = applied_in(&SourceFile::new(path, text), text).collect();
            assert!(found.iter().any(|it| it == wanted), "{path}: {found:?}");
        }
        let comment = "# kubectl apply -f pool.yaml\n";
        assert_eq!(applied_in(&SourceFile::new("up.sh", comment), comment).count(), 0);
    }

    #[test]
    fn folders_are_named_in_prose_and_scripts() {
        for (path, line, wanted) in [
            ("Makefile", "\tkubectl apply -f k8s/", true),
            ("README.md", "Run `kubectl apply -n shop -f ./k8s`.", true),
            ("ops/scripts/up.sh", "kubectl apply -Rf ../k8s", true),
            ("scripts/up.sh", "kubectl apply \\\n  -Rf ../k8s", true),
            ("ops/up.sh", "kubectl apply --filename=../k8s && echo", true),
            ("Makefile", "kubectl apply -k k8s/", false),
            ("Makefile", "# kubectl apply -f k8s/", false),
            ("Makefile", "kubectl apply -f k8s/ --dry-run=server", false),
            ("Makefile", "kubectl delete -f k8s/", false),
        ] {
            let file = SourceFile::new(path, line);
            let mut found = applied_in(&file, line);
            assert_eq!(found.any(|it| it == "k8s"), wanted, "{path}: {line}");
        }
    }
}
