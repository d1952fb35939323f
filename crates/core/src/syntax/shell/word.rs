//! Commands and their words.

use std::ops::Range;

/// What a text is written for, as far as it changes how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A shell reads it: `$(x)` runs a command.
    Shell,
    /// Make reads it before: `$(x)` is a variable.
    Make,
    /// `PowerShell` reads it: a backtick escapes, a backslash means itself.
    PowerShell,
    /// Ansible fills in `{{ name }}` before a shell reads it, also between single quotes and in documents.
    Ansible,
}

/// A command, or what stands between two separators.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// Its words, without redirections.
    pub words: Vec<Word>,
    /// The file its output goes to: what follows `>`.
    pub output: Option<Word>,
    /// The file its input comes from: what follows `<`.
    pub input: Option<Word>,
    /// The text that its input is: what follows the line of `<<END`, as one word.
    pub document: Option<Word>,
    /// Whether its output goes into the next command.
    pub is_piped: bool,
}

/// A word of a command.
#[derive(Clone, Debug)]
pub struct Word {
    /// Its bytes in the text, with quotes.
    pub range: Range<usize>,
    /// What it is put together of.
    pub parts: Vec<Part>,
    /// Whether part of it is in quotes, so that it is one word whatever its variables hold.
    pub is_quoted: bool,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Bytes of the text that mean themselves.
    Plain(Range<usize>),
    /// A variable.
    Variable {
        /// Its name.
        name: String,
        /// What is taken where it is not set: the bytes after `:-`.
        default: Option<Range<usize>>,
        /// Its bytes in the text.
        range: Range<usize>,
    },
    /// What only running it gives, with its bytes in the text.
    Opaque(Range<usize>),
}

impl Part {
    /// Its bytes in the text.
    #[must_use]
    pub fn range(&self) -> &Range<usize> {
        let (Self::Plain(range) | Self::Variable { range, .. } | Self::Opaque(range)) = self;
        range
    }
}

impl Word {
    /// Adds bytes that mean themselves.
    pub(super) fn push(&mut self, range: Range<usize>) {
        match self.parts.last_mut() {
            Some(Part::Plain(last)) if last.end == range.start => last.end = range.end,
            _ if range.start == range.end => {}
            _ => self.parts.push(Part::Plain(range)),
        }
    }

    /// What the word means, if it holds neither variables nor what only running it gives.
    #[must_use]
    pub fn plain(&self, text: &str) -> Option<String> {
        let bytes = |part: &Part| match part {
            Part::Plain(range) => text.get(range.clone()),
            _ => None,
        };
        self.parts.iter().map(bytes).collect()
    }

    /// The name and the value of `NAME=value`.
    #[must_use]
    pub fn assignment(&self, text: &str) -> Option<(String, Self)> {
        let Some(Part::Plain(first)) = self.parts.first() else { return None };
        let (name, _) = text.get(first.clone())?.split_once('=')?;
        is_name(name).then(|| (name.to_owned(), self.after(name.len() + 1)))
    }

    /// The word without the first bytes of its first part.
    #[must_use]
    pub fn after(&self, bytes: usize) -> Self {
        let mut rest = self.clone();
        rest.range.start += bytes;
        if let Some(Part::Plain(range)) = rest.parts.first_mut() {
            range.start = (range.start + bytes).min(range.end);
            if range.start == range.end {
                rest.parts.remove(0);
            }
        }
        rest
    }

    /// The same without the quotes around it.
    #[must_use]
    pub fn without_quotes(self) -> Self {
        let ends = self.parts.first().map(Part::range).zip(self.parts.last().map(Part::range));
        let range = ends.map_or(self.range.clone(), |(first, last)| first.start..last.end);
        Self { range, ..self }
    }

    /// The words between the letters at which `splits` is true, given the letter before too. Only letters that
    /// mean themselves are looked at.
    #[must_use]
    pub fn split(&self, text: &str, splits: &mut dyn FnMut(char, char) -> bool) -> Vec<Self> {
        let empty = |at| Self { range: at..at, parts: Vec::new(), is_quoted: self.is_quoted };
        let (mut found, mut open) = (Vec::new(), empty(self.range.start));
        for part in &self.parts {
            let Part::Plain(range) = part else {
                open.parts.push(part.clone());
                continue;
            };
            let (mut start, mut before) = (range.start, ' ');
            for (at, letter) in text.get(range.clone()).unwrap_or_default().char_indices() {
                let at = range.start + at;
                if splits(before, letter) {
                    open.parts.extend((start < at).then_some(Part::Plain(start..at)));
                    open.range.end = at;
                    start = at + letter.len_utf8();
                    found.push(std::mem::replace(&mut open, empty(start)));
                }
                before = letter;
            }
            open.parts.extend((start < range.end).then_some(Part::Plain(start..range.end)));
        }
        open.range.end = self.range.end;
        found.push(open);
        found
    }
}

/// Whether a text can name a variable.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let starts = letters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_');
    starts && letters.all(|it| it.is_ascii_alphanumeric() || it == '_')
}
