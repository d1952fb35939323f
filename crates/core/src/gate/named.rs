//! Files and folders that a person names, on the command line or in an editor: they may lie anywhere. But what
//! lies in a repository is reached without leaving it, because who wrote the repository may have put a link there.

use std::{
    fs,
    io::Write,
    path::{Component, Path, PathBuf},
};

use crate::gate::{Gate, refusal::Refusal, slashed};

/// A file that a person names.
#[derive(Debug)]
pub enum Named {
    /// Below a repository, or below the working directory; with the path from there.
    Inside(Gate, String),
    /// Elsewhere.
    Outside(PathBuf),
}

impl Named {
    /// The file of that path, which is relative to the folder `here`. It need not be there.
    ///
    /// # Errors
    /// When the repository around it cannot be opened.
    pub fn of(path: &Path, here: &Path) -> Result<Self, Refusal> {
        let whole = plain(&here.join(path));
        let folder = whole.parent().and_then(repository);
        let Some(folder) = folder.or_else(|| whole.starts_with(here).then_some(here)) else {
            return Ok(Self::Outside(whole));
        };
        let inside = whole.strip_prefix(folder).ok().and_then(slashed);
        Ok(Self::Inside(Gate::at(folder)?, inside.ok_or(Refusal::NotUnicode)?))
    }

    /// Its text.
    ///
    /// # Errors
    /// When there is no ordinary file of at most that many bytes, or a link in a repository leads out of it.
    pub fn text(&self, limit: u64) -> Result<String, Refusal> {
        match self {
            Self::Inside(gate, path) => gate.text(path, limit),
            Self::Outside(path) => {
                let real = path.canonicalize().map_err(Refusal::of)?;
                let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
                    return Err(Refusal::NotOrdinary);
                };
                Gate::at(folder)?.text(name.to_str().ok_or(Refusal::NotUnicode)?, limit)
            }
        }
    }

    /// Writes a text to it, and makes it if it is not there. Outside of repositories it may be anything that can
    /// be written, such as standard output.
    ///
    /// # Errors
    /// When it cannot be written, or a link in a repository leads out of it.
    pub fn write(&self, text: &str) -> Result<(), Refusal> {
        match self {
            Self::Inside(gate, path) => gate.write(path, text),
            Self::Outside(path) => {
                let file = fs::File::create(path);
                file.and_then(|mut it| it.write_all(text.as_bytes())).map_err(Refusal::of)
            }
        }
    }
}

/// The nearest folder around that has a `.git`.
#[must_use]
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|it| it.join(".git").exists())
}

/// Whether there is a folder at a path.
#[must_use]
pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Whether there is an ordinary file at a path.
#[must_use]
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// Where a path leads, without links.
///
/// # Errors
/// When there is nothing, or a link in a repository leads out of it.
pub fn resolve(path: &Path) -> Result<PathBuf, Refusal> {
    let real = path.canonicalize().map_err(Refusal::of)?;
    let whole = plain(&std::path::absolute(path).map_err(Refusal::of)?);
    let folder = repository(&whole).and_then(|it| it.canonicalize().ok());
    if folder.is_some_and(|it| !real.starts_with(it)) { Err(Refusal::LeadsOut) } else { Ok(real) }
}

/// An absolute path without `.` and `..`, as it is written: links are not looked at.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::{Named, plain, resolve};
    use crate::gate::refusal::Refusal;

    #[test]
    fn what_lies_in_a_repository_is_reached_without_leaving_it() {
        let top = tempfile::tempdir().expect("a folder");
        let top = top.path().canonicalize().expect("it is there");
        let here = top.join("r");
        fs::create_dir_all(here.join(".git")).expect("a folder");
        symlink("../outside", here.join("out")).expect("a link");
        symlink("outside", top.join("to")).expect("a link");
        let write = |path: &str| Named::of(path.as_ref(), &here).and_then(|it| it.write("new"));
        assert!(matches!(write("out"), Err(Refusal::LeadsOut)));
        assert!(!top.join("outside").exists());
        fs::File::create(top.join("outside")).expect("a file");
        let text = |path: &str| Named::of(path.as_ref(), &here).and_then(|it| it.text(99));
        assert!(matches!(write("out"), Err(Refusal::LeadsOut)));
        assert!(matches!(text("out"), Err(Refusal::LeadsOut)));
        assert!(matches!(text(".git/config"), Err(Refusal::Missing | Refusal::OfGit)));
        assert!(matches!(resolve(&here.join("out")), Err(Refusal::LeadsOut)));
        // Who names a file elsewhere means it.
        assert_eq!(text("../to").expect("a file"), "");
        write("../to").expect("a file");
        assert_eq!(text("../outside").expect("a file"), "new");
        write("own").expect("it is new");
        assert_eq!(text("./x/../own").expect("a file"), "new");
        assert_eq!(plain("/a/./b/../../c".as_ref()), std::path::Path::new("/c"));
    }
}
