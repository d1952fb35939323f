//! `karplint baseline`: accept today's findings.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    cli::{
        args::Accept,
        exit::CLEAN,
        output::{Streams, write_file},
        scope,
    },
    config::{Config, FILE_NAME},
    gate::named::Named,
    lint::{self, LintResult},
    load::Loaded,
    project::Project,
    report::{Report, baseline::Baseline, choice::Choice, part::Part, plural, shown::Shown},
    visible::visible,
};

/// Where findings are kept if nothing else is said.
const FILE: &str = ".karplint-baseline.json";
/// Longer baselines are not read, in bytes.
const LONGEST: u64 = 32 << 20;

/// Writes the findings of today to the baseline, and returns the exit code.
///
/// # Errors
/// One sentence saying why the work could not be done.
pub(super) fn write(accept: &Accept, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let loaded = scope::load(&accept.scope, &here)?;
    let mut by_file: BTreeMap<PathBuf, Vec<(Loaded, LintResult)>> = BTreeMap::new();
    for loaded in loaded {
        let outcome = lint::run(&loaded.project, &loaded.config);
        by_file.entry(place(accept, &loaded)).or_default().push((loaded, outcome));
    }
    for (file, checked) in by_file {
        let parts = checked.iter().map(|(it, outcome)| Part {
            project: &it.project,
            outcome,
            choice: Choice::everything(),
            config_warnings: &[],
        });
        let report = Report::of(parts.collect(), &here);
        let path = |it: &Shown| report.file(it.finding.span.file).path().to_owned();
        let baseline = Baseline::of(&report.shown, path);
        let shown = file.strip_prefix(&here).unwrap_or(&file);
        write_file(shown, &here, &baseline.text())?;
        let accepted = plural(baseline.count(), "finding");
        let named = checked
            .iter()
            .all(|(it, _)| configured_path(&it.project, &it.config).as_ref() == Some(&file));
        let name = visible(&shown.to_string_lossy());
        output.remark(&format!("{name} accepts {accepted}\n{}", usage(&name, named)));
    }
    Ok(CLEAN)
}

/// How a baseline that was written is used.
fn usage(file: &str, named: bool) -> String {
    if named {
        return format!(
            "`karplint check` hides them from now on, because {FILE_NAME} names the file\n"
        );
    }
    format!(
        "`karplint check --baseline {file}` hides them; to hide them always, add this line to {FILE_NAME} and commit both:\nbaseline: {file}\n"
    )
}

/// The file in which the findings of a project are kept.
fn place(accept: &Accept, loaded: &Loaded) -> PathBuf {
    let configured = || configured_path(&loaded.project, &loaded.config);
    accept.output.clone().or_else(configured).unwrap_or_else(|| PathBuf::from(FILE))
}

fn configured_path(project: &Project, config: &Config) -> Option<PathBuf> {
    config.baseline.as_ref().map(|it| project.root.join(it))
}

/// The baseline that the config names, if it is there.
///
/// # Errors
/// One sentence saying what is wrong with it.
pub(super) fn configured(project: &Project, config: &Config) -> Result<Option<Baseline>, String> {
    let Some(path) = &config.baseline else { return Ok(None) };
    let Some(text) = project.text_beside(path, LONGEST)? else { return Ok(None) };
    let parsed = Baseline::parse(&text);
    parsed.map(Some).map_err(|error| format!("{path}: is no baseline: {error}"))
}

/// Reads a baseline from the disk.
///
/// # Errors
/// One sentence saying what is wrong with it.
pub(super) fn read(path: &Path, here: &Path) -> Result<Baseline, String> {
    let text = Named::of(path, here).and_then(|it| it.text(LONGEST));
    let text = text.map_err(|refusal| format!("{}: {refusal}", path.display()))?;
    Baseline::parse(&text).map_err(|error| format!("{}: is no baseline: {error}", path.display()))
}

/// Says which accepted findings are gone.
#[must_use]
pub(super) fn gone(report: &Report) -> String {
    let lines = report.gone.iter().map(|it| format!("{}: {}: {}", it.path, it.rule, it.message));
    let lines = lines.map(|it| format!("gone from the baseline: {}\n", visible(&it)));
    lines.collect::<String>() + "`karplint baseline` writes it anew\n"
}
