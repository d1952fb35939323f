//! All that can be mended unseen in one file.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use crate::{
    findings::{Safety, edit::Edit},
    fix, lint,
    lsp::{action::is_inside, check::Folder, edit},
};

/// Fixes may bring findings to light that have fixes of their own.
const ROUNDS: usize = 10;

/// The edits that make the safe fixes of a file, round after round.
pub fn edits(folder: &Folder, texts: &[(PathBuf, String)], path: &Path) -> Option<Vec<Edit>> {
    // Rules see texts here that nobody has seen before; one of them must not take the server with it.
    let text = catch_unwind(AssertUnwindSafe(|| mended(folder, texts, path))).ok()??;
    let id = folder.file(path)?;
    Some(edit::between(id, folder.project.files.get(id), &text))
}

fn mended(folder: &Folder, texts: &[(PathBuf, String)], path: &Path) -> Option<String> {
    let mut copy = folder.load_again(texts).ok()?;
    let id = copy.file(path)?;
    for _ in 0..ROUNDS {
        copy.outcome = lint::run(&copy.project, &copy.config);
        let fixable = copy
            .findings()
            .filter(|it| it.span.file == id && it.fix.as_ref().is_some_and(|it| is_inside(it, id)));
        let changed = fix::apply(&copy.project.files, fixable, Safety::Safe);
        let Some((_, text)) = changed.into_iter().next() else { break };
        copy.project.files.replace(id, text);
    }
    Some(copy.project.files.get(id).text().to_owned())
}
