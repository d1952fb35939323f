//! `jsonencode`, `yamlencode` and their reverse.

use std::sync::Arc;

use super::{Answer, Call, MOST_BYTES, argument, json, unify, yaml};
use crate::{
    findings::Severity,
    syntax::{self, Documents},
    value::{Kind, Text, Value},
};

/// `jsonencode`: the text remembers the value it was made from.
///
/// # Errors
/// None beyond a missing argument.
pub fn json_encode(call: &Call<'_>, arguments: &[Value]) -> Answer {
    encoded(call, argument::at(call, arguments, 0)?, json::encode)
}

/// `yamlencode`: the text remembers the value it was made from.
///
/// # Errors
/// None beyond a missing argument.
pub fn yaml_encode(call: &Call<'_>, arguments: &[Value]) -> Answer {
    encoded(call, argument::at(call, arguments, 0)?, yaml::encode)
}

fn encoded(call: &Call<'_>, value: &Value, encode: fn(&Value) -> Text) -> Answer {
    let text = encode(value);
    if text.text.len() > MOST_BYTES {
        return Ok(call.unknown());
    }
    let text = Text { encodes: Some(Arc::new(value.clone())), ..text };
    Ok(call.value(Kind::String(text)))
}

/// `jsondecode`
///
/// # Errors
/// When the text is no JSON.
pub fn json_decode(call: &Call<'_>, arguments: &[Value]) -> Answer {
    let value = argument::at(call, arguments, 0)?;
    let Some(text) = source(call, value)? else { return Ok(call.unknown()) };
    if let Some(original) = &text.encodes {
        return Ok((**original).clone());
    }
    let documents = syntax::json::parse(&text, value.span);
    failed(call, &documents)?;
    match documents.values.into_iter().next() {
        Some(value) => Ok(value),
        None => call.fault("needs JSON"),
    }
}

/// `yamldecode`
///
/// # Errors
/// When the text is no YAML, or several documents.
pub fn yaml_decode(call: &Call<'_>, arguments: &[Value]) -> Answer {
    let value = argument::at(call, arguments, 0)?;
    let Some(text) = source(call, value)? else { return Ok(call.unknown()) };
    if let Some(original) = &text.encodes {
        return Ok((**original).clone());
    }
    let documents = syntax::yaml::parse(&text, value.span);
    failed(call, &documents)?;
    let mut values = documents.values.into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value),
        (Some(_), Some(_)) => call.fault("needs a single document"),
        // A stream with a document marker and nothing else is null; one without any is an error.
        (None, _) if text.text.lines().any(|it| it.starts_with("---")) => {
            Ok(call.value(Kind::Null))
        }
        (None, _) => call.fault("needs a document"),
    }
}

/// The text to decode; `None` when nothing of it is known.
fn source(call: &Call<'_>, value: &Value) -> Result<Option<Text>, super::Fault> {
    match unify::scalar_text(value) {
        Some(text) => Ok(text.ok()),
        None => call.fault("needs a string"),
    }
}

fn failed(call: &Call<'_>, documents: &Documents) -> Result<(), super::Fault> {
    match documents.unread.iter().find(|it| it.severity == Severity::Error) {
        Some(unread) => call.fault(format_args!("cannot read the text: {}", unread.message)),
        None => Ok(()),
    }
}
