//! Files that name a path which a kustomization leaves out, or a sample, so that something may apply it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use crate::{
    model::left_out::unapplied::Unapplied,
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
/// Commands that apply objects, and what leads to them.
const COMMANDS: &[&str] = &["kubectl", "kustomize", "flux ", "argocd ", "helm ", "oc apply", "cd "];
/// What commands do to apply them.
const VERBS: &[&str] = &["apply", "build", "create", "install", "replace", "upgrade"];
/// What commands have that apply nothing.
const NOT_APPLIED: &[&str] = &["kubectl delete", "--dry-run"];
/// What searches, changes or removes a file, or only names it.
const EDITS: &[&str] = &["grep ", "rm ", "sed -i", "yq -i", "echo ", " -delete"];
/// What writes the file of its last word.
const COPIES: &[&str] = &["cp ", "mv "];
/// What ends a word of a line.
const ENDS: [char; 17] =
    [' ', '\t', '"', '\'', '`', '(', ')', ',', '=', ':', ';', '[', ']', '<', '>', '|', '&'];
/// What follows `-f` and its like in them.
const PATH_FLAGS: &[&str] = &["-k", "-f", "--kustomize", "--filename", "cd"];

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

    /// Whether a file names the path outside of comments, or is beside what it holds and applies something.
    fn is_in_file(&self, file: &SourceFile, text: &str) -> bool {
        let is_prose = file.ending() == "md";
        if matches!(self.of, Unapplied::ByAside(_)) && aside::of(file.path()).is_some() {
            return false;
        }
        // What a release says of its own samples, it says to everybody.
        let is_of_release =
            || distribution(&self.path()).is_some_and(|it| is_below(file.path(), it));
        if matches!(self.of, Unapplied::Sample) && is_of_release() {
            return false;
        }
        let is_yaml = is_yaml(file);
        // What objects apply is known, and their patterns name what they do not find.
        let is_data = is_yaml || file.ending() == "json";
        let is_known = matches!(
            self.of,
            Unapplied::NotFound(_) | Unapplied::ByLeftOut(_) | Unapplied::Excluded(_)
        );
        if is_data && is_known {
            return false;
        }
        let is_inside = is_below(file.path(), &self.path());
        let is_beside = file.folder() == self.folder;
        let removes =
            |it: &str| it.contains("kubectl delete") && (is_inside || self.is_in(it, is_beside));
        // What is applied and removed again is tried out.
        if is_prose && matches!(self.of, Unapplied::Sample) && text.lines().any(removes) {
            return false;
        }
        if is_inside {
            return !is_yaml && text.lines().any(|it| is_command(it) && has_any(it, VERBS));
        }
        let is_shell = matches!(file.ending(), "sh" | "bash");
        let mut comment = BlockComment::in_code_of(file.ending());
        let is_sample = matches!(self.of, Unapplied::Sample);
        // What is only tried out, or removed, is not applied so.
        let is_other = |it: &str| is_sample && has_any(it, NOT_APPLIED);
        text.lines().filter(|it| !comment.holds(it) && !is_other(it)).any(|line| {
            let line = if is_prose { line } else { without_comment(line) };
            let line = if is_shell { what_is_read(line) } else { line };
            // Text with code in it, as of Markdown, describes.
            let describes = is_prose
                || is_yaml && line.contains('`')
                || matches!(self.of, Unapplied::NotFound(_));
            (!describes || is_command(line)) && self.is_in(line, is_beside)
        })
    }

    /// Whether a line names the path: `kubectl apply -k apps/karpenter`, `path: ./apps/*`.
    fn is_in(&self, line: &str, is_beside: bool) -> bool {
        let last = self.folder.rsplit('/').next().unwrap_or_default();
        // Many folders have samples.
        let is_near = is_beside || !matches!(self.of, Unapplied::Sample);
        let is_command = is_command(line) && is_near;
        let mut before = "";
        line.split(ENDS).filter(|it| !it.is_empty()).any(|token| {
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

/// Which lines of Terraform are a comment that begins with `//`, or in one of several lines: from one that begins with
/// `/*`, as paths have that inside.
struct BlockComment {
    is_known: bool,
    is_open: bool,
}

impl BlockComment {
    fn in_code_of(ending: &str) -> Self {
        Self { is_known: matches!(ending, "tf" | "tofu" | "hcl"), is_open: false }
    }

    fn holds(&mut self, line: &str) -> bool {
        let is_inside = self.is_known && (self.is_open || line.trim_start().starts_with("/*"));
        self.is_open = is_inside && !line.trim_end().ends_with("*/");
        is_inside || self.is_known && line.trim_start().starts_with("//")
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

/// Whether it is a file of YAML by its name.
pub(super) fn is_yaml(file: &SourceFile) -> bool {
    matches!(file.ending(), "yaml" | "yml")
}

/// What a line says outside of a comment.
fn without_comment(line: &str) -> &str {
    let line = line.split(" #").next().unwrap_or_default();
    if line.trim_start().starts_with('#') { "" } else { line }
}

/// The part of a line of a shell script that may name what is applied later: not what is changed in place, searched or
/// written.
fn what_is_read(line: &str) -> &str {
    let (command, _) = line.split_once('>').unwrap_or((line, ""));
    if is_command(line) {
        line
    } else if has_any(command, EDITS) {
        ""
    } else if has_any(command, COPIES) {
        command.trim_end().rsplit_once(' ').map_or("", |it| it.0)
    } else {
        command
    }
}

fn is_command(line: &str) -> bool {
    has_any(line, COMMANDS)
}

fn has_any(line: &str, words: &[&str]) -> bool {
    words.iter().any(|it| line.contains(it))
}

/// The indexes of the paths that something names. Each file is looked through once for all of them.
pub(crate) fn named(files: &Files, paths: &[NamedPath<'_>]) -> HashSet<usize> {
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
    let mut by_path: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, path) in paths.iter().enumerate() {
        by_path.entry(path.path()).or_default().push(index);
    }
    let by_word: Vec<Vec<usize>> = by_word.into_values().collect();
    let named_in = |(_, file): (FileId, &SourceFile)| -> Vec<usize> {
        let is_in = |text: &str| {
            let found = words.find_overlapping_iter(text).map(|it| it.pattern().as_usize());
            let found: BTreeSet<usize> = found.collect();
            let mut some: BTreeSet<usize> =
                found.into_iter().flat_map(|it| &by_word[it]).copied().collect();
            // What lies in a folder applies it without its name: `kubectl apply -f .`.
            some.extend(outward(file.path()).filter_map(|it| by_path.get(it)).flatten());
            some.into_iter().filter(|it| paths[*it].is_in_file(file, text)).collect()
        };
        file.skim(is_in)
    };
    // What allows a finding there, or judges by it, applies nothing.
    let is_own = |it: &SourceFile| it.name().starts_with(".karplint.");
    let is_reader = |it: &SourceFile| READERS.contains(&it.ending()) && !is_own(it);
    let readers: Vec<(FileId, &SourceFile)> = files.iter().filter(|it| is_reader(it.1)).collect();
    readers.into_par_iter().flat_map_iter(named_in).collect()
}

#[cfg(test)]
mod tests {
    use super::NamedPath;
    use crate::{
        model::left_out::unapplied::Unapplied,
        source::{FileId, SourceFile},
    };

    const PATH: NamedPath<'_> =
        NamedPath { folder: "clusters/apps", name: "karpenter", of: Unapplied::LeftOut(FileId(0)) };

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
            let source = SourceFile::new(file, line);
            assert_eq!(PATH.is_in_file(&source, line), is_named, "{file}: {line}");
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
            let source = SourceFile::new("clean.sh", line);
            assert_eq!(SAMPLE.is_in_file(&source, line), is_named, "{line}");
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
            let source = SourceFile::new("main.tf", code);
            assert_eq!(FILE.is_in_file(&source, code), is_named, "{code}");
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
