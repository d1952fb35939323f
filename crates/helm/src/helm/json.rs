//! JSON as Go's `encoding/json` writes it, with places.

use std::rc::Rc;

use crate::helm::{
    capabilities,
    convert::DEPTH,
    print::{float, source, timed},
    semver::Semver,
    text::{Builder, Source, Text},
    value::{Field, Kind, Struct, Val},
};

/// How JSON is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Over lines, with two blanks for each level.
    pub pretty: bool,
    /// Whether `<`, `>` and `&` are escaped.
    pub html: bool,
}

/// A value as JSON.
pub(crate) fn json(value: &Val, form: Form) -> Text {
    let mut out = Builder::default();
    write(value, form, 0, &mut out);
    out.finish()
}

fn write(value: &Val, form: Form, depth: usize, out: &mut Builder) {
    match &value.kind {
        _ if depth > DEPTH => out.push_made("null"),
        Kind::List(items) if items.is_nil() => out.push("null", &source(value)),
        Kind::List(items) if items.is_empty() => out.push("[]", &source(value)),
        Kind::List(items) => {
            out.push_made("[");
            for (at, item) in items.iter().enumerate() {
                separate(at, form, depth + 1, out);
                write(item, form, depth + 1, out);
            }
            close(form, depth, "]", out);
        }
        Kind::Map(map) => {
            let entries = map.entries();
            if entries.is_empty() && map.rest().is_none() {
                out.push("{}", &source(value));
                return;
            }
            out.push_made("{");
            for (at, (key, item)) in entries.iter().enumerate() {
                separate(at, form, depth + 1, out);
                let span = item.key_span.filter(|it| it.range().len() == key.len());
                let place = span.map_or(Source::Nowhere, Source::Written);
                text(&Text::new(Rc::clone(key), place), form, out);
                out.push_made(if form.pretty { ": " } else { ":" });
                write(&item.value, form, depth + 1, out);
            }
            if let Some(symbol) = map.rest() {
                separate(entries.len(), form, depth + 1, out);
                out.push_text(&Text::hole((*symbol).clone()));
            }
            close(form, depth, "}", out);
        }
        Kind::Struct(it) => fields(it, form, depth, out),
        Kind::Text(it) => text(it, form, out),
        Kind::Unknown(symbol) => out.push_text(&Text::hole((**symbol).clone())),
        Kind::Nil | Kind::NilItem => out.push("null", &source(value)),
        Kind::Bool(it) => out.push(&it.to_string(), &source(value)),
        Kind::Int(it) | Kind::Long(it) => out.push(&it.to_string(), &source(value)),
        Kind::Float(it) => out.push(&number(*it), &source(value)),
        Kind::Time(moment) => {
            text(&timed(**moment, "2006-01-02T15:04:05.999999999Z07:00"), form, out);
        }
        Kind::Bytes(it) => {
            use base64::Engine;
            let made = base64::engine::general_purpose::STANDARD.encode(it.as_str());
            text(&it.replaced_by(made), form, out);
        }
        Kind::Version(version) if version.keeps_form => {
            write(&version_fields(version), form, depth, out);
        }
        Kind::Version(version) => text(&Text::new(version.printed(), Source::Nowhere), form, out),
        Kind::ApiVersions(versions) => write(&capabilities::list(versions), form, depth, out),
        Kind::Files(_) => out.push_made("{}"),
    }
}

/// The fields of a struct.
fn fields(it: &Struct, form: Form, depth: usize, out: &mut Builder) {
    out.push_made("{");
    for (at, (key, item)) in it.entries().enumerate() {
        separate(at, form, depth + 1, out);
        text(&Text::new(key, Source::Nowhere), form, out);
        out.push_made(if form.pretty { ": " } else { ":" });
        write(item, form, depth + 1, out);
    }
    close(form, depth, "}", out);
}

/// What `.Capabilities.KubeVersion` has.
pub(crate) fn version_fields(version: &Semver) -> Val {
    let [major, minor, _] = version.numbers;
    let entries = [
        ("Version", version.printed().to_owned()),
        ("Major", major.to_string()),
        ("Minor", minor.to_string()),
    ];
    let field = |(name, text): (&'static str, String)| Field {
        name,
        json: name,
        omit_empty: false,
        value: Val::text(text),
    };
    let fields = entries.map(field).into();
    Kind::Struct(Rc::new(Struct { type_name: "chartutil.KubeVersion", fields })).into()
}

fn separate(at: usize, form: Form, depth: usize, out: &mut Builder) {
    out.push_made(if at > 0 { "," } else { "" });
    if form.pretty {
        out.push_made("\n");
        out.push_made(&"  ".repeat(depth));
    }
}

fn close(form: Form, depth: usize, bracket: &str, out: &mut Builder) {
    if form.pretty {
        out.push_made("\n");
        out.push_made(&"  ".repeat(depth));
    }
    out.push_made(bracket);
}

/// A number: plain unless it is very large or very small.
fn number(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        // Go writes `1e-09` as `1e-9`.
        return float(value, 'e', None).replace("e-0", "e-");
    }
    format!("{}", value + 0.0)
}

fn text(text: &Text, form: Form, out: &mut Builder) {
    out.push_made("\"");
    let letters = text.as_str();
    let mut done = 0;
    for (at, letter) in letters.char_indices() {
        let escape = match letter {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '\x08' => "\\b".to_owned(),
            '\x0c' => "\\f".to_owned(),
            '<' | '>' | '&' if form.html => format!("\\u{:04x}", u32::from(letter)),
            '\u{2028}' | '\u{2029}' | '\0'..='\x1f' => format!("\\u{:04x}", u32::from(letter)),
            _ => continue,
        };
        out.push_part(text, done..at);
        out.push_made(&escape);
        done = at + letter.len_utf8();
    }
    out.push_part(text, done..letters.len());
    out.push_made("\"");
}
