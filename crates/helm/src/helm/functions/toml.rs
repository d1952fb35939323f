//! TOML as the Go package BurntSushi/toml writes it, with places.

pub(super) mod read;

use std::rc::Rc;

use crate::helm::{
    convert::DEPTH,
    print::{printed, source, timed},
    text::{Builder, Source, Text},
    value::{Item, Kind, Val},
};

/// A value as TOML; the package's words where it cannot be written.
pub(super) fn toml(value: &Val) -> Result<Text, &'static str> {
    let mut writer = Writer { out: Builder::default(), nil_in_list: false };
    match &value.kind {
        Kind::Map(_) => writer.entries(value, &mut Vec::new()),
        Kind::List(items) if is_table_list(items) => {
            return Err("toml: top-level values must be Go maps or structs");
        }
        _ => writer.element(value, 0),
    }
    if writer.nil_in_list {
        return Err("toml: cannot encode array with nil element");
    }
    Ok(writer.out.finish())
}

/// Whether a value is written as tables of its own.
fn is_table(value: &Val) -> bool {
    match &value.kind {
        Kind::Map(_) => true,
        Kind::List(items) => is_table_list(items),
        _ => false,
    }
}

fn is_table_list(items: &[Val]) -> bool {
    !items.is_empty() && items.iter().all(|it| matches!(it.kind, Kind::Map(_)))
}

struct Writer {
    out: Builder,
    nil_in_list: bool,
}

impl Writer {
    /// The entries of a map: what has no table first. `path` is the map's own.
    fn entries(&mut self, map: &Val, path: &mut Vec<Rc<str>>) {
        let Kind::Map(map) = &map.kind else { return };
        if path.len() > DEPTH {
            return;
        }
        let (tables, plain) = sorted(map.entries());
        for (key, item) in plain {
            self.indent(path.len());
            self.key(&key, &item);
            self.out.push_made(" = ");
            self.element(&item.value, 0);
            self.out.push_made("\n");
        }
        if let Some(symbol) = map.rest() {
            self.indent(path.len());
            self.out.push_text(&Text::hole((*symbol).clone()));
            self.out.push_made("\n");
        }
        for (key, item) in tables {
            path.push(key);
            if let Kind::List(items) = &item.value.kind {
                for item in items.iter() {
                    self.head(path, ("[[", "]]"), true);
                    self.entries(item, path);
                }
            } else {
                self.head(path, ("[", "]"), path.len() == 1);
                self.entries(&item.value, path);
            }
            path.pop();
        }
    }

    fn indent(&mut self, depth: usize) {
        self.out.push_made(&"  ".repeat(depth));
    }

    /// The name of a table in brackets.
    fn head(&mut self, path: &[Rc<str>], (open, close): (&str, &str), is_apart: bool) {
        if is_apart && self.out.len() > 0 {
            self.out.push_made("\n");
        }
        self.indent(path.len() - 1);
        let names: Vec<String> = path.iter().map(|it| name(it)).collect();
        self.out.push_made(&format!("{open}{}{close}\n", names.join(".")));
    }

    fn key(&mut self, key: &str, item: &Item) {
        let span = item.key_span.filter(|it| it.range().len() == key.len());
        self.out.push(&name(key), &span.map_or(Source::Nowhere, Source::Made));
    }

    /// A value in a line.
    fn element(&mut self, value: &Val, depth: usize) {
        match &value.kind {
            _ if depth > DEPTH => {}
            Kind::Text(text) => self.text(text),
            Kind::Version(version) if !version.keeps_form => {
                self.text(&Text::new(version.printed(), source(value)));
            }
            Kind::Time(moment) => {
                self.out.push_text(&timed(**moment, "2006-01-02T15:04:05.999999999Z07:00"));
            }
            Kind::Float(number) => self.out.push(&float(*number), &source(value)),
            Kind::List(items) => {
                self.nil_in_list |= items.iter().any(Val::is_nil);
                self.out.push_made("[");
                for (at, item) in items.iter().enumerate() {
                    self.out.push_made(if at > 0 { ", " } else { "" });
                    self.element(item, depth + 1);
                }
                self.out.push_made("]");
            }
            Kind::Map(map) => {
                let (tables, plain) = sorted(map.entries());
                self.out.push_made("{");
                for (at, (key, item)) in plain.into_iter().chain(tables).enumerate() {
                    self.out.push_made(if at > 0 { ", " } else { "" });
                    self.key(&key, &item);
                    self.out.push_made(" = ");
                    self.element(&item.value, depth + 1);
                }
                self.out.push_made("}");
            }
            _ => self.out.push_printed(&printed(value), None),
        }
    }

    fn text(&mut self, text: &Text) {
        self.out.push_made("\"");
        let letters = text.as_str();
        let mut done = 0;
        for (at, letter) in letters.char_indices() {
            if let Some(escape) = escape(letter) {
                self.out.push_part(text, done..at);
                self.out.push_made(&escape);
                done = at + letter.len_utf8();
            }
        }
        self.out.push_part(text, done..letters.len());
        self.out.push_made("\"");
    }
}

type Entries = Vec<(Rc<str>, Item)>;

/// The entries with tables of their own, and the others; those that are nil are in neither.
fn sorted(entries: Entries) -> (Entries, Entries) {
    let entries = entries.into_iter().filter(|(_, it)| !it.value.is_nil());
    entries.partition(|(_, it)| is_table(&it.value))
}

fn name(key: &str) -> String {
    let plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(plain) {
        return key.to_owned();
    }
    let escaped: String =
        key.chars().map(|it| escape(it).unwrap_or_else(|| it.to_string())).collect();
    format!("\"{escaped}\"")
}

fn escape(letter: char) -> Option<String> {
    Some(match letter {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '\0'..='\x1f' | '\x7f' => format!("\\u{:04x}", u32::from(letter)),
        _ => return None,
    })
}

/// All digits, with a point in any case.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let text = format!("{number}");
    if text.contains('.') { text } else { format!("{text}.0") }
}
