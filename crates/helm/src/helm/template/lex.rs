//! Words of Go's template language: the rules of `text/template/parse`, with the bytes of each token.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// Text outside of actions, after trimming.
    Text,
    /// `{{` with its trim mark.
    LeftDelimiter,
    /// `}}` with its trim mark.
    RightDelimiter,
    /// Blanks inside an action.
    Space,
    /// A function or a keyword.
    Identifier,
    /// `.Name`
    Field,
    /// `$` or `$name`
    Variable,
    /// `.`
    Dot,
    /// A number.
    Number,
    /// `'a'`
    Character,
    /// `"text"`
    Quoted,
    /// Text between backquotes.
    Raw,
    /// `=`
    Assign,
    /// `:=`
    Declare,
    /// `|`
    Pipe,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `,`
    Comma,
    /// The end of the template.
    End,
}

/// A token and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What cannot be read, and where.
#[derive(Clone, Debug)]
pub(crate) struct SyntaxError {
    /// The byte.
    pub at: usize,
    /// Go's words for it.
    pub message: String,
}

impl SyntaxError {
    /// A mistake at a byte.
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

const RIGHT: &str = "}}";

/// The tokens of a template, the last of kind [`TokenKind::End`].
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, SyntaxError> {
    let mut lexer = Lexer { source, at: 0, found: Vec::new(), parens: 0 };
    lexer.run()?;
    Ok(lexer.found)
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    found: Vec<Token>,
    parens: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.found.push(Token { kind, start, end: self.at });
    }

    /// Where the next action opens.
    fn next_open(&self) -> Option<usize> {
        let bytes = self.source.as_bytes();
        let braces = memchr::memchr_iter(b'{', bytes.get(self.at..)?).map(|it| it + self.at);
        braces.into_iter().find(|it| bytes.get(it + 1) == Some(&b'{'))
    }

    fn run(&mut self) -> Result<(), SyntaxError> {
        loop {
            let start = self.at;
            let Some(open) = self.next_open() else {
                self.at = self.source.len();
                if self.at > start {
                    self.push(TokenKind::Text, start);
                }
                self.push(TokenKind::End, self.at);
                return Ok(());
            };
            let trims = self.source.as_bytes().get(open + 2) == Some(&b'-')
                && self.source.as_bytes().get(open + 3).copied().is_some_and(is_space);
            let before = self.source.get(start..open).unwrap_or_default();
            let kept =
                if trims { before.trim_end_matches([' ', '\t', '\r', '\n']) } else { before };
            self.at = start + kept.len();
            if !kept.is_empty() {
                self.push(TokenKind::Text, start);
            }
            self.at = open + if trims { 4 } else { 2 };
            if self.comment_follows(trims) {
                self.comment(open)?;
            } else {
                self.at = open + if trims { 3 } else { 2 };
                self.push(TokenKind::LeftDelimiter, open);
                self.inside()?;
            }
        }
    }

    /// Go looks for a comment right behind the delimiter, or behind the trim mark and one blank.
    fn comment_follows(&self, _trims: bool) -> bool {
        self.rest().starts_with("/*")
    }

    fn comment(&mut self, open: usize) -> Result<(), SyntaxError> {
        let Some(close) = self.rest().find("*/") else {
            return Err(SyntaxError::new(open, "unclosed comment"));
        };
        self.at += close + 2;
        if self.rest().starts_with(RIGHT) {
            self.at += RIGHT.len();
            return Ok(());
        }
        if self.byte(0).is_some_and(is_space) && self.rest().get(1..4) == Some("-}}") {
            self.at += 4;
            self.skip_spaces();
            return Ok(());
        }
        Err(SyntaxError::new(open, "comment ends before closing delimiter"))
    }

    fn skip_spaces(&mut self) {
        while self.byte(0).is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// The tokens of one action, its closing delimiter included.
    fn inside(&mut self) -> Result<(), SyntaxError> {
        self.parens = 0;
        loop {
            let start = self.at;
            if self.rest().starts_with(RIGHT) {
                return self.close(start, false);
            }
            let Some(byte) = self.byte(0) else {
                return Err(SyntaxError::new(start, "unclosed action"));
            };
            if is_space(byte) {
                while self.byte(0).is_some_and(is_space) {
                    if self.rest().get(1..4) == Some("-}}") {
                        if self.at > start {
                            self.push(TokenKind::Space, start);
                        }
                        return self.close(self.at, true);
                    }
                    self.at += 1;
                }
                self.push(TokenKind::Space, start);
                continue;
            }
            self.word(byte)?;
        }
    }

    fn close(&mut self, start: usize, trims: bool) -> Result<(), SyntaxError> {
        if self.parens > 0 {
            return Err(SyntaxError::new(start, "unclosed left paren"));
        }
        self.at += if trims { 4 } else { 2 };
        self.push(TokenKind::RightDelimiter, start);
        if trims {
            self.skip_spaces();
        }
        Ok(())
    }

    fn word(&mut self, byte: u8) -> Result<(), SyntaxError> {
        let start = self.at;
        let next = self.byte(1);
        match byte {
            b'=' => self.single(TokenKind::Assign),
            b':' if next == Some(b'=') => {
                self.at += 2;
                self.push(TokenKind::Declare, start);
            }
            b'|' => self.single(TokenKind::Pipe),
            b',' => self.single(TokenKind::Comma),
            b'(' => {
                self.parens += 1;
                self.single(TokenKind::LeftParen);
            }
            b')' => {
                let Some(fewer) = self.parens.checked_sub(1) else {
                    return Err(SyntaxError::new(start, "unexpected right paren"));
                };
                self.parens = fewer;
                self.single(TokenKind::RightParen);
            }
            b'"' => self.quoted(b'"', TokenKind::Quoted, "unterminated quoted string")?,
            b'\'' => self.quoted(b'\'', TokenKind::Character, "unterminated character constant")?,
            b'`' => {
                let Some(len) = self.rest().get(1..).and_then(|it| it.find('`')) else {
                    return Err(SyntaxError::new(start, "unterminated raw quoted string"));
                };
                self.at += len + 2;
                self.push(TokenKind::Raw, start);
            }
            b'.' if !next.is_some_and(|it| it.is_ascii_digit()) => {
                self.named(TokenKind::Field, TokenKind::Dot)?;
            }
            b'$' => self.named(TokenKind::Variable, TokenKind::Variable)?,
            b'+' | b'-' | b'.' | b'0'..=b'9' => self.number()?,
            _ => self.identifier()?,
        }
        Ok(())
    }

    fn single(&mut self, kind: TokenKind) {
        let start = self.at;
        self.at += 1;
        self.push(kind, start);
    }

    fn quoted(&mut self, close: u8, kind: TokenKind, unclosed: &str) -> Result<(), SyntaxError> {
        let start = self.at;
        let mut ahead = 1;
        loop {
            match self.byte(ahead) {
                None | Some(b'\n') => return Err(SyntaxError::new(start, unclosed)),
                Some(b'\\') if self.byte(ahead + 1).is_some_and(|it| it != b'\n') => ahead += 2,
                Some(it) if it == close => break,
                Some(_) => ahead += 1,
            }
        }
        self.at += ahead + 1;
        self.push(kind, start);
        Ok(())
    }

    fn take_word(&mut self) {
        while self.byte(0).is_some_and(|it| it == b'_' || it.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        if self.byte(0).is_some_and(|it| !it.is_ascii()) {
            let rest = self.rest();
            self.at += rest.find(|it| !is_word(it)).unwrap_or(rest.len());
        }
    }

    /// A dot or a dollar, alone or with a name.
    fn named(&mut self, kind: TokenKind, alone: TokenKind) -> Result<(), SyntaxError> {
        let start = self.at;
        self.at += 1;
        self.take_word();
        self.terminated(start)?;
        self.push(if self.at == start + 1 { alone } else { kind }, start);
        Ok(())
    }

    fn identifier(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        self.take_word();
        if self.at == start {
            let letter = self.rest().chars().next().unwrap_or_default();
            let message = format!("unexpected {letter:?} in command");
            return Err(SyntaxError::new(start, message));
        }
        self.terminated(start)?;
        self.push(TokenKind::Identifier, start);
        Ok(())
    }

    fn terminated(&self, start: usize) -> Result<(), SyntaxError> {
        let ends = match self.byte(0) {
            None | Some(b'.' | b',' | b'|' | b':' | b')' | b'(' | b'=') => true,
            Some(it) => is_space(it) || self.rest().starts_with(RIGHT),
        };
        if ends {
            return Ok(());
        }
        let letter = self.rest().chars().next().unwrap_or_default();
        Err(SyntaxError::new(start, format!("bad character {letter:?}")))
    }

    fn number(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        if matches!(self.byte(0), Some(b'+' | b'-')) {
            self.at += 1;
        }
        let mut before = 0;
        while let Some(byte) = self.byte(0) {
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            if !(sign || byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_') {
                break;
            }
            before = byte;
            self.at += 1;
        }
        if self.at == start + 1
            && !self.source.as_bytes().get(start).is_some_and(u8::is_ascii_digit)
        {
            return Err(SyntaxError::new(start, "bad number syntax"));
        }
        self.push(TokenKind::Number, start);
        Ok(())
    }
}
