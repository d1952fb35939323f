//! `karplint baseline`: accept today's findings.

use std::path::Path;

use crate::{
    cli::{
        args::Accept,
        exit::CLEAN,
        output::{Streams, write_file},
        scope,
    },
    lint, project,
    report::{Report, baseline::Baseline, choice::Choice, plural, shown::Shown},
};

/// Writes the findings of today to the baseline, and returns the exit code.
///
/// # Errors
/// One sentence saying why the work could not be done.
pub(super) fn write(accept: &Accept, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let config = scope::configuration(&accept.scope, &here)?;
    let project = scope::load(&accept.scope, &config)?;
    let outcome = lint::run(&project, &config);
    let report = Report::new(&project, &outcome, &here, Choice::everything());
    let path = |it: &Shown| report.spot(it.finding.span).path.to_owned();
    let baseline = Baseline::of(&report.shown, path);
    write_file(&accept.output, &baseline.text())?;
    let accepted = plural(baseline.count(), "finding");
    output.remark(&format!("{} accepts {accepted}\n", accept.output.display()));
    Ok(CLEAN)
}

/// Reads a baseline from the disk.
///
/// # Errors
/// One sentence saying what is wrong with it.
pub(super) fn read(path: &Path) -> Result<Baseline, String> {
    let text = project::read_text(path).map_err(|error| error.to_string())?;
    Baseline::parse(&text).map_err(|error| format!("{}: is no baseline: {error}", path.display()))
}

/// Says which accepted findings are gone.
#[must_use]
pub(super) fn gone(report: &Report) -> String {
    let lines = report
        .gone
        .iter()
        .map(|it| format!("gone from the baseline: {}: {}: {}\n", it.path, it.rule, it.message));
    lines.collect::<String>() + "`karplint baseline` writes it anew\n"
}
