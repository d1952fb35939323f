//! Where the characters of a scalar are written, through the layout of the text around it.

use crate::{
    source::Span,
    value::{HOLE_END, HOLE_START, Symbol, Text, TextPiece, TextSource},
};
use std::{fmt::Write as _, ops::Range};

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Adds the places of the bytes `range` of `text`, which are at `at` in another text.
pub fn add_pieces(text: &Text, range: Range<usize>, at: usize, pieces: &mut Vec<TextPiece>) {
    match &text.layout {
        TextSource::Nowhere => {}
        TextSource::Verbatim(whole) => {
            let span = text.locate(range.start, range.end, *whole);
            pieces.push(TextPiece { at: offset(at), len: offset(range.len()), span });
        }
        TextSource::Pieces(outer) => {
            let first = outer.partition_point(|it| (it.at + it.len) as usize <= range.start);
            for piece in outer.iter().skip(first).take_while(|it| (it.at as usize) < range.end) {
                let from = range.start.max(piece.at as usize);
                let to = range.end.min((piece.at + piece.len) as usize);
                let span = if piece.len == piece.span.end - piece.span.start {
                    let start = piece.span.start as usize + (from - piece.at as usize);
                    Span::new(piece.span.file, start, start + (to - from))
                } else {
                    piece.span
                };
                let at = offset(at + (from - range.start));
                pieces.push(TextPiece { at, len: offset(to - from), span });
            }
        }
    }
}

/// The layout of a scalar whose bytes are the bytes `range` of `text`.
#[must_use]
pub fn verbatim(text: &Text, range: Range<usize>) -> TextSource {
    if let Some(run) = text.carrying(&range)
        && let Some(source) = run.carried.source()
    {
        let at = run.range.start;
        return verbatim(source, range.start - at..range.end - at);
    }
    match &text.layout {
        TextSource::Nowhere => TextSource::Nowhere,
        TextSource::Verbatim(whole) => {
            TextSource::Verbatim(text.locate(range.start, range.end, *whole))
        }
        TextSource::Pieces(_) => {
            let mut pieces = Vec::new();
            let len = offset(range.len());
            add_pieces(text, range, 0, &mut pieces);
            match pieces.as_slice() {
                [one] if one.at == 0 && one.len == len && one.span.end - one.span.start == len => {
                    TextSource::Verbatim(one.span)
                }
                _ => from_pieces(pieces),
            }
        }
    }
}

/// A layout of pieces; nowhere if there are none.
#[must_use]
pub fn from_pieces(pieces: Vec<TextPiece>) -> TextSource {
    if pieces.is_empty() { TextSource::Nowhere } else { TextSource::Pieces(pieces.into()) }
}

/// The bytes `range` of a text with some of its parts replaced by holes. The parts lie in the range,
/// in order, and do not overlap; holes the text has already must be among them.
#[must_use]
pub fn with_holes(
    text: &Text,
    range: Range<usize>,
    parts: Vec<(Range<usize>, Symbol)>,
    whole: Span,
) -> Text {
    let mut result = String::with_capacity(range.len() + 8 * parts.len());
    let mut holes = Vec::with_capacity(parts.len());
    let mut pieces = Vec::new();
    let mut done = range.start;
    for (part, symbol) in parts {
        copy(text, done..part.start, &mut result, &mut pieces);
        let at = result.len();
        // Writing to a string cannot fail.
        let _ = write!(result, "{HOLE_START}{}{HOLE_END}", holes.len());
        let span = text.locate(part.start, part.end, whole);
        pieces.push(TextPiece { at: offset(at), len: offset(result.len() - at), span });
        holes.push(symbol);
        done = part.end;
    }
    copy(text, done..range.end, &mut result, &mut pieces);
    let layout = match text.layout {
        TextSource::Nowhere => TextSource::Nowhere,
        _ => from_pieces(pieces),
    };
    Text { text: result.into(), layout, holes: holes.into(), encodes: None, carried: None }
}

/// The bytes `range` of a text with blanks put in at some places, in order; the blanks are written
/// nowhere.
#[must_use]
pub fn with_blanks(text: &Text, range: Range<usize>, places: &[usize], blanks: &str) -> Text {
    let mut result = String::with_capacity(range.len() + places.len() * blanks.len());
    let mut pieces = Vec::new();
    let mut done = range.start;
    for place in places {
        copy(text, done..*place, &mut result, &mut pieces);
        result.push_str(blanks);
        done = *place;
    }
    copy(text, done..range.end, &mut result, &mut pieces);
    let layout = from_pieces(pieces);
    Text { text: result.into(), layout, holes: text.holes.clone(), encodes: None, carried: None }
}

fn copy(text: &Text, range: Range<usize>, result: &mut String, pieces: &mut Vec<TextPiece>) {
    let run = text.text.get(range.clone()).unwrap_or_default();
    if !run.is_empty() {
        add_pieces(text, range, result.len(), pieces);
        result.push_str(run);
    }
}

/// A line of a block scalar: its offset in the value and its range in the source.
pub type ScalarLine = (usize, Range<usize>);

/// Where the content of a block scalar is written, line by line, and the end of the content. `start` is the first byte after the header
/// line. `None` when the lines do not show up in the value as expected.
#[must_use]
pub fn block_lines(source: &str, start: usize, value: &str) -> Option<(Vec<ScalarLine>, usize)> {
    let indent = block_indent(source.get(start..)?, value)?;
    let content = value.trim_end_matches('\n').len();
    let mut lines = Vec::new();
    let (mut at, mut end, mut next, mut blanks) = (0, start, start, 0);
    while at < content {
        let line_start = next;
        let rest = source.get(line_start..).filter(|it| !it.is_empty())?;
        let line = rest.split_inclusive('\n').next()?;
        next += line.len();
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let bare = bare.strip_suffix('\r').unwrap_or(bare);
        let skip = indent.min(bare.len() - bare.trim_start_matches(' ').len());
        let text = bare.get(skip..)?;
        if text.is_empty() {
            blanks += 1;
            continue;
        }
        let from = find_line(value, at, text, blanks + 1)?;
        blanks = 0;
        at = from + text.len();
        let mut range = line_start + skip..line_start + bare.len();
        end = range.end;
        // The line break belongs to the piece where the value has the same one.
        if value.as_bytes().get(at) == Some(&b'\n') && source.as_bytes().get(end) == Some(&b'\n') {
            range.end += 1;
        }
        lines.push((from, range));
    }
    Some((lines, end))
}

/// Where `line` is in `value` at or shortly after `at`, past breaks or one folded space.
fn find_line(value: &str, at: usize, line: &str, skips: usize) -> Option<usize> {
    for skipped in 0..=skips {
        let rest = value.get(at + skipped..)?;
        if rest.starts_with(line) {
            return Some(at + skipped);
        }
        if !rest.starts_with(['\n', ' ']) {
            return None;
        }
    }
    None
}

/// How many columns of indentation the reader took away.
fn block_indent(source: &str, value: &str) -> Option<usize> {
    let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_blank = |line: &&str| !line.trim_matches([' ', '\r', '\n']).is_empty();
    let written = source.split_inclusive('\n').find(is_blank)?;
    let read = value.split_inclusive('\n').find(is_blank)?;
    spaces(written).checked_sub(spaces(read))
}

#[cfg(test)]
mod tests {
    use super::block_lines;

    #[test]
    fn lines_of_blocks_are_found_in_their_values() {
        let cases = [
            ("  a\n  b\n", "a\nb\n", "a\n|b\n"),
            ("  a\r\n  b\r\n", "a\nb\n", "a|b"),
            ("\n  a\n\n   b\nnext: 1\n", "\na\n\n b\n", "a\n| b\n"),
            ("   x\n  y\n", " x\ny\n", " x\n|y\n"),
            ("  t\n  u\n\n  v\n", "t u\nv\n", "t|u\n|v\n"),
            ("  a", "a", "a"),
        ];
        for (source, value, expected) in cases {
            let (lines, end) = block_lines(source, 0, value).unwrap();
            let texts: Vec<_> = lines.iter().map(|(_, range)| &source[range.clone()]).collect();
            assert_eq!(texts.join("|"), expected, "{source:?}");
            for (at, range) in lines {
                let text = &source[range];
                assert_eq!(&value[at..at + text.len()], text);
            }
            assert!(!source[..end].ends_with('\n'));
        }
        assert!(block_lines("  a\n  b\n", 0, "a\nc\n").is_none());
    }
}
