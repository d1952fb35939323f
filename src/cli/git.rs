//! An earlier state from git: its files, and the lines that changed since.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    path::Path,
    process::Command,
    time::Duration,
};

use crate::{
    cli::program::{Failure, Limits, output},
    config::Config,
    lint,
    project::{Project, kind::is_downloaded},
    report::{choice::Changes, fingerprint},
};

/// The limits of one git command.
const LIMITS: Limits = Limits { time: Duration::from_mins(1), bytes: 1 << 30 };

/// What changed in a project since the branch left `reference`.
///
/// # Errors
/// When git cannot be run, or does not know the reference.
pub(super) fn changes(
    project: &Project,
    config: &Config,
    reference: &str,
) -> Result<Changes, String> {
    let git = Git { root: &project.root };
    let commit = git.text(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!("{reference}^{{commit}}"),
    ]);
    let commit = commit.map_err(|_| format!("--changed-since: git knows no `{reference}` here"))?;
    // What came to the other branch since is none of this one's changes.
    let base = git.text(&["merge-base", commit.trim(), "HEAD"]).unwrap_or(commit);
    let base = base.trim();
    let diff = ["diff", "--no-color", "--no-ext-diff", "--relative", "--unified=0", "-M"];
    let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", base, "--"];
    let patch = ParsedDiff::read(&git.text(&[&diff[..], &prefixes].concat())?);
    let before = Project::from_texts(before(&git, project, base)?, &|it| config.excludes(it));
    let outcome = lint::run(&before, config);
    let name = |path| patch.renamed.get(path).map_or(path, String::as_str);
    let known = fingerprint::of_all(&before.files, &outcome.findings, &name);
    Ok(Changes { lines: patch.lines, before: known.into_iter().collect::<HashSet<_>>() })
}

/// The files of an earlier state, with what tools fetched since: it is no part of any commit.
fn before(git: &Git, project: &Project, base: &str) -> Result<Vec<(String, String)>, String> {
    let listed = git.text(&["ls-tree", "-r", "-z", base])?;
    let mut paths = Vec::new();
    let mut wanted = String::new();
    // Each entry is `mode type object<TAB>path`, with paths below the folder git runs in.
    for entry in listed.split('\0') {
        let Some((about, path)) = entry.split_once('\t') else { continue };
        let mut about = about.split(' ');
        let (mode, kind, object) = (about.next(), about.next(), about.next());
        if let (Some("100644" | "100755"), Some("blob"), Some(object)) = (mode, kind, object) {
            paths.push(path);
            wanted += object;
            wanted.push('\n');
        }
    }
    let contents = git.run(&["cat-file", "--batch"], wanted.as_bytes())?;
    let texts = blobs(&contents).into_iter().map(String::from_utf8);
    let files = paths.into_iter().zip(texts);
    let mut files: Vec<(String, String)> =
        files.filter_map(|(path, text)| Some((path.to_owned(), text.ok()?))).collect();
    let fetched = project.files.iter().filter(|(_, it)| is_downloaded(it.path()));
    files.extend(fetched.map(|(_, it)| (it.path().to_owned(), it.text().to_owned())));
    Ok(files)
}

/// The objects `git cat-file --batch` prints: a line that ends with the length, the bytes, a line break.
fn blobs(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    while let Some(end) = memchr::memchr(b'\n', bytes) {
        let head = String::from_utf8_lossy(&bytes[..end]);
        let length = head.rsplit(' ').next().and_then(|it| it.parse::<usize>().ok());
        let start = end + 1;
        let stop = length.map_or(start, |it| start + it);
        let Some(blob) = bytes.get(start..stop) else { break };
        found.push(blob.to_vec());
        bytes = bytes.get(stop + usize::from(length.is_some())..).unwrap_or_default();
    }
    found
}

/// A parsed patch without context lines.
#[derive(Debug, Default, PartialEq, Eq)]
struct ParsedDiff {
    /// The changed lines by path, counted from 0.
    lines: HashMap<String, Vec<Range<usize>>>,
    /// The new path by the old one.
    renamed: HashMap<String, String>,
}

impl ParsedDiff {
    fn read(text: &str) -> Self {
        let mut patch = Self::default();
        let mut from = String::new();
        let mut here = None;
        // Lines of the content that still belong to a hunk; they may look like anything.
        let mut content = 0;
        for line in text.lines() {
            if content > 0 && line.starts_with(['+', '-']) {
                content -= 1;
            } else if let Some(hunk) = line.strip_prefix("@@ -") {
                let (old, new) = hunk_ranges(hunk).unwrap_or_default();
                content = old.len() + new.len();
                if let Some(path) = &here {
                    // Where lines went away, the two that now meet.
                    let new = if new.is_empty() { new.start..new.start + 2 } else { new };
                    patch.lines.entry(String::clone(path)).or_default().push(new);
                }
            } else if let Some(old) = line.strip_prefix("rename from ") {
                from = unquoted(old);
            } else if let Some(new) = line.strip_prefix("rename to ") {
                patch.renamed.insert(std::mem::take(&mut from), unquoted(new));
            } else if let Some(new) = line.strip_prefix("+++ ") {
                here = unquoted(new).strip_prefix("b/").map(str::to_owned);
            }
        }
        patch
    }
}

/// The old and the new lines of `12,2 +12,3 @@`, counted from 0.
fn hunk_ranges(hunk: &str) -> Option<(Range<usize>, Range<usize>)> {
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        let start: usize = start.parse().ok()?;
        let count: usize = count.parse().ok()?;
        // Of no lines, git names the one before.
        let start = if count == 0 { start.saturating_sub(1) } else { start - 1 };
        Some(start..start + count)
    };
    let mut parts = hunk.split(' ');
    let (old, new) = (parts.next()?, parts.next()?.strip_prefix('+')?);
    Some((range(old)?, range(new)?))
}

/// A path as git prints it: in quotes where it has special characters.
fn unquoted(path: &str) -> String {
    let path = path.trim_end_matches('\t');
    let Some(inside) = path.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inside.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(first @ b'0'..=b'3') => {
                let digit = |it: Option<u8>| it.map_or(0, |it| it.wrapping_sub(b'0') & 7);
                let (second, third) = (digit(rest.next()), digit(rest.next()));
                bytes.push(((first - b'0') << 6) | (second << 3) | third);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Git<'a> {
    root: &'a Path,
}

impl Git<'_> {
    fn text(&self, arguments: &[&str]) -> Result<String, String> {
        self.run(arguments, &[]).map(|it| String::from_utf8_lossy(&it).into_owned())
    }

    fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.root).args(arguments);
        output(command, input, LIMITS).map_err(|failure| match failure {
            Failure::NotRun(error) => format!("--changed-since: git cannot be run: {error}"),
            Failure::Failed(why) => format!("--changed-since: git: {why}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ParsedDiff, blobs, unquoted};

    #[test]
    fn a_patch_names_the_lines_that_changed() {
        let text = "diff --git a/a.tf b/a.tf\n--- a/a.tf\n+++ b/a.tf\n@@ -3 +3,2 @@ x\n-old\n+new\n++++ b/trap\n@@ -9,2 +9,0 @@\n-one\n-two\ndiff --git a/old.yaml b/new.yaml\nsimilarity index 90%\nrename from old.yaml\nrename to new.yaml\n--- a/old.yaml\n+++ b/new.yaml\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/gone.tf b/gone.tf\n--- a/gone.tf\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n";
        let patch = ParsedDiff::read(text);
        assert_eq!(patch.lines["a.tf"], [2..4, 8..10]);
        assert_eq!((patch.lines["new.yaml"].len(), patch.lines.len()), (1, 2));
        assert_eq!(patch.lines["new.yaml"][0], 0..1);
        assert_eq!(patch.renamed["old.yaml"], "new.yaml");
    }

    #[test]
    fn paths_lose_the_quotes_of_git() {
        for (text, wanted) in [
            ("b/a.tf", "b/a.tf"),
            ("b/with blank.tf\t", "b/with blank.tf"),
            ("\"b/\\303\\251\\t\\\"x.tf\"", "b/é\t\"x.tf"),
        ] {
            assert_eq!(unquoted(text), wanted);
        }
    }

    #[test]
    fn objects_are_told_apart_by_their_length() {
        let text = b"abc blob 4\na\nb\n\ndef missing\nfed blob 0\n\n";
        assert_eq!(blobs(text), [b"a\nb\n".to_vec(), Vec::new(), Vec::new()]);
    }
}
