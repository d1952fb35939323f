//! Fixing files in place.

use std::path::Path;

use crate::{
    cli::job::Job,
    findings::{Finding, Safety, Severity, edit::Edit},
    fix::{self, Fixed},
    lint,
    report::{Report, choice::Choice, plural},
    source::FileId,
};

/// Lints and fixes what is asked for until nothing changes any more. If the files are to be `written`, fixes that
/// would change one that cannot be are not made.
pub(super) fn fix(job: &mut Job, safety: Safety, severity: Severity, written: bool) {
    loop {
        until_quiet(job, safety, severity);
        let refused = |it: &Fixed| Some((it.id, job.project.may_rewrite(it.id, &it.before).err()?));
        let refused: Vec<_> = job.fixed.iter().filter(|_| written).filter_map(refused).collect();
        if refused.is_empty() {
            return;
        }
        job.left_alone.extend(refused);
        for Fixed { id, before } in std::mem::take(&mut job.fixed) {
            job.project.files.replace(id, before);
        }
        job.outcome = lint::run(&job.project, &job.config);
    }
}

fn until_quiet(job: &mut Job, safety: Safety, severity: Severity) {
    let Job { project, config, outcome, left_alone, .. } = job;
    let (baseline, changes) = (job.accepted.as_ref(), job.changes.as_ref());
    let choice = Choice { severity, baseline, changes, everywhere: false };
    job.fixed = fix::until_quiet(project, config, outcome, safety, &|project, outcome| {
        let report = Report::new(project, outcome, Path::new(""), choice);
        // The edits for a finding inside the paths asked for may lie outside of them.
        let wanted = |it: &Edit| {
            project.is_asked_for(project.files.get(it.span.file).path())
                && left_alone.iter().all(|(file, _)| *file != it.span.file)
        };
        let here = |it: &&Finding| it.fix.iter().flat_map(|it| &it.edits).all(wanted);
        report.shown.iter().map(|it| it.finding).filter(here).cloned().collect()
    });
}

/// Writes the fixed files, each unless it has changed since it was read.
///
/// # Errors
/// When one cannot be written: which were, and which were not.
pub(super) fn save(jobs: &[Job], shown: impl Fn(FileId) -> String) -> Result<(), String> {
    let mut left = jobs.iter().flat_map(|job| job.fixed.iter().map(move |it| (job, it)));
    let mut written = Vec::new();
    while let Some((job, Fixed { id, before })) = left.next() {
        let Err(refusal) = job.project.rewrite(*id, before) else {
            written.push(*id);
            continue;
        };
        let mut sentence = format!("{}: cannot be fixed: {refusal}", shown(*id));
        let rest: Vec<FileId> = left.map(|(_, it)| it.id).collect();
        for (what, files) in [("fixed", written), ("not fixed either", rest)] {
            if !files.is_empty() {
                sentence += &format!(
                    "; {what}: {}",
                    files.into_iter().map(&shown).collect::<Vec<_>>().join(", ")
                );
            }
        }
        return Err(sentence);
    }
    Ok(())
}

/// Files named one by one in a remark; more would hide it.
const NAMED: usize = 5;

/// What was fixed, with the first of the files, and what was left alone.
#[must_use]
pub(super) fn remarks(jobs: &[Job], shown: impl Fn(FileId) -> String) -> String {
    let left_alone = jobs.iter().flat_map(|it| &it.left_alone);
    let mut text: String = left_alone
        .map(|(id, why)| format!("karplint: warning: {}: not fixed: {why}\n", shown(*id)))
        .collect();
    let fixed: Vec<FileId> = jobs.iter().flat_map(|it| &it.fixed).map(|it| it.id).collect();
    if !fixed.is_empty() {
        let names: Vec<String> = fixed.iter().take(NAMED).map(|it| shown(*it)).collect();
        let more = fixed.len() - names.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        text += &format!("fixed {}: {}{rest}\n", plural(fixed.len(), "file"), names.join(", "));
    }
    text
}
