//! `jsonencode`, `yamlencode` and their reverse.

use std::sync::Arc;

use crate::hash::HashSet;

use crate::{
    findings::Severity,
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult, EvaluationError, MOST_BYTES},
        digits, json, scalar, yaml,
    },
    syntax::{self, Documents},
    value::{Kind, Text, Value},
};

/// `jsonencode`: the text remembers the value it was made from.
///
/// # Errors
/// None beyond a missing argument.
pub(super) fn json_encode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(encoded(call, argument::at(call, arguments, 0)?, json::encode))
}

/// `yamlencode`: the text remembers the value it was made from.
///
/// # Errors
/// None beyond a missing argument.
pub(super) fn yaml_encode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(encoded(call, argument::at(call, arguments, 0)?, yaml::encode))
}

fn encoded(call: &Call<'_>, value: &Value, encode: fn(&Value) -> Text) -> Value {
    let text = encode(value);
    if text.text.len() > MOST_BYTES {
        return call.unknown();
    }
    let text = Text { encodes: Some(Arc::new(value.clone())), ..text };
    call.value(Kind::String(text))
}

/// `jsondecode`
///
/// # Errors
/// When the text is no JSON.
pub(super) fn json_decode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(text) = source(call, value)? else { return Ok(call.unknown()) };
    if let Some(original) = &text.encodes {
        return Ok(without_sets((**original).clone()));
    }
    let documents = syntax::json::parse(&text, value.span);
    failed(call, &documents)?;
    match documents.values.into_iter().next() {
        Some(decoded) => Ok(decoded_from(value, decoded)),
        None => call.fault("needs JSON"),
    }
}

/// `yamldecode`
///
/// # Errors
/// When the text is no YAML, or several documents.
pub(super) fn yaml_decode(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let value = argument::at(call, arguments, 0)?;
    let Some(text) = source(call, value)? else { return Ok(call.unknown()) };
    if let Some(original) = &text.encodes {
        return Ok(without_sets((**original).clone()));
    }
    let documents = syntax::yaml::parse(&text, value.span);
    failed(call, &documents)?;
    let mut values = documents.values.into_iter();
    match (values.next(), values.next()) {
        (Some(decoded), None) => Ok(decoded_from(value, without_doubts(call, &text.text, decoded))),
        (Some(_), Some(_)) => call.fault("needs a single document"),
        // A stream with a document marker and nothing else is null; one without any is an error.
        (None, _) if text.text.lines().any(|it| it.starts_with("---")) => {
            Ok(call.value(Kind::Null))
        }
        (None, _) => call.fault("needs a document"),
    }
}

/// What comes back from an encoding has no sets.
fn without_sets(mut value: Value) -> Value {
    match &mut value.kind {
        Kind::List(list) => {
            let list = Arc::make_mut(list);
            list.is_set = false;
            list.items = std::mem::take(&mut list.items).into_iter().map(without_sets).collect();
        }
        Kind::Map(map) => {
            for entry in &mut Arc::make_mut(map).entries {
                entry.value = without_sets(entry.value.clone());
            }
        }
        _ => {}
    }
    value
}

/// What was decoded came by the steps of its text.
fn decoded_from(text: &Value, decoded: Value) -> Value {
    Value { origin: text.origin.clone(), ..decoded }
}

/// The text to decode; `None` when nothing of it is known.
fn source(call: &Call<'_>, value: &Value) -> Result<Option<Text>, EvaluationError> {
    match scalar::scalar_text(value) {
        Some(text) => Ok(text.ok()),
        None => call.fault("needs a string"),
    }
}

fn failed(call: &Call<'_>, documents: &Documents) -> Result<(), EvaluationError> {
    match documents.parse_errors.iter().find(|it| it.severity == Severity::Error) {
        Some(parse_errors) => {
            call.fault(format_args!("cannot read the text: {}", parse_errors.message))
        }
        None => Ok(()),
    }
}

/// Terraform reads some scalars otherwise than Kubernetes does, whose reader is used here: `010` is
/// ten, `1_000` and `0b11` are text, a date is a time. Values that may come from one are unknown.
fn without_doubts(call: &Call<'_>, text: &str, value: Value) -> Value {
    let tokens = text.split(|it: char| it.is_whitespace() || "[]{},".contains(it));
    let doubtful: HashSet<&str> = tokens.filter(|it| reads_otherwise(it)).collect();
    if doubtful.is_empty() { value } else { doubted(call, &doubtful, value) }
}

fn reads_otherwise(token: &str) -> bool {
    let digits = token.trim_start_matches(['-', '+']);
    let number = digits.bytes().all(|it| it.is_ascii_hexdigit() || b"_.xob:".contains(&it));
    let octal = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let special = number && (octal || digits.contains('_'));
    let date = digits.len() >= 8
        && digits.get(4..5) == Some("-")
        && digits.bytes().take(4).all(|it| it.is_ascii_digit());
    digits.starts_with(|it: char| it.is_ascii_digit()) && (special || date)
}

fn doubted(call: &Call<'_>, doubtful: &HashSet<&str>, mut value: Value) -> Value {
    match &mut value.kind {
        Kind::Number(number) => {
            // Numbers that read alike keep their value: only one not written as such is doubtful.
            let plain = digits::number_text(*number).unwrap_or_default();
            if doubtful.iter().any(|it| may_be(it, &plain)) {
                value.kind = Kind::Unknown(call.part(&plain));
            }
        }
        Kind::String(text) if doubtful.contains(&*text.text) => {
            value.kind = Kind::Unknown(call.part(&text.text));
        }
        Kind::List(list) => {
            for item in &mut Arc::make_mut(list).items {
                *item = doubted(call, doubtful, item.clone());
            }
        }
        Kind::Map(map) => {
            for entry in &mut Arc::make_mut(map).entries {
                entry.value = doubted(call, doubtful, entry.value.clone());
            }
        }
        _ => {}
    }
    value
}

/// Whether Kubernetes may have read the number from that token.
fn may_be(token: &str, plain: &str) -> bool {
    let digits: String =
        token.trim_start_matches(['-', '+']).chars().filter(|it| *it != '_').collect();
    let based = |prefix: &str, base| {
        digits.strip_prefix(prefix).and_then(|it| i64::from_str_radix(it, base).ok())
    };
    let read = based("0b", 2).or_else(|| based("0o", 8)).or_else(|| based("0", 8));
    let read = read.and_then(|it| digits::number_text(digits::as_float(it)));
    digits == plain || read.is_none_or(|it| it == plain.trim_start_matches('-'))
}
