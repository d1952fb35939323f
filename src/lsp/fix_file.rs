//! All safe fixes of one file.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use crate::{
    findings::{Finding, Safety, edit::Edit},
    fix, lint,
    lsp::{action::is_inside, check::CheckedFolder, edit},
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
    let mut copy = folder.load_again(texts).ok()?;
    let id = copy.file(path)?;
    if !copy.holds(copy.project.files.get(id).path()) {
        return None;
    }
    let CheckedFolder { project, config, outcome, .. } = &mut copy;
    *outcome = lint::run(project, config);
    fix::until_quiet(project, config, outcome, Safety::Safe, &|_, outcome| {
        let here = |it: &&Finding| {
            it.span.file == id && it.fix.as_ref().is_some_and(|it| is_inside(it, id))
        };
        outcome.findings.iter().filter(here).cloned().collect()
    });
    Some(copy.project.files.get(id).text().to_owned())
}
