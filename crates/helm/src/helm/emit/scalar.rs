//! How go-yaml version 2 writes a text: plain, in quotes, or as a block.

use std::cmp::Ordering;

use crate::{
    helm::layouts::read,
    syntax::yaml::scalar::{Scalar, plain},
};

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The style of a text. Keys are on one line.
pub(super) fn style(text: &str, is_key: bool) -> Style {
    let found = analyze(text);
    if text.contains('\n') {
        let block = found.block && !is_key;
        return if block { Style::Literal } else { Style::Double };
    }
    if is_special(text) {
        return Style::Double;
    }
    if found.plain {
        Style::Plain
    } else if found.single {
        Style::Single
    } else {
        Style::Double
    }
}

/// Whether a text would be read as something else if it were plain.
fn is_special(text: &str) -> bool {
    plain(text) != Scalar::Text || is_sexagesimal(text) || is_timestamp(text)
}

/// Numbers to the base 60 of YAML 1.1: `10:30`.
fn is_sexagesimal(text: &str) -> bool {
    let bare = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = bare.split_once('.').unwrap_or((bare, ""));
    let mut parts = whole.split(':');
    let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit() || it == b'_');
    let first = parts.next().unwrap_or_default();
    let mut count = 0;
    for part in parts {
        let sound = match part.as_bytes() {
            [it] => it.is_ascii_digit(),
            [tens, ones] => matches!(tens, b'0'..=b'5') && ones.is_ascii_digit(),
            _ => false,
        };
        if !sound {
            return false;
        }
        count += 1;
    }
    count > 0
        && first.starts_with(|it: char| it.is_ascii_digit())
        && digits(first)
        && digits(fraction)
}

/// What go-yaml takes for a time: a date, or a date with a time.
fn is_timestamp(text: &str) -> bool {
    const LAYOUTS: [&str; 4] = [
        "2006-1-2T15:4:5.999999999Z07:00",
        "2006-1-2t15:4:5.999999999Z07:00",
        "2006-1-2 15:4:5.999999999",
        "2006-1-2",
    ];
    let year = text.bytes().take_while(u8::is_ascii_digit).count();
    let begins_so = year == 4 && text.as_bytes().get(4) == Some(&b'-');
    begins_so && LAYOUTS.iter().any(|it| read::moment(it, text).is_ok())
}

/// What the letters of a text allow.
struct Allowed {
    plain: bool,
    single: bool,
    block: bool,
}

fn analyze(text: &str) -> Allowed {
    if text.is_empty() {
        return Allowed { plain: true, single: true, block: false };
    }
    let mut indicators = text.starts_with("---") || text.starts_with("...");
    let mut special = false;
    let mut before: Option<char> = None;
    let mut break_space = false;
    let mut space_break = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let blank_follows = letters.peek().is_none_or(|it| matches!(it, ' ' | '\t'));
        indicators |= match (before, letter) {
            (
                None,
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
                | '@' | '`',
            ) => true,
            (None, '?' | ':' | '-') | (Some(_), ':') => blank_follows,
            (Some(before), '#') => is_blank(before),
            _ => false,
        };
        special |= !is_printable(letter);
        break_space |= letter == ' ' && before.is_some_and(is_break);
        space_break |= is_break(letter) && before == Some(' ');
        before = Some(letter);
    }
    let outer = |it: char| it == ' ' || is_break(it);
    let edged = text.starts_with(outer) || text.ends_with(outer);
    let lines = text.contains(is_break);
    Allowed {
        plain: !(edged || break_space || space_break || special || lines || indicators),
        single: !(break_space || space_break || special),
        block: !(text.ends_with(' ') || space_break || special),
    }
}

/// Whether a letter ends a line.
pub(super) fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t') || is_break(letter)
}

fn is_printable(letter: char) -> bool {
    matches!(letter, '\n' | '\x20'..='\x7e' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// How a letter is written in double quotes, if not as it is.
pub(super) fn escape(letter: char) -> Option<String> {
    let code = u32::from(letter);
    let short = match letter {
        '\0' => "\\0",
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\t' => "\\t",
        '\n' => "\\n",
        '\x0b' => "\\v",
        '\x0c' => "\\f",
        '\r' => "\\r",
        '\x1b' => "\\e",
        '"' => "\\\"",
        '\\' => "\\\\",
        '\u{85}' => "\\N",
        '\u{2028}' => "\\L",
        '\u{2029}' => "\\P",
        it if is_printable(it) => return None,
        _ if code <= 0xff => return Some(format!("\\x{code:02X}")),
        _ if code <= 0xffff => return Some(format!("\\u{code:04X}")),
        _ => return Some(format!("\\U{code:08X}")),
    };
    Some(short.to_owned())
}

/// The order of keys in go-yaml: letters before others, runs of digits as numbers.
pub(super) fn natural(a: &str, b: &str) -> Ordering {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut digits = false;
    for (at, (one, other)) in a.iter().zip(&b).enumerate() {
        if one == other {
            digits = one.is_numeric();
            continue;
        }
        let letters = (one.is_alphabetic(), other.is_alphabetic());
        if letters == (true, true) {
            return one.cmp(other);
        }
        if letters.0 || letters.1 {
            // Behind digits a letter comes first, elsewhere last.
            let less = if digits { letters.0 } else { letters.1 };
            return if less { Ordering::Less } else { Ordering::Greater };
        }
        return numbers(&a, &b, at).unwrap_or_else(|| one.cmp(other));
    }
    a.len().cmp(&b.len())
}

/// The order of the numbers that differ first at a place.
fn numbers(a: &[char], b: &[char], at: usize) -> Option<Ordering> {
    let zero = |it: Option<&char>| it == Some(&'0');
    if zero(a.get(at)) || zero(b.get(at)) {
        let before = a.get(..at)?.iter().rev().take_while(|it| it.is_ascii_digit());
        if before.clone().any(|it| *it != '0') {
            let number = |it: &[char]| digits_from(it, at);
            let (one, one_len) = number(a);
            let (other, other_len) = number(b);
            return Some(one_len.cmp(&other_len).then(one.cmp(&other)));
        }
    }
    let (one, one_len) = digits_from(a, at);
    let (other, other_len) = digits_from(b, at);
    if one != other {
        return Some(one.cmp(&other));
    }
    if one_len != other_len {
        return Some(one_len.cmp(&other_len));
    }
    None
}

fn digits_from(text: &[char], at: usize) -> (i64, usize) {
    let digits = text.iter().skip(at).take_while(|it| it.is_ascii_digit());
    let mut value = 0_i64;
    let mut count = 0;
    for digit in digits {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit.to_digit(10).unwrap_or(0)));
        count += 1;
    }
    (value, count)
}

#[cfg(test)]
mod tests {
    use super::{Style, is_timestamp, natural, style};
    use std::cmp::Ordering;

    #[test]
    fn texts_are_written_as_go_yaml_does() {
        let cases = [
            ("a", Style::Plain),
            ("", Style::Double),
            ("yes", Style::Double),
            ("1.5", Style::Double),
            ("2020-01-01", Style::Double),
            ("10:30", Style::Double),
            ("a: b", Style::Single),
            ("a #b", Style::Single),
            (" a", Style::Single),
            ("*", Style::Single),
            ("a\tb", Style::Double),
            ("a\nb", Style::Literal),
            ("a \nb", Style::Double),
            ("😀", Style::Double),
            ("{{ x }}", Style::Single),
            ("a\n b\n", Style::Literal),
        ];
        for (text, expected) in cases {
            assert_eq!(style(text, false), expected, "{text:?}");
        }
        assert!(is_timestamp("2001-12-14 21:59:43.10") && !is_timestamp("2001-12-14-x"));
    }

    #[test]
    fn numbers_in_keys_count() {
        assert_eq!(natural("a2", "a10"), Ordering::Less);
        assert_eq!(natural("a", "b"), Ordering::Less);
        assert_eq!(natural("a-b", "ab"), Ordering::Less);
        assert_eq!(natural("A", "a"), Ordering::Less);
    }
}
