//! Go's `printf`.

use crate::helm::{
    convert::DEPTH,
    functions::{encoding::hex, kinds::type_name},
    print::{float, printed, quoted, source},
    text::{Builder, Source, Text},
    value::{Dict, Kind, Val},
};

/// Whether a value is text to `print`, which puts no blanks beside it.
pub(super) fn is_text(value: &Val) -> bool {
    matches!(value.kind, Kind::Text(_) | Kind::Unknown(_))
}

/// The flags of a verb.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of Go's verbs")]
struct Verb {
    minus: bool,
    plus: bool,
    zero: bool,
    space: bool,
    sharp: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

/// The values of a text with verbs, and how far they are used.
struct Given<'a> {
    values: &'a [Val],
    next: usize,
    /// Whether a number chose one: then nothing is said about those that are left.
    is_chosen: bool,
    /// Whether the number chose one that is not there.
    is_bad: bool,
}

/// A text with the values in place of its verbs.
pub(super) fn printf(form: &Text, values: &[Val]) -> Text {
    let mut out = Builder::default();
    let source = form.as_str();
    let mut given = Given { values, next: 0, is_chosen: false, is_bad: false };
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|it| it.find('%')) {
        out.push_part(form, at..at + found);
        at += found + 1;
        given.is_bad = false;
        let (verb, len) = flags(source.get(at..).unwrap_or_default(), &mut given, &mut out);
        at += len;
        let Some(letter) = source.get(at..).and_then(|it| it.chars().next()) else {
            out.push_made("%!(NOVERB)");
            break;
        };
        at += letter.len_utf8();
        match values.get(given.next) {
            _ if letter == '%' => {
                out.push_made("%");
                continue;
            }
            _ if given.is_bad => {
                out.push_made(&format!("%!{letter}(BADINDEX)"));
                continue;
            }
            Some(value) => out.push_text(&shown(letter, &verb, value, 0)),
            None => out.push_made(&format!("%!{letter}(MISSING)")),
        }
        given.next += 1;
    }
    out.push_part(form, at.min(source.len())..source.len());
    let extra = values.get(given.next..).unwrap_or_default();
    if !extra.is_empty() && !given.is_chosen {
        out.push_made("%!(EXTRA ");
        for (at, value) in extra.iter().enumerate() {
            out.push_made(if at > 0 { ", " } else { "" });
            if value.is_nil() {
                out.push_made("<nil>");
                continue;
            }
            out.push_made(type_name(value));
            out.push_made("=");
            out.push_text(&printed(value));
        }
        out.push_made(")");
    }
    out.finish()
}

/// Reads flags, width and precision; how many bytes they take.
fn flags(text: &str, given: &mut Given<'_>, out: &mut Builder) -> (Verb, usize) {
    let mut verb = Verb::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'-' => verb.minus = true,
            b'+' => verb.plus = true,
            b'0' => verb.zero = true,
            b' ' => verb.space = true,
            b'#' => verb.sharp = true,
            _ => break,
        }
        at += 1;
    }
    chosen(text, &mut at, given);
    let mut is_minus = false;
    verb.width = number(text, &mut at, given, &mut is_minus, "%!(BADWIDTH)", out);
    verb.minus |= is_minus;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        chosen(text, &mut at, given);
        let mut is_less = false;
        let found = number(text, &mut at, given, &mut is_less, "%!(BADPREC)", out);
        verb.precision = Some(found.unwrap_or(0).min(1000)).filter(|_| !is_less);
    }
    chosen(text, &mut at, given);
    verb.zero &= !verb.minus;
    (verb, at)
}

/// `[2]`: which value is next.
fn chosen(text: &str, at: &mut usize, given: &mut Given<'_>) {
    let Some(rest) = text.get(*at..).and_then(|it| it.strip_prefix('[')) else { return };
    given.is_chosen = true;
    let Some((inside, _)) = rest.split_once(']') else {
        given.is_bad = true;
        *at += 1;
        return;
    };
    *at += inside.len() + 2;
    match inside.parse::<usize>() {
        Ok(number) if number > 0 && number <= given.values.len() => given.next = number - 1,
        _ => given.is_bad = true,
    }
}

/// A width or a precision, which `*` takes from the values.
fn number(
    text: &str,
    at: &mut usize,
    given: &mut Given<'_>,
    is_minus: &mut bool,
    bad: &str,
    out: &mut Builder,
) -> Option<usize> {
    const MOST: usize = 10_000;
    if text.get(*at..).is_some_and(|it| it.starts_with('*')) {
        *at += 1;
        let value = given.values.get(given.next);
        given.next += usize::from(value.is_some());
        if let Some(Kind::Int(it) | Kind::Long(it)) = value.map(|it| &it.kind) {
            *is_minus = *it < 0;
            return usize::try_from(it.unsigned_abs()).ok().map(|it| it.min(MOST));
        }
        out.push_made(bad);
        return None;
    }
    let rest = text.get(*at..).unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    *at += digits;
    rest.get(..digits).and_then(|it| it.parse::<usize>().ok()).map(|it| it.min(MOST))
}

fn padded(text: Text, verb: &Verb) -> Text {
    let Some(width) = verb.width else { return text };
    let missing = width.saturating_sub(text.as_str().chars().count());
    if missing == 0 {
        return text;
    }
    let mut out = Builder::default();
    if verb.minus {
        out.push_text(&text);
        out.push_made(&" ".repeat(missing));
    } else {
        out.push_made(&(if verb.zero { "0" } else { " " }).repeat(missing));
        out.push_text(&text);
    }
    out.finish()
}

/// A number with its sign, and with nothing or blanks before it up to the width.
fn padded_number(text: &str, verb: &Verb) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => match text.strip_prefix('+') {
            Some(digits) => (if verb.plus || digits == "Inf" { "+" } else { "" }, digits),
            None if verb.plus => ("+", text),
            None if verb.space => (" ", text),
            None => ("", text),
        },
    };
    let width = verb.width.unwrap_or(0);
    let missing = width.saturating_sub(sign.len() + digits.chars().count());
    let is_number = digits.starts_with(|it: char| it.is_ascii_digit());
    match (verb.minus, verb.zero && is_number) {
        (true, _) => format!("{sign}{digits}{}", " ".repeat(missing)),
        (false, true) => format!("{sign}{}{digits}", "0".repeat(missing)),
        (false, false) => format!("{}{sign}{digits}", " ".repeat(missing)),
    }
}

/// Items of one list or map that are printed.
const MOST: usize = 10_000;

/// An item of a list or map by the verb of that.
fn inner(letter: char, verb: &Verb, value: &Val, depth: usize) -> Text {
    match value.kind {
        Kind::Nil => padded(Text::new("<nil>", source(value)), verb),
        _ if depth > DEPTH => Text::default(),
        _ => shown(letter, verb, value, depth + 1),
    }
}

/// A value by one verb.
fn shown(letter: char, verb: &Verb, value: &Val, depth: usize) -> Text {
    let made = |text: String| Text::new(text, source(value));
    let found = match (letter, &value.kind) {
        (_, Kind::Unknown(_) | Kind::Struct(_)) => Some(printed(value)),
        ('T', _) => Some(padded(made(type_name(value).to_owned()), verb)),
        (_, Kind::Int(it) | Kind::Long(it)) => of_int(letter, verb, *it).map(made),
        (_, Kind::Text(text) | Kind::Bytes(text)) if letter != 'v' => of_text(letter, verb, text),
        ('v', Kind::Text(text)) => of_text(if verb.sharp { 'q' } else { 's' }, verb, text),
        ('t' | 'v', Kind::Bool(it)) => Some(padded(made(it.to_string()), verb)),
        (_, Kind::Float(it)) => of_float(letter, verb, *it).map(made),
        (_, Kind::List(items)) => Some(of_list(letter, verb, items, depth)),
        (_, Kind::Map(map)) => Some(of_map(letter, verb, map, depth)),
        ('v', _) | ('s', Kind::Version(_)) => Some(padded(printed(value), verb)),
        _ => None,
    };
    found.unwrap_or_else(|| wrong(letter, verb, value))
}

/// What Go prints where the verb is none of the value's type.
fn wrong(letter: char, verb: &Verb, value: &Val) -> Text {
    let mut out = Builder::default();
    out.push_made(&format!("%!{letter}("));
    if value.is_nil() {
        out.push_made("<nil>");
    } else {
        out.push_made(type_name(value));
        out.push_made("=");
        out.push_text(&shown('v', verb, value, 0));
    }
    out.push_made(")");
    out.finish()
}

fn of_int(letter: char, verb: &Verb, value: i64) -> Option<String> {
    let sign = if value < 0 { "-" } else { "" };
    let size = value.unsigned_abs();
    let digits = match letter {
        'v' | 'd' => size.to_string(),
        'x' => format!("{size:x}"),
        'X' => format!("{size:X}"),
        'o' | 'O' => format!("{size:o}"),
        'b' => format!("{size:b}"),
        'c' => return Some(padded_text(&character(value).to_string(), verb)),
        'q' => {
            let text = quoted(&Text::new(character(value).to_string(), Source::Nowhere));
            let inside = text.as_str();
            let inside = inside.get(1..inside.len() - 1).unwrap_or_default();
            let inside = match inside {
                "'" => "\\'",
                "\\\"" => "\"",
                inside => inside,
            };
            return Some(padded_text(&format!("'{inside}'"), verb));
        }
        'U' => return Some(padded_text(&format!("U+{value:04X}"), verb)),
        _ => return None,
    };
    let missing = verb.precision.unwrap_or(0).saturating_sub(digits.len());
    let digits = format!("{}{digits}", "0".repeat(missing));
    let start = match letter {
        'x' if verb.sharp => "0x",
        'X' if verb.sharp => "0X",
        'o' if verb.sharp => "0",
        'b' if verb.sharp => "0b",
        'O' => "0o",
        _ => "",
    };
    let digits = if verb.precision == Some(0) && value == 0 { String::new() } else { digits };
    // A precision says how many digits there are: the width is filled with blanks.
    let verb = Verb { zero: verb.zero && verb.precision.is_none(), ..verb.clone() };
    Some(padded_number(&format!("{sign}{start}{digits}"), &verb))
}

fn padded_text(text: &str, verb: &Verb) -> String {
    padded(Text::new(text, Source::Nowhere), verb).as_str().to_owned()
}

/// The character of a number.
fn character(code: i64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

fn of_float(letter: char, verb: &Verb, value: f64) -> Option<String> {
    let number = match letter {
        'f' | 'F' => float(value, 'f', Some(verb.precision.unwrap_or(6))),
        'e' | 'E' => float(value, 'e', Some(verb.precision.unwrap_or(6))),
        'g' | 'G' | 'v' => float(value, 'g', verb.precision),
        _ => return None,
    };
    let number = if matches!(letter, 'E' | 'G') { number.replace('e', "E") } else { number };
    Some(padded_number(&number, verb))
}

fn of_text(letter: char, verb: &Verb, text: &Text) -> Option<Text> {
    let cut = match verb.precision {
        Some(count) if text.known().is_some() => {
            let end = text.as_str().char_indices().nth(count).map_or(text.len(), |(at, _)| at);
            text.slice(0..end)
        }
        _ => text.clone(),
    };
    Some(match letter {
        'q' => padded(quoted(&cut), verb),
        's' => padded(cut, verb),
        'x' | 'X' => {
            let digits = hex(text.known()?.as_bytes());
            let digits = if letter == 'X' { digits.to_uppercase() } else { digits };
            let count = verb.precision.map_or(digits.len(), |it| (it * 2).min(digits.len()));
            padded(text.replaced_by(digits.get(..count).unwrap_or_default()), verb)
        }
        _ => return None,
    })
}

fn of_list(letter: char, verb: &Verb, items: &[Val], depth: usize) -> Text {
    let mut out = Builder::default();
    out.push_made("[");
    for (at, item) in items.iter().enumerate().take(MOST) {
        out.push_made(if at > 0 { " " } else { "" });
        out.push_text(&inner(letter, verb, item, depth));
    }
    out.push_made("]");
    out.finish()
}

fn of_map(letter: char, verb: &Verb, map: &Dict, depth: usize) -> Text {
    let mut out = Builder::default();
    out.push_made("map[");
    for (at, (key, item)) in map.entries().into_iter().enumerate().take(MOST) {
        out.push_made(if at > 0 { " " } else { "" });
        out.push_text(&inner(letter, verb, &Val::text(key), depth));
        out.push_made(":");
        out.push_text(&inner(letter, verb, &item.value, depth));
    }
    out.push_made("]");
    out.finish()
}
