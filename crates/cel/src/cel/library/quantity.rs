//! Amounts of resources, as `resource.Quantity` reads them.

use std::cmp::Ordering;

use crate::cel::{
    data::{Data, Operand, Outcome, number::Quantity, take},
    fault::Fault,
    native::Native,
};

/// Functions of amounts.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("quantity", |it| {
        let [Data::String(text)] = take(it)? else { return Err(Fault::NoOverload) };
        let wrong = || Fault::error(format!("`{text}` is not a quantity"));
        Ok(Data::Quantity(Box::new(read(text).ok_or_else(wrong)?)).into())
    }),
    ("isQuantity", |it| {
        let [Data::String(text)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Bool(read(text).is_some()).into())
    }),
    ("sign", |it| {
        let [Data::Quantity(it)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Int(it.digits.signum().try_into().unwrap_or_default()).into())
    }),
    ("asInteger", |it| {
        let [Data::Quantity(it)] = take(it)? else { return Err(Fault::NoOverload) };
        let wrong = || Fault::error("cannot convert value to integer");
        Ok(Data::Int(whole(**it).ok_or_else(wrong)?).into())
    }),
    ("isInteger", |it| {
        let [Data::Quantity(it)] = take(it)? else { return Err(Fault::NoOverload) };
        Ok(Data::Bool(whole(**it).is_some()).into())
    }),
    ("asApproximateFloat", |it| {
        let [Data::Quantity(it)] = take(it)? else { return Err(Fault::NoOverload) };
        let number = format!("{}e{}", it.digits, it.exponent).parse();
        Ok(Data::Double(number.unwrap_or(f64::NAN)).into())
    }),
    ("add", |it| change(it, i128::checked_add)),
    ("sub", |it| change(it, i128::checked_sub)),
    ("isGreaterThan", |it| Ok(Data::Bool(order(it)?.is_gt()).into())),
    ("isLessThan", |it| Ok(Data::Bool(order(it)?.is_lt()).into())),
    ("compareTo", |it| Ok(Data::Int(order(it)? as i64).into())),
];

/// Suffixes that are powers of ten.
const DECIMAL: &[(&str, i32)] = &[
    ("", 0),
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];
/// Suffixes that are powers of 1024.
const BINARY: &[(&str, u32)] =
    &[("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];
/// The finest that is kept: a billionth.
const FINEST: i32 = -9;

/// The amount that a text means.
#[must_use]
pub(super) fn read(text: &str) -> Option<Quantity> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = unsigned.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let digits: i128 = format!("0{whole}{fraction}").parse().ok()?;
    let digits = sign * digits;
    let exponent = -i32::try_from(fraction.len()).ok()?;
    if let Some((_, power)) = BINARY.iter().find(|(it, _)| *it == suffix) {
        let most = Quantity::new(i64::MAX.into(), 0);
        let Some(digits) = digits.checked_mul(1_i128 << power) else { return Some(most) };
        let amount = rounded(Quantity::new(digits, exponent));
        return Some(if amount.order(&most).is_gt() { most } else { amount });
    }
    let power = if let Some((_, power)) = DECIMAL.iter().find(|(it, _)| *it == suffix) {
        *power
    } else {
        let power = suffix.strip_prefix(['e', 'E'])?;
        let unsigned = power.strip_prefix(['+', '-']).unwrap_or(power);
        let is_number = !unsigned.is_empty() && unsigned.bytes().all(|it| it.is_ascii_digit());
        power.parse::<i32>().ok().filter(|it| is_number && it.abs() < 10_000)?
    };
    Some(rounded(Quantity::new(digits, exponent + power)))
}

/// What is finer than a billionth is rounded away from zero.
fn rounded(amount: Quantity) -> Quantity {
    let Ok(extra) = u32::try_from(FINEST - amount.exponent) else { return amount };
    let Some(unit) = 10_i128.checked_pow(extra) else {
        return Quantity::new(amount.digits.signum(), FINEST);
    };
    let rest = i128::from(amount.digits % unit != 0) * amount.digits.signum();
    Quantity::new(amount.digits / unit + rest, FINEST)
}

/// The whole number that an amount is, if 64 bits hold it.
fn whole(amount: Quantity) -> Option<i64> {
    if amount.exponent < 0 {
        return None;
    }
    i64::try_from(amount.digits_at(0)?).ok()
}

fn change(arguments: &[Operand], change: fn(i128, i128) -> Option<i128>) -> Outcome {
    let (amount, by) = match take(arguments)? {
        [Data::Quantity(amount), Data::Quantity(by)] => (**amount, **by),
        [Data::Quantity(amount), Data::Int(by)] => (**amount, Quantity::new((*by).into(), 0)),
        _ => return Err(Fault::NoOverload),
    };
    let exponent = amount.exponent.min(by.exponent);
    let digits = amount.digits_at(exponent).zip(by.digits_at(exponent));
    let digits = digits.and_then(|(a, b)| change(a, b));
    let digits = digits.ok_or_else(|| Fault::error("quantity overflow"))?;
    Ok(Data::Quantity(Box::new(Quantity::new(digits, exponent))).into())
}

fn order(arguments: &[Operand]) -> Result<Ordering, Fault> {
    let [Data::Quantity(a), Data::Quantity(b)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    Ok(a.order(b))
}
