//! Fixing files in place.

use std::path::Path;

use crate::{
    cli::{interrupt::Writing, job::Job},
    findings::{Finding, Safety, Severity, edit::Edit},
    fix::{self, Fixed},
    lint,
    project::Project,
    report::{Report, choice::Choice, plural},
    source::{FileId, Span},
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
        job.outcome = lint::run_since(&job.project, &job.config, &job.versions);
    }
}

fn until_quiet(job: &mut Job, safety: Safety, severity: Severity) {
    let Job { project, config, outcome, left_alone, versions, .. } = job;
    let lint = |project: &Project, known| lint::run_again(project, config, versions, known);
    let (baseline, changes) = (job.accepted.as_ref(), job.changes.as_ref());
    let choice = Choice { severity, baseline, changes, everywhere: false };
    let fixing = fix::until_quiet(project, &lint, outcome, safety, &|project, outcome| {
        let report = Report::new(project, outcome, Path::new(""), choice);
        // The edits for a finding inside the paths asked for may lie outside of them.
        let wanted = |it: &Edit| {
            project.is_asked_for(project.files.get(it.span.file).path())
                && left_alone.iter().all(|(file, _)| *file != it.span.file)
        };
        let here = |it: &&Finding| it.fix.iter().flat_map(|it| &it.edits).all(wanted);
        report.shown.iter().map(|it| it.finding).filter(here).cloned().collect()
    });
    (job.fixed, job.unproven) = (fixing.fixed, fixing.unproven);
}

/// Writes fixed files, each unless it has changed since it was read. A signal waits for the file that is being written.
///
/// # Errors
/// When one cannot be written, or a signal came: which were, and which were not.
pub(super) fn save<'a>(
    files: impl IntoIterator<Item = (&'a Project, &'a Fixed)>,
    shown: impl Fn(&Project, FileId) -> String,
) -> Result<(), String> {
    let shown = |(project, fixed): (&Project, &Fixed)| shown(project, fixed.id);
    let mut left = files.into_iter();
    let mut written = Vec::new();
    let _writing = Writing::begin();
    while let Some((project, fixed)) = left.next() {
        let path = shown((project, fixed));
        let mut sentence = if Writing::is_interrupted() {
            format!("{path}: not fixed: interrupted")
        } else if let Err(refusal) = project.rewrite(fixed.id, &fixed.before) {
            format!("{path}: cannot be fixed: {refusal}")
        } else {
            written.push((project, fixed));
            continue;
        };
        for (what, files) in [("fixed", written), ("not fixed either", left.collect())] {
            let names: Vec<String> = files.into_iter().map(shown).collect();
            if !names.is_empty() {
                sentence.extend([format!("; {what}: {}", names.join(", "))]);
            }
        }
        return Err(sentence);
    }
    Ok(())
}

/// Files named one by one in a remark; more would hide it.
const NAMED: usize = 5;

/// Why a fix is not made that was on offer.
const UNPROVEN: &str = "the fix would bring another finding, or not end this one";

/// What was fixed, with the first of the files, and what was left alone.
#[must_use]
pub(super) fn remarks(jobs: &[Job], shown: impl Fn(FileId) -> String) -> String {
    let left_alone = jobs.iter().flat_map(|it| &it.left_alone);
    let mut text = String::new();
    text.extend(
        left_alone
            .map(|(id, why)| format!("karplint: warning: {}: not fixed: {why}\n", shown(*id))),
    );
    for job in jobs {
        let place = |it: &Span| {
            let line = job.project.files.get(it.file).line_of(it.start as usize) + 1;
            format!("{}:{line}", shown(it.file))
        };
        let unproven = job.unproven.iter().map(place);
        let said = |it| format!("karplint: warning: {it}: not fixed: {UNPROVEN}\n");
        text.extend(unproven.map(said));
    }
    let fixed: Vec<FileId> = jobs.iter().flat_map(|it| &it.fixed).map(|it| it.id).collect();
    if !fixed.is_empty() {
        let names: Vec<String> = fixed.iter().take(NAMED).map(|it| shown(*it)).collect();
        let more = fixed.len() - names.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let count = plural(fixed.len(), "file");
        text.extend([format!("fixed {count}: {}{rest}\n", names.join(", "))]);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Write};

    use super::save;
    use crate::{fix::Fixed, project::Project, source::FileId};

    #[test]
    fn a_file_that_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| {
            let file = File::create(path(name));
            file.and_then(|mut it| it.write_all(text.as_bytes())).expect("a file");
        };
        let names = ["a.yaml", "b.yaml", "c.yaml"];
        for name in names {
            write(name, "a: 1\n");
        }
        let mut project = Project::around(folder.path(), &|_| false).expect("a project");
        let fixed = names.map(|it| {
            let id = project.files.find(it).expect("it is there");
            let before = project.files.get(id).text().to_owned();
            project.files.replace(id, "a: 2\n".to_owned());
            Fixed { id, before }
        });
        let read = |name: &str| project.text_beside(name, 99).expect("a file").expect("a file");
        let saved = || {
            let shown = |project: &Project, id: FileId| project.files.get(id).path().to_owned();
            save(fixed.iter().map(|it| (&project, it)), shown)
        };
        write("b.yaml", "a: 3\n");
        let said = saved().expect_err("one changed");
        let expected = "b.yaml: cannot be fixed: it changed while karplint ran; fixed: a.yaml; not fixed either: c.yaml";
        assert_eq!(said, expected);
        assert_eq!(names.map(read), ["a: 2\n", "a: 3\n", "a: 1\n"]);
        write("a.yaml", "a: 1\n");
        write("b.yaml", "a: 1\n");
        saved().expect("they are as they were read");
        assert_eq!(names.map(read), ["a: 2\n"; 3]);
    }
}
