//! Reading arguments as Terraform's functions declare them, with its automatic conversions.

use std::sync::Arc;

use crate::{
    resolve::terraform::functions::{
        call::{Call, EvaluationError},
        digits, scalar,
    },
    value::{Kind, List, Map, Value},
};

/// The argument of that position; the table of functions has checked that it is there.
///
/// # Errors
/// When it is missing all the same.
pub(super) fn at<'a>(
    call: &Call<'_>,
    arguments: &'a [Value],
    index: usize,
) -> Result<&'a Value, EvaluationError> {
    match arguments.get(index) {
        Some(value) => Ok(value),
        None => call.fault("lacks an argument"),
    }
}

/// A known text; numbers and booleans become text.
///
/// # Errors
/// When it is null or a collection.
pub(super) fn text(
    call: &Call<'_>,
    arguments: &[Value],
    index: usize,
) -> Result<Arc<str>, EvaluationError> {
    text_of(call, at(call, arguments, index)?)
}

/// A known text; numbers and booleans become text.
///
/// # Errors
/// When it is null or a collection.
pub(super) fn text_of(call: &Call<'_>, value: &Value) -> Result<Arc<str>, EvaluationError> {
    match scalar::text(value) {
        Some(text) => Ok(text),
        None => call.fault("needs a string"),
    }
}

/// A known number; text that is a number becomes one.
///
/// # Errors
/// When it is anything else.
pub(super) fn number(
    call: &Call<'_>,
    arguments: &[Value],
    index: usize,
) -> Result<f64, EvaluationError> {
    number_of(call, at(call, arguments, index)?)
}

/// A known number; text that is a number becomes one.
///
/// # Errors
/// When it is anything else.
pub(super) fn number_of(call: &Call<'_>, value: &Value) -> Result<f64, EvaluationError> {
    let found = match &value.kind {
        Kind::Number(number) => Some(*number),
        _ => value.as_str().and_then(digits::parse),
    };
    match found {
        Some(number) => Ok(number),
        None => call.fault("needs a number"),
    }
}

/// A known whole number.
///
/// # Errors
/// When it is anything else.
pub(super) fn integer(
    call: &Call<'_>,
    arguments: &[Value],
    index: usize,
) -> Result<i64, EvaluationError> {
    let number = number(call, arguments, index)?;
    match digits::whole(number) {
        Some(number) => Ok(number),
        None => call.fault("needs a whole number"),
    }
}

/// A list, as far as it is known; `None` when it is unknown altogether.
///
/// # Errors
/// When it is null or no list.
pub(super) fn list<'a>(
    call: &Call<'_>,
    value: &'a Value,
) -> Result<Option<&'a List>, EvaluationError> {
    match &value.kind {
        Kind::List(list) => Ok(Some(list)),
        Kind::Unknown(_) => Ok(None),
        _ => call.fault("needs a list"),
    }
}

/// A list or tuple that has positions, as far as it is known; `None` when it is unknown altogether.
///
/// # Errors
/// When it is null, no list, or a set.
pub(super) fn sequence<'a>(
    call: &Call<'_>,
    value: &'a Value,
) -> Result<Option<&'a List>, EvaluationError> {
    match list(call, value)? {
        Some(list) if list.is_set => call.fault("needs a list, not a set"),
        list => Ok(list),
    }
}

/// A mapping, as far as it is known; `None` when it is unknown altogether.
///
/// # Errors
/// When it is null or no mapping.
pub(super) fn map<'a>(
    call: &Call<'_>,
    value: &'a Value,
) -> Result<Option<&'a Map>, EvaluationError> {
    match &value.kind {
        Kind::Map(map) => Ok(Some(map)),
        Kind::Unknown(_) => Ok(None),
        _ => call.fault("needs a map"),
    }
}

/// The items of a known list.
///
/// # Errors
/// When it is no list.
pub(super) fn items<'a>(
    call: &Call<'_>,
    arguments: &'a [Value],
    index: usize,
) -> Result<&'a [Value], EvaluationError> {
    Ok(list(call, at(call, arguments, index)?)?.map_or(&[], |it| &it.items))
}

/// The texts of a known list of strings.
///
/// # Errors
/// When it is no list, or an item is no string.
pub(super) fn texts(
    call: &Call<'_>,
    arguments: &[Value],
    index: usize,
) -> Result<Vec<Arc<str>>, EvaluationError> {
    items(call, arguments, index)?.iter().map(|it| text_of(call, it)).collect()
}
