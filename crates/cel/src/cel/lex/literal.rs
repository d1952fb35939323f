//! Numbers, texts and bytes as they are written.

use std::sync::Arc;

use crate::cel::{
    data::Data,
    lex::token::{Token, TokenKind},
    tree::Mistake,
};

/// The number that begins at a byte.
///
/// # Errors
/// When 64 bits cannot hold it.
pub(super) fn number(text: &str, at: usize) -> Result<Token, Mistake> {
    let rest = &text[at..];
    let end =
        |rest: &str, inside: fn(char) -> bool| rest.find(|it| !inside(it)).unwrap_or(rest.len());
    let hex =
        rest.strip_prefix("0x").filter(|it| it.starts_with(|it: char| it.is_ascii_hexdigit()));
    let (digits, radix, mut length) = match hex {
        Some(hex) => {
            let length = end(hex, |it| it.is_ascii_hexdigit());
            (&hex[..length], 16, length + 2)
        }
        None => {
            let length = end(rest, |it| it.is_ascii_digit());
            (&rest[..length], 10, length)
        }
    };
    if radix == 10
        && let Some(length) = fraction(rest, length)
    {
        return double(rest, at, length);
    }
    let wrong =
        |length: usize| Mistake::new(at..at + length, "this number does not fit into 64 bits");
    if rest[length..].starts_with(['u', 'U']) {
        length += 1;
        let number = u64::from_str_radix(digits, radix).map_err(|_| wrong(length))?;
        return Ok(literal(Data::Uint(number), at, at + length));
    }
    let number = u64::from_str_radix(digits, radix).map_err(|_| wrong(length))?;
    if number == i64::MIN.unsigned_abs() {
        return Ok(Token { kind: TokenKind::BelowLeast, at: at..at + length });
    }
    let number = i64::try_from(number).map_err(|_| wrong(length))?;
    Ok(literal(Data::Int(number), at, at + length))
}

/// The length of a number with a fraction or an exponent whose whole part has that length.
fn fraction(rest: &str, whole: usize) -> Option<usize> {
    let digits = |from: usize| {
        let rest = rest.get(from..).unwrap_or_default();
        rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len())
    };
    let mut length = whole;
    if rest[length..].starts_with('.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let digits = digits(length + 1 + sign);
        if digits > 0 {
            length += 1 + sign + digits;
        }
    }
    (length > whole).then_some(length)
}

fn double(rest: &str, at: usize, length: usize) -> Result<Token, Mistake> {
    match rest[..length].parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(literal(Data::Double(number), at, at + length)),
        _ => Err(Mistake::new(at..at + length, "this number does not fit into 64 bits")),
    }
}

fn literal(data: Data, start: usize, end: usize) -> Token {
    Token { kind: TokenKind::Literal(data), at: start..end }
}

/// The text or bytes that begin at a byte; `None` if none do.
///
/// # Errors
/// When it is not closed, or at an escape that there is none of.
pub(super) fn quoted(text: &str, at: usize) -> Result<Option<Token>, Mistake> {
    let rest = &text[at..];
    let prefix = rest.find(|it| !"rRbB".contains(it)).unwrap_or(rest.len());
    let quote = rest[prefix..].chars().next();
    let Some(quote @ ('"' | '\'')) = quote else { return Ok(None) };
    let (is_raw, is_bytes) = match rest[..prefix].to_ascii_lowercase().as_str() {
        "" => (false, false),
        "r" => (true, false),
        "b" => (false, true),
        "br" | "rb" => (true, true),
        _ => return Ok(None),
    };
    let triple = quote.to_string().repeat(3);
    let is_triple = rest[prefix..].starts_with(&triple);
    let mark = if is_triple { triple.as_str() } else { &triple[..1] };
    let start = at + prefix + mark.len();
    let Some(length) = closing(&text[start..], mark, is_raw, is_triple) else {
        return Err(Mistake::new(at..start, "this text is not closed"));
    };
    let inner = &text[start..start + length];
    let end = start + length + mark.len();
    let bytes = if is_raw { inner.as_bytes().to_vec() } else { unescape(inner, start, is_bytes)? };
    let data = if is_bytes {
        Data::Bytes(bytes.into())
    } else {
        let wrong = |_| Mistake::new(at..end, "this text is no UTF-8");
        Data::String(Arc::from(String::from_utf8(bytes).map_err(wrong)?))
    };
    Ok(Some(literal(data, at, end)))
}

/// The length of the text before its closing mark.
fn closing(text: &str, mark: &str, is_raw: bool, is_triple: bool) -> Option<usize> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if text[at..].starts_with(mark) {
            return Some(at);
        }
        if letter == '\\' && !is_raw {
            letters.next();
        } else if matches!(letter, '\n' | '\r') && !is_triple {
            return None;
        }
    }
    None
}

/// The bytes of a text with escapes.
fn unescape(text: &str, offset: usize, is_bytes: bool) -> Result<Vec<u8>, Mistake> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(rest[..at].as_bytes());
        let start = offset + (text.len() - rest.len()) + at;
        let length = escape(&rest[at + 1..], is_bytes, &mut bytes);
        let Some(length) = length else {
            let letter = rest[at + 1..].chars().next().map_or(0, char::len_utf8);
            let end = start + 1 + letter;
            return Err(Mistake::new(start..end, "there is no such escape in CEL"));
        };
        rest = &rest[at + 1 + length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Adds what an escape means; its length behind the backslash, or `None` if there is none such.
fn escape(rest: &str, is_bytes: bool, bytes: &mut Vec<u8>) -> Option<usize> {
    let letter = rest.chars().next()?;
    let plain = match letter {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' | '"' | '\'' | '?' | '`' => u8::try_from(letter).ok()?,
        _ => 0,
    };
    if plain != 0 {
        bytes.push(plain);
        return Some(1);
    }
    let (from, length, radix) = match letter {
        'x' | 'X' => (1, 2, 16),
        'u' if !is_bytes => (1, 4, 16),
        'U' if !is_bytes => (1, 8, 16),
        '0'..='3' => (0, 3, 8),
        _ => return None,
    };
    let digits = rest.get(from..from + length)?;
    if !digits.chars().all(|it| it.is_digit(radix)) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok()?;
    if is_bytes {
        bytes.push(u8::try_from(code).ok()?);
    } else {
        let letter = char::from_u32(code)?;
        bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Some(from + length)
}
