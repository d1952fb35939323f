//! Not yet computed.

use super::{Answer, Call};
use crate::value::Value;

/// Unknown so far.
///
/// # Errors
/// None.
pub fn format_date(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// Unknown so far.
///
/// # Errors
/// None.
pub fn time_add(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// Unknown so far.
///
/// # Errors
/// None.
pub fn time_compare(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}
