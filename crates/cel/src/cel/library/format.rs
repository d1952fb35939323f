//! `format`: values in a text, as version 2 of cel-go's strings writes them, which every Kubernetes has
//! (`ext/formatting.go` of cel-go, `pkg/cel/environment/base.go` of k8s.io/apiserver 0.29 to 0.37).

mod number;
mod nested;

use crate::cel::{
    data::{Data, Operand, Outcome, take},
    fault::Fault,
    library::{convert, format::nested::write_nested, time},
    native::{MOST_BYTES, Native},
};

/// `format`.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[("format", format)];

/// What a format says to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// This text.
    Text(&'t str),
    /// The next value, in the way of that letter; a precision may be given.
    Value(char, Option<usize>),
}

/// The pieces of a format.
///
/// # Errors
/// What is wrong, once the pieces before it are read.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Result<Piece<'_>, String>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.filter(|it| !it.is_empty())?;
        let Some(clause) = text.strip_prefix('%') else {
            let end = text.find('%').unwrap_or(text.len());
            rest = text.get(end..);
            return Some(Ok(Piece::Text(&text[..end])));
        };
        if let Some(after) = clause.strip_prefix('%') {
            rest = Some(after);
            return Some(Ok(Piece::Text("%")));
        }
        let found = value(clause);
        rest = found.as_ref().ok().map(|it| it.1);
        Some(found.map(|it| it.0))
    })
}

/// What follows a percent sign, and the rest.
fn value(text: &str) -> Result<(Piece<'_>, &str), String> {
    let (precision, after) = precision(text)?;
    let letter = after.chars().next().ok_or("unexpected end of string")?;
    if !"sdfeboxX".contains(letter) {
        return Err(format!("unrecognized formatting clause \"{letter}\""));
    }
    Ok((Piece::Value(letter, precision), &after[letter.len_utf8()..]))
}

/// The number behind a dot, and what follows.
fn precision(text: &str) -> Result<(Option<usize>, &str), String> {
    let Some(rest) = text.strip_prefix('.') else { return Ok((None, text)) };
    let end = rest.find(|it: char| !it.is_ascii_digit());
    let end = end.ok_or("could not find end of precision specifier")?;
    let number = rest[..end].parse().ok().filter(|it| *it <= 1000);
    let number = number.ok_or("error while converting precision to integer")?;
    Ok((Some(number), &rest[end..]))
}

fn format(arguments: &[Operand]) -> Outcome {
    let [Data::String(text), Data::List(list)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let mut values = list.all()?.into_iter();
    let mut count = 0;
    let mut result = String::new();
    for piece in pieces(text) {
        match piece.map_err(Fault::error)? {
            Piece::Text(text) => result.push_str(text),
            Piece::Value(letter, precision) => {
                let value = values.next();
                let missing = || Fault::error(format!("index {count} out of range"));
                write(letter, precision, &value.ok_or_else(missing)?.data, &mut result)?;
                count += 1;
            }
        }
        if result.len() > MOST_BYTES {
            return Err(Fault::TooCostly);
        }
    }
    Ok(Data::text(result).into())
}

fn write(
    letter: char,
    precision: Option<usize>,
    data: &Data,
    to: &mut String,
) -> Result<(), Fault> {
    let text = match (letter, data) {
        ('s', data) => return write_text(data, to),
        ('d', Data::Int(it)) => it.to_string(),
        ('d', Data::Uint(it)) => it.to_string(),
        ('f', data) => number::fixed(double(letter, data)?, precision.unwrap_or(6)),
        ('e', data) => number::scientific(double(letter, data)?, precision.unwrap_or(6)),
        ('b', Data::Bool(it)) => i32::from(*it).to_string(),
        ('b' | 'o' | 'x' | 'X', Data::Int(it)) => {
            let sign = if *it < 0 { "-" } else { "" };
            format!("{sign}{}", radix(letter, it.unsigned_abs()))
        }
        ('b' | 'o' | 'x' | 'X', Data::Uint(it)) => radix(letter, *it),
        ('x' | 'X', Data::String(it)) => hex(letter, it.as_bytes()),
        ('x' | 'X', Data::Bytes(it)) => hex(letter, it),
        _ => return Err(Fault::error(wrong(letter, data.type_name()))),
    };
    to.push_str(&text);
    Ok(())
}

/// The number of `%f` and `%e`, which take some names of numbers, too.
fn double(letter: char, data: &Data) -> Result<f64, Fault> {
    match data {
        Data::Double(it) => Ok(*it),
        Data::String(it) if &**it == "NaN" => Ok(f64::NAN),
        Data::String(it) if &**it == "Infinity" => Ok(f64::INFINITY),
        Data::String(it) if &**it == "-Infinity" => Ok(f64::NEG_INFINITY),
        _ => Err(Fault::error(wrong(letter, data.type_name()))),
    }
}

/// What is said of a value of a type that a letter does not take.
#[must_use]
pub(crate) fn wrong(letter: char, given: &str) -> String {
    let wants = match letter {
        's' => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        }
        'd' => "decimal clause can only be used on integers",
        'f' => "fixed-point clause can only be used on doubles",
        'e' => "scientific clause can only be used on doubles",
        'b' => "only integers and bools can be formatted as binary",
        'o' => "octal clause can only be used on integers",
        _ => "only integers, byte buffers, and strings can be formatted as hex",
    };
    format!("error during formatting: {wants}, was given {given}")
}

fn radix(letter: char, number: u64) -> String {
    match letter {
        'b' => format!("{number:b}"),
        'o' => format!("{number:o}"),
        'x' => format!("{number:x}"),
        _ => format!("{number:X}"),
    }
}

fn hex(letter: char, bytes: &[u8]) -> String {
    bytes.iter().flat_map(|it| [it >> 4, it & 15]).map(|it| radix(letter, it.into())).collect()
}

/// `%s`
fn write_text(data: &Data, to: &mut String) -> Result<(), Fault> {
    match data {
        Data::Null => to.push_str("null"),
        Data::Bool(it) => to.push_str(&it.to_string()),
        Data::Int(it) => to.push_str(&it.to_string()),
        Data::Uint(it) => to.push_str(&it.to_string()),
        Data::Double(it) => to.push_str(&convert::double(*it)),
        Data::String(it) | Data::Type(it) => to.push_str(it),
        Data::Bytes(it) => match str::from_utf8(it) {
            Ok(text) => to.push_str(text),
            Err(_) => return Err(Fault::error("invalid UTF-8 in bytes, cannot convert to string")),
        },
        Data::Duration(it) => to.push_str(&time::duration(*it)),
        Data::Timestamp(it) => to.push_str(&time::rfc3339(*it)),
        Data::List(_) | Data::Map(_) => return write_nested(data, to),
        other => return Err(Fault::error(wrong('s', other.type_name()))),
    }
    Ok(())
}
