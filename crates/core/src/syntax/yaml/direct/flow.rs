//! What is on one line: keys, words, quoted texts, collections in brackets.

use std::{borrow::Cow, ops::Range};

use granit_parser::ScalarStyle;

use crate::syntax::yaml::direct::{
    document::{Document, Key, Node},
    place::Place,
};

/// Longer keys are left: YAML allows them in brackets only.
const LONGEST_KEY: usize = 500;

impl Document<'_, '_> {
    /// The key that begins here, if one does.
    #[allow(clippy::option_option, reason = "the outer one is whether the document is left")]
    pub(super) fn key(&self) -> Option<Option<Key>> {
        let start = self.at;
        let text = match self.byte()? {
            quote @ (b'"' | b'\'') => {
                let ends_key = |it: Range<usize>| self.byte_at(it.end + 1) == Some(b':');
                if !self.between(quote).is_some_and(ends_key) {
                    return Some(None);
                }
                self.quoted()?
            }
            b'?' | b'-' if matches!(self.byte_at(start + 1), Some(b' ' | b'\n') | None) => {
                return None;
            }
            it if is_indicator(it) => return Some(None),
            _ => {
                let line = self.source.as_bytes().get(start..)?;
                let line = line.get(..memchr::memchr(b'\n', line).unwrap_or(line.len()))?;
                let ends = |at: &usize| matches!(line.get(at + 1), Some(b' ') | None);
                let Some(colon) = memchr::memchr_iter(b':', line).find(ends) else {
                    return Some(None);
                };
                let key = line.get(..colon)?;
                let begins_comment = |at: usize| at > 0 && key.get(at - 1) == Some(&b' ');
                if memchr::memchr_iter(b'#', key).any(begins_comment) {
                    return Some(None);
                }
                let is_odd = key.ends_with(b" ") || colon > LONGEST_KEY || colon == 0;
                return (!is_odd).then(|| {
                    let range = start..start + colon;
                    Some(Key { text: range.clone(), range })
                });
            }
        };
        let range = start..text.end + 1;
        let is_key = self.byte_at(range.end) == Some(b':')
            && matches!(self.byte_at(range.end + 1), Some(b' ' | b'\n') | None);
        Some(is_key.then_some(Key { range, text }))
    }

    /// What is between the quotes that open here, without escapes.
    fn quoted(&self) -> Option<Range<usize>> {
        let quote = self.byte()?;
        let inside = self.source.as_bytes().get(self.at + 1..)?;
        // Only between double quotes a backslash is more than itself.
        let escape = if quote == b'"' { b'\\' } else { quote };
        let end = memchr::memchr3(quote, b'\n', escape, inside)?;
        let is_whole = inside.get(end) == Some(&quote) && inside.get(end + 1) != Some(&quote);
        is_whole.then_some(self.at + 1..self.at + 1 + end)
    }

    /// What is between the quotes that open here, on this line.
    pub(super) fn between(&self, quote: u8) -> Option<Range<usize>> {
        let start = self.at + 1;
        let rest = self.source.as_bytes().get(start..)?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.closing(start..start + length, quote).map(|end| start..end)
    }

    /// The first quote of a range that is none of the text.
    pub(super) fn closing(&self, range: Range<usize>, quote: u8) -> Option<usize> {
        let escape = if quote == b'"' { b'\\' } else { quote };
        let mut at = range.start;
        loop {
            let rest = self.source.as_bytes().get(at..range.end)?;
            at += memchr::memchr2(quote, escape, rest)?;
            let is_escape = match quote {
                b'"' => self.byte_at(at) == Some(b'\\'),
                _ => at + 1 < range.end && self.byte_at(at + 1) == Some(b'\''),
            };
            if !is_escape {
                return Some(at);
            }
            at += 2;
        }
    }

    /// A scalar or a collection in brackets.
    pub(super) fn inline(&mut self, in_brackets: bool) -> Option<Node> {
        let start = self.at;
        let (text, style) = match self.byte()? {
            b'{' => return self.whole_of(Self::braces),
            b'[' => return self.whole_of(Self::brackets),
            b'"' => (self.between(b'"')?, ScalarStyle::DoubleQuoted),
            b'\'' => (self.between(b'\'')?, ScalarStyle::SingleQuoted),
            _ => (self.word(in_brackets)?, ScalarStyle::Plain),
        };
        let range = if text.start == start { text.clone() } else { start..text.end + 1 };
        self.at = range.end;
        let value = unescaped(self.text(&text), style)?;
        if self.omits {
            self.reader.is_readable(&value, style).then_some(())?;
            return Some(self.omitted(range));
        }
        let places = (self.whole(&range), self.whole(&text));
        let value = self.reader.on_one_line(&value, style, places)?;
        Some(Node { value, range })
    }

    /// A word or several without quotes.
    fn word(&self, in_brackets: bool) -> Option<Range<usize>> {
        let start = self.at;
        let rest = self.source.as_bytes().get(start..)?;
        let first = *rest.first()?;
        let begins = match first {
            b'-' | b'?' | b':' => {
                rest.get(1).is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'-')
            }
            it => !is_indicator(it),
        };
        if !begins {
            return None;
        }
        let mut end = 0;
        while let Some(byte) = rest.get(end) {
            match byte {
                b'\n' => break,
                b'#' if rest.get(end - 1) == Some(&b' ') => break,
                b':' if matches!(rest.get(end + 1), Some(b' ' | b'\n') | None) => {
                    if in_brackets {
                        break;
                    }
                    return None;
                }
                b':' if in_brackets
                    && !rest.get(end + 1)?.is_ascii_alphanumeric()
                    && !matches!(rest.get(end + 1), Some(b'/' | b':')) =>
                {
                    return None;
                }
                b',' | b']' | b'}' if in_brackets => break,
                b'[' | b'{' if in_brackets => return None,
                _ => {}
            }
            end += 1;
        }
        let length = rest.get(..end)?.trim_ascii_end().len();
        Some(start..start + length)
    }

    /// Reads what is kept as a whole, because it is short: a collection in brackets.
    fn whole_of(&mut self, read: fn(&mut Self) -> Option<Node>) -> Option<Node> {
        let around = std::mem::replace(&mut self.place, Place::Elsewhere);
        let node = read(self);
        self.place = around;
        node
    }

    /// `{a: b}`
    fn braces(&mut self) -> Option<Node> {
        let start = self.at;
        self.at += 1;
        let mut entries = self.begin();
        loop {
            self.spaces();
            if self.byte()? == b'}' {
                break;
            }
            let begin = self.at;
            let text = match self.byte()? {
                b'"' | b'\'' => self.quoted()?,
                _ => self.word(true)?,
            };
            let range = if text.start == begin { text.clone() } else { begin..text.end + 1 };
            if self.byte_at(range.end) != Some(b':') || self.byte_at(range.end + 1) != Some(b' ') {
                return None;
            }
            self.at = range.end + 1;
            self.spaces();
            let node = self.inside()?;
            self.put((&mut entries, start), &Key { range, text }, node)?;
            if !self.comma() {
                break;
            }
        }
        (self.byte()? == b'}').then_some(())?;
        self.at += 1;
        Some(self.mapping_of(&entries, start..self.at))
    }

    /// `[a, b]`
    fn brackets(&mut self) -> Option<Node> {
        let start = self.at;
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.spaces();
            if self.byte()? == b']' {
                break;
            }
            let node = self.inside()?;
            if !self.omits {
                items.push(self.item(node, start));
            }
            if !self.comma() {
                break;
            }
        }
        (self.byte()? == b']').then_some(())?;
        self.at += 1;
        Some(self.list_of(items, start..self.at))
    }

    /// A value between brackets.
    fn inside(&mut self) -> Option<Node> {
        self.nested(|it| it.inline(true))
    }

    fn comma(&mut self) -> bool {
        self.spaces();
        let comes = self.byte() == Some(b',');
        self.at += usize::from(comes);
        comes
    }
}

/// What a quoted text says; nothing where it has one of the rarer escapes.
pub(super) fn unescaped(text: &str, style: ScalarStyle) -> Option<Cow<'_, str>> {
    match style {
        ScalarStyle::SingleQuoted if text.contains("''") => Some(text.replace("''", "'").into()),
        ScalarStyle::DoubleQuoted if text.contains('\\') => {
            let mut value = String::with_capacity(text.len());
            let mut letters = text.chars();
            while let Some(letter) = letters.next() {
                value.push(match letter {
                    '\\' => match letters.next()? {
                        'n' => '\n',
                        't' => '\t',
                        it @ ('"' | '\\' | ' ') => it,
                        _ => return None,
                    },
                    it => it,
                });
            }
            Some(value.into())
        }
        _ => Some(text.into()),
    }
}

/// Whether a byte at the beginning of a word means something else to YAML.
fn is_indicator(byte: u8) -> bool {
    b",[]{}#&*!|>'\"%@`".contains(&byte)
}
