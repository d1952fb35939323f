//! Conversions between types.

use crate::cel::{
    data::{Data, Operand, Outcome, Timestamp, take},
    fault::Fault,
    library::{ip, time},
    native::Native,
};

/// The conversions.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("type", type_of),
    ("dyn", |it| match it {
        [it] => Ok(it.clone()),
        _ => Err(Fault::NoOverload),
    }),
    ("bool", to_bool),
    ("bytes", to_bytes),
    ("double", to_double),
    ("duration", to_duration),
    ("int", to_int),
    ("string", to_string),
    ("timestamp", to_timestamp),
    ("uint", to_uint),
];

fn type_of(arguments: &[Operand]) -> Outcome {
    let [it] = take(arguments)?;
    Ok(Data::Type(it.type_name().into()).into())
}

fn to_bool(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [it @ Data::Bool(_)] => Ok(it.clone().into()),
        [Data::String(it)] => match &**it {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Data::Bool(true).into()),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Data::Bool(false).into()),
            other => Err(Fault::error(format!("`{other}` is not a bool"))),
        },
        _ => Err(Fault::NoOverload),
    }
}

fn to_bytes(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [it @ Data::Bytes(_)] => Ok(it.clone().into()),
        [Data::String(it)] => Ok(Data::Bytes(it.as_bytes().into()).into()),
        _ => Err(Fault::NoOverload),
    }
}

#[expect(clippy::cast_precision_loss, reason = "CEL rounds to the nearest double")]
fn to_double(arguments: &[Operand]) -> Outcome {
    let number = match take(arguments)? {
        [Data::Double(it)] => *it,
        [Data::Int(it)] => *it as f64,
        [Data::Uint(it)] => *it as f64,
        [Data::String(it)] => {
            let unsigned = it.strip_prefix(['+', '-']).unwrap_or(it);
            let is_number = unsigned.starts_with(|it: char| it.is_ascii_digit() || it == '.')
                || matches!(&*unsigned.to_ascii_lowercase(), "nan" | "inf" | "infinity");
            let wrong = || Fault::error(format!("`{it}` is not a double"));
            it.parse().ok().filter(|_| is_number).ok_or_else(wrong)?
        }
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Double(number).into())
}

fn to_duration(arguments: &[Operand]) -> Outcome {
    match take(arguments)? {
        [it @ Data::Duration(_)] => Ok(it.clone().into()),
        [Data::Int(it)] => Ok(Data::Duration(*it).into()),
        [Data::String(it)] => match crate::time::duration::nanoseconds(it) {
            Some(nanoseconds) => Ok(Data::Duration(nanoseconds).into()),
            None => Err(Fault::error(format!("`{it}` is not a duration"))),
        },
        _ => Err(Fault::NoOverload),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked before")]
fn to_int(arguments: &[Operand]) -> Outcome {
    let number = match take(arguments)? {
        [Data::Int(it) | Data::Duration(it)] => *it,
        [Data::Uint(it)] => i64::try_from(*it).map_err(|_| Fault::error("integer overflow"))?,
        [Data::Double(it)]
            if *it > -9_223_372_036_854_775_808.0 && *it < 9_223_372_036_854_775_808.0 =>
        {
            *it as i64
        }
        [Data::Double(_)] => return Err(Fault::error("integer overflow")),
        [Data::Timestamp(it)] => it.seconds,
        [Data::String(it)] => {
            it.parse().map_err(|_| Fault::error(format!("`{it}` is not an int")))?
        }
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Int(number).into())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked before"
)]
fn to_uint(arguments: &[Operand]) -> Outcome {
    let overflow = || Fault::error("unsigned integer overflow");
    let number = match take(arguments)? {
        [Data::Uint(it)] => *it,
        [Data::Int(it)] => u64::try_from(*it).map_err(|_| overflow())?,
        [Data::Double(it)] if (0.0..18_446_744_073_709_551_616.0).contains(it) => *it as u64,
        [Data::Double(_)] => return Err(overflow()),
        [Data::String(it)] => {
            it.parse().map_err(|_| Fault::error(format!("`{it}` is not a uint")))?
        }
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Uint(number).into())
}

fn to_string(arguments: &[Operand]) -> Outcome {
    let text = match take(arguments)? {
        [it @ Data::String(_)] => return Ok(it.clone().into()),
        [Data::Bool(it)] => it.to_string(),
        [Data::Int(it)] => it.to_string(),
        [Data::Uint(it)] => it.to_string(),
        [Data::Double(it)] => double(*it),
        [Data::Bytes(it)] => {
            let wrong = |_| Fault::error("invalid UTF-8 in bytes, cannot convert to string");
            String::from_utf8(it.to_vec()).map_err(wrong)?
        }
        [Data::Duration(it)] => time::duration(*it),
        [Data::Timestamp(it)] => time::rfc3339(*it),
        [Data::Ip(it)] => it.to_string(),
        [Data::Cidr(it)] => ip::network(*it),
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::text(text).into())
}

/// A double as Go's `%g` writes it: the exponent from 10²¹ on and below 10⁻⁴.
pub(super) fn double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let size = number.abs();
    if number == 0.0 || (1e-4..1e6).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

fn to_timestamp(arguments: &[Operand]) -> Outcome {
    let found = match take(arguments)? {
        [it @ Data::Timestamp(_)] => return Ok(it.clone().into()),
        [Data::Int(it)] => Timestamp { seconds: *it, nanoseconds: 0 },
        [Data::String(it)] => match time::read(it) {
            Some(timestamp) => timestamp,
            None => return Err(Fault::error(format!("`{it}` is not a timestamp"))),
        },
        _ => return Err(Fault::NoOverload),
    };
    Ok(Data::Timestamp(time::in_range(found)?).into())
}
