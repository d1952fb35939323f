//! The only way to the disk. What is opened through a gate lies below its folder, also behind links, and is an
//! ordinary file of limited size: no pipe, socket or device, and nothing of git's own.
//!
//! The kernel refuses to leave the folder where it can (`openat2` on Linux); elsewhere each step of a path is
//! looked at on its own.

pub mod named;
pub mod refusal;

mod attributes;
mod write;

use std::{
    io::{self, Read},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, File, OpenOptions},
};

use crate::gate::refusal::Refusal;

/// A folder, and what lies below it.
#[derive(Clone, Debug)]
pub struct Gate {
    path: PathBuf,
    folder: Arc<Dir>,
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An ordinary file.
    File,
    /// A folder.
    Folder,
    /// A link, wherever it leads.
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// What a folder holds.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name, and the name made readable where it is not Unicode.
    pub name: Result<String, String>,
    /// What it is.
    pub kind: Kind,
}

impl Gate {
    /// That of a folder.
    ///
    /// # Errors
    /// When it is no folder, or cannot be opened.
    pub fn at(path: &Path) -> Result<Self, Refusal> {
        let folder = Dir::open_ambient_dir(path, ambient_authority()).map_err(Refusal::of)?;
        Ok(Self { path: path.to_path_buf(), folder: Arc::new(folder) })
    }

    /// Its folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When there is no ordinary file of at most that many bytes.
    pub fn read(&self, path: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
        if is_of_git(path) {
            return Err(Refusal::OfGit);
        }
        read(self.open(path)?, limit)
    }

    /// The first bytes of a file.
    ///
    /// # Errors
    /// When there is no ordinary file.
    pub fn start(&self, path: &str, length: u64) -> Result<Vec<u8>, Refusal> {
        let mut bytes = Vec::new();
        self.open(path)?.take(length).read_to_end(&mut bytes).map_err(Refusal::of)?;
        Ok(bytes)
    }

    /// The text of a file that something else names, such as a config; links to git's own data are not followed.
    ///
    /// # Errors
    /// As above, and when it is not UTF-8.
    pub fn text(&self, path: &str, limit: u64) -> Result<String, Refusal> {
        let real = self.real(path)?;
        text(self.read(&real, limit)?)
    }

    /// The same where the file need not be there.
    ///
    /// # Errors
    /// When it is there and cannot be read; a sentence.
    pub fn text_if_there(&self, path: &str, limit: u64) -> Result<Option<String>, String> {
        match self.text(path, limit) {
            Ok(text) => Ok(Some(text)),
            Err(Refusal::Missing) => Ok(None),
            Err(refusal) => Err(format!("{path}: {}", refusal.of_reading())),
        }
    }

    /// The text of a file of git's.
    ///
    /// # Errors
    /// As above.
    pub fn text_of_git(&self, path: &str, limit: u64) -> Result<String, Refusal> {
        text(read(self.open(path)?, limit)?)
    }

    /// Where a path leads, without links.
    ///
    /// # Errors
    /// When there is nothing, or it lies outside or is git's own.
    pub fn real(&self, path: &str) -> Result<String, Refusal> {
        let real = self.folder.canonicalize(path).map_err(Refusal::of)?;
        let real = slashed(&real).ok_or(Refusal::NotUnicode)?;
        if is_of_git(&real) { Err(Refusal::OfGit) } else { Ok(real) }
    }

    /// What is at a path, behind links; `None` where there is nothing that may be opened.
    #[must_use]
    pub fn kind(&self, path: &str) -> Option<Kind> {
        let about = self.folder.metadata(if path.is_empty() { "." } else { path }).ok()?;
        Some(kind(about.file_type()))
    }

    /// Whether there is anything at a path, be it a link that leads nowhere.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        self.folder.symlink_metadata(path).is_ok()
    }

    /// What a folder holds.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn list(&self, folder: &str) -> Result<Vec<Entry>, Refusal> {
        let folder = if folder.is_empty() { "." } else { folder };
        let entries = self.folder.read_dir(folder).map_err(Refusal::of)?;
        let entry = |it: io::Result<cap_std::fs::DirEntry>| {
            let it = it?;
            let name = it.file_name().into_string();
            let name = name.map_err(|it| it.to_string_lossy().into_owned());
            Ok(Entry { name, kind: kind(it.file_type()?) })
        };
        entries.map(entry).collect::<io::Result<_>>().map_err(Refusal::of)
    }

    fn open(&self, path: &str) -> Result<File, Refusal> {
        let file = self.folder.open_with(path, &waiting_for_nobody(OpenOptions::new().read(true)));
        ordinary(file.map_err(Refusal::of)?)
    }
}

/// A file, if it is an ordinary one.
fn ordinary(file: File) -> Result<File, Refusal> {
    let about = file.metadata().map_err(Refusal::of)?;
    if about.is_file() { Ok(file) } else { Err(Refusal::NotOrdinary) }
}

/// The same for a pipe that has no other end: opening it waits for none.
#[cfg(unix)]
fn waiting_for_nobody(options: &mut OpenOptions) -> OpenOptions {
    use cap_std::fs::OpenOptionsExt;
    use rustix::fs::OFlags;

    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits();
    options.custom_flags(flags.cast_signed()).clone()
}

#[cfg(not(unix))]
fn waiting_for_nobody(options: &mut OpenOptions) -> OpenOptions {
    options.clone()
}

fn read(file: File, limit: u64) -> Result<Vec<u8>, Refusal> {
    let length = file.metadata().map_err(Refusal::of)?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(limit)).unwrap_or_default());
    // A file may grow between the two calls.
    // The file of the standard library fills a buffer without clearing it first.
    file.into_std().take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(Refusal::of)?;
    if bytes.len() as u64 > limit { Err(Refusal::TooLarge(limit)) } else { Ok(bytes) }
}

fn text(bytes: Vec<u8>) -> Result<String, Refusal> {
    String::from_utf8(bytes).map_err(|_| Refusal::NotUnicode)
}

fn kind(it: cap_std::fs::FileType) -> Kind {
    match () {
        () if it.is_file() => Kind::File,
        () if it.is_dir() => Kind::Folder,
        () if it.is_symlink() => Kind::Link,
        () => Kind::Special,
    }
}

/// Whether a path leads through a folder of git's, or names one.
fn is_of_git(path: &str) -> bool {
    path.split('/').any(|it| it.eq_ignore_ascii_case(".git"))
}

/// A path with `/` between its parts.
fn slashed(path: &Path) -> Option<String> {
    let parts = path.components().filter(|it| *it != Component::CurDir);
    let parts: Option<Vec<&str>> = parts.map(|it| it.as_os_str().to_str()).collect();
    parts.map(|it| it.join("/"))
}
