//! How a file's text is read when it is first needed.

/// A file's text as it was read.
#[derive(Clone, Debug, Default)]
pub struct Content {
    /// The text, with a byte order mark if the file has one.
    pub text: String,
    /// Whether it was decoded from another encoding, so that offsets are not those on disk.
    pub transcoded: bool,
    /// Whether there is a file that could not be read, so that the empty text means nothing.
    pub lost: bool,
}

/// Reads a file's text when it is first requested; the project implements it over the disk.
pub trait Load: Send + Sync + std::fmt::Debug {
    /// The text of the file at that path relative to the root; empty if it cannot be read.
    fn load(&self, path: &str) -> Content;

    /// The bytes of an archive at that path; `None` if it cannot be read or is none.
    fn archive(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }

    /// The same for a scan of all files, which loses nothing if one cannot be read.
    fn skim(&self, path: &str) -> Content {
        self.load(path)
    }

    /// Whether there is room to keep another text of that many bytes.
    fn may_keep(&self, _length: usize) -> bool {
        true
    }

    /// Hears that a file is another one than it was before.
    fn note_change(&self, _path: &str) {}
}
