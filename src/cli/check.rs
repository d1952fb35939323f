//! `karplint check`: load, lint, fix, report.

use std::{mem::ManuallyDrop, path::Path, time::Instant};

use crate::{
    cli::{
        args::{Check, Level, STDIN, report::ReportRequest},
        baseline, checkout,
        details::details,
        exit::{CLEAN, FOUND},
        fixing,
        git::Since,
        job::Job,
        output::{Streams, write_file},
        places,
        progress::Progress,
        scope, why,
    },
    config::output::{FailOn, Format},
    findings::{Safety, Severity},
    fix::{self, Fixed},
    lint,
    load::Loaded,
    project::Project,
    report::{
        Report, checkstyle,
        choice::Choice,
        concise, github, gitlab, html, json, junit, markdown,
        part::Part,
        sarif,
        shown::Shown,
        statistics,
        text::{self, Look},
    },
};

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
    let proves = formats.iter().any(|it| it.format.has_edits());
    let jobs = loaded.into_iter().map(|it| judge(check, it, &here, proves));
    // The process ends when this returns: freeing every value would only delay it.
    let jobs = ManuallyDrop::new(jobs.collect::<Result<Vec<_>, _>>()?);
    drop(progress);
    if check.diff {
        let report = report(&jobs, &here, |_| Choice::everything());
        return diff(check, &report, &jobs, &here, output);
    }
    let severity = lowest(check);
    let report = report(&jobs, &here, |job| job.choice(severity));
    let fixed = jobs.iter().flat_map(|job| job.fixed.iter().map(|it| (&job.project, it)));
    fixing::save(fixed, |_, id| report.path(id))?;
    show(check, &formats, &report, &here, output)?;
    if check.verbose {
        let width = output.look(false).width;
        output.remark(&details(check, &report, (walked, started.elapsed()), width));
    }
    if !check.quiet {
        output.remark(&fixing::remarks(&jobs, |id| report.path(id)));
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

/// Lints a project, and fixes it if that is wanted.
fn judge(
    check: &Check,
    Loaded { project, config, warnings }: Loaded,
    here: &Path,
    proves: bool,
) -> Result<Job, String> {
    let accepted = match &check.baseline {
        Some(path) => Some(baseline::read(path, here)?),
        None => baseline::configured(&project, &config)?,
    };
    let since = Since::read(check, &project, &config)?;
    let outcome = lint::run_since(&project, &config, &since.versions);
    let mut job = Job {
        project,
        config,
        accepted,
        changes: since.changes,
        versions: since.versions,
        outcome,
        fixed: Vec::new(),
        left_alone: Vec::new(),
        unproven: Vec::new(),
        config_warnings: warnings,
    };
    if check.fix || check.unsafe_fixes || check.diff {
        let safety = if check.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
        fixing::fix(&mut job, safety, lowest(check), !check.diff);
    } else {
        let Job { project, config, outcome, versions, .. } = &mut job;
        let lint = |project: &Project, known| lint::run_again(project, config, versions, known);
        if proves {
            fix::withdraw(project, &lint, outcome, Safety::Unsafe);
        } else {
            fix::withdraw_harmful(&project.files, outcome);
        }
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
    let text = output.input()?;
    let name = if is_plan(&text) && check.stdin_path == Path::new(STDIN) {
        Path::new("stdin.json")
    } else {
        &check.stdin_path
    };
    let mut loaded = scope::load_around_text(&check.scope, name, here)?;
    let path = loaded.project.named_only().unwrap_or_default();
    loaded.project = loaded.project.with_standard_input(&path, text);
    Ok(vec![loaded])
}

/// Whether a text is what `terraform show -json` prints.
fn is_plan(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"terraform_version\"")
}

/// From which severity findings are reported.
fn lowest(check: &Check) -> Severity {
    check.severity.map_or(Severity::Note, Level::severity)
}

/// Shows what the fixes would change.
fn diff(
    check: &Check,
    report: &Report,
    jobs: &[Job],
    here: &Path,
    output: &mut Streams,
) -> Result<u8, String> {
    let of_file = |Fixed { id, before }: &Fixed| {
        fix::diff(&report.path(*id), before, report.file(*id).text())
    };
    let text: String = jobs.iter().flat_map(|it| &it.fixed).map(of_file).collect();
    match &check.output {
        Some(path) => write_file(path, here, &text)?,
        None => output.print(&text)?,
    }
    Ok(if text.is_empty() || check.exit_zero { CLEAN } else { FOUND })
}

/// Writes the reports, each to its place.
fn show(
    check: &Check,
    formats: &[ReportRequest],
    report: &Report,
    here: &Path,
    output: &mut Streams,
) -> Result<(), String> {
    for wanted in formats {
        let file = wanted.file.as_ref().or(check.output.as_ref());
        if file.is_none() && wanted.format == Format::Json {
            output.print_by(|it| json::write(report, it))?;
            continue;
        }
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
            Some(path) => write_file(path, here, &text)?,
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
