//! Not yet computed.

use super::{Answer, Call};
use crate::value::Value;

/// Unknown so far.
///
/// # Errors
/// None.
pub fn host(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// Unknown so far.
///
/// # Errors
/// None.
pub fn netmask(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// Unknown so far.
///
/// # Errors
/// None.
pub fn subnet(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}

/// Unknown so far.
///
/// # Errors
/// None.
pub fn subnets(call: &Call<'_>, _arguments: &[Value]) -> Answer {
    Ok(call.unknown())
}
