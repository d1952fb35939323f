//! Writing JSON as `jsonencode` does: keys sorted, no spaces, HTML's characters escaped.

use std::fmt::Write;

use crate::{
    resolve::terraform::functions::{
        assemble::{Assembly, Segment, segments},
        call::MOST_BYTES,
        digits, scalar,
    },
    value::{Entry, Kind, Map, Text, Value},
};

/// The JSON of a value; what is not known becomes a hole.
#[must_use]
pub(super) fn encode(value: &Value) -> Text {
    let mut result = Assembly::default();
    write_value(value, &mut result);
    result.computed()
}

/// The characters of a text as they are written between the quotes of JSON.
#[must_use]
pub(super) fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            '\u{8}' => result.push_str("\\b"),
            '\u{c}' => result.push_str("\\f"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(result, "\\u{:04x}", u32::from(character));
            }
            _ => result.push(character),
        }
    }
    result
}

fn write_value(value: &Value, result: &mut Assembly) {
    // Longer texts are refused anyway.
    if result.len() > MOST_BYTES {
        return;
    }
    match &value.kind {
        Kind::Null => result.push("null", value.span),
        Kind::Bool(flag) => result.push(if *flag { "true" } else { "false" }, value.span),
        Kind::Number(number) => match digits::number_text(*number) {
            Some(text) => result.push(&text, value.span),
            None => result.push_hole(&scalar::inexact(*number), value.span),
        },
        Kind::String(text) => write_text(text, value, result),
        Kind::Unknown(symbol) => result.push_hole(symbol, value.span),
        Kind::List(list) => {
            result.push("[", value.span);
            for (index, item) in list.items.iter().enumerate() {
                if index > 0 {
                    result.push(",", value.span);
                }
                write_value(item, result);
            }
            if let Some(rest) = &list.rest {
                result.push_hole(rest, value.span);
            }
            result.push("]", value.span);
        }
        Kind::Map(map) => write_map(map, value, result),
    }
}

fn write_text(text: &Text, value: &Value, result: &mut Assembly) {
    result.push("\"", value.span);
    for segment in segments(text) {
        match segment {
            Segment::Known(known, _) => result.push(&escaped(known), value.span),
            Segment::Hole(symbol, ..) => result.push_hole(symbol, value.span),
        }
    }
    result.push("\"", value.span);
}

fn write_map(map: &Map, value: &Value, result: &mut Assembly) {
    let mut entries: Vec<&Entry> = map.entries.iter().collect();
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    result.push("{", value.span);
    for (index, entry) in entries.into_iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        result.push(&format!("{comma}\"{}\":", escaped(&entry.key)), value.span);
        write_value(&entry.value, result);
    }
    if let Some(rest) = &map.rest {
        result.push_hole(rest, value.span);
    }
    result.push("}", value.span);
}
