//! Values from settings and fields: what is written, the default, or unknown.

use crate::{
    findings::silence::Silence,
    resolve::setting::Setting,
    source::Span,
    value::{Field, Kind, Symbol, Value, cause::Cause},
};

/// Nothing.
pub(crate) fn nothing(span: Span) -> Value {
    Value::new(Kind::Null, span)
}

/// A text.
pub(crate) fn text(text: impl Into<std::sync::Arc<str>>, span: Span) -> Value {
    Value::computed(text, span)
}

/// Something that is not known; `words` say what would have to be known, or why.
pub(crate) fn unknown(words: impl Into<std::sync::Arc<str>>, span: Span) -> Value {
    Value::unknown(Symbol::new("view", words), span)
}

/// A setting as it is written, or its default.
pub(crate) fn of_setting<T: ToString>(setting: &Setting<T>) -> Value {
    let span = setting.span();
    match (setting.known(), setting.value()) {
        (Some(_), Some(value)) if value.as_str().is_some() => value.clone(),
        (Some(known), _) => text(known.to_string(), span),
        (None, Some(value)) if !value.is_wholly_known() => value.clone(),
        (None, Some(value)) => {
            let written = value.as_number().map(|it| it.to_string());
            let written = value.as_str().map(str::to_owned).or(written);
            let words = written.unwrap_or_else(|| "?".to_owned());
            match setting.decided("it") {
                Err(Silence::Undecided(Cause::Version, _)) => {
                    unknown(format!("{words}, unless callers say otherwise"), span)
                }
                _ => unknown(words, span),
            }
        }
        (None, None) => unknown(why(setting), span),
    }
}

fn why<T>(setting: &Setting<T>) -> String {
    match setting.decided("it") {
        Err(Silence::Undecided(Cause::Version, _)) => "not written".to_owned(),
        Err(Silence::Undecided(_, reason)) => {
            reason.missing.map_or_else(|| "?".to_owned(), |it| it.to_string())
        }
        _ => "?".to_owned(),
    }
}

/// A number, or what it is instead.
pub(crate) fn of_written(value: Option<&Value>, span: Span) -> Value {
    value.cloned().unwrap_or_else(|| nothing(span))
}

/// What is at a path of an object; `missing` where nothing is.
pub(crate) fn at(object: &Value, path: &str, missing: impl FnOnce() -> Value) -> Value {
    match object.at(path) {
        Field::Present(value) => value.clone(),
        Field::Missing => missing(),
        Field::Unknown => match object.unknown_at(path) {
            Some(symbol) => Value::unknown(symbol.clone(), object.span),
            None => unknown("?", object.span),
        },
    }
}

/// What is not decided.
pub(crate) fn of_silence(silence: &Silence, span: Span) -> Value {
    let (Silence::Undecided(_, reason) | Silence::Sound(reason)) = silence;
    let words = reason.missing.as_deref().unwrap_or(&reason.words);
    unknown(words, span)
}
