//! `format`: values in a text.

use crate::cel::{
    data::{Data, Operand, Outcome, take},
    fault::Fault,
    library::time,
    native::{MOST_BYTES, Native},
};

/// `format`.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[("format", format)];

fn format(arguments: &[Operand]) -> Outcome {
    let [Data::String(text), Data::List(list)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let mut values = list.all()?.into_iter();
    let mut count = 0;
    let mut result = String::new();
    let mut rest = &**text;
    while let Some(at) = rest.find('%') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            result.push('%');
            rest = after;
            continue;
        }
        let (precision, after) = precision(rest)?;
        let clause = after.chars().next();
        let clause = clause.ok_or_else(|| Fault::error("unexpected end of format string"))?;
        rest = &after[clause.len_utf8()..];
        if !"sdfeboxX".contains(clause) {
            let message = format!(
                "could not parse formatting clause: unrecognized formatting clause \"{clause}\""
            );
            return Err(Fault::error(message));
        }
        let value = values.next();
        let value = value.ok_or_else(|| Fault::error(format!("index {count} out of range")))?;
        count += 1;
        write(clause, precision, &value.data, &mut result)?;
        if result.len() > MOST_BYTES {
            return Err(Fault::TooCostly);
        }
    }
    result.push_str(rest);
    Ok(Data::text(result).into())
}

/// The number behind a dot, and what follows.
fn precision(text: &str) -> Result<(Option<usize>, &str), Fault> {
    let Some(rest) = text.strip_prefix('.') else { return Ok((None, text)) };
    let end = rest.find(|it: char| !it.is_ascii_digit());
    let end = end.ok_or_else(|| Fault::error("could not find end of precision specifier"))?;
    let number = rest[..end].parse().ok().filter(|it| *it <= 1000);
    let number =
        number.ok_or_else(|| Fault::error("error while converting precision to integer"))?;
    Ok((Some(number), &rest[end..]))
}

fn write(
    clause: char,
    precision: Option<usize>,
    data: &Data,
    to: &mut String,
) -> Result<(), Fault> {
    let text = match (clause, data) {
        ('s', data) => return write_text(data, to),
        ('d', Data::Int(it)) => it.to_string(),
        ('d', Data::Uint(it)) => it.to_string(),
        ('d', Data::Double(it)) => double(*it),
        ('f' | 'e', Data::Int(_) | Data::Uint(_) | Data::Double(_)) => {
            let number = number(data);
            let precision = precision.unwrap_or(6);
            match clause {
                _ if !number.is_finite() => double(number),
                'f' => format!("{number:.precision$}"),
                _ => scientific(number, precision),
            }
        }
        ('b', Data::Bool(it)) => i32::from(*it).to_string(),
        ('b' | 'o' | 'x' | 'X', Data::Int(it)) => {
            let sign = if *it < 0 { "-" } else { "" };
            format!("{sign}{}", radix(clause, it.unsigned_abs()))
        }
        ('b' | 'o' | 'x' | 'X', Data::Uint(it)) => radix(clause, *it),
        ('x' | 'X', Data::String(it)) => hex(clause, it.as_bytes()),
        ('x' | 'X', Data::Bytes(it)) => hex(clause, it),
        _ => return Err(wrong(clause, data)),
    };
    to.push_str(&text);
    Ok(())
}

fn wrong(clause: char, data: &Data) -> Fault {
    let wants = match clause {
        's' => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        }
        'd' => "decimal clause can only be used on ints, uints, and doubles",
        'f' => "fixed-point clause can only be used on ints, uints, and doubles",
        'e' => "scientific clause can only be used on ints, uints, and doubles",
        'b' => "only ints, uints, and bools can be formatted as binary",
        'o' => "octal clause can only be used on ints and uints",
        _ => "only ints, uints, bytes, and strings can be formatted as hex",
    };
    Fault::error(format!("error during formatting: {wants}, was given {}", data.type_name()))
}

#[expect(clippy::cast_precision_loss, reason = "Go prints whole numbers so, too")]
fn number(data: &Data) -> f64 {
    match data {
        Data::Int(it) => *it as f64,
        Data::Uint(it) => *it as f64,
        Data::Double(it) => *it,
        _ => 0.0,
    }
}

fn radix(clause: char, number: u64) -> String {
    match clause {
        'b' => format!("{number:b}"),
        'o' => format!("{number:o}"),
        'x' => format!("{number:x}"),
        _ => format!("{number:X}"),
    }
}

fn hex(clause: char, bytes: &[u8]) -> String {
    bytes.iter().flat_map(|it| [it >> 4, it & 15]).map(|it| radix(clause, it.into())).collect()
}

fn double(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number.to_string()
    }
}

/// `1.50e+02`
fn scientific(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// `%s`
fn write_text(data: &Data, to: &mut String) -> Result<(), Fault> {
    match data {
        Data::Null => to.push_str("null"),
        Data::Bool(it) => to.push_str(&it.to_string()),
        Data::Int(it) => to.push_str(&it.to_string()),
        Data::Uint(it) => to.push_str(&it.to_string()),
        Data::Double(it) => to.push_str(&double(*it)),
        Data::String(it) | Data::Type(it) => to.push_str(it),
        Data::Bytes(it) => to.push_str(&String::from_utf8_lossy(it)),
        Data::Duration(it) => to.push_str(&time::duration(*it)),
        Data::Timestamp(it) => to.push_str(&time::rfc3339(*it)),
        Data::List(list) => {
            to.push('[');
            for (index, item) in list.all()?.iter().enumerate() {
                to.push_str(if index > 0 { ", " } else { "" });
                write_text(&item.data, to)?;
                if to.len() > MOST_BYTES {
                    return Err(Fault::TooCostly);
                }
            }
            to.push(']');
        }
        Data::Map(map) => {
            let mut entries = Vec::new();
            for (key, value) in map.all()? {
                let (mut first, mut second) = (String::new(), String::new());
                write_text(&key.data, &mut first)?;
                write_text(&value.data, &mut second)?;
                entries.push(format!("{first}: {second}"));
            }
            entries.sort();
            to.push('{');
            to.push_str(&entries.join(", "));
            to.push('}');
        }
        other => return Err(wrong('s', other)),
    }
    Ok(())
}
