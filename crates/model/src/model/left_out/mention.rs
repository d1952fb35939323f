//! Files that name a path which a kustomization leaves out, so that something else may apply it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::source::{FileId, Files, SourceFile, is_below};

/// The endings of files that may apply what others hold.
const READERS: &[&str] = &[
    "bash",
    "hcl",
    "Jenkinsfile",
    "js",
    "json",
    "justfile",
    "Makefile",
    "md",
    "mk",
    "ps1",
    "py",
    "sh",
    "Taskfile",
    "tf",
    "tfvars",
    "Tiltfile",
    "tofu",
    "ts",
    "yaml",
    "yml",
];
/// Commands that apply objects, and what leads to them.
const COMMANDS: &[&str] = &["kubectl", "kustomize", "flux ", "argocd ", "helm ", "oc apply", "cd "];
/// What commands do to apply them.
const VERBS: &[&str] = &["apply", "build", "create", "install", "replace", "upgrade"];
/// What ends a word of a line.
const ENDS: [char; 17] =
    [' ', '\t', '"', '\'', '`', '(', ')', ',', '=', ':', ';', '[', ']', '<', '>', '|', '&'];
/// What follows `-f` and its like in them.
const PATH_FLAGS: &[&str] = &["-k", "-f", "--kustomize", "--filename", "cd"];

/// A path that a kustomization leaves out.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedPath<'a> {
    /// The folder of the kustomization.
    pub folder: &'a str,
    /// What lies directly in it.
    pub name: &'a str,
    /// The kustomization.
    pub kustomization: FileId,
}

impl NamedPath<'_> {
    /// From the root of the repository.
    pub(super) fn path(&self) -> String {
        if self.folder.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}/{}", self.folder, self.name)
        }
    }

    /// Whether a kustomization lists the path in a comment: `#- karpenter/pools.yaml`.
    pub(super) fn is_commented_out(&self, text: &str) -> bool {
        let listed = |line: &str| {
            let comment = line.trim_start().strip_prefix('#')?.trim_start_matches(['#', ' ']);
            let entry = comment.strip_prefix('-')?.trim_start().trim_start_matches("./");
            Some(entry.split(['/', ' ', '#']).next() == Some(self.name))
        };
        text.lines().any(|it| listed(it) == Some(true))
    }

    /// Whether a file names the path outside of comments, or is beside what it holds and applies something.
    fn is_in_file(&self, file: &SourceFile, text: &str) -> bool {
        let is_prose = file.ending() == "md";
        let is_yaml = matches!(file.ending(), "yaml" | "yml");
        if is_below(file.path(), &self.path()) {
            return !is_yaml && text.lines().any(|it| is_command(it) && has_any(it, VERBS));
        }
        let is_beside = file.folder() == self.folder;
        text.lines().any(|line| {
            let line = if is_prose { line } else { without_comment(line) };
            (!is_prose || is_command(line)) && self.is_in(line, is_beside)
        })
    }

    /// Whether a line names the path: `kubectl apply -k apps/karpenter`, `path: ./apps/*`.
    fn is_in(&self, line: &str, is_beside: bool) -> bool {
        let last = self.folder.rsplit('/').next().unwrap_or_default();
        let is_command = is_command(line);
        let mut before = "";
        line.split(ENDS).filter(|it| !it.is_empty()).any(|token| {
            let is_asked = is_command && PATH_FLAGS.contains(&before);
            before = token;
            let mut parts = token.trim_start_matches("./").split('/');
            let is_first = parts.next() == Some(self.name);
            is_first && (is_asked || is_beside && parts.next().is_some())
                || self.is_part_of(token, last)
        })
    }

    /// Whether a path leads through this one; `last` is the name of the folder.
    fn is_part_of(&self, path: &str, last: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let leads = |(at, part): (usize, &&str)| {
            let from = at.checked_sub(1).and_then(|it| parts.get(it));
            let is_open = |it: &str| it.contains(['*', '$', '{', '%']);
            let is_from_folder = from.is_some_and(|it| *it == last && !last.is_empty());
            let follows = from.is_some_and(|it| matches!(*it, "" | "." | "..") || is_open(it));
            match *part {
                it if it == self.name => is_from_folder || follows,
                it => is_from_folder && is_open(it),
            }
        };
        parts.len() > 1 && parts.iter().enumerate().any(leads)
    }
}

/// What a line says outside of a comment.
fn without_comment(line: &str) -> &str {
    let line = line.split(" #").next().unwrap_or_default();
    if line.starts_with('#') { "" } else { line }
}

fn is_command(line: &str) -> bool {
    has_any(line, COMMANDS)
}

fn has_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|it| line.contains(it))
}

/// The indexes of the paths that something else names. Each file is looked through once for all of them.
pub(super) fn named(files: &Files, paths: &[NamedPath<'_>]) -> HashSet<usize> {
    if paths.is_empty() {
        return HashSet::new();
    }
    // A path that leaves the end open names the folder above alone.
    let last = |it: &NamedPath<'_>| it.folder.rsplit('/').next().unwrap_or_default().to_owned();
    let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, path) in paths.iter().enumerate() {
        for word in [path.name.to_owned(), last(path)].into_iter().filter(|it| !it.is_empty()) {
            by_word.entry(word).or_default().push(index);
        }
    }
    let Ok(words) = AhoCorasick::new(by_word.keys()) else { return (0..paths.len()).collect() };
    let whole: Vec<String> = paths.iter().map(NamedPath::path).collect();
    let by_word: Vec<Vec<usize>> = by_word.into_values().collect();
    let named_in = |(_, file): (FileId, &SourceFile)| -> Vec<usize> {
        let is_in = |text: &str| {
            let found = words.find_overlapping_iter(text).map(|it| it.pattern().as_usize());
            let found: BTreeSet<usize> = found.collect();
            let mut some: BTreeSet<usize> =
                found.into_iter().flat_map(|it| &by_word[it]).copied().collect();
            // What lies in a folder applies it without its name: `kubectl apply -f .`.
            some.extend((0..paths.len()).filter(|it| is_below(file.path(), &whole[*it])));
            some.into_iter().filter(|it| paths[*it].is_in_file(file, text)).collect()
        };
        file.skim(is_in)
    };
    let readers: Vec<(FileId, &SourceFile)> =
        files.iter().filter(|it| READERS.contains(&it.1.ending())).collect();
    readers.into_par_iter().flat_map_iter(named_in).collect()
}

#[cfg(test)]
mod tests {
    use super::NamedPath;
    use crate::source::{FileId, SourceFile};

    const PATH: NamedPath<'_> =
        NamedPath { folder: "clusters/apps", name: "karpenter", kustomization: FileId(0) };

    #[test]
    fn paths_are_named_by_those_who_apply_them() {
        for (file, line, is_named) in [
            ("install.sh", "kubectl apply -k clusters/apps/karpenter", true),
            ("install.sh", "# kubectl apply -k clusters/apps/karpenter", false),
            ("install.sh", "kubectl apply -k karpenter", true),
            ("install.sh", "kubectl get pods -n karpenter", false),
            ("install.sh", "for it in clusters/apps/*; do kubectl apply -k $it; done", true),
            ("README.md", "- `clusters/apps/karpenter`: nodes", false),
            ("README.md", "    kubectl apply -k clusters/apps/karpenter", true),
            ("root.yaml", "  path: ./clusters/apps/karpenter", true),
            ("root.yaml", "  path: clusters/apps", false),
            ("root.yaml", "  path: 'clusters/apps/{{name}}'", true),
            ("root.yaml", "  repoURL: oci://public.ecr.aws/karpenter", false),
            ("clusters/base/kustomization.yaml", "- ../karpenter", true),
            ("clusters/apps/kustomization.yaml", "#- karpenter", false),
            ("clusters/apps/kustomization.yaml", "  valuesFile: karpenter/values.yaml", true),
            ("clusters/apps/karpenter/README.md", "kubectl apply -f .", true),
            ("clusters/apps/karpenter/README.md", "kubectl get nodes", false),
            ("main.tf", "  path = \"${path.module}/karpenter\"", true),
        ] {
            let source = SourceFile::new(file, line);
            assert_eq!(PATH.is_in_file(&source, line), is_named, "{file}: {line}");
        }
    }

    #[test]
    fn entries_are_commented_out() {
        for (text, is_it) in [
            ("  #- karpenter/pools.yaml", true),
            ("# - ./karpenter", true),
            ("- karpenter", false),
            ("# karpenter", false),
            ("#- karpenter-crds", false),
        ] {
            assert_eq!(PATH.is_commented_out(text), is_it, "{text}");
        }
    }
}
