//! Literals of Go: numbers, characters and quoted text.

use crate::helm::template::tree::WordKind;

/// A number; `None` if it is none that Go reads.
pub(crate) fn number(text: &str) -> Option<WordKind> {
    if let Some(whole) = integer(text) {
        return Some(WordKind::Int(whole));
    }
    if let Some(value) = hexadecimal(text) {
        return Some(WordKind::Float(value));
    }
    let plain = text.replace('_', "");
    let fits = plain.bytes().all(|it| it.is_ascii_digit() || b"+-.eE".contains(&it));
    let value: f64 = plain.parse().ok().filter(|_| fits)?;
    Some(WordKind::Float(value))
}

/// A number with a power of two: `0x1p60`. Go takes fractions too, which nobody writes.
fn hexadecimal(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    let (digits, exponent) = lower.split_once('p').filter(|it| it.0.contains("0x"))?;
    let whole = u32::try_from(integer(digits)?).ok()?;
    Some(f64::from(whole) * 2_f64.powi(exponent.parse().ok()?))
}

/// A whole number with Go's prefixes.
pub(crate) fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", text.get(1..)?),
        b'+' => ("", text.get(1..)?),
        _ => ("", text),
    };
    let lower = digits.to_ascii_lowercase().replace('_', "");
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, lower.get(2..)?),
        Some("0b") => (2, lower.get(2..)?),
        Some("0o") => (8, lower.get(2..)?),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, lower.get(1..)?),
        _ => (10, &*lower),
    };
    if !digits.bytes().all(|it| it.is_ascii_alphanumeric()) {
        return None;
    }
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}

/// What text in quotes says, without its quotes.
pub(crate) fn unquote(inside: &str) -> Option<String> {
    let mut result = String::with_capacity(inside.len());
    let mut bytes: Vec<u8> = Vec::new();
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            flush(&mut bytes, &mut result);
            result.push(letter);
            continue;
        }
        let plain = match letters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\x07',
            'b' => '\x08',
            'f' => '\x0c',
            'v' => '\x0b',
            it @ ('\\' | '"' | '\'') => it,
            'x' => {
                bytes.push(u8::try_from(digits(&mut letters, 2, 16)?).ok()?);
                continue;
            }
            'u' => char::from_u32(digits(&mut letters, 4, 16)?)?,
            'U' => char::from_u32(digits(&mut letters, 8, 16)?)?,
            first @ '0'..='7' => {
                let rest = digits(&mut letters, 2, 8)?;
                bytes.push(u8::try_from(first.to_digit(8)? * 64 + rest).ok()?);
                continue;
            }
            _ => return None,
        };
        flush(&mut bytes, &mut result);
        result.push(plain);
    }
    flush(&mut bytes, &mut result);
    Some(result)
}

fn flush(bytes: &mut Vec<u8>, result: &mut String) {
    if !bytes.is_empty() {
        result.push_str(&String::from_utf8_lossy(bytes));
        bytes.clear();
    }
}

fn digits(letters: &mut std::str::Chars<'_>, count: usize, radix: u32) -> Option<u32> {
    let mut value = 0_u32;
    for _ in 0..count {
        value = value.checked_mul(radix)?.checked_add(letters.next()?.to_digit(radix)?)?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, integer, unquote};

    #[test]
    fn numbers_have_the_prefixes_of_go() {
        let cases = [
            ("0x1F", Some(31)),
            ("-07", Some(-7)),
            ("1_000", Some(1000)),
            ("1.5", None),
            ("08", None),
        ];
        for (text, expected) in cases {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_may_have_a_power_of_two() {
        assert_eq!(hexadecimal("0x1p10"), Some(1024.0));
        assert_eq!(hexadecimal("10"), None);
    }

    #[test]
    fn quoted_text_has_the_escapes_of_go() {
        assert_eq!(unquote(r#"a\n\"\x41\u00e9"#).as_deref(), Some("a\n\"Aé"));
        assert_eq!(unquote(r"\q"), None);
    }
}
