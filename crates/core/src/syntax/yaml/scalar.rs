//! What an unquoted word of YAML means to Kubernetes: the rules of go-yaml version 2.
//!
//! They are those of YAML 1.1 without sexagesimal numbers, plus `0o777`. No YAML library for Rust has
//! them, and every difference is a value the cluster would read otherwise than the linter.

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number; go-yaml keeps 64 bits with or without sign.
    Integer(i128),
    /// Any other number.
    Float(f64),
    /// Infinity or "not a number", which JSON cannot express.
    NotFinite,
    /// The text itself.
    Text,
    /// Base64, decoded by the reader.
    Binary,
    /// The tag asks for something the text is not.
    Mismatch,
}

impl Scalar {
    /// Which type of the core schema it is; empty for those without a tag of their own.
    fn tag(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Integer(_) => "int",
            Self::Float(_) | Self::NotFinite => "float",
            Self::Text => "str",
            Self::Binary => "binary",
            Self::Mismatch => "",
        }
    }
}

/// What an unquoted scalar without a tag is.
#[must_use]
pub fn plain(text: &str) -> Scalar {
    match text.as_bytes().first() {
        None => Scalar::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text)
        }
        Some(b'.') => match text {
            ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" => Scalar::NotFinite,
            _ => fraction(text).map_or(Scalar::Text, Scalar::Float),
        },
        Some(b'0'..=b'9' | b'+' | b'-') => number(text),
        Some(_) => Scalar::Text,
    }
}

/// What a scalar with a tag of the core schema (`str`, `int`, …) is, quoted or not.
#[must_use]
pub fn tagged(tag: &str, text: &str) -> Scalar {
    match tag {
        "binary" => Scalar::Binary,
        "null" | "bool" | "int" | "float" => match plain(text) {
            Scalar::Integer(_) if tag == "float" => {
                float(&text.replace('_', "")).map_or(Scalar::Mismatch, Scalar::Float)
            }
            found if found.tag() == tag => found,
            _ => Scalar::Mismatch,
        },
        _ => Scalar::Text,
    }
}

fn word(text: &str) -> Scalar {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => Scalar::Text,
    }
}

fn number(text: &str) -> Scalar {
    if matches!(text, "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF") {
        return Scalar::NotFinite;
    }
    // Most words that start with a digit or a dash are no numbers: addresses, dates, flags.
    if text.bytes().any(|it| !(it.is_ascii_alphanumeric() || b"+-._".contains(&it))) {
        return Scalar::Text;
    }
    let stripped;
    let digits = if text.contains('_') {
        stripped = text.replace('_', "");
        &stripped
    } else {
        text
    };
    if let Some(whole) = integer(digits) {
        return Scalar::Integer(whole);
    }
    float(digits).map_or(Scalar::Text, Scalar::Float)
}

/// A whole number with the prefixes of Go; a leading zero means octal.
fn integer(text: &str) -> Option<i128> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let (radix, digits) = match body.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, body.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, body.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, body.get(2..)?),
        [b'0', _, ..] => (8, body.get(1..)?),
        _ => (10, body),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let size = i128::from(u64::from_str_radix(digits, radix).ok()?);
    if negative {
        (size <= 1 << 63).then_some(-size)
    } else {
        // Go reads `+` only into a signed number.
        (!text.starts_with('+') || size < 1 << 63).then_some(size)
    }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, if it fits.
fn float(text: &str) -> Option<f64> {
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let fits = match mantissa.split_once('.') {
        Some(("", after)) => !after.is_empty() && digits(after),
        Some((before, after)) => digits(before) && digits(after),
        None => !mantissa.is_empty() && digits(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|it| {
        let it = it.strip_prefix(['-', '+']).unwrap_or(it);
        !it.is_empty() && digits(it)
    });
    if !fits || !exponent_fits {
        return None;
    }
    text.parse().ok().filter(|it: &f64| it.is_finite())
}

/// A number that starts with its point: Go reads it by itself, and wants digits on both sides of `_`.
fn fraction(text: &str) -> Option<f64> {
    if !text.contains('_') {
        return float(text);
    }
    let is_digit = |it: Option<char>| it.is_some_and(|it| it.is_ascii_digit());
    let parts: Vec<&str> = text.split('_').collect();
    let joined = parts.windows(2).all(|pair| match pair {
        [before, after] => is_digit(before.chars().next_back()) && is_digit(after.chars().next()),
        _ => false,
    });
    joined.then(|| float(&parts.concat())).flatten()
}

/// A number as the key of a JSON object: Kubernetes writes it with the digits of 32 bits.
#[must_use]
pub fn float_key(number: f64) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "Kubernetes drops the digits too")]
    let number = number as f32;
    let scientific = format!("{number:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let Ok(exponent) = exponent.parse::<i32>() else { return scientific };
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::{Scalar, float_key, plain, tagged};

    #[test]
    fn words_have_the_types_of_kubernetes() {
        let yes = Scalar::Bool(true);
        let no = Scalar::Bool(false);
        let int = Scalar::Integer;
        let float = Scalar::Float;
        let cases = [
            ("on", yes),
            ("y", yes),
            ("Yes", yes),
            ("TRUE", yes),
            ("tRUE", Scalar::Text),
            ("off", no),
            ("n", no),
            ("NO", no),
            ("False", no),
            ("", Scalar::Null),
            ("~", Scalar::Null),
            ("Null", Scalar::Null),
            ("nUll", Scalar::Text),
            ("0", int(0)),
            ("-0", int(0)),
            ("0777", int(511)),
            ("0o777", int(511)),
            ("-0777", int(-511)),
            ("08", float(8.0)),
            ("1_000", int(1000)),
            ("0b11", int(3)),
            ("-0b11", int(-3)),
            ("0x1F", int(31)),
            ("0xg", Scalar::Text),
            ("+5", int(5)),
            ("+-5", Scalar::Text),
            ("0x-5", Scalar::Text),
            ("18446744073709551615", int(18_446_744_073_709_551_615)),
            ("-9223372036854775808", int(-9_223_372_036_854_775_808)),
            ("18446744073709551616", float(18_446_744_073_709_551_616.0)),
            ("1.5", float(1.5)),
            ("1.", float(1.0)),
            (".5", float(0.5)),
            ("-.5", float(-0.5)),
            (".5_0", float(0.5)),
            ("._5", Scalar::Text),
            ("1e3", float(1000.0)),
            ("1e", Scalar::Text),
            ("1e999", Scalar::Text),
            ("1.2.3", Scalar::Text),
            ("190:20:30", Scalar::Text),
            ("2001-01-01", Scalar::Text),
            (".inf", Scalar::NotFinite),
            ("-.Inf", Scalar::NotFinite),
            (".nan", Scalar::NotFinite),
            (".", Scalar::Text),
            ("-", Scalar::Text),
            ("_1", Scalar::Text),
            ("inf", Scalar::Text),
            ("karpenter", Scalar::Text),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn tags_are_honoured() {
        let cases = [
            ("str", "5", Scalar::Text),
            ("str", "yes", Scalar::Text),
            ("int", "5", Scalar::Integer(5)),
            ("int", "five", Scalar::Mismatch),
            ("float", "5", Scalar::Float(5.0)),
            ("bool", "yes", Scalar::Bool(true)),
            ("bool", "1", Scalar::Mismatch),
            ("null", "", Scalar::Null),
            ("binary", "aGk=", Scalar::Binary),
        ];
        for (tag, text, expected) in cases {
            assert_eq!(tagged(tag, text), expected, "!!{tag} {text}");
        }
    }

    #[test]
    fn numbers_become_keys_as_in_go() {
        for (number, key) in [
            (1.5, "1.5"),
            (1.0, "1"),
            (123_456_789.5, "1.2345679e+08"),
            (1e30, "1e+30"),
            (1.5e-7, "1.5e-07"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(float_key(number), key);
        }
    }
}
