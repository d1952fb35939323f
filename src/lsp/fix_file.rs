//! All safe fixes of one file.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use crate::{
    findings::{Finding, Safety, edit::Edit},
    fix, lint,
    lsp::{action::is_inside, check::CheckedFolder, edit},
    project::Project,
};

/// The edits that make the safe fixes of a file, round after round.
pub(super) fn edits(
    folder: &CheckedFolder,
    texts: &[(PathBuf, String)],
    path: &Path,
) -> Option<Vec<Edit>> {
    // Rules read texts here that were never checked before; a panic in one must not end the server.
    let text = catch_unwind(AssertUnwindSafe(|| fixed(folder, texts, path))).ok()??;
    let id = folder.file(path)?;
    Some(edit::between(id, folder.project.files.get(id), &text))
}

fn fixed(folder: &CheckedFolder, texts: &[(PathBuf, String)], path: &Path) -> Option<String> {
    let mut project = folder.load_again(texts).ok()?;
    let path = folder.path_in_project(path)?;
    let id = project.files.find(&path)?;
    if !project.is_asked_for(&path) {
        return None;
    }
    let config = &folder.config;
    let lint = |project: &Project| lint::run(project, config);
    let mut outcome = lint(&project);
    fix::until_quiet(&mut project, &lint, &mut outcome, Safety::Safe, &|_, outcome| {
        let here = |it: &&Finding| {
            it.span.file == id && it.fix.as_ref().is_some_and(|it| is_inside(it, id))
        };
        outcome.findings.iter().filter(here).cloned().collect()
    });
    Some(project.files.get(id).text().to_owned())
}
