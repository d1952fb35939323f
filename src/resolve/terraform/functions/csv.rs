//! Not yet computed.

use super::{Answer, Call};
use crate::value::Value;

/// Unknown so far.
///
/// # Errors
/// None.
pub fn decode(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}
