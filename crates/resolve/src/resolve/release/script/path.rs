//! Paths in scripts, which are relative to a folder that is not known: the script's or one around it.

use crate::{
    resolve::gitops::repository::Repository,
    source::{FileId, Files, join, outward},
    value::{HOLE_END, HOLE_START, Text},
};

/// Part of the names of variables that hold the folder of the script or of its repository. What a command prints
/// counts too where it prints a folder: `$(dirname "$0")/values.yaml`.
const OF_SCRIPT: [&str; 7] =
    ["DIR", "ROOT", "HERE", "PWD", "WORKSPACE", "BASH_SOURCE", "SHOW-TOPLEVEL"];

/// What a path is relative to.
enum Base {
    /// The folder that the script runs in.
    Own,
    /// What a variable holds that names the folder of the script or of its repository.
    Script,
    /// The folder of whoever runs it: the repository lies somewhere below.
    Home,
    /// What a variable holds that says nothing of it.
    Variable,
}

/// The file at a path in a script of that folder.
pub(super) fn find(files: &Files, folder: &str, path: &Text) -> Option<FileId> {
    possible(folder, path, 2).iter().find_map(|it| files.find(it))
}

/// The folder of the chart at a path in a script of that folder.
pub(super) fn chart(repository: &Repository<'_>, folder: &str, path: &Text) -> Option<String> {
    possible(folder, path, 1).iter().find_map(|it| repository.chart("", it))
}

/// The paths of the repository that a path may mean, the likely ones first. It may begin with folders that the
/// repository lies in (`$HOME/work/shop/charts`): then at least so many of its parts have to be left.
fn possible(folder: &str, path: &Text, least: usize) -> Vec<String> {
    let Some((base, path)) = base(path) else { return Vec::new() };
    let own = matches!(base, Base::Own | Base::Script);
    let around = folders(folder).filter(|_| own).filter_map(|it| join(it, path));
    let (outside, least) = match base {
        Base::Own => return around.collect(),
        Base::Script | Base::Home => (1, least),
        Base::Variable => (0, least.max(2)),
    };
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    let starts = std::iter::once(0).chain(starts).skip(outside);
    let rests = starts.filter_map(|at| join("", path.get(at..)?));
    let counts = |it: &String| !it.is_empty() && it.split('/').count() >= least;
    around.chain(rests.filter(counts)).collect()
}

/// Whether a path leads into the repository, as far as its beginning says: not from a folder that is not known.
pub(super) fn is_inside(path: &Text) -> bool {
    if !path.text.starts_with(HOLE_START) {
        return !path.text.starts_with(['~', '/']);
    }
    let name = path.holes.first().and_then(|it| it.expression()).map(str::to_ascii_uppercase);
    name.is_some_and(|name| OF_SCRIPT.iter().any(|it| name.contains(it)))
}

/// What a path is relative to, and the rest of it. `None` where that is not known.
fn base(path: &Text) -> Option<(Base, &str)> {
    if let Some(known) = path.known() {
        let home = known.strip_prefix("~/").map(|it| (Base::Home, it));
        return Some(home.unwrap_or((Base::Own, known)));
    }
    let [first] = &*path.holes else { return None };
    let name = first.expression()?.to_ascii_uppercase();
    let (before, rest) = path.text.split_once(HOLE_END)?;
    let rest = rest.strip_prefix('/').filter(|_| before.starts_with(HOLE_START))?;
    let is_script = OF_SCRIPT.iter().any(|it| name.contains(it));
    let is_home = name.trim_matches(['$', '{', '}']) == "HOME";
    let variable = if is_home { Base::Home } else { Base::Variable };
    Some((if is_script { Base::Script } else { variable }, rest))
}

/// The folders that a path may be relative to: the script's, and those around it.
fn folders(folder: &str) -> impl Iterator<Item = &str> {
    outward(folder)
}
