//! `format` and `formatlist`: verbs as Terraform's, which are Go's with a few of their own.

use crate::{
    resolve::terraform::functions::{
        argument,
        assemble::Assembly,
        call::{Call, CallResult, EvaluationError, MOST_BYTES, MOST_ITEMS},
        digits, json, scalar, string,
    },
    value::{Kind, Value},
};

/// Wider fields than this are not computed.
const MOST_WIDTH: usize = 10_000;

/// A verb with its flags: `%-5.2f`, `%[2]s`.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "the flags are independent letters")]
struct Verb {
    sharp: bool,
    zero: bool,
    plus: bool,
    space: bool,
    minus: bool,
    width: usize,
    precision: Option<usize>,
    index: Option<usize>,
    letter: char,
}

/// `format`: unknown arguments become holes.
///
/// # Errors
/// When a verb does not fit its argument, or their numbers differ.
pub(super) fn format(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let pattern = argument::at(call, arguments, 0)?;
    if pattern.is_unknown() {
        return Ok(call.unknown());
    }
    let text = argument::text_of(call, pattern)?;
    let values = arguments.get(1..).unwrap_or_default();
    let mut result = Assembly::default();
    let mut used = 0;
    let mut next = 0;
    let mut rest = &*text;
    while let Some(at) = rest.find('%') {
        result.push(&rest[..at], pattern.span);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            result.push("%", pattern.span);
            rest = after;
            continue;
        }
        let Some((verb, after)) = read_verb(rest) else {
            return call.fault("has a verb that cannot be read");
        };
        rest = after;
        next = verb.index.unwrap_or(next + 1);
        used = used.max(next);
        let Some(value) = next.checked_sub(1).and_then(|it| values.get(it)) else {
            return call.fault("has more verbs than arguments");
        };
        if write(call, &verb, value, &mut result)?.is_none() || result.len() > MOST_BYTES {
            return Ok(call.unknown());
        }
    }
    result.push(rest, pattern.span);
    if used < values.len() {
        return call.fault("has more arguments than verbs");
    }
    Ok(call.value(Kind::String(result.finish())))
}

/// `formatlist`: as `format`, once for each item of the lists among the arguments.
///
/// # Errors
/// When lists differ in length, or a row cannot be formatted.
pub(super) fn format_list(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let mut length = None;
    for value in arguments.iter().skip(1) {
        match &value.kind {
            Kind::List(list) if list.rest.is_none() => {
                if length.is_some_and(|it| it != list.items.len()) {
                    return call.fault("needs lists of one length");
                }
                length = Some(list.items.len());
            }
            // An unknown argument may be a list or a scalar.
            Kind::List(_) | Kind::Unknown(_) | Kind::Null => return Ok(call.unknown()),
            _ => {}
        }
    }
    let length = length.unwrap_or(1);
    if length > MOST_ITEMS {
        return Ok(call.unknown());
    }
    let row = |index: usize| -> Vec<Value> {
        arguments
            .iter()
            .filter_map(|value| match &value.kind {
                Kind::List(list) => list.items.get(index).cloned(),
                _ => Some(value.clone()),
            })
            .collect()
    };
    let mut rows = Vec::new();
    let mut size = 0;
    for index in 0..length {
        let formatted = format(call, &row(index))?;
        if let Kind::String(text) = &formatted.kind {
            size += text.text.len();
        }
        if size > MOST_BYTES {
            return Ok(call.unknown());
        }
        rows.push(formatted);
    }
    Ok(Value::list(rows, call.span))
}

/// The verb behind a `%`, and what follows it.
fn read_verb(text: &str) -> Option<(Verb, &str)> {
    let mut verb = Verb::default();
    let mut rest = text;
    while let Some(flag) = rest.chars().next().filter(|it| "#0+ -".contains(*it)) {
        match flag {
            '#' => verb.sharp = true,
            '0' => verb.zero = true,
            '+' => verb.plus = true,
            ' ' => verb.space = true,
            _ => verb.minus = true,
        }
        rest = &rest[1..];
    }
    (verb.width, rest) = read_number(rest)?;
    if let Some(after) = rest.strip_prefix('.') {
        let (precision, after) = read_number(after)?;
        verb.precision = Some(precision);
        rest = after;
    }
    if let Some(after) = rest.strip_prefix('[') {
        let (index, after) = read_number(after)?;
        verb.index = Some(index);
        rest = after.strip_prefix(']')?;
    }
    verb.letter = rest.chars().next().filter(|it| "vtbodxXeEfgGsq".contains(*it))?;
    Some((verb, &rest[1..]))
}

/// The digits at the start; none count as zero.
fn read_number(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let number = if number.is_empty() { 0 } else { number.parse().ok()? };
    (number <= MOST_WIDTH).then_some((number, rest))
}

/// Writes one argument; `None` when it cannot be known how.
fn write(
    call: &Call<'_>,
    verb: &Verb,
    value: &Value,
    result: &mut Assembly,
) -> Result<Option<()>, EvaluationError> {
    let plain = verb.width == 0 && verb.precision.is_none();
    if !value.is_wholly_known() {
        return Ok(if plain { write_hole(verb, value, result) } else { None });
    }
    if value.is_null() {
        return Ok(None);
    }
    if plain && verb.letter == 's' && matches!(value.kind, Kind::String(_)) {
        return Ok(result.push_scalar(value));
    }
    let text = match (verb.letter, &value.kind) {
        ('v' | 's' | 'q', Kind::Number(number)) if digits::number_text(*number).is_none() => None,
        ('v', _) if verb.sharp => encoded(value),
        ('v', Kind::Number(number)) => Some(general(*number, None)),
        ('v', Kind::List(_) | Kind::Map(_)) => encoded(value),
        ('v', _) => known_text(call, value)?,
        ('s', _) => cut(verb, known_text(call, value)?),
        ('q', _) => {
            cut(verb, known_text(call, value)?).map(|it| format!("\"{}\"", json::escaped(&it)))
        }
        ('t', _) => match value.as_flag() {
            Some(flag) => Some(flag.to_string()),
            None => return call.fault("needs a boolean for `%t`"),
        },
        (letter, _) => written_number(call, verb, letter, argument::number_of(call, value)?)?,
    };
    let Some(text) = text else { return Ok(None) };
    Ok(padded(verb, text).map(|text| result.push(&text, value.span)))
}

fn encoded(value: &Value) -> Option<String> {
    json::encode(value).known().map(str::to_owned)
}

fn known_text(call: &Call<'_>, value: &Value) -> Result<Option<String>, EvaluationError> {
    argument::text_of(call, value).map(|it| Some(it.to_string()))
}

/// The first characters of a text, as many as the precision; zero means all.
fn cut(verb: &Verb, text: Option<String>) -> Option<String> {
    match verb.precision {
        None | Some(0) => text,
        Some(most) => Some(string::characters(&text?)?.into_iter().take(most).collect()),
    }
}

/// Writes what is not known, in the form of its verb.
fn write_hole(verb: &Verb, value: &Value, result: &mut Assembly) -> Option<()> {
    match verb.letter {
        'v' if verb.sharp => result.push_text(&json::encode(value), value.span),
        'q' => match scalar::scalar_text(value)? {
            Ok(_) => result.push_text(&json::encode(value), value.span),
            Err(symbol) => {
                result.push("\"", value.span);
                result.push_hole(&symbol, value.span);
                result.push("\"", value.span);
            }
        },
        's' | 'v' | 't' | 'd' => match &value.kind {
            Kind::List(_) | Kind::Map(_) => result.push_text(&json::encode(value), value.span),
            _ => return result.push_scalar(value),
        },
        _ => return None,
    }
    Some(())
}

/// Pads to the verb's width; `None` where characters cannot be counted.
fn padded(verb: &Verb, text: String) -> Option<String> {
    let width = if verb.letter == 't' { 0 } else { verb.width };
    let missing = width.saturating_sub(string::characters(&text)?.len());
    // A whole zero without digits is not even padded.
    let nothing = text.is_empty() && !matches!(verb.letter, 's' | 'v');
    if missing == 0 || nothing {
        return Some(text);
    }
    let whole = matches!(verb.letter, 'd' | 'b' | 'o' | 'x' | 'X');
    // As Go resolves conflicting flags: integers follow the minus, fractions the zero, and text
    // is filled with zeros behind it.
    let zero = verb.zero && !(whole && (verb.minus || verb.precision.is_some()));
    if verb.minus && zero && verb.letter == 'v' {
        return None;
    }
    let left = verb.minus && !(zero && matches!(verb.letter, 'e' | 'E' | 'f' | 'g' | 'G'));
    if left {
        return Some(text + &(if zero { "0" } else { " " }).repeat(missing));
    }
    if !zero {
        return Some(" ".repeat(missing) + &text);
    }
    let numeric = !matches!(verb.letter, 's' | 'q' | 'v');
    let signed = numeric && text.starts_with(['+', '-', ' ']);
    let (sign, digits) = text.split_at(usize::from(signed));
    Some(format!("{sign}{}{digits}", "0".repeat(missing)))
}

/// A number in the form of a verb, with its sign.
fn written_number(
    call: &Call<'_>,
    verb: &Verb,
    letter: char,
    number: f64,
) -> Result<Option<String>, EvaluationError> {
    let size = number.abs();
    let text = match letter {
        'd' | 'b' | 'o' | 'x' | 'X' => {
            if number.fract() != 0.0 {
                return call.fault("needs a whole number");
            }
            match digits(verb, letter, size) {
                Some(text) => text,
                None => return Ok(None),
            }
        }
        'f' | 'e' | 'E' | 'g' | 'G' if halfway(size, letter, verb.precision) => return Ok(None),
        'f' => format!("{size:.*}", verb.precision.unwrap_or(6)),
        'e' | 'E' => exponent(format!("{size:.*e}", verb.precision.unwrap_or(6))),
        _ => general(size, verb.precision),
    };
    let text = if letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
    let sign = if text.is_empty() {
        ""
    } else if number < 0.0 {
        "-"
    } else if verb.plus {
        "+"
    } else if verb.space {
        " "
    } else {
        ""
    };
    Ok(Some(format!("{sign}{text}")))
}

/// Whether a number as written lies in the middle between two results. Terraform's number, of 512 bits,
/// may lie on the other side of the middle.
fn halfway(size: f64, letter: char, precision: Option<usize>) -> bool {
    let precision = match (precision, letter) {
        (None, 'g' | 'G') => return false,
        (Some(digits), 'g' | 'G') => digits.max(1) - 1,
        (digits, _) => digits.unwrap_or(6),
    };
    let written = if letter == 'f' { format!("{size}") } else { format!("{size:e}") };
    let digits = written.split('e').next().and_then(|it| it.split_once('.'));
    !digits::is_exact(size)
        && digits.is_some_and(|(_, it)| it.len() == precision + 1 && it.ends_with('5'))
}

/// A whole number in a base, with the base's mark when asked for.
fn digits(verb: &Verb, letter: char, size: f64) -> Option<String> {
    let text = if letter == 'd' {
        digits::number_text(size)?
    } else {
        let whole = digits::whole(size)?;
        match letter {
            'b' => format!("{whole:b}"),
            'o' => format!("{whole:o}"),
            _ => format!("{whole:x}"),
        }
    };
    let text = match verb.precision {
        Some(0) if text == "0" => return Some(String::new()),
        precision => format!("{text:0>least$}", least = precision.unwrap_or_default()),
    };
    let mark = match letter {
        'b' => "0b",
        'x' | 'X' => "0x",
        'o' => "0",
        _ => "",
    };
    Some(if verb.sharp { format!("{mark}{text}") } else { text })
}

/// `1.5e7` as Go writes it: `1.5e+07`.
fn exponent(text: String) -> String {
    let Some((digits, power)) = text.split_once('e') else { return text };
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{digits}e{sign}{power:0>2}")
}

/// `%g`: the shorter of the plain form and the one with exponent.
fn general(number: f64, precision: Option<usize>) -> String {
    let scientific = match precision {
        Some(digits) => format!("{number:.*e}", digits.max(1) - 1),
        None => format!("{number:e}"),
    };
    let Some((mantissa, power)) = scientific.split_once('e') else { return scientific };
    let Ok(power) = power.parse::<i32>() else { return scientific };
    // Without a precision plain digits end where six do not suffice.
    let limit = i32::try_from(precision.unwrap_or(6).max(1)).unwrap_or(i32::MAX);
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    if power < -4 || power >= limit {
        return exponent(format!("{mantissa}e{power}"));
    }
    match format!("{mantissa}e{power}").parse::<f64>() {
        Ok(rounded) => format!("{rounded}"),
        Err(_) => scientific,
    }
}
