//! The walk with git's ignore rules.

mod ignores;

use std::{
    path::{Component, Path},
    sync::Arc,
};

use rayon::prelude::*;

use crate::{
    gate::{Entry, Gate, Kind, refusal::Refusal},
    project::{
        kind::{FileKind, is_read_by_terraform},
        skipped::Skipped,
        walk::ignores::{IgnoreFiles, Ignores},
    },
};

/// Folders that hold nothing of the author's own.
const FOREIGN: [&str; 4] = [".git", ".terraform", ".terragrunt-cache", "node_modules"];

/// Why a repository inside another one is left out.
const OTHER_REPOSITORY: &str = "a repository of its own: name it to check it";

/// What a walk found, sorted.
#[derive(Debug, Default)]
pub struct WalkResult {
    /// Paths relative to the root, with `/`.
    pub paths: Vec<String>,
    /// Files that cannot be part of the project.
    pub skipped: Vec<Skipped>,
    /// Links to other files of the project, with what they lead to.
    pub links: Vec<(String, String)>,
}

/// A path relative to the root with `/`; `None` when it is outside or not Unicode.
#[must_use]
pub fn relative(root: &Path, path: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.strip_prefix(root).ok()?.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str()?),
            _ => return None,
        }
    }
    Some(parts.join("/"))
}

impl WalkResult {
    /// Whether the path is one of those found, or a folder of one.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        let below = self.paths.partition_point(|it| *it < folder);
        self.paths.binary_search_by(|it| it.as_str().cmp(path)).is_ok()
            || self.paths.get(below).is_some_and(|it| it.starts_with(&folder))
    }

    /// Adds what another walk found.
    pub fn join(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.skipped.extend(other.skipped);
        self.links.extend(other.links);
        self.paths.sort_unstable();
        self.paths.dedup();
    }
}

/// What is left out of a walk, by path from the root.
type Exclude<'a> = dyn Fn(&str) -> bool + Sync + 'a;

/// All files in a folder of the root (or one file) that git would not ignore there, `depth` folders deep.
#[must_use]
pub fn files(gate: &Gate, from: &str, depth: Option<usize>, exclude: &Exclude<'_>) -> WalkResult {
    let mut found = WalkResult::default();
    if gate.kind(from) == Some(Kind::File) {
        if !exclude(from) {
            found.paths.push(from.to_owned());
        }
        return found;
    }
    // A folder that is no repository may hold several, and is what was asked for.
    let walk = Walk { gate, from, is_repository: gate.holds(".git"), exclude };
    let mut level = vec![Folder { path: from.to_owned(), above: None }];
    // One level after the other: a folder may be as deep as a path is long.
    for _ in 0..depth.unwrap_or(usize::MAX) {
        let visited: Vec<_> = level.par_iter().map(|it| walk.visit(it)).collect();
        level.clear();
        for (result, below) in visited {
            found.paths.extend(result.paths);
            found.skipped.extend(result.skipped);
            found.links.extend(result.links);
            level.extend(below);
        }
        if level.is_empty() {
            break;
        }
    }
    found.paths.sort_unstable();
    found.skipped.sort_unstable();
    found.links.sort_unstable();
    found
}

/// A walk through a project.
struct Walk<'a> {
    gate: &'a Gate,
    /// Where it begins.
    from: &'a str,
    /// Whether the project is a repository.
    is_repository: bool,
    exclude: &'a Exclude<'a>,
}

/// A folder that is to be visited.
struct Folder {
    path: String,
    /// The patterns of the folders above it.
    above: Option<Arc<Ignores>>,
}

impl Walk<'_> {
    /// What lies in a folder, and the folders below.
    fn visit(&self, folder: &Folder) -> (WalkResult, Vec<Folder>) {
        let mut found = WalkResult::default();
        let mut below = Vec::new();
        let entries = match self.gate.list(&folder.path) {
            Ok(entries) => entries,
            // It is asked for and need not be there, or it is gone by now.
            Err(Refusal::Missing) => return (found, below),
            Err(refusal) => {
                found.skipped.push(Skipped::new(shown(&folder.path), refusal.of_reading()));
                return (found, below);
            }
        };
        let has = |name: &str| entries.iter().any(|it| it.name.as_deref() == Ok(name));
        let files = IgnoreFiles { own: has(".gitignore"), of_git: has(".git") };
        if files.of_git && self.is_repository && folder.path != self.from {
            // Git leaves it to itself, too.
            found.skipped.push(Skipped::new(folder.path.as_str(), OTHER_REPOSITORY));
            return (found, below);
        }
        let (ignores, refused) = ignores::of(self.gate, &folder.path, files, folder.above.as_ref());
        found.skipped.extend(refused.into_iter().map(|(path, it)| unused(path, &it)));
        for Entry { name, kind } in entries {
            let name = match name {
                Ok(name) => name,
                Err(name) => {
                    let path = join(&folder.path, &name);
                    found.skipped.push(Skipped::new(path, "its name is not Unicode"));
                    continue;
                }
            };
            let path = join(&folder.path, &name);
            let is_folder = kind == Kind::Folder;
            let is_ignored = || {
                ignores.as_ref().is_some_and(|it| it.matches(&path, is_folder))
                    && !(kind == Kind::File && is_read_by_terraform(&name))
            };
            if FOREIGN.contains(&name.as_str()) || is_ignored() || (self.exclude)(&path) {
                continue;
            }
            match kind {
                Kind::File => found.paths.push(path),
                Kind::Folder => below.push(Folder { path, above: ignores.clone() }),
                Kind::Link => link(self.gate, path, &mut found),
                Kind::Special => found.skipped.extend(special(path)),
            }
        }
        (found, below)
    }
}

/// A pipe, a socket or a device that has the name of a file.
fn special(path: String) -> Option<Skipped> {
    FileKind::of(&path).map(|_| Skipped::new(path, Refusal::NotOrdinary.to_string()))
}

/// A file of ignore patterns that was not read.
fn unused(path: String, why: &Refusal) -> Skipped {
    Skipped::new(path, format!("{}: its patterns are not used", why.of_reading()))
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Links are not followed, with one exception: modules share a `.tf` file through links inside the
/// repository, and Terraform needs it in each of them. What reads files by their path sees the others.
fn link(gate: &Gate, path: String, found: &mut WalkResult) {
    let kind = FileKind::of(&path);
    let target = gate.real(&path).map(|it| (gate.kind(&it), it));
    match target {
        Ok((Some(Kind::File), target)) => {
            if matches!(kind, Some(FileKind::Terraform | FileKind::Variables)) {
                found.paths.push(path);
                return;
            }
            let reason = "a link to another file of the repository";
            found.skipped.extend(kind.map(|_| Skipped::new(path.as_str(), reason)));
            found.links.push((path, target));
        }
        _ if kind.is_none() => {}
        Ok((Some(Kind::Folder), _)) => {}
        Ok(_) => found.skipped.extend(special(path)),
        Err(Refusal::OfGit) => {
            found.skipped.push(Skipped::new(path, "a link to what is git's own"));
        }
        Err(_) => {
            found.skipped.push(Skipped::new(path, "a link that leads out of the repository"));
        }
    }
}
