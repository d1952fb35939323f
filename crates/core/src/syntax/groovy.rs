//! Groovy as far as pipelines of Jenkins need it: the texts in quotes, and the code between them.

use crate::{
    source::{FileId, Span},
    value::{Text, TextPiece, TextSource},
};

/// What a text in quotes begins and ends with, the longest first.
const QUOTES: [&str; 4] = ["'''", "\"\"\"", "'", "\""];
/// What code ends with where a slash begins a pattern: elsewhere it divides.
const BEFORE_PATTERN: [char; 11] = ['=', '~', '(', ',', '[', ':', '!', '&', '|', '{', ';'];

/// Code, and the text in quotes that follows it.
#[derive(Debug)]
pub struct Piece {
    /// The code without its comments. A pattern in it (`/a.c/`) is `?`.
    pub code: String,
    /// The text as it is when the code runs, but for `$NAME` and `${…}` in it; nothing at the end of the file.
    pub text: Option<(Text, Span)>,
}

/// The pieces of a file, in their order.
#[must_use]
pub fn pieces(file: FileId, text: &str) -> Vec<Piece> {
    let mut scanner = Scanner { file, text, at: 0 };
    let mut found = Vec::new();
    let mut code = String::new();
    while let Some(letter) = scanner.rest().chars().next() {
        if let Some(quote) = QUOTES.into_iter().find(|it| scanner.rest().starts_with(it)) {
            let text = Some(scanner.quoted(quote));
            found.push(Piece { code: std::mem::take(&mut code), text });
        } else if let Some(length) = comment(scanner.rest()) {
            scanner.at += length;
        } else if let Some(length) = pattern(&code, scanner.rest()) {
            scanner.at += length;
            code.push('?');
        } else {
            scanner.at += letter.len_utf8();
            code.push(letter);
        }
    }
    found.push(Piece { code, text: None });
    found
}

/// The length of the comment that a text begins with, without the end of its line.
fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let body = rest.strip_prefix("/*")?;
    Some(body.find("*/").map_or(rest.len(), |it| it + 4))
}

/// The length of the pattern between slashes that a text begins with.
fn pattern(code: &str, rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('/').filter(|_| code.trim_end().ends_with(BEFORE_PATTERN))?;
    let line = body.lines().next().unwrap_or_default();
    let closes = |it: &(usize, &str)| !line[..it.0].ends_with('\\');
    line.match_indices('/').find(closes).map(|(at, _)| at + 2)
}

struct Scanner<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The text between quotes, and where it is. One that is not closed ends with its line or the file.
    fn quoted(&mut self, quote: &str) -> (Text, Span) {
        self.at += quote.len();
        let start = self.at;
        let mut content = Content::default();
        while let Some(letter) = self.rest().chars().next() {
            let rest = self.rest();
            if rest.starts_with(quote) || (quote.len() == 1 && letter == '\n') {
                break;
            }
            let (length, meaning) = match escape(rest) {
                Some(it) => it,
                None if quote.starts_with('"') && rest.starts_with("${") => {
                    let length = interpolation(rest);
                    (length, &rest[..length])
                }
                None => (letter.len_utf8(), &rest[..letter.len_utf8()]),
            };
            self.at += length;
            content.add(meaning, Span::new(self.file, self.at - length, self.at));
        }
        let span = Span::new(self.file, start, self.at);
        self.at += quote.len();
        self.at = self.at.min(self.text.len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        (content.text(span), span)
    }
}

/// The length of the escape that a text begins with, and what it means: at the end of a line nothing.
fn escape(rest: &str) -> Option<(usize, &str)> {
    let after = rest.strip_prefix('\\')?;
    let next = after.chars().next()?;
    Some(match next {
        '\n' => (2, ""),
        '\r' if after.starts_with("\r\n") => (3, ""),
        'n' => (2, "\n"),
        't' => (2, "\t"),
        'r' => (2, "\r"),
        '\\' | '\'' | '"' | '$' => (2, &after[..1]),
        // No escape that Groovy has.
        _ => (1, &rest[..1]),
    })
}

/// The length of `${…}`, in which quotes and braces of its own may be.
fn interpolation(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in rest.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth = depth.saturating_sub(1),
            '\n' => return "${".len(),
            _ => {}
        }
    }
    "${".len()
}

/// A text that is put together of what is written and of what escapes mean.
#[derive(Default)]
struct Content {
    text: String,
    pieces: Vec<TextPiece>,
}

impl Content {
    fn add(&mut self, meaning: &str, written: Span) {
        let size = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let (at, len) = (size(self.text.len()), size(meaning.len()));
        self.text.push_str(meaning);
        // The last letter of an escape is what most of them mean.
        let span = match written.end - written.start {
            2 if len == 1 && !meaning.starts_with(['\n', '\t', '\r']) => {
                Span { start: written.start + 1, ..written }
            }
            _ => written,
        };
        let is_verbatim = |len: u32, span: Span| span.end - span.start == len;
        match self.pieces.last_mut() {
            Some(last)
                if last.span.end == span.start
                    && is_verbatim(last.len, last.span)
                    && is_verbatim(len, span) =>
            {
                last.len += len;
                last.span.end = span.end;
            }
            _ if len == 0 => {}
            _ => self.pieces.push(TextPiece { at, len, span }),
        }
    }

    fn text(self, whole: Span) -> Text {
        let layout = match &*self.pieces {
            [only] if only.span == whole => TextSource::Verbatim(whole),
            _ => TextSource::Pieces(self.pieces.into()),
        };
        Text { layout, ..Text::computed(self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;
    use crate::source::FileId;

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        let shown = pieces(FileId(0), text).into_iter();
        shown.map(|it| (it.code, it.text.map(|(text, _)| text.text.to_string()))).collect()
    }

    #[test]
    fn texts_are_what_they_mean() {
        for (text, wanted) in [
            ("sh 'a b'", "a b"),
            ("sh 'a \\'b\\' \\\\ c\\n'", "a 'b' \\ c\n"),
            ("sh \"a ${b(\"c\")} $d \\$e\"", "a ${b(\"c\")} $d $e"),
            ("sh '''\n a \"b\" 'c' \\\\\n d'''", "\n a \"b\" 'c' \\\n d"),
            ("sh '''a \\\n b'''", "a  b"),
            ("sh \"\"\"a \"b\" ${c}\"\"\"", "a \"b\" ${c}"),
            ("sh 'not closed\nx", "not closed"),
            ("sh \"${ not closed\nx", "${ not closed"),
            ("sh '", ""),
            ("sh '\\", "\\"),
            ("sh 'é", "é"),
        ] {
            assert_eq!(read(text)[0], ("sh ".to_owned(), Some(wanted.to_owned())), "{text}");
        }
    }

    #[test]
    fn comments_and_patterns_are_no_texts() {
        for (text, wanted) in [
            ("a // it's\nb 'c'", "a \nb "),
            ("a /* it's */ b 'c'", "a  b "),
            ("a =~ /it's\\/x/ 'c'", "a =~ ? "),
            ("a = b / d 'c'", "a = b / d "),
        ] {
            assert_eq!(read(text)[0], (wanted.to_owned(), Some("c".to_owned())), "{text}");
        }
    }

    #[test]
    fn places_are_those_of_the_letters() {
        let text = "sh '''a \\'b\\' \\\\\n  c\\td'''";
        let found = pieces(FileId(0), text);
        let Some((content, whole)) = &found[0].text else { panic!("no text") };
        for letter in ['a', 'b', 'c', 'd'] {
            let at = content.text.find(letter).unwrap_or_default();
            let span = content.locate(at, at + 1, *whole);
            assert_eq!(&text[span.start as usize..span.end as usize], letter.to_string());
        }
    }
}
