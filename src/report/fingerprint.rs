//! Fingerprints of findings: karplint's for baselines, and the one GitHub computes.

use std::collections::HashMap;

use crate::{
    findings::Finding,
    source::{Files, SourceFile},
};

/// How much of a line counts, in bytes: a minified file is one line of megabytes.
const LONGEST: usize = 500;

/// The fingerprint of each finding: rule, path, the text of its line, and which of several alike it is.
/// Nothing in it changes when lines above move. `name` gives the path a file goes by, which is its own unless
/// it was renamed since.
#[must_use]
pub(crate) fn of_all<'a>(
    files: &'a Files,
    findings: &[Finding],
    name: &dyn Fn(&'a str) -> &'a str,
) -> Vec<String> {
    let mut alike: HashMap<u64, u32> = HashMap::new();
    let mut fingerprint = |finding: &Finding| {
        let file = files.get(finding.span.file);
        // What is said of a whole file is said at its beginning, and has nothing to do with its first line.
        let of_file = finding.span.end == 0;
        let line =
            if of_file { "" } else { file.line_text(file.line_of(finding.span.start as usize)) };
        let line = line.trim();
        let line = &line[..line.floor_char_boundary(LONGEST.min(line.len()))];
        let content = fnv(&[finding.rule, name(file.path()), line]);
        let ordinal = alike.entry(content).or_default();
        *ordinal += 1;
        format!("{:016x}", fnv(&[&format!("{content:x}"), &ordinal.to_string()]))
    };
    findings.iter().map(&mut fingerprint).collect()
}

/// FNV-1a over the parts with a NUL after each.
fn fnv(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|it| it.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The length of GitHub's window over the text, in UTF-16 units.
const WINDOW: usize = 100;
/// What GitHub puts after the last character.
const END: u16 = 0xffff;

/// GitHub's `primaryLocationLineHash` for every line of a file. Its upload action computes the same, and
/// warns when a report disagrees. A line's hash covers the hundred characters from its start, without
/// blanks, and counts how often it occurred before.
#[must_use]
pub(crate) fn line_hashes(file: &SourceFile) -> Vec<String> {
    let (units, starts) = without_blanks(file.text());
    let mut counts: HashMap<u64, u32> = HashMap::new();
    let mut name = |start: usize| {
        let window = units.iter().skip(start).copied().chain(std::iter::repeat(0)).take(WINDOW);
        let hash =
            window.fold(0_u64, |hash, unit| hash.wrapping_mul(37).wrapping_add(u64::from(unit)));
        let count = counts.entry(hash).or_default();
        *count += 1;
        format!("{hash:x}:{count}")
    };
    starts.into_iter().map(&mut name).collect()
}

/// The text without spaces and tabs, each line break as one line feed, and where lines start in it.
fn without_blanks(text: &str) -> (Vec<u16>, Vec<usize>) {
    let mut units = Vec::with_capacity(text.len() + 1);
    let mut starts = Vec::new();
    let mut at_start = true;
    let mut after_return = false;
    for unit in text.encode_utf16().chain([END]) {
        let (is_return, is_feed) = (unit == u16::from(b'\r'), unit == u16::from(b'\n'));
        let blank = unit == u16::from(b' ') || unit == u16::from(b'\t');
        if blank || (after_return && is_feed) {
            after_return = false;
            continue;
        }
        after_return = is_return;
        if std::mem::take(&mut at_start) {
            starts.push(units.len());
        }
        at_start = is_return || is_feed;
        units.push(if is_return { u16::from(b'\n') } else { unit });
    }
    (units, starts)
}

#[cfg(test)]
mod tests {
    use super::{line_hashes, of_all};
    use crate::{
        findings::Findings,
        source::{FileId, Files, SourceFile, Span},
    };

    /// GitHub's description again, followed literally: a ring of a hundred units, one update a unit.
    fn by_the_ring(text: &str) -> Vec<String> {
        let mut ring = [0_u64; 100];
        let mut waiting: Vec<Option<usize>> = vec![None; 100];
        let first = (0..100).fold(1_u64, |power, _| power.wrapping_mul(37));
        let (mut hash, mut at, mut seen) = (0_u64, 0, Vec::new());
        let mut found = Vec::new();
        let mut step = |unit: u64, starts: bool| {
            if waiting[at].take().is_some() {
                seen.push(hash);
                let count = seen.iter().filter(|it| **it == hash).count();
                found.push(format!("{hash:x}:{count}"));
            }
            if starts {
                waiting[at] = Some(0);
            }
            hash =
                hash.wrapping_mul(37).wrapping_add(unit).wrapping_sub(first.wrapping_mul(ring[at]));
            ring[at] = unit;
            at = (at + 1) % 100;
        };
        let text = text.replace("\r\n", "\n").replace('\r', "\n").replace([' ', '\t'], "");
        let mut starts = true;
        for unit in text.encode_utf16().chain([65535]) {
            step(u64::from(unit), starts);
            starts = unit == 10;
        }
        (0..100).for_each(|_| step(0, false));
        found
    }

    #[test]
    fn line_hashes_are_those_of_github() {
        let long = "key: value # 日本 🎉\n".repeat(40);
        let texts = ["", "\n", "a", " a\nb\n  \t\tc\n d", "x\r\n\r\ny\rz\n", "a\n\n\n\na\n", &long];
        for text in texts {
            let file = SourceFile::new("a", text);
            assert_eq!(line_hashes(&file), by_the_ring(text), "{text:?}");
        }
        // As the upload action prints them.
        assert_eq!(line_hashes(&SourceFile::new("a", "")), ["c129715d7a2bc9a3:1"]);
    }

    #[test]
    fn fingerprints_last_and_differ() {
        let of = |text: &str| {
            let files = Files::new(vec![SourceFile::new("a.tf", text)]);
            let mut findings = Findings::of("r", crate::findings::Severity::Note);
            for (at, _) in text.match_indices("bad") {
                findings.report(Span::new(FileId(0), at, at + 3), "");
            }
            of_all(&files, &findings.into_list(), &|it| it)
        };
        let before = of("bad\nbad\n");
        assert_ne!(before[0], before[1]);
        assert_eq!(before, of("# new\n\n  bad\nx\nbad\n"));
        assert_ne!(before[0], of("bad 2\n")[0]);
    }

    #[test]
    fn what_is_said_of_a_file_lasts_when_lines_come_above() {
        let of = |text: &str| {
            let files = Files::new(vec![SourceFile::new("a.tf", text)]);
            let mut findings = Findings::of("r", crate::findings::Severity::Note);
            findings.report(Span::new(FileId(0), 0, 0), "");
            of_all(&files, &findings.into_list(), &|it| it)
        };
        assert_eq!(of("a = 1\n"), of("\n\na = 1\n"));
    }
}
