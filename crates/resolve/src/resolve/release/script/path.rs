//! Paths in scripts, which are relative to a folder that is not known: the script's or one around it.

use crate::{
    source::{FileId, Files, join, parent},
    value::{HOLE_END, HOLE_START, Text},
};

/// The file at a path in a script of that folder.
pub(super) fn find(files: &Files, folder: &str, path: &Text) -> Option<FileId> {
    let path = below_script(path).or(path.known())?;
    folders(folder).find_map(|at| files.find(&join(at, path)?))
}

/// The folders that a path may be relative to: the script's, and those around it.
pub(super) fn folders(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |it| (!it.is_empty()).then(|| parent(it)))
}

/// The path after a variable that names the folder of the script or of its repository: `$SCRIPT_DIR/values.yaml`.
/// What a command prints counts too where it prints a folder: `$(dirname "$0")/values.yaml`.
fn below_script(text: &Text) -> Option<&str> {
    const NAMES: [&str; 7] =
        ["DIR", "ROOT", "HERE", "PWD", "GITHUB_WORKSPACE", "BASH_SOURCE", "SHOW-TOPLEVEL"];
    let [folder] = &*text.holes else { return None };
    let name = folder.expression()?.to_ascii_uppercase();
    let (before, path) = text.text.split_once(HOLE_END)?;
    let starts = before.starts_with(HOLE_START) && NAMES.iter().any(|it| name.contains(it));
    path.strip_prefix('/').filter(|_| starts)
}
