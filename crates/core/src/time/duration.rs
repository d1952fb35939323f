//! Durations as Go reads them: `30m`, `1h30m`, `1.5h`.

/// What a duration may end in, with its length in nanoseconds.
const UNITS: &[(&str, i128)] = &[
    ("ns", 1),
    ("us", 1000),
    ("µs", 1000),
    ("μs", 1000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The nanoseconds of a duration as Go's `time.ParseDuration` reads it; `None` for anything else, days
/// among it, and for what 64 bits cannot hold.
#[must_use]
pub fn nanoseconds(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let digit = |it: char| it.is_ascii_digit() || it == '.';
    let mut total = 0_i128;
    loop {
        let (number, after) = rest.split_at(rest.find(|it| !digit(it))?);
        let (unit, after) = after.split_at(after.find(digit).unwrap_or(after.len()));
        let (_, length) = UNITS.iter().find(|(it, _)| *it == unit)?;
        total = total.checked_add(scaled(number, *length)?)?;
        rest = after;
        if rest.is_empty() {
            return i64::try_from(total).ok().map(|it| sign * it);
        }
    }
}

/// A decimal number of units, in nanoseconds. Digits behind the fifteenth of a fraction do not count.
fn scaled(number: &str, unit: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || whole.len() > 18 {
        return None;
    }
    if let (Ok(whole), "") = (whole.parse::<i64>(), fraction) {
        return i128::from(whole).checked_mul(unit);
    }
    let digits = |it: &str| if it.is_empty() { Some(0) } else { it.parse::<i128>().ok() };
    let fraction = fraction.get(..15.min(fraction.len()))?;
    let power = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    Some(digits(whole)?.checked_mul(unit)? + digits(fraction)? * unit / power)
}

/// The seconds of a duration.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "durations are printed in seconds and compared as such"
)]
pub fn seconds(text: &str) -> Option<f64> {
    nanoseconds(text).map(|it| it as f64 / 1e9)
}

/// Whether it is a duration above zero.
#[must_use]
pub fn is_positive(text: &str) -> bool {
    seconds(text).is_some_and(|it| it > 0.0)
}

/// The duration in words, as short as it goes: `90` seconds are `1m30s`.
#[must_use]
pub fn words(seconds: f64) -> String {
    let (hours, rest) = ((seconds / 3600.0).floor(), seconds % 3600.0);
    let (minutes, rest) = ((rest / 60.0).floor(), rest % 60.0);
    let part = |number: f64, unit: &str| {
        if number > 0.0 { format!("{number}{unit}") } else { String::new() }
    };
    let text = part(hours, "h") + &part(minutes, "m") + &part(rest, "s");
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::{seconds, words};

    #[test]
    fn durations_are_read_as_go_reads_them() {
        for (text, wanted) in [
            ("720h", Some(2_592_000.0)),
            ("30m", Some(1800.0)),
            ("1h30m", Some(5400.0)),
            ("1.5h", Some(5400.0)),
            (".5m", Some(30.0)),
            ("5.s", Some(5.0)),
            ("500ms", Some(0.5)),
            ("2µs", Some(2e-6)),
            ("24h0m0s", Some(86_400.0)),
            ("+5s", Some(5.0)),
            ("-5s", Some(-5.0)),
            ("0", Some(0.0)),
            ("0s", Some(0.0)),
            ("", None),
            ("+", None),
            ("5", None),
            ("h", None),
            (".h", None),
            ("30d", None),
            ("1w", None),
            ("5 m", None),
            (" 5m", None),
            ("1h30", None),
            ("1..5h", None),
            ("--5s", None),
            ("Never", None),
            ("true", None),
            ("9999999h", None),
        ] {
            assert_eq!(seconds(text), wanted, "{text}");
        }
    }

    #[test]
    fn seconds_are_printed_as_durations() {
        for (number, wanted) in
            [(30.0, "30s"), (90.0, "1m30s"), (7200.0, "2h"), (3601.0, "1h1s"), (0.0, "0s")]
        {
            assert_eq!(words(number), wanted);
        }
    }
}
