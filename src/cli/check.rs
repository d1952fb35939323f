//! `karplint check`: load, lint, fix, report.

use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

use crate::{
    cli::{
        args::{Check, Format, Level},
        baseline, checkout,
        exit::{CLEAN, FOUND},
        git,
        output::{Streams, replace_file, write_file},
        progress::Progress,
        scope, why,
    },
    config::Config,
    findings::{Finding, Safety, Severity, edit::Edit},
    fix::{self, Fixed},
    lint::{self, LintResult},
    project::{self, Project, rendered::NOT_RENDERED, walk},
    report::{
        Report, checkstyle,
        choice::Choice,
        concise, github, gitlab, html, json, junit, markdown, plural, sarif, statistics,
        text::{self, Look},
        undecided,
    },
    source::{self, FileId},
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
    check_places(check)?;
    let here = scope::working_directory()?;
    let progress = Progress::start(!check.quiet && output.shows_progress());
    let config = scope::configuration(&check.scope, &here)?;
    let accepted = check.baseline.as_deref().map(baseline::read).transpose()?;
    let mut project = load(check, &config, &here, output)?;
    let loaded = started.elapsed();
    let changes = match &check.changed_since {
        Some(reference) => Some(git::changes(&project, &config, reference)?),
        None => None,
    };
    let choice = Choice {
        severity: check.severity.map_or(Severity::Note, Level::severity),
        baseline: accepted.as_ref(),
        changes: changes.as_ref(),
    };
    let mut outcome = lint::run(&project, &config);
    let mut fixed = Vec::new();
    if check.fix || check.unsafe_fixes || check.diff {
        fixed = fix_all(check, &mut project, &config, &mut outcome, choice);
    }
    drop(progress);
    if check.diff {
        let report = Report::new(&project, &outcome, &here, Choice::everything());
        return diff(check, &report, &fixed, output);
    }
    save(&project, &fixed)?;
    let report = Report::new(&project, &outcome, &here, choice);
    show(check, &report, output)?;
    if check.verbose {
        output.remark(&details(check, &report, loaded, started.elapsed()));
    }
    if !fixed.is_empty() && !check.quiet {
        output.remark(&said_of(&fixed, |id| report.shown_path(project.files.get(id).path())));
    }
    if !report.gone.is_empty() && !check.quiet {
        output.remark(&baseline::gone(&report));
    }
    let fails = report.worst().is_some_and(|it| check.fail_on.fails(it));
    Ok(if fails && !check.exit_zero { FOUND } else { CLEAN })
}

/// Loads what is asked for, standard input among it.
fn load(
    check: &Check,
    config: &Config,
    here: &Path,
    output: &mut Streams,
) -> Result<Project, String> {
    let paths = &check.scope.paths;
    let reads_input = paths.iter().any(|it| it.as_os_str() == "-");
    if reads_input && paths.len() > 1 {
        return Err("`-` cannot be combined with other paths".to_owned());
    }
    if reads_input && (check.fix || check.unsafe_fixes) && !check.diff {
        return Err("standard input cannot be fixed in place; `--diff` shows the fixes".to_owned());
    }
    let project = scope::load(&check.scope, config)?;
    if !reads_input {
        return Ok(project);
    }
    let folder = walk::relative(&project.root, here).unwrap_or_default();
    let given = check.stdin_path.to_string_lossy().replace('\\', "/");
    let absolute = Path::new(&given).strip_prefix(&project.root).ok();
    let path = absolute.and_then(|it| it.to_str().map(str::to_owned));
    let path = path.or_else(|| source::join(&folder, &given));
    let path = path.ok_or_else(|| format!("{given}: lies outside the repository"))?;
    let text = output.input()?;
    Ok(project.with_standard_input(&path, text))
}

/// Lints and fixes what is asked for until nothing changes any more.
fn fix_all(
    check: &Check,
    project: &mut Project,
    config: &Config,
    outcome: &mut LintResult,
    choice: Choice<'_>,
) -> Vec<Fixed> {
    let safety = if check.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
    fix::until_quiet(project, config, outcome, safety, &|project, outcome| {
        let report = Report::new(project, outcome, Path::new(""), choice);
        // The edits for a finding inside the paths asked for may lie outside of them.
        let asked = |it: &Edit| project.is_asked_for(project.files.get(it.span.file).path());
        let here = |it: &&Finding| it.fix.iter().flat_map(|it| &it.edits).all(asked);
        report.shown.iter().map(|it| it.finding).filter(here).cloned().collect()
    })
}

/// Files named one by one in a remark; more would hide it.
const NAMED: usize = 5;

/// What was fixed, with the first of the files.
fn said_of(fixed: &[Fixed], shown: impl Fn(FileId) -> String) -> String {
    let names: Vec<String> = fixed.iter().take(NAMED).map(|it| shown(it.id)).collect();
    let more = fixed.len() - names.len();
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("fixed {}: {}{rest}\n", plural(fixed.len(), "file"), names.join(", "))
}

/// Shows what the fixes would change.
fn diff(
    check: &Check,
    report: &Report,
    fixed: &[Fixed],
    output: &mut Streams,
) -> Result<u8, String> {
    let of_file = |Fixed { id, before }: &Fixed| {
        let file = report.project.files.get(*id);
        fix::diff(&report.shown_path(file.path()), before, file.text())
    };
    let text: String = fixed.iter().map(of_file).collect();
    match &check.output {
        Some(path) => write_file(path, &text)?,
        None => output.print(&text)?,
    }
    Ok(if fixed.is_empty() || check.exit_zero { CLEAN } else { FOUND })
}

/// Writes the fixed files, unless one has changed since it was read.
fn save(project: &Project, fixed: &[Fixed]) -> Result<(), String> {
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
fn show(check: &Check, report: &Report, output: &mut Streams) -> Result<(), String> {
    for wanted in &check.formats {
        let file = wanted.file.as_ref().or(check.output.as_ref());
        let shows_notes = check.severity == Some(Level::Note) || check.verbose;
        let look = Look { shows_notes, lists_all: check.verbose, ..output.look(file.is_some()) };
        let text = match wanted.format {
            Format::Text | Format::Concise if check.statistics => {
                statistics::render(report, check.quiet)
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

/// What a SARIF log contains besides the findings.
fn about(check: &Check, report: &Report) -> sarif::LogContext {
    let checkout = checkout::read(&report.project.root);
    sarif::LogContext { category: check.sarif_category.clone(), checkout }
}

/// Whether each report has a place of its own, and a category a report.
fn check_places(check: &Check) -> Result<(), String> {
    let sarif = check.formats.iter().any(|it| it.format == Format::Sarif);
    if check.sarif_category.is_some() && (check.diff || !sarif) {
        let why = "`--sarif-category` has nothing to name: `--format sarif=FILE` writes a log";
        return Err(why.to_owned());
    }
    let homeless = check.formats.iter().filter(|it| it.file.is_none());
    let names: Vec<&str> = homeless.map(|it| it.format.name()).collect();
    let files = check.formats.iter().filter_map(|it| it.file.as_ref());
    let mut files: Vec<_> = files.chain(&check.output).collect();
    files.sort_unstable();
    if let Some(twice) = files.windows(2).find(|it| it[0] == it[1]) {
        return Err(format!("two reports cannot both go to {}", twice[0].display()));
    }
    match names.as_slice() {
        [_, second, ..] => Err(format!(
            "two reports cannot both go to standard output: `--format {second}=FILE` gives one a file"
        )),
        [] if check.output.is_some() && !check.diff => {
            Err("`--output` has nothing to write: each report has a file of its own".to_owned())
        }
        _ => Ok(()),
    }
}

/// What `-v` prints.
fn details(check: &Check, report: &Report, loaded: Duration, total: Duration) -> String {
    let counts = format!(
        "{} below {}, {} read\n",
        plural(report.project.files.len(), "file"),
        report.project.root.display(),
        report.project.loads()
    );
    let own = report.outcome.timings.iter().map(|(stage, time)| (*stage, *time));
    let stages = [("walk", loaded)].into_iter().chain(own).chain([("total", total)]);
    let times =
        stages.map(|(stage, time)| format!("{:>9.1} ms  {stage}\n", time.as_secs_f64() * 1000.0));
    let unknown = report
        .unknowns
        .iter()
        .map(|it| format!("unknown: {}: {}\n", report.shown_place(it.span), it.message));
    let skipped = report
        .outcome
        .skipped
        .iter()
        .map(|it| format!("skipped: {}: {}\n", report.shown_path(&it.path), it.reason));
    let undecided = [undecided::lines(report)];
    let templates = not_rendered(check, report).into_iter();
    [counts]
        .into_iter()
        .chain(times)
        .chain(unknown)
        .chain(undecided)
        .chain(skipped)
        .chain(templates)
        .collect()
}

/// How many templates were not rendered, and what would render them.
fn not_rendered(check: &Check, report: &Report) -> Option<String> {
    let skipped = report.outcome.skipped.iter().filter(|it| it.reason == NOT_RENDERED);
    let templates: Vec<&str> = skipped.map(|it| it.path.as_str()).collect();
    let charts: BTreeSet<_> =
        templates.iter().filter_map(|it| report.project.chart_of(it)).collect();
    let hint = if check.scope.helm.is_some() { "" } else { " (--helm PATH renders them)" };
    (!templates.is_empty()).then(|| {
        let templates = plural(templates.len(), "template");
        format!("{templates} of {} not rendered{hint}\n", plural(charts.len(), "chart"))
    })
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
        let paths = [folder.path().to_owned()];
        let mut project = Project::load(&paths, &|_| false).expect("a project");
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
