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
#[derive(Debug, Default)]
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

/// A text with the values in place of its verbs.
pub(super) fn printf(form: &Text, values: &[Val]) -> Text {
    let mut out = Builder::default();
    let source = form.as_str();
    let mut at = 0;
    let mut next = 0;
    while let Some(found) = source.get(at..).and_then(|it| it.find('%')) {
        out.push_part(form, at..at + found);
        at += found + 1;
        let mut verb = Verb::default();
        at += flags(source.get(at..).unwrap_or_default(), &mut verb, values, &mut next);
        let Some(letter) = source.get(at..).and_then(|it| it.chars().next()) else {
            out.push_made("%!(NOVERB)");
            break;
        };
        at += letter.len_utf8();
        if letter == '%' {
            out.push_made("%");
            continue;
        }
        match values.get(next) {
            Some(value) => out.push_text(&padded(shown(letter, &verb, value, 0), &verb)),
            None => out.push_made(&format!("%!{letter}(MISSING)")),
        }
        next += 1;
    }
    out.push_part(form, at.min(source.len())..source.len());
    let extra = values.get(next..).unwrap_or_default();
    if !extra.is_empty() {
        out.push_made("%!(EXTRA ");
        for (at, value) in extra.iter().enumerate() {
            out.push_made(if at > 0 { ", " } else { "" });
            out.push_made(type_name(value));
            out.push_made("=");
            out.push_text(&printed(value));
        }
        out.push_made(")");
    }
    out.finish()
}

/// Reads flags, width and precision; how many bytes they take.
fn flags(text: &str, verb: &mut Verb, values: &[Val], next: &mut usize) -> usize {
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
    let mut number = |at: &mut usize| -> Option<usize> {
        if bytes.get(*at) == Some(&b'*') {
            *at += 1;
            let value = values.get(*next)?;
            *next += 1;
            return match &value.kind {
                Kind::Int(it) | Kind::Long(it) => usize::try_from(*it).ok(),
                _ => None,
            };
        }
        let start = *at;
        while bytes.get(*at).is_some_and(u8::is_ascii_digit) {
            *at += 1;
        }
        text.get(start..*at).and_then(|it| it.parse().ok())
    };
    verb.width = number(&mut at).map(|it: usize| it.min(10_000));
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        verb.precision = Some(number(&mut at).unwrap_or(0).min(1000));
    }
    at
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
    } else if verb.zero {
        let sign = usize::from(text.as_str().starts_with(['-', '+']));
        out.push_part(&text, 0..sign);
        out.push_made(&"0".repeat(missing));
        out.push_part(&text, sign..text.len());
    } else {
        out.push_made(&" ".repeat(missing));
        out.push_text(&text);
    }
    out.finish()
}

/// Items of one list or map that are printed.
const MOST: usize = 10_000;

/// An item of a list or map by the verb of that.
fn inner(letter: char, verb: &Verb, value: &Val, depth: usize) -> Text {
    match value.kind {
        Kind::Nil => Text::new("<nil>", source(value)),
        _ if depth > DEPTH => Text::default(),
        _ => shown(letter, verb, value, depth + 1),
    }
}

/// A value by one verb.
fn shown(letter: char, verb: &Verb, value: &Val, depth: usize) -> Text {
    let made = |text: String| Text::new(text, source(value));
    let found = match (letter, &value.kind) {
        (_, Kind::Unknown(_)) => Some(printed(value)),
        ('T', _) => Some(made(type_name(value).to_owned())),
        (_, Kind::Int(it) | Kind::Long(it)) => of_int(letter, verb, *it).map(made),
        ('v', Kind::Text(text)) if verb.sharp => Some(quoted(text)),
        ('v', _) | ('s', Kind::Version(_)) => Some(printed(value)),
        ('x', Kind::Text(text)) => text.known().map(|it| made(hex(it.as_bytes()))),
        (_, Kind::Text(text)) => of_text(letter, verb, text),
        ('t', Kind::Bool(it)) => Some(made(it.to_string())),
        (_, Kind::Float(it)) => of_float(letter, verb, *it).map(made),
        (_, Kind::List(items)) => Some(of_list(letter, verb, items, depth)),
        (_, Kind::Map(map)) => Some(of_map(letter, verb, map, depth)),
        _ => None,
    };
    found.unwrap_or_else(|| wrong(letter, value))
}

/// What Go prints where the verb is none of the value's type.
fn wrong(letter: char, value: &Val) -> Text {
    let mut out = Builder::default();
    out.push_made(&format!("%!{letter}("));
    if value.is_nil() {
        out.push_made("<nil>");
    } else {
        out.push_made(type_name(value));
        out.push_made("=");
        out.push_text(&printed(value));
    }
    out.push_made(")");
    out.finish()
}

/// A printed number with its sign.
fn signed(verb: &Verb, number: String) -> String {
    if verb.plus && !number.starts_with('-') { format!("+{number}") } else { number }
}

fn of_int(letter: char, verb: &Verb, value: i64) -> Option<String> {
    Some(match letter {
        'v' | 'd' => signed(verb, value.to_string()),
        'x' => format!("{value:x}"),
        'X' => format!("{value:X}"),
        'o' => format!("{value:o}"),
        'b' => format!("{value:b}"),
        'c' => character(value).to_string(),
        'q' => {
            let text = quoted(&Text::new(character(value).to_string(), Source::Nowhere));
            let inside = text.as_str();
            format!("'{}'", inside.get(1..inside.len() - 1).unwrap_or_default())
        }
        _ => return None,
    })
}

/// The character of a number.
fn character(code: i64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

fn of_float(letter: char, verb: &Verb, value: f64) -> Option<String> {
    let number = match letter {
        'f' | 'F' => float(value, 'f', Some(verb.precision.unwrap_or(6))),
        'e' => float(value, 'e', Some(verb.precision.unwrap_or(6))),
        'g' => float(value, 'g', verb.precision),
        _ => return None,
    };
    Some(signed(verb, number))
}

fn of_text(letter: char, verb: &Verb, text: &Text) -> Option<Text> {
    match (letter, verb.precision) {
        ('q', _) => Some(quoted(text)),
        ('s', Some(count)) if text.known().is_some() => {
            let end = text.as_str().char_indices().nth(count).map_or(text.len(), |(at, _)| at);
            Some(text.slice(0..end))
        }
        ('s', _) => Some(text.clone()),
        _ => None,
    }
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
