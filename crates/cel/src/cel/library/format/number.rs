//! Numbers in American English, as Go's `golang.org/x/text/message` writes them.

/// `%.2f`: with a comma between thousands.
pub(super) fn fixed(number: f64, precision: usize) -> String {
    if !number.is_finite() {
        return unending(number).to_owned();
    }
    let text = format!("{:.precision$}", number.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut found = String::new();
    let is_zero = text.chars().all(|it| matches!(it, '0' | '.'));
    if number < 0.0 && !is_zero {
        found.push('-');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            found.push(',');
        }
        found.push(digit);
    }
    if !fraction.is_empty() {
        found.push('.');
        found.push_str(fraction);
    }
    found
}

/// `%.2e`: always with six digits behind the point; what is asked for is how long the text is at least.
pub(super) fn scientific(number: f64, width: usize) -> String {
    let text = if number.is_finite() { digits(number) } else { unending(number).to_owned() };
    format!("{text:>width$}")
}

fn digits(number: f64) -> String {
    let text = format!("{:.6e}", if number == 0.0 { 0.0 } else { number });
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ("⁻", exponent),
        None => ("", exponent),
    };
    let raised: String = format!("{exponent:0>2}").chars().map(raised).collect();
    format!("{digits}\u{d7}10{sign}{raised}")
}

/// A digit of an exponent.
fn raised(digit: char) -> char {
    match digit {
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    }
}

fn unending(number: f64) -> &'static str {
    if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "∞"
    } else {
        "-∞"
    }
}
