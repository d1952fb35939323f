//! Archives of charts: tar in gzip, with limits. Nothing of them is written anywhere.

use std::{collections::BTreeMap, io::Read};

use flate2::read::MultiGzDecoder;
use tar::EntryType;

/// Bytes of all files, and of the archive's own headers.
const TOTAL: u64 = 64 << 20;
/// Bytes of one file.
const FILE: u64 = 8 << 20;
/// Entries.
const COUNT: usize = 10_000;

const TOO_LARGE: &str = "the archive is larger than that of any real chart";

/// The files of an archive, by their paths in the chart's folder. Of a path that is there twice the last counts, as where it is unpacked.
///
/// # Errors
/// In Helm's words, when the archive is none, has links, paths that lead out of it, or too much in it.
pub(super) fn unpack(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let broken = |it: std::io::Error| format!("not an archive: {it}");
    let mut left = Limited { inner: MultiGzDecoder::new(bytes), left: TOTAL };
    let mut archive = tar::Archive::new(&mut left);
    let mut files = BTreeMap::new();
    for (at, entry) in archive.entries().map_err(broken)?.enumerate() {
        let mut entry = entry.map_err(broken)?;
        if at >= COUNT || entry.size() > FILE {
            return Err(TOO_LARGE.to_owned());
        }
        match entry.header().entry_type() {
            EntryType::Directory | EntryType::XGlobalHeader | EntryType::XHeader => continue,
            EntryType::Regular | EntryType::Continuous => {}
            _ => return Err("chart contains a link or a device".to_owned()),
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).replace('\\', "/");
        let Some(path) = inside(&path)? else { continue };
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(broken)?;
        files.insert(path, content);
    }
    Ok(files)
}

/// A path in the chart's folder, whatever that is called; none for a file beside it.
fn inside(path: &str) -> Result<Option<String>, String> {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if path.starts_with('/') || has_drive {
        return Err("chart illegally contains absolute paths".to_owned());
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err("chart illegally references parent directory".to_owned()),
            part => parts.push(part),
        }
    }
    Ok(parts.split_first().filter(|(_, inside)| !inside.is_empty()).map(|(_, it)| it.join("/")))
}

/// Reads no more than so many bytes; more is an error, not an end.
struct Limited<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.left.checked_sub(u64::try_from(count).unwrap_or(u64::MAX)) {
            Some(left) => {
                self.left = left;
                Ok(count)
            }
            None => Err(std::io::Error::other(TOO_LARGE)),
        }
    }
}
