//! Text to tokens, each with its bytes.

mod literal;
pub(super) mod token;

use crate::cel::{
    data::Data,
    lex::{
        literal::{number, quoted},
        token::{Token, TokenKind},
    },
    tree::Mistake,
};

/// Signs, the longer before those they begin with.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!",
    "?", ":", "+", "*", "/", "%",
];

/// The tokens of a text, the last of them its end.
///
/// # Errors
/// At the first character that begins no token, at text that is not closed, at a number out of range.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Mistake> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        at = past_space(text, at);
        if at == text.len() {
            found.push(Token { kind: TokenKind::End, at: at..at });
            return Ok(found);
        }
        let token = token(text, at)?;
        at = token.at.end;
        found.push(token);
    }
}

/// The next byte that is neither space nor comment.
fn past_space(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let space = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']).len();
        at += space;
        if !text[at..].starts_with("//") {
            return at;
        }
        at += text[at..].find('\n').unwrap_or(text.len() - at);
    }
}

fn token(text: &str, at: usize) -> Result<Token, Mistake> {
    let rest = &text[at..];
    if let Some(literal) = quoted(text, at)? {
        return Ok(literal);
    }
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if is_digit(0) || (bytes.first() == Some(&b'.') && is_digit(1)) {
        return number(text, at);
    }
    if rest.starts_with('`') {
        return quoted_name(text, at);
    }
    let inside = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let length = rest.find(|it| !inside(it)).unwrap_or(rest.len());
    if length > 0 {
        let kind = match &rest[..length] {
            "true" => TokenKind::Literal(Data::Bool(true)),
            "false" => TokenKind::Literal(Data::Bool(false)),
            "null" => TokenKind::Literal(Data::Null),
            "in" => TokenKind::Sign("in"),
            name => TokenKind::Name(name.into()),
        };
        return Ok(Token { kind, at: at..at + length });
    }
    if let Some(sign) = SIGNS.iter().find(|it| rest.starts_with(**it)) {
        return Ok(Token { kind: TokenKind::Sign(sign), at: at..at + sign.len() });
    }
    let letter = rest.chars().next().unwrap_or_default();
    let end = at + letter.len_utf8();
    Err(Mistake::new(at..end, format!("`{letter}` is no part of an expression")))
}

fn quoted_name(text: &str, at: usize) -> Result<Token, Mistake> {
    let rest = &text[at + 1..];
    let inside = |it: char| it.is_ascii_alphanumeric() || "_.-/ ".contains(it);
    let length = rest.find(|it| !inside(it)).unwrap_or(rest.len());
    if length == 0 || !rest[length..].starts_with('`') {
        return Err(Mistake::new(at..at + 1 + length, "this quoted name is not closed"));
    }
    let end = at + length + 2;
    Ok(Token { kind: TokenKind::QuotedName(rest[..length].into()), at: at..end })
}
