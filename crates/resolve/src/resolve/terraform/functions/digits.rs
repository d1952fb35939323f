//! Numbers and their text as Terraform prints and reads it.

use crate::value::Kind;

/// Up to here every whole number is exact.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number as Terraform prints it: without exponent, whole numbers without point. `None` when it has more
/// digits than are known.
#[must_use]
pub(crate) fn number_text(number: f64) -> Option<String> {
    let shortest = format!("{number}");
    let whole = number.fract() == 0.0 && number.abs() < EXACT;
    (whole || significant(&shortest) < 16).then_some(shortest)
}

/// How many digits there are between the zeros around them.
fn significant(text: &str) -> usize {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// The number a text is, as Terraform's conversion reads it: decimal digits with point and exponent.
#[must_use]
pub(crate) fn parse(text: &str) -> Option<f64> {
    let plausible =
        text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let number = if plausible { text.parse::<f64>().ok()? } else { return None };
    number.is_finite().then_some(number)
}

/// The number as an integer, if it is whole and exact.
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "checked: whole and below 2^53")]
pub(crate) fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// Whether sums of such numbers come out here as with Terraform's 512 bits: few binary digits behind the
/// point.
#[must_use]
pub(crate) fn is_exact(number: f64) -> bool {
    (number * 4096.0).fract() == 0.0
}

/// A count or an index as a number.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "no list has 2^53 items")]
pub(crate) fn from_count(count: usize) -> Kind {
    Kind::Number(count as f64)
}

/// An integer as the number YAML makes of it.
#[must_use]
#[allow(clippy::cast_precision_loss, reason = "numbers are as exact as the reader's")]
pub(crate) fn as_float(integer: i64) -> f64 {
    integer as f64
}
