//! `karplint check`: load, lint, fix, report.

use std::{path::Path, time::Instant};

use crate::{
    cli::{
        args::{Check, Level, ReportRequest},
        baseline, checkout,
        details::details,
        exit::{CLEAN, FOUND},
        git::Since,
        output::{Streams, replace_file, write_file},
        places,
        progress::Progress,
        scope, why,
    },
    config::{
        Config,
        file::ConfigMistake,
        output::{FailOn, Format},
    },
    findings::{Finding, Safety, Severity, edit::Edit},
    fix::{self, Fixed},
    lint::{self, LintResult},
    load::Loaded,
    model::version_change::InstalledVersions,
    project::{self, Project},
    report::{
        Report,
        baseline::Baseline,
        checkstyle,
        choice::{Changes, Choice},
        concise, github, gitlab, html, json, junit, markdown,
        part::Part,
        plural, sarif,
        shown::Shown,
        statistics,
        text::{self, Look},
    },
    source::FileId,
};

/// A project of this run.
struct Job {
    project: Project,
    config: Config,
    /// What the baseline accepts.
    accepted: Option<Baseline>,
    changes: Option<Changes>,
    /// The versions of the earlier state.
    versions: Vec<InstalledVersions>,
    outcome: LintResult,
    fixed: Vec<Fixed>,
    config_warnings: Vec<ConfigMistake>,
}

/// Checks, and returns the exit code.
///
/// # Errors
/// One sentence (a config: one for each mistake) saying why the work could not be done.
pub(super) fn run(check: &Check, output: &mut Streams) -> Result<u8, String> {
    if let Some(rule) = &check.why {
        return why::run(check, rule, output);
    }
    let started = Instant::now();
    places::check(check, &check.formats)?;
    let here = scope::working_directory()?;
    let progress = Progress::start(!check.quiet && output.shows_progress());
    let loaded = load(check, &here, output)?;
    let formats = places::formats(check, &loaded)?;
    if !check.quiet {
        output.remark(&scope::warnings(&loaded));
    }
    let walked = started.elapsed();
    let jobs = loaded.into_iter().map(|it| judge(check, it)).collect::<Result<Vec<_>, _>>()?;
    drop(progress);
    if check.diff {
        return diff(check, &report(&jobs, &here, |_| Choice::everything()), &jobs, output);
    }
    for job in &jobs {
        save(&job.project, &job.fixed)?;
    }
    let severity = lowest(check);
    let report = report(&jobs, &here, |job| job.choice(severity));
    show(check, &formats, &report, output)?;
    if check.verbose {
        let width = output.look(false).width;
        output.remark(&details(check, &report, (walked, started.elapsed()), width));
    }
    let fixed: Vec<FileId> = jobs.iter().flat_map(|it| &it.fixed).map(|it| it.id).collect();
    if !fixed.is_empty() && !check.quiet {
        output.remark(&said_of(&fixed, |id| report.path(id)));
    }
    if !report.gone.is_empty() && !check.quiet {
        output.remark(&baseline::gone(&report));
    }
    let fails = |it: &Shown| {
        let of_project = jobs.get(report.part_of(it.finding.span.file));
        let level = check.fail_on.or_else(|| of_project?.config.fail_on);
        level.unwrap_or(FailOn::Warning).fails(it.finding.severity)
    };
    Ok(if report.shown.iter().any(fails) && !check.exit_zero { FOUND } else { CLEAN })
}

impl Job {
    fn choice(&self, severity: Severity) -> Choice<'_> {
        let (baseline, changes) = (self.accepted.as_ref(), self.changes.as_ref());
        Choice { severity, baseline, changes, everywhere: false }
    }
}

/// Lints a project, and fixes it if that is wanted.
fn judge(check: &Check, Loaded { project, config, warnings }: Loaded) -> Result<Job, String> {
    let accepted = match &check.baseline {
        Some(path) => Some(baseline::read(path)?),
        None => baseline::configured(&project, &config)?,
    };
    let since = Since::read(check, &project, &config)?;
    let outcome = lint::run_since(&project, &config, &since.versions);
    let changes = since.changes;
    let (fixed, config_warnings) = (Vec::new(), warnings);
    let versions = since.versions;
    let mut job =
        Job { project, config, accepted, changes, versions, outcome, fixed, config_warnings };
    if check.fix || check.unsafe_fixes || check.diff {
        fix_all(check, &mut job);
    }
    Ok(job)
}

fn report<'a>(jobs: &'a [Job], here: &Path, choice: impl Fn(&'a Job) -> Choice<'a>) -> Report<'a> {
    let part = |it: &'a Job| Part {
        project: &it.project,
        outcome: &it.outcome,
        choice: choice(it),
        config_warnings: &it.config_warnings,
    };
    Report::of(jobs.iter().map(part).collect(), here)
}

/// Loads what is asked for, standard input among it.
fn load(check: &Check, here: &Path, output: &mut Streams) -> Result<Vec<Loaded>, String> {
    let paths = &check.scope.paths;
    let reads_input = paths.iter().any(|it| it.as_os_str() == "-");
    if reads_input && paths.len() > 1 {
        return Err("`-` cannot be combined with other paths".to_owned());
    }
    if reads_input && (check.fix || check.unsafe_fixes) && !check.diff {
        return Err("standard input cannot be fixed in place; `--diff` shows the fixes".to_owned());
    }
    if !reads_input {
        return scope::load(&check.scope, here);
    }
    let mut loaded = scope::load_around_text(&check.scope, &check.stdin_path, here)?;
    let path = loaded.project.named_only().unwrap_or_default();
    loaded.project = loaded.project.with_standard_input(&path, output.input()?);
    Ok(vec![loaded])
}

/// From which severity findings are reported.
fn lowest(check: &Check) -> Severity {
    check.severity.map_or(Severity::Note, Level::severity)
}

/// Lints and fixes what is asked for until nothing changes any more.
fn fix_all(check: &Check, job: &mut Job) {
    let safety = if check.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
    let severity = lowest(check);
    let Job { project, config, outcome, versions, .. } = job;
    let lint = |project: &Project| lint::run_since(project, config, versions);
    let (baseline, changes) = (job.accepted.as_ref(), job.changes.as_ref());
    let choice = Choice { severity, baseline, changes, everywhere: false };
    job.fixed = fix::until_quiet(project, &lint, outcome, safety, &|project, outcome| {
        let report = Report::new(project, outcome, Path::new(""), choice);
        // The edits for a finding inside the paths asked for may lie outside of them.
        let asked = |it: &Edit| project.is_asked_for(project.files.get(it.span.file).path());
        let here = |it: &&Finding| it.fix.iter().flat_map(|it| &it.edits).all(asked);
        report.shown.iter().map(|it| it.finding).filter(here).cloned().collect()
    });
}

/// Files named one by one in a remark; more would hide it.
const NAMED: usize = 5;

/// What was fixed, with the first of the files.
fn said_of(fixed: &[FileId], shown: impl Fn(FileId) -> String) -> String {
    let names: Vec<String> = fixed.iter().take(NAMED).map(|it| shown(*it)).collect();
    let more = fixed.len() - names.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("fixed {}: {}{rest}\n", plural(fixed.len(), "file"), names.join(", "))
}

/// Shows what the fixes would change.
fn diff(check: &Check, report: &Report, jobs: &[Job], output: &mut Streams) -> Result<u8, String> {
    let of_file = |Fixed { id, before }: &Fixed| {
        fix::diff(&report.path(*id), before, report.file(*id).text())
    };
    let text: String = jobs.iter().flat_map(|it| &it.fixed).map(of_file).collect();
    match &check.output {
        Some(path) => write_file(path, &text)?,
        None => output.print(&text)?,
    }
    Ok(if text.is_empty() || check.exit_zero { CLEAN } else { FOUND })
}

/// Writes the fixed files, unless one has changed since it was read.
pub(super) fn save(project: &Project, fixed: &[Fixed]) -> Result<(), String> {
    for Fixed { id, before } in fixed {
        let path = project.on_disk(*id);
        let now = project::read_text(&path).map_err(|error| error.to_string())?;
        if now != *before {
            return Err(format!(
                "{}: changed while karplint ran, so it was not fixed",
                path.display()
            ));
        }
    }
    for Fixed { id, .. } in fixed {
        replace_file(&project.on_disk(*id), project.files.get(*id).text())?;
    }
    Ok(())
}

/// Writes the reports, each to its place.
fn show(
    check: &Check,
    formats: &[ReportRequest],
    report: &Report,
    output: &mut Streams,
) -> Result<(), String> {
    for wanted in formats {
        let file = wanted.file.as_ref().or(check.output.as_ref());
        let look = output.look(file.is_some());
        let asked = check.severity.map(Level::severity);
        let lowest = asked.unwrap_or(if check.verbose { Severity::Note } else { look.lowest });
        let look = Look { lowest, lists_all: check.verbose, ..look };
        let text = match wanted.format {
            Format::Text | Format::Concise if check.statistics => {
                statistics::render(report, look.width, check.quiet)
            }
            Format::Text => text::render(report, look, check.quiet)
                .map_err(|_| "the report cannot be written".to_owned())?,
            Format::Concise => concise::render(report, look, check.quiet),
            Format::Json => json::render(report),
            Format::Sarif => sarif::render(report, &about(check, report)),
            Format::Github => github::render(report, check.quiet),
            Format::Gitlab => gitlab::render(report),
            Format::Junit => junit::render(report),
            Format::Checkstyle => checkstyle::render(report),
            Format::Markdown => markdown::render(report),
            Format::Html => html::render(report),
        };
        match file {
            Some(path) => write_file(path, &text)?,
            None => output.print(&text)?,
        }
    }
    Ok(())
}

/// What a SARIF log contains besides the findings. Of several projects none is that of the log.
fn about(check: &Check, report: &Report) -> sarif::LogContext {
    let checkout = match report.parts.as_slice() {
        [only] => checkout::read(&only.project.root),
        _ => None,
    };
    sarif::LogContext { category: check.sarif_category.clone(), checkout }
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Write};

    use crate::{cli::check::save, fix::Fixed, project::Project};

    #[test]
    fn a_file_that_changed_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        let write = |text: &str| {
            File::create(&path).and_then(|mut it| it.write_all(text.as_bytes())).expect("a file");
        };
        let read = || crate::project::read_text(&path).expect("a file");
        write("a: 1\n");
        let mut project = Project::around(folder.path(), &|_| false).expect("a project");
        let id = project.files.find("a.yaml").expect("it is there");
        let before = project.files.get(id).text().to_owned();
        project.files.replace(id, "a: 2\n".to_owned());
        let fixed = [Fixed { id, before }];
        write("a: 3\n");
        let said = save(&project, &fixed).expect_err("it changed");
        assert!(said.contains("changed while karplint ran"), "{said}");
        assert_eq!(read(), "a: 3\n");
        write("a: 1\n");
        save(&project, &fixed).expect("it is as it was read");
        assert_eq!(read(), "a: 2\n");
    }
}
