//! Values as Go prints them: `%v`, `%q`, and numbers.

use std::fmt::Write;

use crate::{
    helm::{
        convert::DEPTH,
        layouts::Moment,
        text::{Builder, Source, Text},
        value::{Kind, Val},
    },
    value::Symbol,
};

/// A value as `{{ . }}` and `%v` print it; a text keeps its places, a value of the chart gets its own.
pub(crate) fn printed(value: &Val) -> Text {
    match &value.kind {
        Kind::Text(text) => text.clone(),
        Kind::Unknown(symbol) => Text::hole((**symbol).clone()),
        Kind::Time(moment) => timed(**moment, "2006-01-02 15:04:05.999999999 -0700 MST"),
        // Nobody prints one: it has addresses in it.
        Kind::Struct(it) => Text::hole(Symbol::of_installation(it.type_name)),
        Kind::Bytes(text) => Text::new(numbers(text), source(value)),
        Kind::List(_) | Kind::Map(_) => {
            let mut builder = Builder::default();
            write_nested(value, 0, &mut builder);
            builder.finish()
        }
        _ => Text::new(scalar(value), source(value)),
    }
}

/// A value as sprig makes text of it: bytes are that.
pub(crate) fn as_text(value: &Val) -> Text {
    match &value.kind {
        Kind::Bytes(text) => text.clone(),
        _ => printed(value),
    }
}

/// A moment by a layout, as far as it is known.
pub(crate) fn timed(moment: Moment, layout: &str) -> Text {
    match moment.printed(layout) {
        Some(text) => Text::new(text, Source::Nowhere),
        None => Text::hole(Symbol::of_installation("the time zone")),
    }
}

/// The bytes of a text as numbers.
fn numbers(text: &Text) -> String {
    let numbers: Vec<String> = text.as_str().bytes().map(|it| it.to_string()).collect();
    format!("[{}]", numbers.join(" "))
}

/// Where the text of a value is written.
pub(crate) fn source(value: &Val) -> Source {
    match &value.origin {
        Some(origin) => Source::Value(origin.clone(), origin.span),
        None => Source::Nowhere,
    }
}

fn scalar(value: &Val) -> String {
    match &value.kind {
        Kind::Nil | Kind::NilItem => "<nil>".to_owned(),
        Kind::Bool(it) => it.to_string(),
        Kind::Int(it) | Kind::Long(it) => it.to_string(),
        Kind::Float(it) => float(*it, 'g', None),
        Kind::Files(_) => "map[]".to_owned(),
        Kind::ApiVersions(versions) => versions.to_string(),
        // The struct of `.Capabilities.KubeVersion`, which only an action prints as a version.
        Kind::Version(version) if version.keeps_form => {
            let [major, minor, _] = version.numbers;
            format!("{{{} {major} {minor}}}", version.printed())
        }
        Kind::Version(version) => version.printed().to_owned(),
        Kind::Text(_)
        | Kind::Time(_)
        | Kind::Bytes(_)
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Struct(_)
        | Kind::Unknown(_) => String::new(),
    }
}

fn write_nested(value: &Val, depth: usize, to: &mut Builder) {
    match &value.kind {
        _ if depth > DEPTH => to.push_made("..."),
        Kind::List(items) => {
            to.push_made("[");
            for (at, item) in items.iter().enumerate() {
                to.push_made(if at > 0 { " " } else { "" });
                write_nested(item, depth + 1, to);
            }
            to.push_made("]");
        }
        Kind::Map(map) => {
            to.push_made("map[");
            for (at, (key, item)) in map.entries().into_iter().enumerate() {
                to.push_made(if at > 0 { " " } else { "" });
                to.push_made(&key);
                to.push_made(":");
                write_nested(&item.value, depth + 1, to);
            }
            if let Some(symbol) = map.rest() {
                to.push_text(&Text::hole((*symbol).clone()));
            }
            to.push_made("]");
        }
        _ => to.push_text(&printed(value)),
    }
}

/// A number by Go's `%e`, `%f` or `%g`, with as many digits as needed where none are asked for.
pub(crate) fn float(value: f64, verb: char, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    match (verb, precision) {
        ('f', Some(digits)) => format!("{value:.digits$}"),
        ('f', None) => format!("{value}"),
        ('e', Some(digits)) => exponent_of_two_digits(&format!("{value:.digits$e}")),
        ('e', None) => exponent_of_two_digits(&format!("{value:e}")),
        (_, None) => general(&format!("{value:e}"), None, value),
        (_, Some(digits)) => {
            let digits = digits.max(1);
            let text = format!("{value:.*e}", digits - 1);
            general(&text, Some(digits), value)
        }
    }
}

/// `%g`: with an exponent if that is below -4 or not below the precision, for which 6 counts where as many
/// digits are printed as are needed.
fn general(scientific: &str, precision: Option<usize>, value: f64) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let limit = precision.map_or(6, |it| i32::try_from(it).unwrap_or(i32::MAX));
    if exponent < -4 || exponent >= limit {
        return exponent_of_two_digits(&format!("{}e{exponent}", trim_zeros(mantissa)));
    }
    if precision.is_none() {
        return format!("{value}");
    }
    let decimals = usize::try_from(limit - 1 - exponent).unwrap_or(0);
    trim_zeros(&format!("{value:.decimals$}")).to_owned()
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Go writes an exponent with its sign and two digits at least.
fn exponent_of_two_digits(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once('e') else { return text.to_owned() };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// Text in quotes as `strconv.Quote` writes it: what is outside and between the letters that need an
/// escape keeps its places.
pub(crate) fn quoted(text: &Text) -> Text {
    let mut builder = Builder::default();
    builder.push_made("\"");
    let source = text.as_str();
    let mut done = 0;
    for (at, letter) in source.char_indices() {
        if let Some(escape) = escape(letter) {
            builder.push_part(text, done..at);
            builder.push_made(&escape);
            done = at + letter.len_utf8();
        }
    }
    builder.push_part(text, done..source.len());
    builder.push_made("\"");
    builder.finish()
}

fn escape(letter: char) -> Option<String> {
    Some(match letter {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        '\x07' => "\\a".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '\x0b' => "\\v".to_owned(),
        it if u32::from(it) < 0x20 || it == '\x7f' => {
            let mut text = String::new();
            let _ = write!(text, "\\x{:02x}", u32::from(it));
            text
        }
        it if (u32::from(it) >= 0x80 && u32::from(it) < 0xa1)
            || it == '\u{ad}'
            || it == '\u{feff}' =>
        {
            format!("\\u{:04x}", u32::from(it))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn numbers_print_as_in_go() {
        let cases = [
            (1_000_000.0, "1e+06"),
            (100_000.0, "100000"),
            (1_234_567.0, "1.234567e+06"),
            (0.00001, "1e-05"),
            (0.0001, "0.0001"),
            (1.5, "1.5"),
            (0.0, "0"),
            (-2.0, "-2"),
            (123_456_789.0, "1.23456789e+08"),
            (12_345_678_901_234_567_890.0, "1.2345678901234567e+19"),
        ];
        for (value, expected) in cases {
            assert_eq!(float(value, 'g', None), expected);
        }
        assert_eq!(float(2.555, 'f', Some(1)), "2.6");
    }
}
