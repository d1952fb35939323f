//! Archives of charts: tar in gzip, with limits.

use std::io::Read;

use flate2::read::MultiGzDecoder;

/// Bytes of all files.
const TOTAL: u64 = 64 << 20;
/// Bytes of one file.
const FILE: u64 = 8 << 20;
/// Files.
const COUNT: usize = 10_000;

/// The files of an archive, by their paths in the chart's folder. What is not text is read as well as it can be.
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let mut archive = tar::Archive::new(MultiGzDecoder::new(bytes).take(TOTAL));
    let entries = archive.entries().map_err(|it| format!("not an archive: {it}"))?;
    let mut files = Vec::new();
    let mut total = 0;
    for entry in entries {
        let mut entry = entry.map_err(|it| format!("not an archive: {it}"))?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let size = entry.size();
        total += size;
        if size > FILE || total > TOTAL || files.len() >= COUNT {
            return Err("the archive is larger than that of any real chart".to_owned());
        }
        let path = entry.path_bytes();
        let path = String::from_utf8_lossy(&path).replace('\\', "/");
        let Some((_, inside)) = path.trim_start_matches("./").split_once('/') else { continue };
        let inside = inside.to_owned();
        if inside.split('/').any(|it| it == "..") {
            continue;
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|it| format!("not an archive: {it}"))?;
        files.push((inside, String::from_utf8_lossy(&content).into_owned()));
    }
    Ok(files)
}
