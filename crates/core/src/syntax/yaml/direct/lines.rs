//! Texts of several lines: blocks behind `|` and `>`, and words that go on below.

use granit_parser::ScalarStyle;

use crate::syntax::yaml::direct::{
    document::{Document, Node},
    flow::unescaped,
};

/// A line with something on it.
struct Line<'t> {
    /// How many spaces it begins with.
    indent: usize,
    /// What comes after them, with spaces at its end.
    text: &'t str,
    /// Where it begins.
    start: usize,
    /// Its end, without the line break.
    end: usize,
    /// How many empty lines are before it.
    blanks: usize,
}

impl<'t> Document<'_, 't> {
    /// What is written on the line of a key or a dash at a column.
    pub(super) fn beside(&mut self, column: usize) -> Option<Node> {
        match self.byte()? {
            b'|' => self.block_text(column, ScalarStyle::Literal),
            b'>' => self.block_text(column, ScalarStyle::Folded),
            quote @ (b'"' | b'\'') if self.between(quote).is_none() => {
                self.quoted_lines(column, quote)
            }
            b'"' | b'\'' | b'{' | b'[' => self.inline(false),
            _ => {
                let start = self.at;
                let node = self.inline(false)?;
                self.going_on(column, start, node)
            }
        }
    }

    /// The next line that is not empty, from the beginning of one. Nothing at the end of the text, or where the last
    /// line has no end.
    #[allow(clippy::option_option, reason = "the outer one is whether the document is left")]
    fn line_from(&self, mut start: usize, indent: Option<usize>) -> Option<Option<Line<'t>>> {
        let mut blanks = 0;
        loop {
            let rest = self.source.get(start..)?;
            if rest.is_empty() {
                return Some(None);
            }
            let length = memchr::memchr(b'\n', rest.as_bytes())?;
            let line = rest.get(..length)?;
            let text = line.trim_start_matches(' ');
            let spaces = length - text.len();
            if !text.is_empty() {
                let end = start + length;
                return Some(Some(Line { indent: spaces, text, start, end, blanks }));
            }
            // Spaces beyond those of the text around are part of it.
            if spaces > indent.unwrap_or_default() {
                return None;
            }
            blanks += 1;
            start += length + 1;
        }
    }

    /// A block of text that a key or a dash at a column holds.
    fn block_text(&mut self, column: usize, style: ScalarStyle) -> Option<Node> {
        let start = self.at;
        self.at += 1;
        let ends_open = self.byte()? == b'-';
        self.at += usize::from(ends_open);
        self.end_of_line()?;
        let first = self.line_from(self.at + 1, None)??;
        let indent = first.indent;
        if indent <= column {
            return None;
        }
        let mut value = String::new();
        let mut next = Some(first);
        while let Some(line) = next.filter(|it| it.indent >= indent) {
            // Lines that are further in are not folded.
            if style == ScalarStyle::Folded && line.indent > indent {
                return None;
            }
            let breaks = match style {
                ScalarStyle::Folded if value.is_empty() => line.blanks,
                ScalarStyle::Folded if line.blanks == 0 => {
                    value.push(' ');
                    0
                }
                ScalarStyle::Folded => line.blanks,
                _ => line.blanks + usize::from(!value.is_empty()),
            };
            value.extend(std::iter::repeat_n('\n', breaks));
            value.push_str(self.source.get(line.start + indent..line.end)?);
            (self.at, self.line) = (line.end, line.start);
            next = self.line_from(line.end + 1, Some(indent))?;
        }
        if !ends_open {
            value.push('\n');
        }
        Some(self.text_of(&value, style, start))
    }

    /// A word with the lines below a key at a column that belong to it.
    fn going_on(&mut self, column: usize, start: usize, word: Node) -> Option<Node> {
        self.spaces();
        if self.byte() != Some(b'\n') {
            return Some(word);
        }
        let is_inside = |it: &Line<'_>| it.indent > column;
        // A last line without an end is looked at where it is read.
        let Some(Some(first)) = self.line_from(self.at + 1, Some(usize::MAX)) else {
            return Some(word);
        };
        let mut next = Some(first).filter(is_inside);
        if next.is_none() {
            return Some(word);
        }
        let mut value = self.source.get(word.range)?.to_owned();
        while let Some(line) = next {
            let text = line.text.trim_end_matches(' ');
            let is_odd = text.starts_with('#')
                || text.contains(" #")
                || text.contains(": ")
                || text.ends_with(':');
            if is_odd {
                return None;
            }
            if line.blanks == 0 {
                value.push(' ');
            }
            value.extend(std::iter::repeat_n('\n', line.blanks));
            value.push_str(text);
            (self.at, self.line) = (line.start + line.indent + text.len(), line.start);
            next = self.line_from(line.end + 1, Some(usize::MAX))?.filter(is_inside);
        }
        Some(self.text_of(&value, ScalarStyle::Plain, start))
    }

    /// A quoted text of several lines, behind a key at a column.
    fn quoted_lines(&mut self, column: usize, quote: u8) -> Option<Node> {
        let start = self.at;
        let style = match quote {
            b'"' => ScalarStyle::DoubleQuoted,
            _ => ScalarStyle::SingleQuoted,
        };
        let rest = self.source.get(start + 1..)?;
        let first = rest.get(..memchr::memchr(b'\n', rest.as_bytes())?)?;
        let mut value = unescaped(first.trim_end_matches(' '), style)?.into_owned();
        self.at = start + 1 + first.len();
        loop {
            let line = self.line_from(self.at + 1, Some(usize::MAX))??;
            if line.indent <= column || value.is_empty() {
                return None;
            }
            let begin = line.start + line.indent;
            let end = self.closing(begin..line.end, quote);
            let text = match end {
                Some(end) => self.source.get(begin..end).filter(|it| !it.is_empty())?,
                None => line.text.trim_end_matches(' '),
            };
            if line.blanks == 0 {
                value.push(' ');
            }
            value.extend(std::iter::repeat_n('\n', line.blanks));
            value.push_str(&unescaped(text, style)?);
            (self.at, self.line) = (line.end, line.start);
            if let Some(end) = end {
                self.at = end + 1;
                return Some(self.text_of(&value, style, start));
            }
        }
    }

    /// A text that begins at a place and ends here.
    fn text_of(&self, value: &str, style: ScalarStyle, start: usize) -> Node {
        let (range, cursor) = (self.whole(&(start..self.at)), self.whole(&(start..start)).start);
        let read = self.reader.scalar(value, style, None, range, cursor);
        let base = cursor - start;
        Node { value: read.value, range: read.range.start - base..read.range.end - base }
    }
}
