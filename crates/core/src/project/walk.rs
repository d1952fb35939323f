//! The walk with git's ignore rules.

use std::{
    fs,
    path::{Component, Path},
    sync::{Mutex, PoisonError},
};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::project::{kind::FileKind, skipped::Skipped};

/// Folders that hold nothing of the author's own.
const FOREIGN: [&str; 3] = [".git", ".terraform", "node_modules"];

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

/// All files in a folder of the root (or one file) that git would not ignore there, `depth` folders deep.
#[must_use]
pub fn files(
    root: &Path,
    folder: &Path,
    depth: Option<usize>,
    exclude: &(dyn Fn(&str) -> bool + Sync),
) -> WalkResult {
    let found = Mutex::new(WalkResult::default());
    // A folder that is no repository may hold several, and is what was asked for.
    let repository = root.join(".git").exists();
    let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
    // The user's own global ignore file is not used: a laptop and a CI machine must agree.
    let mut builder = WalkBuilder::new(folder);
    builder.max_depth(depth);
    builder.hidden(false).ignore(false).git_global(false).require_git(false).parents(false);
    builder.filter_entry(|entry| !FOREIGN.iter().any(|it| entry.file_name() == *it));
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            let Ok(entry) = entry else { return WalkState::Continue };
            if repository && is_repository(&entry) {
                let path = relative(root, entry.path()).filter(|it| !exclude(it));
                lock().skipped.extend(path.map(|it| Skipped::new(it, OTHER_REPOSITORY)));
                return WalkState::Skip;
            }
            match sort_out(root, &entry, exclude) {
                Verdict::Take(path) => lock().paths.push(path),
                Verdict::Skip(skipped) => lock().skipped.push(skipped),
                Verdict::Link(path, target, skipped) => {
                    let mut found = lock();
                    found.links.push((path, target));
                    found.skipped.extend(skipped);
                }
                Verdict::Prune => return WalkState::Skip,
                Verdict::Pass => {}
            }
            WalkState::Continue
        })
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.paths.sort_unstable();
    found.skipped.sort_unstable();
    found.links.sort_unstable();
    found
}

/// Whether a folder below the one that is walked is a repository of its own: git leaves it to itself, too.
fn is_repository(entry: &DirEntry) -> bool {
    let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|it| it.is_dir());
    is_folder && entry.path().join(".git").exists()
}

enum Verdict {
    Take(String),
    Skip(Skipped),
    /// A link to a file of the project, and whether to report that it is not read on its own.
    Link(String, String, Option<Skipped>),
    Prune,
    Pass,
}

fn sort_out(root: &Path, entry: &DirEntry, exclude: &(dyn Fn(&str) -> bool + Sync)) -> Verdict {
    let kind = entry.file_type();
    let is_folder = kind.is_some_and(|it| it.is_dir());
    let Some(path) = relative(root, entry.path()) else {
        let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let path = path.to_string_lossy().replace('\\', "/");
        return Verdict::Skip(Skipped::new(path, "its name is not Unicode"));
    };
    if exclude(&path) {
        return if is_folder { Verdict::Prune } else { Verdict::Pass };
    }
    if kind.is_some_and(|it| it.is_file()) {
        return Verdict::Take(path);
    }
    if kind.is_some_and(|it| it.is_symlink()) {
        return link(root, entry.path(), path);
    }
    Verdict::Pass
}

/// Links are not followed, with one exception: modules share a `.tf` file through links inside the
/// repository, and Terraform needs it in each of them. What reads files by their path sees the others.
fn link(root: &Path, from: &Path, path: String) -> Verdict {
    let kind = FileKind::of(&path);
    let target = fs::canonicalize(from).ok().filter(|it| it.starts_with(root) && it.is_file());
    match target.and_then(|it| relative(root, &it)) {
        Some(_) if matches!(kind, Some(FileKind::Terraform | FileKind::Variables)) => {
            Verdict::Take(path)
        }
        Some(target) => {
            let reason = "a link to another file of the repository";
            let skipped = kind.map(|_| Skipped::new(path.as_str(), reason));
            Verdict::Link(path, target, skipped)
        }
        None if kind.is_none() => Verdict::Pass,
        None => Verdict::Skip(Skipped::new(path, "a link that leads out of the repository")),
    }
}
