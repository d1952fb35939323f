//! An earlier state of a project, read from git's objects: nothing is checked out, and no filter, hook or other
//! program runs that the repository's configuration names.

mod changed;
mod objects;

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    cli::{
        args::Check,
        git::{
            changed::{Texts, lines, renamed},
            objects::{Git, Tree},
        },
    },
    config::Config,
    lint::{self, LintResult},
    model::version_change::InstalledVersions,
    project::{
        Project, elsewhere,
        kind::{FileKind, is_downloaded},
    },
    report::{choice::Changes, fingerprint},
    source::{SourceFile, join, parent},
};

/// Endings of files that no kind is known of by their name, and that others read.
const READ_BY_OTHERS: [&str; 9] =
    ["tftpl", "tpl", "tmpl", "gotmpl", "txt", "hcl", "properties", "env", "lock"];
/// A link that leads to a link is followed so often.
const HOPS: usize = 8;

/// What is known of the state since which changes are asked for.
#[derive(Debug, Default)]
pub(super) struct Since {
    /// What differs now; `None` where nobody asks.
    pub changes: Option<Changes>,
    /// The versions that were installed, with each set of variables.
    pub versions: Vec<InstalledVersions>,
}

impl Since {
    /// That of the state that `--changed-since` names.
    ///
    /// # Errors
    /// One sentence: git cannot be run, or does not know the reference, or lacks files of it.
    pub(super) fn read(check: &Check, project: &Project, config: &Config) -> Result<Self, String> {
        let Some(reference) = &check.changed_since else { return Ok(Self::default()) };
        let earlier = EarlierState::read(project, config, reference)?;
        let before = lint::run(&earlier.project, config);
        let versions = before.versions.iter().cloned();
        let versions =
            versions.map(|it| it.in_folders(|folder| earlier.folder_now(folder, project)));
        Ok(Self { changes: Some(earlier.changes(&before, project)), versions: versions.collect() })
    }
}

/// A project as it was when the branch left a commit.
struct EarlierState {
    /// The project of that state.
    project: Project,
    /// The texts of its files that are others now, or gone.
    changed: HashMap<String, SourceFile>,
    /// The new path by the old one.
    renamed: HashMap<String, String>,
}

impl EarlierState {
    /// The state from which the branch left `reference`.
    ///
    /// # Errors
    /// One sentence: git cannot be run, or does not know the reference, or lacks files of it.
    fn read(project: &Project, config: &Config, reference: &str) -> Result<Self, String> {
        let git = Git { root: &project.root };
        let tree = git.tree(&git.base(reference)?)?;
        let wanted = tree.files.iter().filter(|(path, object)| {
            let left_out = || project.files.find(path).is_none() && project.is_on_disk(path);
            is_of_interest(path) && !is_unchanged(project, path, object) && !left_out()
        });
        let wanted: Vec<(&str, &str)> =
            wanted.map(|(path, object)| (path.as_str(), object.as_str())).collect();
        let mut changed = HashMap::new();
        for ((path, _), bytes) in wanted.iter().zip(git.blobs(&wanted, reference)?) {
            let file = of_pointer(project, path, &bytes).unwrap_or_else(|| {
                SourceFile::with_content(*path, elsewhere::content(path, bytes))
            });
            changed.insert((*path).to_owned(), file);
        }
        let renamed = renames(project, &tree, &changed);
        let (files, links) = files(project, config, &tree, &changed);
        let project = Project::from_files(files, links, &|it| config.excludes(it));
        Ok(Self { project, changed, renamed })
    }

    /// The name that a file of that state has now.
    fn name_now<'a>(&'a self, path: &'a str) -> &'a str {
        self.renamed.get(path).map_or(path, String::as_str)
    }

    /// The name that a folder of that state has now, if all its files are gone and some went to another one.
    fn folder_now(&self, folder: &str, now: &Project) -> Option<String> {
        let moved = self.renamed.iter().filter(|(from, _)| parent(from) == folder);
        let to = moved.map(|(_, to)| parent(to)).min()?;
        let is_there = now.files.iter().any(|(_, it)| it.folder() == folder);
        (!is_there).then(|| to.to_owned())
    }

    /// What differs in the project as it is now.
    fn changes(&self, before: &LintResult, now: &Project) -> Changes {
        let name = |path| self.name_now(path);
        let known = fingerprint::of_all(&self.project.files, &before.findings, &name);
        let mut changed_lines: HashMap<String, Vec<Range<usize>>> = HashMap::new();
        for (path, file) in &self.changed {
            let path = self.name_now(path);
            let now = now.files.find(path).map(|it| now.files.get(it));
            if let Some(now) = now.filter(|it| !it.is_lost()) {
                changed_lines.insert(path.to_owned(), lines(file.text(), now.text()));
            }
        }
        Changes { lines: changed_lines, before: known.into_iter().collect::<HashSet<_>>() }
    }
}

/// Whether a file may decide what is found.
fn is_of_interest(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    FileKind::of(path).is_some() || READ_BY_OTHERS.contains(&ending)
}

/// Whether a file is as it was.
fn is_unchanged(project: &Project, path: &str, object: &str) -> bool {
    let file = project.files.find(path).map(|it| project.files.get(it));
    file.is_some_and(|it| it.skim(|text| objects::name_of(text) == object))
}

/// The file as it lies on the disk, if it is the one to which a pointer of Git LFS leads.
fn of_pointer(project: &Project, path: &str, bytes: &[u8]) -> Option<SourceFile> {
    let file = project.files.get(project.files.find(path)?);
    file.skim(|text| objects::is_pointer_to(bytes, text)).then(|| file.again())
}

/// The files of a state with its links. What tools fetched since is no part of any commit, nor are the variables
/// that the configuration names though git ignores them: of both there is what lies here.
fn files(
    project: &Project,
    config: &Config,
    tree: &Tree,
    changed: &HashMap<String, SourceFile>,
) -> (Vec<SourceFile>, Vec<(String, String)>) {
    let of_variants = config.variants.iter().flat_map(|(_, files)| files);
    let named: HashSet<&String> = config.var_files.iter().chain(of_variants).collect();
    let kept = |it: &&SourceFile| {
        let path = it.path().to_owned();
        let is_of_tree = tree.files.contains_key(&path) || tree.links.contains_key(&path);
        is_downloaded(&path) || (!is_of_tree && named.contains(&path))
    };
    let here = project.files.iter().map(|(_, it)| it);
    let mut files: HashMap<&str, SourceFile> =
        here.filter(kept).map(|it| (it.path(), it.again())).collect();
    for path in tree.files.keys() {
        let here = || project.files.find(path).map(|it| project.files.get(it));
        let file = changed.get(path).or_else(here).map(SourceFile::again);
        files.extend(file.map(|it| (path.as_str(), it)));
    }
    let mut links = Vec::new();
    let mut linked = Vec::new();
    for path in tree.links.keys() {
        let Some(target) = target(tree, path) else { continue };
        let kind = FileKind::of(path);
        match files.get(&*target) {
            // As the walk over a disk takes them.
            Some(it) if matches!(kind, Some(FileKind::Terraform | FileKind::Variables)) => {
                linked.push(SourceFile::new(path, it.text()));
            }
            Some(_) => links.push((path.clone(), target)),
            None => {}
        }
    }
    (files.into_values().chain(linked).collect(), links)
}

/// The file a link leads to.
fn target(tree: &Tree, link: &str) -> Option<String> {
    let mut path = link.to_owned();
    for _ in 0..HOPS {
        let Some(next) = tree.links.get(&path) else { return Some(path) };
        path = join(parent(&path), next).filter(|_| !next.starts_with('/'))?;
    }
    None
}

/// Which files that are gone came under another name.
fn renames(
    project: &Project,
    tree: &Tree,
    changed: &HashMap<String, SourceFile>,
) -> HashMap<String, String> {
    let gone = changed.values().filter(|it| project.files.find(it.path()).is_none());
    let gone: Vec<(&str, &str)> = gone.map(|it| (it.path(), it.text())).collect();
    if gone.is_empty() {
        return HashMap::new();
    }
    let is_new = |it: &&SourceFile| {
        let path = it.path();
        let is_of_tree = tree.files.contains_key(path) || tree.links.contains_key(path);
        is_of_interest(path) && !is_of_tree && !is_downloaded(path)
    };
    let came = project.files.iter().map(|(_, it)| it).filter(is_new);
    let came: Vec<(&str, &str)> = came.map(|it| (it.path(), it.text())).collect();
    let sorted = |mut texts: Vec<(_, _)>| {
        texts.sort_unstable();
        texts
    };
    let (gone, came): (Vec<_>, &Texts<'_>) = (sorted(gone), &came);
    renamed(&gone, came)
}
