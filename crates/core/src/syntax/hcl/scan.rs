//! A rough look at HCL text that works on broken files too: where strings, comments and brackets are.
//!
//! hcl-edit gives up at the first error and often far from its cause. With these tokens a file is cut
//! into pieces, repaired, and its errors are put where they were made.

/// The message for a string without an end on its line.
pub(super) const STRING_NOT_CLOSED: &str = "the string is not closed";
/// The message for a heredoc without an end.
pub(super) const HEREDOC_NOT_CLOSED: &str = "the heredoc is not closed";
/// The message for `%{` that begins none of the directives of a template.
const NO_DIRECTIVE: &str =
    "`%{` begins a directive (`if`, `for`): for these characters write `%%{`";
/// The words that begin or end one.
const DIRECTIVES: &[&[u8]] = &[b"if", b"else", b"endif", b"for", b"endfor"];

/// A token and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A line break.
    Newline,
    /// A comment, without its line break.
    Comment,
    /// A quoted string or heredoc with everything in it.
    Text,
    /// An identifier, keyword or number.
    Word,
    /// An opening bracket.
    Open(u8),
    /// A closing bracket.
    Close(u8),
    /// Any other character.
    Sign(u8),
}

/// Something that is certainly wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScanError {
    /// Where it begins.
    pub at: usize,
    /// The message.
    pub message: String,
    /// Whether it is a closing bracket without an opening one.
    pub stray: bool,
}

/// The tokens, and what is not closed.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The tokens in order.
    pub tokens: Vec<Token>,
    /// Strings, heredocs and comments that do not end, and those with a directive that does not exist.
    pub unclosed: Vec<ScanError>,
}

impl Scan {
    /// The first problem of the text: something unclosed, or brackets that do not match.
    pub(super) fn problem(&self) -> Option<ScanError> {
        self.unclosed.first().cloned().or_else(|| bracket_problem(&self.tokens))
    }
}

/// Looks at a text.
pub(super) fn scan(text: &str) -> Scan {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0, wasted: 0, result: Scan::default() };
    while let Some(byte) = scanner.byte(0) {
        scanner.token(byte);
    }
    scanner.result
}

fn bracket_problem(tokens: &[Token]) -> Option<ScanError> {
    let mut open: Vec<(u8, usize)> = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Open(byte) => open.push((byte, token.start)),
            TokenKind::Close(byte) => match open.pop() {
                Some((opening, _)) if closing(opening) == byte => {}
                Some((opening, at)) => return Some(not_closed(opening, at)),
                None => {
                    let message = format!("unexpected `{}`", char::from(byte));
                    return Some(ScanError { at: token.start, message, stray: true });
                }
            },
            _ => {}
        }
    }
    open.pop().map(|(opening, at)| not_closed(opening, at))
}

fn not_closed(opening: u8, at: usize) -> ScanError {
    let message = format!("the `{}` is not closed", char::from(opening));
    ScanError { at, message, stray: false }
}

fn closing(opening: u8) -> u8 {
    match opening {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Bytes looked at in vain for the end of something; bounded so that hostile text stays cheap.
    wasted: usize,
    result: Scan,
}

impl Scanner<'_> {
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        self.result.tokens.push(Token { kind, start: self.at, end });
        self.at = end;
    }

    /// Adds a text that ends there.
    fn push_text(&mut self, end: usize) {
        let text = self.bytes.get(self.at..end).unwrap_or_default();
        if let Some(at) = no_directive(text) {
            let (at, message) = (self.at + at, NO_DIRECTIVE.to_owned());
            self.result.unclosed.push(ScanError { at, message, stray: false });
        }
        self.push(TokenKind::Text, end);
    }

    fn unclosed(&mut self, message: &str) {
        let message = message.to_owned();
        self.result.unclosed.push(ScanError { at: self.at, message, stray: false });
    }

    fn token(&mut self, byte: u8) {
        let next = self.byte(1);
        match byte {
            b'\n' => self.push(TokenKind::Newline, self.at + 1),
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'#' => self.push(TokenKind::Comment, self.line_end(self.at)),
            b'/' if next == Some(b'/') => self.push(TokenKind::Comment, self.line_end(self.at)),
            b'/' if next == Some(b'*') => self.block_comment(),
            b'"' => self.string(),
            b'<' if next == Some(b'<') => self.heredoc(),
            b'(' | b'[' | b'{' => self.push(TokenKind::Open(byte), self.at + 1),
            b')' | b']' | b'}' => self.push(TokenKind::Close(byte), self.at + 1),
            _ if is_word(byte) && byte != b'-' => {
                let length = self.rest().iter().take_while(|it| is_word(**it)).count();
                self.push(TokenKind::Word, self.at + length);
            }
            _ => self.push(TokenKind::Sign(byte), self.at + 1),
        }
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The line's end, before its line break.
    fn line_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(self.bytes.len(), |it| from + it);
        if end > from && self.bytes.get(end - 1) == Some(&b'\r') { end - 1 } else { end }
    }

    fn block_comment(&mut self) {
        let end = memchr::memmem::find(self.rest(), b"*/").map(|it| self.at + it + 2);
        if end.is_none() {
            self.unclosed("the comment is not closed");
        }
        self.push(TokenKind::Comment, end.unwrap_or(self.bytes.len()));
    }

    /// How far to look for the end of something that may span lines.
    fn horizon(&self) -> usize {
        if self.wasted > 16 * self.bytes.len() { self.line_end(self.at) } else { self.bytes.len() }
    }

    fn string(&mut self) {
        let within = self.bytes.get(..self.horizon()).unwrap_or_default();
        match string_end(within, self.at + 1) {
            Ok(end) => self.push_text(end),
            Err(looked) => {
                self.wasted += looked - self.at;
                self.unclosed(STRING_NOT_CLOSED);
                self.push(TokenKind::Text, self.line_end(self.at));
            }
        }
    }

    fn heredoc(&mut self) {
        let head = self.line_end(self.at);
        let line = self.bytes.get(self.at + 2..head).unwrap_or_default();
        let delimiter = line.strip_prefix(b"-").unwrap_or(line);
        if delimiter.is_empty() || !delimiter.iter().all(|it| is_word(*it)) {
            self.push(TokenKind::Sign(b'<'), self.at + 1);
            return;
        }
        let mut from = head;
        let horizon = self.horizon();
        while let Some(next) = self.next_line(from).filter(|it| *it < horizon) {
            let end = self.line_end(next);
            let line = self.bytes.get(next..end).unwrap_or_default();
            let indentation = line.iter().take_while(|it| matches!(it, b' ' | b'\t')).count();
            let found = line.get(indentation..).and_then(|it| it.strip_prefix(delimiter));
            // Terraform compares the whole line: `EOF"` goes on.
            if found.is_some_and(|rest| rest.trim_ascii().is_empty()) {
                self.push_text(next + indentation + delimiter.len());
                return;
            }
            from = end;
        }
        self.wasted += from - self.at;
        self.unclosed(HEREDOC_NOT_CLOSED);
        self.push(TokenKind::Text, head);
    }

    fn next_line(&self, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..)?;
        memchr::memchr(b'\n', rest).map(|it| from + it + 1)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80
}

/// Where a template has `%{` without the word of a directive behind it.
fn no_directive(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'%', text.get(at..)?) {
        at += next;
        let rest = text.get(at..)?;
        if let Some(inside) = rest.strip_prefix(b"%{") {
            let inside = inside.strip_prefix(b"~").unwrap_or(inside).trim_ascii_start();
            let length = inside.iter().take_while(|it| is_word(**it)).count();
            if !DIRECTIVES.contains(&inside.get(..length)?) {
                return Some(at);
            }
        }
        at += if rest.starts_with(b"%%{") { 3 } else { 1 };
    }
    None
}

/// One past the quote that ends the string whose inside begins at `at`; the place where the search
/// was given up if it does not end. A line break outside interpolations ends the search.
fn string_end(bytes: &[u8], mut at: usize) -> Result<usize, usize> {
    // `None` is text between quotes, `Some(depth)` an interpolation with that many open braces.
    let mut nesting: Vec<Option<usize>> = vec![None];
    while let (Some(byte), Some(mode)) = (bytes.get(at).copied(), nesting.last_mut()) {
        let rest = bytes.get(at..).unwrap_or_default();
        at += 1;
        match (mode, byte) {
            (None, b'\n') => return Err(at),
            (None, b'\\') => at += 1,
            (None, b'"') => {
                nesting.pop();
                if nesting.is_empty() {
                    return Ok(at);
                }
            }
            (None, _) if rest.starts_with(b"$${") || rest.starts_with(b"%%{") => at += 2,
            (None, _) if rest.starts_with(b"${") || rest.starts_with(b"%{") => {
                at += 1;
                nesting.push(Some(0));
            }
            (Some(_), b'"') => nesting.push(None),
            (Some(depth), b'{') => *depth += 1,
            (Some(0), b'}') => {
                nesting.pop();
            }
            (Some(depth), b'}') => *depth -= 1,
            _ => {}
        }
    }
    Err(at.min(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, scan};

    #[test]
    fn strings_comments_and_heredocs_are_one_token() {
        let cases = [
            (r#""a${ {b = "}"} }c""#, 1),
            (r#""$${" x"#, 2),
            ("/* { */ # {", 2),
            ("<<EOT\n{ \"\n  EOT", 1),
            ("<<-EOT\nEOTX\nEOT\n", 2),
            ("a-b = 1 // c", 4),
        ];
        for (text, count) in cases {
            let scan = scan(text);
            assert_eq!(scan.tokens.len(), count, "{text}: {:?}", scan.tokens);
            assert_eq!(scan.problem(), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_closed_is_found_where_it_opens() {
        let cases = [
            ("a = \"b\nc = 1", 4, "the string is not closed"),
            ("a = \"${b\"\nc = 1", 4, "the string is not closed"),
            ("a {\n b = [1\n}", 9, "the `[` is not closed"),
            ("a {\n b {\n}", 2, "the `{` is not closed"),
            ("a {\n}\n}", 6, "unexpected `}`"),
            ("a = <<E\n%%{x} %{ if y }\n%{http_code}\nE\n", 24, super::NO_DIRECTIVE),
            ("a = <<E\nx", 4, "the heredoc is not closed"),
            (" /* x", 1, "the comment is not closed"),
        ];
        for (text, at, message) in cases {
            let problem = scan(text).problem().map(|it| (it.at, it.message));
            assert_eq!(problem, Some((at, message.to_owned())), "{text}");
        }
    }

    #[test]
    fn hostile_text_is_scanned_in_linear_time() {
        for line in ["\"${\n", "<<A\n", "/*\n", "\"\n", "{[(\n"] {
            let started = std::time::Instant::now();
            let scan = scan(&line.repeat(200_000));
            assert!(scan.tokens.iter().all(|it| it.kind != TokenKind::Sign(0)));
            assert!(started.elapsed().as_secs() < 10, "{line}");
        }
    }
}
