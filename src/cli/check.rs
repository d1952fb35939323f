//! `karplint check`: load, lint, fix, report.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    cli::{
        CLEAN, FOUND,
        args::{Check, Format},
        output::{Output, write_file},
        render,
    },
    config::{self, Config, did_you_mean},
    findings::{Safety, Severity},
    fix,
    lint::{self, Outcome},
    project::{self, Project, chart::NOT_RENDERED, walk},
    report::{
        Report, checkstyle, github, gitlab, html, json, junit, markdown, plural, sarif, text,
        way::Way,
    },
    rules,
    source::{self, FileId},
};

/// Fixes may bring findings to light that have fixes of their own.
const ROUNDS: usize = 10;

/// Checks, and returns the exit code.
///
/// # Errors
/// One sentence (a config: one for each mistake) saying why the work could not be done.
pub fn run(check: &Check, output: &mut Output) -> Result<u8, String> {
    let started = Instant::now();
    check_places(check)?;
    let here = std::env::current_dir()
        .and_then(|it| it.canonicalize())
        .map_err(|error| format!("the working directory cannot be read: {error}"))?;
    let config = configuration(check, &here)?;
    let mut project = load(check, &config, &here, output)?;
    let loaded = started.elapsed();
    if let Some(helm) = &check.helm {
        project.rendered = render::charts(&project, helm)?;
    }
    let mut outcome = lint::run(&project, &config);
    let mut fixed = Vec::new();
    if check.fix || check.unsafe_fixes || check.diff {
        fixed = fix_rounds(check, &mut project, &config, &mut outcome, &here);
    }
    if check.diff {
        let report = Report::new(&project, &outcome, &here, Severity::Note);
        return diff(check, &report, &fixed, output);
    }
    save(&project, &fixed)?;
    let report = Report::new(&project, &outcome, &here, check.severity.severity());
    show(check, &report, output)?;
    if check.verbose {
        output.remark(&details(check, &report, loaded, started.elapsed()));
    }
    if !fixed.is_empty() && !check.quiet {
        output.remark(&format!("fixed {}\n", plural(fixed.len(), "file")));
    }
    let fails = report.worst().is_some_and(|it| check.fail_on.fails(it));
    Ok(if fails && !check.exit_zero { FOUND } else { CLEAN })
}

fn configuration(check: &Check, here: &Path) -> Result<Config, String> {
    let known: Vec<_> = rules::pages().iter().map(|it| it.name).collect();
    for (flag, names) in [("--only", &check.only), ("--skip", &check.skip)] {
        if let Some(name) = names.iter().find(|it| !known.contains(&it.as_str())) {
            let hint = did_you_mean(name, known.iter().copied());
            return Err(format!(
                "{flag}: `{name}` is not a rule{hint}; `karplint rules` lists them"
            ));
        }
    }
    let first = given_paths(check).into_iter().next().unwrap_or_default();
    let found = check.config.clone().or_else(|| walk::find_upwards(&first, config::FILE_NAME));
    let mut config = match found {
        Some(path) => read_config(&path, &first, here, &known)?,
        None => Config::default(),
    };
    config.only.clone_from(&check.only);
    config.skip.clone_from(&check.skip);
    config.use_allowances = !check.no_allow;
    Ok(config)
}

fn read_config(path: &Path, first: &Path, here: &Path, known: &[&str]) -> Result<Config, String> {
    let text = project::read_text(path).map_err(|error| error.to_string())?;
    let (root, _) =
        walk::root_and_asked(&[first.to_path_buf()]).map_err(|error| error.to_string())?;
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let relative = walk::relative(&root, &real).unwrap_or_default();
    let shown = match relative.as_str() {
        "" => path.display().to_string(),
        relative => Way::new(&root, here).shown(relative),
    };
    let place = config::read::Place { shown: &shown, path: &relative };
    config::read::read(&text, place, known).map_err(|mistakes| mistakes.join("\nkarplint: "))
}

/// The paths to load: the arguments, with the working directory for standard input.
fn given_paths(check: &Check) -> Vec<PathBuf> {
    let real = |it: &PathBuf| if it.as_os_str() == "-" { PathBuf::from(".") } else { it.clone() };
    check.paths.iter().map(real).collect()
}

fn load(
    check: &Check,
    config: &Config,
    here: &Path,
    output: &mut Output,
) -> Result<Project, String> {
    let reads_input = check.paths.iter().any(|it| it.as_os_str() == "-");
    if reads_input && check.paths.len() > 1 {
        return Err("`-` cannot be combined with other paths".to_owned());
    }
    if reads_input && (check.fix || check.unsafe_fixes) && !check.diff {
        return Err("standard input cannot be fixed in place; `--diff` shows the fixes".to_owned());
    }
    let project = Project::load(&given_paths(check), &|path| config.excludes(path))
        .map_err(|error| error.to_string())?;
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

/// A file that was fixed, and its text before.
struct Fixed {
    id: FileId,
    before: String,
}

/// Lints and fixes until nothing changes any more.
fn fix_rounds(
    check: &Check,
    project: &mut Project,
    config: &Config,
    outcome: &mut Outcome,
    here: &Path,
) -> Vec<Fixed> {
    let safety = if check.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
    let mut fixed: Vec<Fixed> = Vec::new();
    for _ in 0..ROUNDS {
        let report = Report::new(project, outcome, here, check.severity.severity());
        let findings = report.shown.iter().map(|it| it.finding);
        let changed = fix::apply(&project.files, findings, safety);
        if changed.is_empty() {
            break;
        }
        for (id, text) in changed {
            if !fixed.iter().any(|it| it.id == id) {
                let before = project.files.get(id).text().to_owned();
                fixed.push(Fixed { id, before });
            }
            project.files.replace(id, text);
        }
        *outcome = lint::run(project, config);
    }
    fixed.sort_unstable_by_key(|it| it.id);
    fixed
}

/// Shows what the fixes would change.
fn diff(
    check: &Check,
    report: &Report,
    fixed: &[Fixed],
    output: &mut Output,
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
        write_file(&project.on_disk(*id), project.files.get(*id).text())?;
    }
    Ok(())
}

/// Writes the reports, each to its place.
fn show(check: &Check, report: &Report, output: &mut Output) -> Result<(), String> {
    for wanted in &check.formats {
        let file = wanted.file.as_ref().or(check.output.as_ref());
        let look = output.look(file.is_some());
        let text = match wanted.format {
            Format::Text => text::render(report, look, check.quiet)
                .map_err(|_| "the report cannot be written".to_owned())?,
            Format::Json => json::render(report),
            Format::Sarif => sarif::render(report),
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

/// Whether each report has a place of its own.
fn check_places(check: &Check) -> Result<(), String> {
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

/// What `-v` tells.
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
    let templates = not_rendered(check, report).into_iter();
    [counts].into_iter().chain(times).chain(unknown).chain(skipped).chain(templates).collect()
}

/// How many templates were not rendered, and what would render them.
fn not_rendered(check: &Check, report: &Report) -> Option<String> {
    let skipped = report.outcome.skipped.iter().filter(|it| it.reason == NOT_RENDERED);
    let templates: Vec<&str> = skipped.map(|it| it.path.as_str()).collect();
    let charts: BTreeSet<_> =
        templates.iter().filter_map(|it| report.project.chart_of(it)).collect();
    let hint = if check.helm.is_some() { "" } else { " (--helm PATH renders them)" };
    (!templates.is_empty()).then(|| {
        let templates = plural(templates.len(), "template");
        format!("{templates} of {} not rendered{hint}\n", plural(charts.len(), "chart"))
    })
}
