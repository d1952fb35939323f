//! Files that come from elsewhere than the disk: those of an earlier state.

use std::{path::PathBuf, sync::Arc};

use crate::{
    project::{
        Project,
        disk::{self, Disk},
        left_out,
    },
    source::{Files, SourceFile, load::Content},
};

impl Project {
    /// A project of files that lie on no disk, without what a walk over one would leave out. `links` are paths with
    /// the paths of the files they lead to.
    #[must_use]
    pub fn from_files(
        files: Vec<SourceFile>,
        links: Vec<(String, String)>,
        exclude: &dyn Fn(&str) -> bool,
    ) -> Self {
        let left_out = |path: &str| {
            let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
            folders.any(|it| left_out::reason(it, false).is_some() || exclude(it))
        };
        let files = files.into_iter().filter(|it| !left_out(it.path())).collect();
        let links = links.into_iter().filter(|(path, _)| !left_out(path));
        let disk = Arc::new(Disk::default());
        Self::new(PathBuf::new(), Files::new(files).with_links(links), [String::new()], disk)
    }
}

/// The text of a file whose bytes come from elsewhere than the disk, read as if they lay there.
#[must_use]
pub fn content(path: &str, bytes: Vec<u8>) -> Content {
    disk::content(path, bytes).unwrap_or_else(|_| Content { lost: true, ..Content::default() })
}
