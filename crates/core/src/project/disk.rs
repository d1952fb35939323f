//! Reading files: how large, in which encoding, and whether it is text at all.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    gate::{Gate, refusal::Refusal},
    project::{error::Error, kind::FileKind, skipped::Skipped},
    source::{
        account::Limit,
        file_name,
        load::{Content, Load},
    },
};

const MEGABYTE: u64 = 1 << 20;
/// The largest archive of a chart worth opening.
pub(super) const LARGEST_ARCHIVE: u64 = 16 * MEGABYTE;
/// So much text of manifests is kept: most repositories have less.
const MOST_KEPT: usize = 16 << 20;
/// Why the rest of a file is not seen.
const CHANGED: &str = "changed while it was checked";
/// Binary files show a NUL early; UTF-16 text has a byte order mark.
const SNIFFED: usize = 8192;

/// The disk below a project's root, if the project lies on one.
#[derive(Debug, Default)]
pub(super) struct Disk {
    gate: Option<Gate>,
    skipped: Mutex<BTreeSet<Skipped>>,
    loads: AtomicUsize,
    /// How many bytes of texts are kept of which that was asked.
    kept: AtomicUsize,
}

impl Disk {
    /// The disk below that folder.
    #[must_use]
    pub(super) fn at(root: &Path) -> Self {
        match Gate::at(root) {
            Ok(gate) => Self { gate: Some(gate), ..Self::default() },
            Err(refusal) => {
                let disk = Self::default();
                disk.skip(Skipped::new(".", refusal.of_reading()));
                disk
            }
        }
    }

    /// The way to it.
    #[must_use]
    pub(super) fn gate(&self) -> Option<&Gate> {
        self.gate.as_ref()
    }

    /// Remembers that a file was not read.
    pub(super) fn skip(&self, skipped: Skipped) {
        self.list().insert(skipped);
    }

    /// What was not read, sorted.
    #[must_use]
    pub(super) fn skipped(&self) -> Vec<Skipped> {
        self.list().iter().cloned().collect()
    }

    /// Whether the file at that path was not read.
    #[must_use]
    pub(super) fn is_skipped(&self, path: &str) -> bool {
        let from = Skipped::new(path, String::new());
        self.list().range(from..).next().is_some_and(|it| it.path == path)
    }

    /// How often a file was opened.
    #[must_use]
    pub(super) fn loads(&self) -> usize {
        self.loads.load(Ordering::Relaxed)
    }

    /// The content of a file, or why there is none.
    fn open(&self, path: &str) -> Result<Content, String> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let bytes =
            self.gate.as_ref().map_or(Err(Refusal::Missing), |it| it.read(path, limit(path)));
        let bytes = bytes.map_err(|it| match it {
            Refusal::TooLarge(limit) => too_large(limit),
            other => other.of_reading(),
        });
        content(path, bytes?)
    }

    fn list(&self) -> std::sync::MutexGuard<'_, BTreeSet<Skipped>> {
        self.skipped.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Load for Disk {
    fn load(&self, path: &str) -> Content {
        self.open(path).unwrap_or_else(|reason| {
            self.skip(Skipped::new(path, reason));
            Content { lost: true, ..Content::default() }
        })
    }

    fn archive(&self, path: &str) -> Option<Vec<u8>> {
        self.gate.as_ref()?.read(path, LARGEST_ARCHIVE).ok()
    }

    fn skim(&self, path: &str) -> Content {
        self.open(path).unwrap_or_else(|_| Content { lost: true, ..Content::default() })
    }

    fn may_keep(&self, length: usize) -> bool {
        self.kept.fetch_add(length, Ordering::Relaxed) + length <= MOST_KEPT
    }

    fn note_change(&self, path: &str) {
        self.skip(Skipped::new(path, CHANGED));
    }
}

/// The content of a file of these bytes, or why there is none.
pub(super) fn content(path: &str, bytes: Vec<u8>) -> Result<Content, String> {
    let limit = limit(path);
    if bytes.len() as u64 > limit {
        return Err(too_large(limit));
    }
    decode(path, bytes)
}

fn too_large(limit: u64) -> String {
    format!("over {} MB; `--limits` raises this", limit / MEGABYTE)
}

/// The largest file of that name worth reading: HCL objects take quadratic time to parse.
fn limit(path: &str) -> u64 {
    let code = Limit::FileMegabytes.most() as u64 * MEGABYTE;
    match FileKind::of(path) {
        Some(FileKind::Yaml) => 8 * code,
        // A plan repeats the whole state.
        Some(FileKind::Json) if path.contains("plan") => 8 * code,
        _ => code,
    }
}

/// Bytes to text, or why not.
fn decode(path: &str, bytes: Vec<u8>) -> Result<Content, String> {
    let wide = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => Some((rest, u16::from_le_bytes as fn([u8; 2]) -> u16)),
        [0xfe, 0xff, rest @ ..] => Some((rest, u16::from_be_bytes as fn([u8; 2]) -> u16)),
        _ => None,
    };
    if let Some((rest, unit)) = wide {
        let units: Vec<u16> =
            rest.chunks(2).map(|it| unit([it[0], it.get(1).copied().unwrap_or(0)])).collect();
        let text = String::from_utf16(&units).map_err(|_| "not valid UTF-16".to_owned())?;
        return Ok(Content { text, transcoded: true, lost: false });
    }
    if is_archive(&bytes) && FileKind::of(path) == Some(FileKind::Json) {
        return Err(binary_plan(path));
    }
    if memchr::memchr(0, &bytes[..bytes.len().min(SNIFFED)]).is_some() {
        return Err("binary".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())?;
    Ok(Content { text, transcoded: false, lost: false })
}

/// Whether a file is an archive, as the plans are that Terraform writes.
fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}

/// Why a plan as Terraform writes it is not read.
fn binary_plan(path: &str) -> String {
    let name = file_name(path);
    let shown = match name.strip_suffix(".json") {
        Some(stem) => format!("{stem}.shown.json"),
        None => format!("{name}.json"),
    };
    format!("a binary plan: check what `terraform show -json {name} > {shown}` writes")
}

/// Why a file that is named cannot be checked: it is a plan as Terraform writes it.
///
/// # Errors
/// Then.
pub(super) fn refuse_binary_plan(given: &Path, real: &Path) -> Result<(), Error> {
    // Archives are named for many reasons, plans after what they are.
    let name = given.file_name().map(|it| it.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_json = given.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"));
    if (name.contains("plan") || is_json) && starts_as_archive(real) {
        let why = binary_plan(&given.to_string_lossy());
        return Err(Error::Refused(given.display().to_string(), why));
    }
    Ok(())
}

fn starts_as_archive(real: &Path) -> bool {
    let (Some(folder), Some(name)) = (real.parent(), real.file_name().and_then(|it| it.to_str()))
    else {
        return false;
    };
    let start = Gate::at(folder).and_then(|it| it.start(name, 4));
    start.is_ok_and(|it| is_archive(&it))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn bytes_become_text_or_a_reason() {
        const PLAN: &str =
            "a binary plan: check what `terraform show -json plan.json > plan.shown.json` writes";
        let cases: [(&[u8], Result<&str, &str>); 8] = [
            (b"a: 1\n", Ok("a: 1\n")),
            (b"\xef\xbb\xbfa", Ok("\u{feff}a")),
            (b"\xff\xfea\0\n\0", Ok("a\n")),
            (b"\xfe\xff\0a", Ok("a")),
            (b"a\0b", Err("binary")),
            (b"PK\x03\x04\0", Err(PLAN)),
            (b"a\xff", Err("not UTF-8")),
            (b"\xff\xfe\x00\xd8", Err("not valid UTF-16")),
        ];
        for (bytes, expected) in cases {
            let found = decode("plan.json", bytes.to_vec()).map(|it| it.text);
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned), "{bytes:?}");
        }
    }
}
