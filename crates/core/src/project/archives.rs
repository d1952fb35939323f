//! Archives of charts in a folder outside the project.

use std::{fs, io, path::Path, sync::Arc};

use crate::project::disk::{LARGEST_ARCHIVE, read};

/// A file's name and its bytes.
pub type Archive = (String, Arc<[u8]>);

/// The files `*.tgz` and `*.gz` in a folder, by file name in order.
///
/// # Errors
/// When the folder, or an archive in it, cannot be read: a sentence.
pub fn read_folder(folder: &Path) -> Result<Vec<Archive>, String> {
    let unreadable = |error: io::Error| format!("{}: cannot be read: {error}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_archive = path.extension().is_some_and(|it| it == "tgz" || it == "gz");
        if path.is_file() && is_archive {
            let bytes = read(&path, LARGEST_ARCHIVE)
                .map_err(|reason| format!("{}: {reason}", path.display()))?;
            found.push((name, bytes.into()));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}
