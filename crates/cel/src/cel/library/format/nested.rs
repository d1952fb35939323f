//! Lists and mappings in a text: as one would write them in an expression.

use crate::cel::{
    data::{Data, ListData, MapData},
    fault::Fault,
    library::{convert, time},
    native::MOST_BYTES,
};

/// Writes a value that is in a list or mapping, or is one.
pub(super) fn write_nested(data: &Data, to: &mut String) -> Result<(), Fault> {
    match data {
        Data::Null => to.push_str("null"),
        Data::Bool(it) => to.push_str(&it.to_string()),
        Data::Int(it) => to.push_str(&it.to_string()),
        Data::Uint(it) => to.push_str(&it.to_string()),
        Data::Double(it) if it.is_finite() => to.push_str(&six_digits(*it)),
        Data::Double(it) => to.push_str(&quoted(&convert::double(*it))),
        Data::String(it) => to.push_str(&quoted(it)),
        Data::Type(it) => to.push_str(it),
        Data::Bytes(it) => {
            to.push('b');
            to.push_str(&quoted(&String::from_utf8_lossy(it)));
        }
        Data::Duration(it) => to.push_str(&["duration(\"", &time::duration(*it), "\")"].concat()),
        Data::Timestamp(it) => to.push_str(&["timestamp(\"", &time::rfc3339(*it), "\")"].concat()),
        Data::List(list) => return write_list(list, to),
        Data::Map(map) => return write_map(map, to),
        other => {
            let message = format!("no formatting function for {}", other.type_name());
            return Err(Fault::error(message));
        }
    }
    Ok(())
}

fn write_list(list: &ListData, to: &mut String) -> Result<(), Fault> {
    to.push('[');
    for (index, item) in list.all()?.iter().enumerate() {
        to.push_str(if index > 0 { ", " } else { "" });
        write_nested(&item.data, to)?;
        if to.len() > MOST_BYTES {
            return Err(Fault::TooCostly);
        }
    }
    to.push(']');
    Ok(())
}

/// The entries are in the order of their keys as they are written.
fn write_map(map: &MapData, to: &mut String) -> Result<(), Fault> {
    let mut entries = Vec::new();
    for (key, value) in map.all()? {
        if !matches!(key.data, Data::String(_) | Data::Bool(_) | Data::Int(_) | Data::Uint(_)) {
            let message = format!("no formatting function for map key of {}", key.data.type_name());
            return Err(Fault::error(message));
        }
        let (mut first, mut second) = (String::new(), String::new());
        write_nested(&key.data, &mut first)?;
        write_nested(&value.data, &mut second)?;
        entries.push((first, second));
    }
    entries.sort();
    let entries: Vec<String> =
        entries.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    to.push('{');
    to.push_str(&entries.join(", "));
    to.push('}');
    Ok(())
}

/// A text between quotes as Go writes it.
fn quoted(text: &str) -> String {
    let mut found = String::from("\"");
    for it in text.chars() {
        match it {
            '"' | '\\' => found.extend(['\\', it]),
            '\u{7}' => found.push_str("\\a"),
            '\u{8}' => found.push_str("\\b"),
            '\u{c}' => found.push_str("\\f"),
            '\n' => found.push_str("\\n"),
            '\r' => found.push_str("\\r"),
            '\t' => found.push_str("\\t"),
            '\u{b}' => found.push_str("\\v"),
            _ if u32::from(it) < 0x20 || it == '\u{7f}' => {
                found.push_str(&hexadecimal('x', 2, it));
            }
            _ if is_printed(it) => found.push(it),
            _ if u32::from(it) < 0x1_0000 => found.push_str(&hexadecimal('u', 4, it)),
            _ => found.push_str(&hexadecimal('U', 8, it)),
        }
    }
    found.push('"');
    found
}

/// Whether a character is written as it is. Behind a letter, those that join with it are, too.
fn is_printed(it: char) -> bool {
    let text = String::from_iter(['a', it]);
    text.escape_debug().count() == 2
}

/// A character as a backslash, a letter and so many hexadecimal digits.
fn hexadecimal(letter: char, digits: usize, it: char) -> String {
    format!("\\{letter}{:0digits$x}", u32::from(it))
}

/// A number with six digits behind the point.
fn six_digits(number: f64) -> String {
    format!("{number:.6}")
}
