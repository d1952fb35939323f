//! A place in a text, and what is passed over between words: spaces, lines, comments.

use std::{ops::Range, sync::Arc};

use crate::{source::Span, syntax::hcl::snippet::Snippet};

/// Deeper nesting is left to hcl-edit, which refuses the double of it.
const DEEPEST: u32 = 32;

/// A text and how far it was read.
pub(super) struct Cursor<'a> {
    /// The text.
    pub snippet: Snippet<'a>,
    bytes: &'a [u8],
    /// The offset of what comes next.
    pub at: usize,
    depth: u32,
    /// How many operators there are in the attribute that is read.
    pub operators: u32,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text; `None` if it has line breaks of its own kind.
    pub(super) fn new(snippet: Snippet<'a>) -> Option<Self> {
        let bytes = snippet.text.as_bytes();
        let mut returns = memchr::memchr_iter(b'\r', bytes);
        let sound = returns.all(|it| bytes.get(it + 1) == Some(&b'\n'));
        sound.then_some(Self { snippet, bytes, at: 0, depth: 0, operators: 0 })
    }

    /// What comes next.
    pub(super) fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// What comes after that.
    pub(super) fn second(&self) -> Option<u8> {
        self.bytes.get(self.at + 1).copied()
    }

    /// All that is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Takes a byte that must come.
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// Takes a byte if it comes.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let comes = self.byte() == Some(byte);
        self.at += usize::from(comes);
        comes
    }

    /// The text of a range.
    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        self.snippet.text.get(range).unwrap_or_default()
    }

    /// The place from an offset to here.
    pub(super) fn since(&self, start: usize) -> Span {
        self.snippet.span(&(start..self.at))
    }

    /// Reads something nested.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Passes over spaces and comments, and over lines where that is allowed.
    pub(super) fn space(&mut self, lines: bool) -> Option<()> {
        loop {
            match self.byte() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\n' | b'\r') if lines => self.at += 1,
                Some(b'#') if lines => self.skip_line(),
                Some(b'/') => match self.second() {
                    Some(b'/') if lines => self.skip_line(),
                    Some(b'*') => {
                        let inside = self.bytes.get(self.at + 2..)?;
                        self.at += 4 + memchr::memmem::find(inside, b"*/")?;
                    }
                    _ => return Some(()),
                },
                _ => return Some(()),
            }
        }
    }

    /// Passes over the rest of a line, without its break.
    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    /// Takes spaces, a comment, and the line break or end of the text that must follow.
    pub(super) fn end_of_line(&mut self) -> Option<()> {
        self.space(false)?;
        if self.byte() == Some(b'#') || self.rest().starts_with(b"//") {
            self.skip_line();
        }
        if self.byte().is_none() { Some(()) } else { self.line_break() }
    }

    /// Takes a line break that must come.
    pub(super) fn line_break(&mut self) -> Option<()> {
        self.take(b'\r');
        self.expect(b'\n')
    }

    /// Takes a name that must come, of plain letters.
    pub(super) fn name(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        if !self.byte().is_some_and(begins_name) {
            return None;
        }
        let rest = self.rest();
        self.at += rest.iter().position(|it| !continues_name(*it)).unwrap_or(rest.len());
        // Letters of other languages are letters, too.
        self.byte().is_none_or(|it| it.is_ascii()).then_some(start..self.at)
    }

    /// Takes a name, and shares its text.
    pub(super) fn shared_name(&mut self) -> Option<(Arc<str>, Span)> {
        let range = self.name()?;
        Some((Arc::from(self.slice(range.clone())), self.snippet.span(&range)))
    }

    /// Whether a word comes that ends here.
    pub(super) fn comes(&self, word: &str) -> bool {
        let rest = self.rest();
        let ends = rest.get(word.len()).is_none_or(|it| !continues_name(*it) && it.is_ascii());
        rest.starts_with(word.as_bytes()) && ends
    }
}

/// Whether a name may begin with a byte.
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
