//! `karplint report merge`: the reports of many repositories as one.

use std::path::{Path, PathBuf};

use crate::{
    cli::{
        args::report::{Merge, MergedFormat, NamedReport},
        exit::CLEAN,
        output::{Streams, write_file},
        scope,
    },
    gate::named::Named,
    report::merged::{Merged, Source, html, sarif},
};

/// Larger reports are not read, in bytes.
const LARGEST: u64 = 256 << 20;

/// Merges, and returns the exit code.
///
/// # Errors
/// When a report cannot be read or is none, or the merged one cannot be written.
pub(super) fn run(asked: &Merge, output: &mut Streams) -> Result<u8, String> {
    let here = scope::working_directory()?;
    let source = |it: &NamedReport| -> Result<Source, String> {
        Ok(Source { name: name(it), text: read(&it.file, &here)? })
    };
    let sources = asked.reports.iter().map(source).collect::<Result<Vec<_>, _>>()?;
    let since = asked.since.as_ref().map(|it| read(it, &here)).transpose()?;
    let merged = Merged::of(sources, since.as_deref())?;
    let text = match asked.format {
        MergedFormat::Json => merged.json(),
        MergedFormat::Html => html::render(&merged),
        MergedFormat::Sarif => sarif::render(&merged, since.is_some()),
    };
    match &asked.output {
        Some(path) => write_file(path, &here, &text)?,
        None => output.print(&text)?,
    }
    Ok(CLEAN)
}

fn read(path: &Path, here: &Path) -> Result<String, String> {
    let text = Named::of(path, here).and_then(|it| it.text(LARGEST));
    text.map_err(|refusal| format!("{}: {}", path.display(), refusal.of_reading()))
}

/// The name that is given, or the folder and the name of the file: `reports/payments/shop.json` is of
/// `payments/shop`.
fn name(report: &NamedReport) -> String {
    report.name.clone().unwrap_or_else(|| {
        let stem = report.file.with_extension("");
        let folder = stem.parent().and_then(Path::file_name);
        let named = folder.map_or_else(PathBuf::new, PathBuf::from);
        let named = named.join(stem.file_name().unwrap_or_default());
        named.to_string_lossy().replace('\\', "/")
    })
}
