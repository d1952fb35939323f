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

/// Whether the fix of a finding holds when it is made alone: what was found before is known.
pub(super) fn holds_alone(
    folder: &CheckedFolder,
    texts: &[(PathBuf, String)],
    finding: &Finding,
) -> bool {
    let holds = || {
        let mut project = folder.load_again(texts).ok()?;
        let paths =
            |it: &Project| it.files.iter().map(|it| it.1.path().to_owned()).collect::<Vec<_>>();
        // With other files, the next check says what is found.
        if paths(&project) != paths(&folder.project) {
            return None;
        }
        let lint = |project: &Project, known| lint::run_again(project, &folder.config, &[], known);
        Some(fix::holds_alone(&mut project, &lint, &folder.outcome, finding))
    };
    folder.proven(finding, || {
        // As above.
        catch_unwind(AssertUnwindSafe(holds)).ok().flatten().unwrap_or(false)
    })
}

fn fixed(folder: &CheckedFolder, texts: &[(PathBuf, String)], path: &Path) -> Option<String> {
    let mut project = folder.load_again(texts).ok()?;
    let path = folder.path_in_project(path)?;
    let id = project.files.find(&path)?;
    if !project.is_asked_for(&path) {
        return None;
    }
    let config = &folder.config;
    let lint = |project: &Project, known| lint::run_again(project, config, &[], known);
    let mut outcome = lint(&project, None);
    fix::until_quiet(&mut project, &lint, &mut outcome, Safety::Safe, &|_, outcome| {
        let here = |it: &&Finding| {
            it.span.file == id && it.fix.as_ref().is_some_and(|it| is_inside(it, id))
        };
        outcome.findings.iter().filter(here).cloned().collect()
    });
    Some(project.files.get(id).text().to_owned())
}
