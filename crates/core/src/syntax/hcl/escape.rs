//! Escapes that do not exist, in strings that are whole otherwise.
//!
//! Terraform refuses the file for one of them. What else the block says is known all the same, so the backslash is
//! hidden from the parser by another byte. The string's own text is known only where it is plain what was meant.

use std::ops::Range;

use crate::syntax::hcl::scan::{Token, TokenKind};

/// A backslash with which no escape of Terraform begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BadEscape {
    /// The backslash.
    pub at: usize,
    /// The outermost text that it is in.
    pub string: Range<usize>,
    /// Whether it was to be part of the text: a dot after a backslash is how Helm's paths and regular expressions
    /// write a dot. Others may be meant for the letter alone.
    pub literal: bool,
}

/// The escapes of a text that do not exist, in order.
pub(super) fn bad_escapes(text: &str, tokens: &[Token]) -> Vec<BadEscape> {
    let mut found = Vec::new();
    for token in tokens.iter().filter(|it| it.kind == TokenKind::Text) {
        let string = token.start..token.end;
        let written = text.get(string.clone()).unwrap_or_default();
        for at in backslashes(written.as_bytes()) {
            let rest = written.get(at..).unwrap_or_default();
            if !exists(rest) {
                let literal = rest.starts_with("\\.");
                found.push(BadEscape { at: string.start + at, string: string.clone(), literal });
            }
        }
    }
    found
}

/// The text with another byte in place of the backslashes; everything else is where it was.
pub(super) fn hide(text: &mut String, escapes: &[BadEscape]) {
    for it in escapes {
        if text.as_bytes().get(it.at) == Some(&b'\\') {
            text.replace_range(it.at..=it.at, "_");
        }
    }
}

/// Whether an escape begins here.
fn exists(rest: &str) -> bool {
    let digits = |count: usize| {
        let digits = rest.get(2..2 + count).unwrap_or_default();
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == count);
        code.and_then(char::from_u32).is_some()
    };
    match rest.as_bytes().get(1) {
        Some(b'n' | b'r' | b't' | b'"' | b'\\') => true,
        Some(b'u') => digits(4),
        Some(b'U') => digits(8),
        _ => false,
    }
}

/// What surrounds a byte of a text.
enum Inside {
    /// A heredoc, where a backslash is itself.
    Heredoc,
    /// Quotes.
    Quotes,
    /// An interpolation with that many open braces.
    Code(usize),
}

/// Where escapes begin in a string or heredoc, those of the strings in its interpolations included.
fn backslashes(text: &[u8]) -> Vec<usize> {
    let (first, mut at) =
        if text.first() == Some(&b'"') { (Inside::Quotes, 1) } else { (Inside::Heredoc, 2) };
    let mut nesting = vec![first];
    let mut found = Vec::new();
    while let (Some(byte), Some(inside)) = (text.get(at).copied(), nesting.last_mut()) {
        let rest = text.get(at..).unwrap_or_default();
        at += 1;
        match (inside, byte) {
            (Inside::Quotes, b'\\') => {
                found.push(at - 1);
                at += 1;
            }
            (Inside::Quotes, b'"') | (Inside::Code(0), b'}') => drop(nesting.pop()),
            (Inside::Quotes | Inside::Heredoc, b'$' | b'%') => {
                if rest.starts_with(b"$${") || rest.starts_with(b"%%{") {
                    at += 2;
                } else if rest.get(1) == Some(&b'{') {
                    at += 1;
                    nesting.push(Inside::Code(0));
                }
            }
            (Inside::Code(_), b'"') => nesting.push(Inside::Quotes),
            (Inside::Code(depth), b'{') => *depth += 1,
            (Inside::Code(depth), b'}') => *depth -= 1,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{bad_escapes, hide};
    use crate::syntax::hcl::scan::scan;

    #[test]
    fn escapes_that_do_not_exist_are_found_where_backslashes_escape() {
        let cases = [
            (r#"a = "\n\"\\é\u00e9\U0001F600""#, ""),
            (r#"a = "b\.c\d""#, r"\.\d"),
            (r#"a = "${f("\.", { b = "}\-" })}\u12""#, r"\.\-\u"),
            ("a = <<E\n\\. $${ \\d ${f(\"\\-\")}\nE\n", r"\-"),
            (r#"a = "$${\'" # "\d""#, r"\'"),
        ];
        for (text, expected) in cases {
            let found = bad_escapes(text, &scan(text).tokens);
            let shown: String = found.iter().map(|it| &text[it.at..it.at + 2]).collect();
            assert_eq!(shown, expected, "{text}");
            let mut hidden = text.to_owned();
            hide(&mut hidden, &found);
            assert_eq!(hidden.len(), text.len());
            assert_eq!(bad_escapes(&hidden, &scan(&hidden).tokens), [], "{hidden}");
        }
    }
}
