//! Archives of charts in a folder outside the project.

use std::{path::Path, sync::Arc};

use crate::{
    gate::{Gate, Kind, refusal::Refusal},
    project::disk::LARGEST_ARCHIVE,
};

/// A file's name and its bytes.
pub type Archive = (String, Arc<[u8]>);

/// The files `*.tgz` and `*.tar.gz` in a folder, by file name in order.
///
/// # Errors
/// When the folder, or an archive in it, cannot be read: a sentence.
pub fn read_folder(folder: &Path) -> Result<Vec<Archive>, String> {
    let said = |path: &Path, why: Refusal| format!("{}: {}", path.display(), why.of_reading());
    let listed = Gate::at(folder).and_then(|gate| Ok((gate.list("")?, gate)));
    let (entries, gate) = listed.map_err(|it| said(folder, it))?;
    let mut found = Vec::new();
    for name in entries.into_iter().filter_map(|it| it.name.ok()) {
        let is_archive = [".tgz", ".tar.gz"].iter().any(|it| name.strip_suffix(it).is_some());
        if is_archive && gate.kind(&name) == Some(Kind::File) {
            let bytes = gate.read(&name, LARGEST_ARCHIVE);
            let bytes = bytes.map_err(|it| said(&folder.join(&name), it))?;
            found.push((name, bytes.into()));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}
