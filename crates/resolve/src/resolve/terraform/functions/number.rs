//! Functions over numbers.

use crate::{
    resolve::terraform::functions::{
        argument,
        call::{Call, CallResult},
        digits,
    },
    value::{Kind, Value},
};

/// The number as the call's result; unknown when it lost digits or is no finite number.
fn answer(call: &Call<'_>, number: f64) -> Value {
    if number.is_finite() && number.abs() <= digits::EXACT {
        call.value(Kind::Number(number))
    } else {
        call.unknown()
    }
}

/// `abs`
///
/// # Errors
/// When the argument is no number.
pub(super) fn abs(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(answer(call, argument::number(call, arguments, 0)?.abs()))
}

/// `ceil`
///
/// # Errors
/// When the argument is no number.
pub(super) fn ceil(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    round(call, arguments, |it| it.ceil() + 0.0)
}

/// `floor`
///
/// # Errors
/// When the argument is no number.
pub(super) fn floor(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    round(call, arguments, f64::floor)
}

/// Rounds, where the digits that are not known cannot lead to another whole number.
fn round(call: &Call<'_>, arguments: &[Value], to: fn(f64) -> f64) -> CallResult {
    let number = argument::number(call, arguments, 0)?;
    let distance = (number - number.round()).abs();
    let doubtful = distance > 0.0 && distance <= number.abs() * 1e-12;
    Ok(if doubtful { call.unknown() } else { answer(call, to(number)) })
}

/// `signum`
///
/// # Errors
/// When the argument is no whole number.
pub(super) fn signum(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    Ok(call.value(Kind::Number(digits::as_float(argument::integer(call, arguments, 0)?.signum()))))
}

/// `pow`
///
/// # Errors
/// When an argument is no number.
pub(super) fn pow(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let base = argument::number(call, arguments, 0)?;
    let power = argument::number(call, arguments, 1)?;
    // Results that need rounding differ between mathematical libraries in their last digit.
    let result = base.powf(power);
    let sure = power.fract() == 0.0 && digits::is_exact(base) && digits::is_exact(result);
    Ok(if sure && (result != 0.0 || base == 0.0) { answer(call, result) } else { call.unknown() })
}

/// `log`
///
/// # Errors
/// When an argument is no number, or has no logarithm.
pub(super) fn log(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let number = argument::number(call, arguments, 0)?;
    let base = argument::number(call, arguments, 1)?;
    if number <= 0.0 || base <= 0.0 {
        return call.fault("has no result for zero and negative numbers");
    }
    // Terraform shows the last digits of a binary division; only results without them are sure.
    let log = number.ln() / base.ln();
    Ok(if digits::is_exact(log) { answer(call, log) } else { call.unknown() })
}

/// `max`
///
/// # Errors
/// When an argument is no number.
pub(super) fn max(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    fold(call, arguments, f64::max)
}

/// `min`
///
/// # Errors
/// When an argument is no number.
pub(super) fn min(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    fold(call, arguments, f64::min)
}

/// `sum`
///
/// # Errors
/// When the list is empty or holds something else than numbers.
pub(super) fn sum(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let items = argument::items(call, arguments, 0)?;
    let sum = fold(call, items, |a, b| a + b)?;
    let mut numbers = items.iter().map(|it| argument::number_of(call, it));
    let sure = numbers.all(|it| it.is_ok_and(digits::is_exact));
    Ok(if sure { sum } else { call.unknown() })
}

fn fold(call: &Call<'_>, numbers: &[Value], join: fn(f64, f64) -> f64) -> CallResult {
    let mut result = None;
    for value in numbers {
        let number = argument::number_of(call, value)?;
        result = Some(result.map_or(number, |before| join(before, number)));
    }
    match result {
        Some(number) => Ok(answer(call, number)),
        None => call.fault("needs at least one number"),
    }
}

/// `parseint`
///
/// # Errors
/// When the text is no number in that base.
pub(super) fn parse_integer(call: &Call<'_>, arguments: &[Value]) -> CallResult {
    let Some(text) = argument::at(call, arguments, 0)?.as_str() else {
        return call.fault("needs a string");
    };
    let base = argument::integer(call, arguments, 1)?;
    let Some(base) = u32::try_from(base).ok().filter(|it| (2..=62).contains(it)) else {
        return call.fault("needs a base from 2 to 62");
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut number = 0.0;
    for character in digits.chars() {
        match digit(character, base) {
            Some(digit) => number = number * f64::from(base) + f64::from(digit),
            None => return call.fault(format_args!("cannot read `{text}` in base {base}")),
        }
    }
    if digits.is_empty() {
        return call.fault("cannot read an empty string");
    }
    Ok(answer(call, sign * number))
}

/// A digit's worth; above base 36 capitals follow the small letters.
fn digit(character: char, base: u32) -> Option<u32> {
    let worth = match character {
        '0'..='9' => u32::from(character) - u32::from('0'),
        'a'..='z' => u32::from(character) - u32::from('a') + 10,
        'A'..='Z' if base <= 36 => u32::from(character) - u32::from('A') + 10,
        'A'..='Z' => u32::from(character) - u32::from('A') + 36,
        _ => return None,
    };
    (worth < base).then_some(worth)
}
