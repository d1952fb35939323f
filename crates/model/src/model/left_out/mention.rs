//! Files that name a path which a kustomization leaves out, or a sample, so that something may apply it.

mod line;
pub(super) mod reader;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::atomic::{AtomicBool, Ordering},
};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::{
    model::left_out::{
        mention::{
            line::{PATH_FLAGS, is_command, tokens},
            reader::{Line, Reader},
        },
        unapplied::Unapplied,
    },
    source::{
        FileId, Files, SourceFile, aside, distribution, file_name, is_below, outward, parent,
    },
};

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
/// A path that nothing seems to apply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedPath<'a> {
    /// The folder around it.
    pub folder: &'a str,
    /// What lies directly in it.
    pub name: &'a str,
    /// Why it is thought so.
    pub of: Unapplied,
}

impl<'a> NamedPath<'a> {
    /// That of a sample.
    pub(crate) fn sample(path: &'a str) -> Self {
        let name = file_name(path);
        Self { folder: parent(path), name, of: Unapplied::Sample }
    }
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
        commented_out(text).any(|it| it.split('/').next() == Some(self.name))
    }

    /// Whether a file names the path outside of comments, or is beside what it holds and applies something. Given the
    /// indexes of the words that name it.
    fn is_in_file(&self, reader: &Reader<'_>, words: &[usize]) -> bool {
        let file = reader.file;
        if matches!(self.of, Unapplied::ByAside(_)) && aside::of(file.path()).is_some() {
            return false;
        }
        let is_sample = matches!(self.of, Unapplied::Sample);
        // What a release says of its own samples, it says to everybody.
        let is_of_release =
            || distribution(&self.path()).is_some_and(|it| is_below(file.path(), it));
        if is_sample && is_of_release() {
            return false;
        }
        // What objects apply is known, and their patterns name what they do not find.
        let is_data = reader.is_yaml() || file.ending() == "json";
        let is_known = matches!(
            self.of,
            Unapplied::NotFound(_) | Unapplied::ByLeftOut(_) | Unapplied::Excluded(_)
        );
        if is_data && is_known {
            return false;
        }
        let is_inside = is_below(file.path(), &self.path());
        let is_beside = file.folder() == self.folder;
        let lines = || reader.lines_with(words, is_beside);
        let removes = |it: &Line<'_>| it.removes && self.is_in(it.text, is_beside);
        // What is applied and removed again is tried out.
        if is_sample
            && reader.is_prose
            && (is_inside && reader.removes || lines().any(|it| removes(&it)))
        {
            return false;
        }
        if is_inside {
            return !reader.is_yaml() && reader.applies;
        }
        // What is only tried out, or removed, is not applied so.
        lines().filter(|it| !(is_sample && it.applies_nothing)).any(
            |Line { text: line, .. }| {
                // Text with code in it, as of Markdown, describes.
                let describes = reader.is_prose
                    || reader.is_yaml() && line.contains('`')
                    || matches!(self.of, Unapplied::NotFound(_));
                (!describes || is_command(line)) && self.is_in(line, is_beside)
            },
        )
    }

    /// Whether a line names the path: `kubectl apply -k apps/karpenter`, `path: ./apps/*`.
    fn is_in(&self, line: &str, is_beside: bool) -> bool {
        let last = self.folder.rsplit('/').next().unwrap_or_default();
        // Many folders have samples.
        let is_near = is_beside || !matches!(self.of, Unapplied::Sample);
        let is_command = is_command(line) && is_near;
        let mut before = "";
        tokens(line).any(|token| {
            let is_flagged = PATH_FLAGS.contains(&before);
            let is_asked = is_command && is_flagged;
            before = token;
            let mut parts = token.trim_start_matches("./").split('/');
            let is_first = parts.next() == Some(self.name);
            self.of.may_be_read_alone()
                && (self.is_read_by(token, is_flagged) || is_beside && is_flagged && token == ".")
                || is_first && (is_asked || is_beside && parts.next().is_some())
                || self.is_part_of(token, last, is_near)
        })
    }

    /// Whether a path may be that of the file, or of the whole folder: `${path.module}/pools`.
    fn is_read_by(&self, path: &str, is_flagged: bool) -> bool {
        let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let known = parts.iter().filter(|it| !is_relative(it) && opens_at(it).is_none()).count();
        let is_path = is_flagged || path.contains('/');
        let is_whole = is_path && (1..=self.folder.split('/').count()).contains(&known);
        // What is left open at the end is a file of the folder before it.
        let ends = parts.iter().rposition(|it| opens_at(it).is_none()).map_or(0, |it| it + 1);
        let around = &parts[..ends];
        parts.split_last().is_some_and(|(name, before)| {
            *name == self.name && self.is_folder(before)
                || is_whole && !around.is_empty() && self.is_folder(around)
        })
    }

    /// Whether a path leads through this one; `last` is the name of the folder. If it is near, from anywhere.
    fn is_part_of(&self, path: &str, last: &str, is_near: bool) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let leads = |(at, part): (usize, &&str)| {
            let before = &parts[..at];
            let is_from_folder = !last.is_empty()
                && before.last().is_some_and(|it| *it == last)
                && self.is_folder(before);
            let follows = before.last().is_some_and(|it| is_relative(it) || opens_at(it).is_some());
            match *part {
                it if it == self.name => is_from_folder || follows && is_near,
                it => is_from_folder && opens_at(it).is_some_and(|it| self.name.starts_with(it)),
            }
        };
        parts.len() > 1 && parts.iter().enumerate().any(leads)
    }

    /// Whether the parts of a path may lead to the folder, as far as they are known.
    fn is_folder(&self, parts: &[&str]) -> bool {
        let known = |it: &&&str| !is_relative(it) && opens_at(it).is_none();
        let own = self.folder.rsplit('/');
        parts.iter().rev().take_while(known).zip(own).all(|(part, own)| *part == own)
    }
}

/// Whether a part of a path leads on from where it is used.
fn is_relative(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

/// What a part of a path begins with, where the rest is left open.
fn opens_at(part: &str) -> Option<&str> {
    part.split_once(['*', '$', '{', '%']).map(|it| it.0)
}

/// The entries of a list that a text has in comments: `#- karpenter/pools.yaml`, without `./` before them.
pub(super) fn commented_out(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let comment = line.trim_start().strip_prefix('#')?.trim_start_matches(['#', ' ']);
        let entry = comment.strip_prefix('-')?.trim_start().trim_start_matches("./");
        entry.split([' ', '#']).next().map(|it| it.trim_matches(['"', '\'']).trim_end_matches('/'))
    })
}

/// The words by which paths are named: the last parts of each, and of its folder, as a path that leaves the end open
/// names the folder above alone.
struct Words {
    finder: AhoCorasick,
    /// The indexes of the words of each path.
    of_paths: Vec<Vec<usize>>,
    /// The indexes of the paths of each word.
    paths: Vec<Vec<usize>>,
}

impl Words {
    /// Those of some paths; `None` where there are too many to be looked for at once.
    fn of(paths: &[NamedPath<'_>]) -> Option<Self> {
        let last = |it: &NamedPath<'_>| it.folder.rsplit('/').next().unwrap_or_default().to_owned();
        let mut by_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, path) in paths.iter().enumerate() {
            for word in [path.name.to_owned(), last(path)].into_iter().filter(|it| !it.is_empty()) {
                by_word.entry(word).or_default().push(index);
            }
        }
        let finder = AhoCorasick::new(by_word.keys()).ok()?;
        let mut of_paths = vec![Vec::new(); paths.len()];
        for (word, paths) in by_word.values().enumerate() {
            for path in paths {
                of_paths[*path].push(word);
            }
        }
        Some(Self { finder, of_paths, paths: by_word.into_values().collect() })
    }
}

/// The indexes of the paths that something names. Each file is looked through once for all of them.
pub(crate) fn named(files: &Files, paths: &[NamedPath<'_>]) -> HashSet<usize> {
    if paths.is_empty() {
        return HashSet::new();
    }
    let Some(words) = Words::of(paths) else { return (0..paths.len()).collect() };
    let mut by_path: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, path) in paths.iter().enumerate() {
        by_path.entry(path.path()).or_default().push(index);
    }
    let known: Vec<AtomicBool> = paths.iter().map(|_| AtomicBool::new(false)).collect();
    let look_in = |(_, file): (FileId, &SourceFile)| {
        // What lies in a folder applies it without its name: `kubectl apply -f .`.
        let around = || outward(file.path()).filter_map(|it| by_path.get(it)).flatten().copied();
        file.skim(|text: &str| {
            if !words.finder.is_match(text) && around().next().is_none() {
                return;
            }
            let reader = Reader::of(file, text, &words.finder);
            let some = reader.words().flat_map(|it| &words.paths[it]).copied();
            let some: BTreeSet<usize> = some.chain(around()).collect();
            for path in some {
                // Once is enough.
                if !known[path].load(Ordering::Relaxed)
                    && paths[path].is_in_file(&reader, &words.of_paths[path])
                {
                    known[path].store(true, Ordering::Relaxed);
                }
            }
        });
    };
    // What allows a finding there, or judges by it, applies nothing.
    let is_own = |it: &SourceFile| it.name().starts_with(".karplint.");
    let is_reader = |it: &SourceFile| READERS.contains(&it.ending()) && !is_own(it);
    let readers: Vec<(FileId, &SourceFile)> = files.iter().filter(|it| is_reader(it.1)).collect();
    readers.into_par_iter().for_each(look_in);
    let known = known.into_iter().map(AtomicBool::into_inner);
    known.enumerate().filter(|(_, is_named)| *is_named).map(|(path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::{NamedPath, Reader, Words};
    use crate::{
        model::left_out::unapplied::Unapplied,
        source::{FileId, SourceFile},
    };

    const PATH: NamedPath<'_> =
        NamedPath { folder: "clusters/apps", name: "karpenter", of: Unapplied::LeftOut(FileId(0)) };

    fn is_named_in(path: &NamedPath<'_>, file: &str, text: &str) -> bool {
        let (file, words) = (SourceFile::new(file, text), Words::of(&[*path]).unwrap());
        path.is_in_file(&Reader::of(&file, text, &words.finder), &words.of_paths[0])
    }

    #[test]
    fn paths_are_named_by_those_who_apply_them() {
        for (file, line, is_named) in [
            ("install.sh", "kubectl apply -k clusters/apps/karpenter", true),
            ("install.sh", "# kubectl apply -k clusters/apps/karpenter", false),
            ("install.sh", "kubectl apply -k karpenter", true),
            ("install.sh", "kubectl get pods -n karpenter", false),
            ("install.sh", "for it in clusters/apps/*; do kubectl apply -k $it; done", true),
            ("install.sh", "pools=clusters/apps/karpenter", true),
            ("install.sh", "sed s/a/b/ clusters/apps/karpenter/pool.yaml > out.yaml", true),
            ("new.sh", "sed -i s/a/b/ clusters/apps/karpenter", false),
            ("new.sh", "cp clusters/apps/$from clusters/apps/karpenter", true),
            ("new.sh", "cp template.yaml \"$HERE/clusters/apps/$app\"", false),
            ("new.sh", "cat > clusters/apps/karpenter", false),
            ("README.md", "- `clusters/apps/karpenter`: nodes", false),
            ("README.md", "    kubectl apply -k clusters/apps/karpenter", true),
            ("root.yaml", "  path: ./clusters/apps/karpenter", true),
            ("root.yaml", "  path: clusters/apps", false),
            ("stack.yaml", "  text: \"`clusters/apps/karpenter/pool.yaml`: nodes\"", false),
            ("root.yaml", "  path: 'clusters/apps/{{name}}'", true),
            ("root.yaml", "  repoURL: oci://public.ecr.aws/karpenter", false),
            ("clusters/base/kustomization.yaml", "- ../karpenter", true),
            ("clusters/apps/kustomization.yaml", "#- karpenter", false),
            ("clusters/apps/kustomization.yaml", "  valuesFile: karpenter/values.yaml", true),
            ("clusters/apps/karpenter/README.md", "kubectl apply -f .", true),
            ("clusters/apps/karpenter/README.md", "kubectl get nodes", false),
            ("main.tf", "  path = \"${path.module}/karpenter\"", true),
            ("root.yaml", "  path: /repo/clusters/apps/kar*", true),
            ("root.yaml", "  path: other/apps/*", false),
            ("root.yaml", "  exclude: '^clusters/apps/pools\\.yaml$'", false),
        ] {
            assert_eq!(is_named_in(&PATH, file, line), is_named, "{file}: {line}");
        }
    }

    #[test]
    fn samples_are_applied_by_commands_that_do() {
        const SAMPLE: NamedPath<'_> =
            NamedPath { folder: "", name: "examples", of: Unapplied::Sample };
        for (line, is_named) in [
            ("kubectl apply -f examples/", true),
            ("kubectl apply -f examples/ --dry-run=client && \\", false),
            ("kubectl delete -f examples/", false),
        ] {
            assert_eq!(is_named_in(&SAMPLE, "clean.sh", line), is_named, "{line}");
        }
    }

    #[test]
    fn files_are_named_by_terraform_that_may_read_them() {
        const FILE: NamedPath<'_> =
            NamedPath { folder: "pools", name: "web.yaml", of: Unapplied::Unread(FileId(0)) };
        for (code, is_named) in [
            ("body = file(\"${path.module}/pools/web.yaml\")", true),
            ("body = file(\"${path.module}/pools/${each.key}\")", true),
            ("all = fileset(\"${path.module}/pools\", \"*.yaml\")", true),
            ("\"kubernetes.io/cluster/${var.name}\" = \"shared\"", false),
            ("/* body = file(\"${path.module}/pools/web.yaml\") */", false),
            ("/*\nbody = file(\"${path.module}/pools/web.yaml\")\n*/", false),
            ("/* of the web */\nbody = file(\"${path.module}/pools/web.yaml\")", true),
        ] {
            assert_eq!(is_named_in(&FILE, "main.tf", code), is_named, "{code}");
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
