//! Literal text with escapes decoded and the record of where its runs are written.

use std::ops::Range;

use crate::{
    syntax::hcl::{Literal, snippet::Snippet},
    value::TextPiece,
};

/// Literal text under construction.
#[derive(Debug, Default)]
pub(super) struct LiteralText {
    /// The decoded text.
    pub text: String,
    pieces: Vec<TextPiece>,
}

impl LiteralText {
    /// The finished literal.
    pub(super) fn into_literal(self) -> Literal {
        Literal { text: self.text.into(), pieces: self.pieces }
    }

    /// Adds what follows.
    pub(super) fn append(&mut self, other: Self) {
        let shift = offset(self.text.len());
        self.text.push_str(&other.text);
        self.pieces
            .extend(other.pieces.into_iter().map(|it| TextPiece { at: it.at + shift, ..it }));
    }

    /// Removes white space at the start, line breaks included.
    pub(super) fn trim_start(&mut self) {
        let bytes = self.text.len() - self.text.trim_start().len();
        self.cut_start(bytes);
    }

    /// Removes white space at the end, line breaks included.
    pub(super) fn trim_end(&mut self) {
        self.text.truncate(self.text.trim_end().len());
        let end = offset(self.text.len());
        self.pieces.retain(|it| it.at < end);
        if let Some(last) = self.pieces.last_mut() {
            let len = last.len.min(end - last.at);
            if is_verbatim(last) {
                last.span.end = last.span.start + len;
            }
            last.len = len;
        }
    }

    /// Removes the first bytes.
    pub(super) fn cut_start(&mut self, bytes: usize) {
        self.text.drain(..bytes);
        let cut = offset(bytes);
        self.pieces.retain_mut(|it| {
            if it.at + it.len <= cut {
                return false;
            }
            let lost = cut.saturating_sub(it.at);
            if is_verbatim(it) {
                it.span.start += lost;
            }
            it.len -= lost;
            it.at = it.at.saturating_sub(cut);
            true
        });
    }

    fn push(&mut self, snippet: Snippet<'_>, decoded: &str, written: Range<usize>) {
        if !decoded.is_empty() {
            let at = offset(self.text.len());
            let len = offset(decoded.len());
            self.pieces.push(TextPiece { at, len, span: snippet.span(&written) });
            self.text.push_str(decoded);
        }
    }
}

fn is_verbatim(piece: &TextPiece) -> bool {
    piece.len == piece.span.end - piece.span.start
}

fn offset(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Decodes the literal written at `range`; backslashes escape only between quotes.
pub(super) fn decode(
    snippet: Snippet<'_>,
    range: Range<usize>,
    backslashes: bool,
    run: &mut LiteralText,
) {
    let text = snippet.slice(range.clone());
    let mut from = 0;
    let mut at = 0;
    while let Some(next) = find_special(text, at) {
        let rest = text.get(next..).unwrap_or_default();
        let Some((decoded, length)) = escape(rest, backslashes) else {
            at = next + 1;
            continue;
        };
        let verbatim = text.get(from..next).unwrap_or_default();
        run.push(snippet, verbatim, range.start + from..range.start + next);
        let mut buffer = [0; 4];
        let decoded = match decoded {
            Decoded::Marker(marker) => marker,
            Decoded::Character(character) => character.encode_utf8(&mut buffer),
        };
        at = next + length;
        from = at;
        run.push(snippet, decoded, range.start + next..range.start + at);
    }
    run.push(snippet, text.get(from..).unwrap_or_default(), range.start + from..range.end);
}

fn find_special(text: &str, from: usize) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    memchr::memchr3(b'\\', b'$', b'%', rest).map(|it| from + it)
}

enum Decoded {
    Marker(&'static str),
    Character(char),
}

/// The escape `text` begins with, and how many bytes it is long.
fn escape(text: &str, backslashes: bool) -> Option<(Decoded, usize)> {
    if text.starts_with("$${") {
        return Some((Decoded::Marker("${"), 3));
    }
    if text.starts_with("%%{") {
        return Some((Decoded::Marker("%{"), 3));
    }
    if !backslashes {
        return None;
    }
    let (character, length) = match text.strip_prefix('\\')?.chars().next()? {
        'n' => ('\n', 2),
        'r' => ('\r', 2),
        't' => ('\t', 2),
        '"' => ('"', 2),
        '\\' => ('\\', 2),
        'u' => (hexadecimal(text.get(2..6)?)?, 6),
        'U' => (hexadecimal(text.get(2..10)?)?, 10),
        _ => return None,
    };
    Some((Decoded::Character(character), length))
}

fn hexadecimal(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}
