//! Not yet computed.

use super::{Answer, Call, argument};
use crate::value::Value;

/// Unknown so far.
///
/// # Errors
/// None.
pub fn regex(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// Unknown so far.
///
/// # Errors
/// None.
pub fn regex_all(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// `replace`: a text between slashes is a regular expression.
///
/// # Errors
/// When an argument is no text.
pub fn replace(call: &Call<'_>, arguments: &[Value]) -> Answer {
    let text = argument::text(call, arguments, 0)?;
    let what = argument::text(call, arguments, 1)?;
    let with = argument::text(call, arguments, 2)?;
    if what.len() > 1 && what.starts_with('/') && what.ends_with('/') {
        return Ok(call.unknown());
    }
    let size = text.len() + text.matches(&*what).count().saturating_mul(with.len());
    if size > super::MOST_BYTES {
        return Ok(call.unknown());
    }
    Ok(call.text(text.replace(&*what, &with)))
}
