//! Which reports are wanted, and where each goes.

use crate::{
    cli::args::{Check, report::ReportRequest},
    config::output::Format,
    load::Loaded,
};

/// The reports of a run: those of the command line, else the one that the configs name, else text.
///
/// # Errors
/// When the configs name different ones, or one that does not fit the command line.
pub(super) fn formats(check: &Check, loaded: &[Loaded]) -> Result<Vec<ReportRequest>, String> {
    if !check.formats.is_empty() {
        return Ok(check.formats.clone());
    }
    let mut named = loaded.iter().filter_map(|it| it.config.format);
    let format = named.next().unwrap_or(Format::Text);
    if let Some(other) = named.find(|it| *it != format) {
        let (one, other) = (format.name(), other.name());
        return Err(format!(
            "the configs of the projects name two forms, {one} and {other}; `--format` decides"
        ));
    }
    let formats = vec![ReportRequest { format, file: None }];
    self::check(check, &formats)?;
    Ok(formats)
}

/// Whether each report has a place of its own, and a category a report.
///
/// # Errors
/// One sentence saying what does not fit.
pub(super) fn check(check: &Check, formats: &[ReportRequest]) -> Result<(), String> {
    let sarif = formats.iter().any(|it| it.format == Format::Sarif);
    if check.sarif_category.is_some() && (check.diff || !sarif) {
        let why = "`--sarif-category` has nothing to name: `--format sarif=FILE` writes a log";
        return Err(why.to_owned());
    }
    let homeless = formats.iter().filter(|it| it.file.is_none());
    let names: Vec<&str> = homeless.map(|it| it.format.name()).collect();
    let files = formats.iter().filter_map(|it| it.file.as_ref());
    let mut files: Vec<_> = files.chain(&check.output).collect();
    files.sort_unstable();
    if let Some(twice) = files.windows(2).find(|it| it[0] == it[1]) {
        return Err(format!("two reports cannot both go to {}", twice[0].display()));
    }
    match names.as_slice() {
        [_, second, ..] => Err(format!(
            "two reports cannot both go to standard output: `--format {second}=FILE` gives one a file"
        )),
        [] if check.output.is_some() && !check.diff && !formats.is_empty() => {
            Err("`--output` has nothing to write: each report has a file of its own".to_owned())
        }
        _ => Ok(()),
    }
}
