//! YAML as `sigs.k8s.io/yaml` writes it, which is go-yaml version 2 over sorted JSON. Scalars keep their places.

mod scalar;

use std::rc::Rc;

use crate::{
    helm::{
        capabilities,
        convert::DEPTH,
        emit::scalar::{Style, style},
        json::version_fields,
        print::{float, source, timed},
        text::{Builder, Source, Text},
        value::{Item, Kind, Val},
    },
    source::Span,
};

/// Lines are folded at the first blank behind this column.
const WIDTH: usize = 80;

/// A value as YAML, without the last line break.
pub(crate) fn yaml(value: &Val) -> Text {
    emitted(value, false)
}

/// The same as go-yaml version 3 writes it: lists indented, no line folded, numbers as Go prints them.
pub(crate) fn pretty_yaml(value: &Val) -> Text {
    emitted(value, true)
}

fn emitted(value: &Val, pretty: bool) -> Text {
    let mut emitter = Emitter { out: Builder::default(), column: 0, fresh: true, pretty };
    emitter.node(value, -1, Place::Root, 0);
    let text = emitter.out.finish();
    let end = text.as_str().strip_suffix('\n').map_or(text.len(), str::len);
    text.slice(0..end)
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Root,
    Value,
    Item,
}

struct Emitter {
    out: Builder,
    column: usize,
    /// Whether the line has nothing but indentation and dashes.
    fresh: bool,
    /// Whether it is as version 3 writes it.
    pretty: bool,
}

impl Emitter {
    fn made(&mut self, text: &str) {
        self.out.push_made(text);
        self.column += text.chars().count();
    }

    fn line_break(&mut self) {
        self.out.push_made("\n");
        self.column = 0;
        self.fresh = true;
    }

    /// A line of its own at an indentation, unless the line has only dashes so far.
    fn indent(&mut self, indent: usize) {
        if !self.fresh || self.column > indent {
            self.line_break();
        }
        while self.column < indent {
            self.made(" ");
        }
    }

    fn node(&mut self, value: &Val, indent: i32, place: Place, depth: usize) {
        if depth > DEPTH {
            self.word("null", &Source::Nowhere);
            return;
        }
        match &value.kind {
            Kind::List(items) if items.is_nil() => self.word("null", &source(value)),
            Kind::List(items) if items.is_empty() => self.word("[]", &source(value)),
            Kind::List(items) => {
                let is_flat = place == Place::Value && !self.pretty;
                let indent = if is_flat { indent.max(0) } else { deeper(indent) };
                self.list(items, indent, depth);
            }
            Kind::Map(map) => {
                let entries = map.entries();
                match map.rest() {
                    None if entries.is_empty() => self.word("{}", &source(value)),
                    rest => self.map(&entries, rest.as_deref(), deeper(indent), depth),
                }
            }
            Kind::Version(version) if version.keeps_form => {
                self.node(&version_fields(version), indent, place, depth);
            }
            Kind::Struct(it) => self.node(&it.as_map(), indent, place, depth),
            Kind::Time(moment) => {
                let text = timed(**moment, "2006-01-02T15:04:05.999999999Z07:00");
                if self.pretty
                    && let Some(text) = text.known()
                {
                    self.word(text, &Source::Nowhere);
                } else {
                    self.text(&text, scalar_indent(indent), false);
                }
            }
            Kind::Text(text) => self.text(text, scalar_indent(indent), false),
            Kind::Unknown(symbol) => {
                let hole = Text::hole((**symbol).clone());
                self.space();
                self.out.push_text(&hole);
                self.column += 2;
                self.fresh = false;
            }
            Kind::Files(files) => {
                let entries: Vec<(Rc<str>, Item)> = files
                    .iter()
                    .map(|(path, text)| {
                        let value = Kind::Text(text.clone()).into();
                        (path.clone(), Item { key_span: None, value })
                    })
                    .collect();
                self.map(&entries, None, deeper(indent), depth);
            }
            Kind::Float(it) if self.pretty => self.word(&float(*it, 'g', None), &source(value)),
            Kind::ApiVersions(versions) => {
                self.node(&capabilities::list(versions), indent, place, depth);
            }
            _ => self.word(&number_or_word(value), &source(value)),
        }
    }

    fn list(&mut self, items: &[Val], indent: i32, depth: usize) {
        for item in items {
            self.indent(usize::try_from(indent).unwrap_or(0));
            self.made("-");
            self.fresh = true;
            self.node(item, indent, Place::Item, depth + 1);
            self.end_line();
        }
    }

    fn map(
        &mut self,
        entries: &[(Rc<str>, Item)],
        rest: Option<&crate::value::Symbol>,
        indent: i32,
        depth: usize,
    ) {
        let mut entries: Vec<&(Rc<str>, Item)> = entries.iter().collect();
        entries.sort_by(|(a, _), (b, _)| natural(a, b));
        let left = usize::try_from(indent).unwrap_or(0);
        for (key, item) in entries {
            self.indent(left);
            self.key(key, item.key_span, indent);
            self.made(":");
            self.fresh = false;
            self.node(&item.value, indent, Place::Value, depth + 1);
            self.end_line();
        }
        if let Some(symbol) = rest {
            self.indent(left);
            self.out.push_text(&Text::hole(symbol.clone()));
            self.column += 2;
            self.fresh = false;
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        if self.column > 0 {
            self.line_break();
        }
    }

    fn key(&mut self, key: &Rc<str>, span: Option<Span>, indent: i32) {
        let source = match span {
            Some(span) if span.range().len() == key.len() => Source::Written(span),
            Some(span) => Source::Made(span),
            None => Source::Nowhere,
        };
        let text = Text::new(key.clone(), source);
        if key.len() > 128 || key.contains(scalar::is_break) {
            self.made("?");
            self.text(&text, scalar_indent(indent), false);
            self.indent(usize::try_from(indent).unwrap_or(0));
            return;
        }
        // The dash of a list, if any, wants a blank behind it, which `text` gives.
        let at_indent = self.column > 0 && !self.out.as_str().ends_with('-');
        let unspaced = self.column == 0 || at_indent;
        self.scalar(&text, scalar_indent(indent), true, unspaced);
    }

    fn space(&mut self) {
        let spaced = self.column == 0 || self.out.as_str().ends_with(' ');
        if !spaced {
            self.made(" ");
        }
    }

    fn word(&mut self, word: &str, source: &Source) {
        self.space();
        self.out.push(word, source);
        self.column += word.chars().count();
        self.fresh = false;
    }

    fn text(&mut self, text: &Text, indent: usize, is_key: bool) {
        self.scalar(text, indent, is_key, false);
    }

    fn scalar(&mut self, text: &Text, indent: usize, is_key: bool, unspaced: bool) {
        if !unspaced {
            self.space();
        }
        self.fresh = false;
        match style(text.as_str(), is_key) {
            Style::Plain => self.folded(text, indent, is_key, None),
            Style::Single => {
                self.made("'");
                self.folded(text, indent, is_key, Some('\''));
                self.made("'");
            }
            Style::Double => self.double(text, indent, is_key),
            Style::Literal => self.literal(text, indent),
        }
    }

    /// Plain text, or the inside of single quotes: folded at blanks, quotes doubled.
    fn folded(&mut self, text: &Text, indent: usize, is_key: bool, quote: Option<char>) {
        let source = text.as_str();
        let mut spaces = false;
        let mut breaks = false;
        // What is not written yet begins here.
        let mut from = 0;
        let mut letters = source.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            let end = at + letter.len_utf8();
            let next = letters.peek().map(|(_, it)| *it);
            if letter == ' ' {
                let inside = quote.is_none() || (at > 0 && end < source.len());
                if !is_key
                    && !self.pretty
                    && !spaces
                    && self.column > WIDTH
                    && inside
                    && next != Some(' ')
                {
                    self.out.push_part(text, from..at);
                    self.fold(indent);
                    from = end;
                } else {
                    self.column += 1;
                }
                spaces = true;
            } else if letter == '\n' {
                self.out.push_part(text, from..at);
                from = end;
                if !breaks {
                    self.line_break();
                }
                self.line_break();
                breaks = true;
            } else {
                if breaks {
                    self.fold(indent);
                }
                if Some(letter) == quote {
                    self.out.push_part(text, from..at);
                    self.made("'");
                    from = at;
                }
                self.column += 1;
                spaces = false;
                breaks = false;
            }
        }
        self.out.push_part(text, from..source.len());
    }

    /// A line break and the indentation.
    fn fold(&mut self, indent: usize) {
        if self.column > 0 {
            self.line_break();
        }
        self.made(&" ".repeat(indent));
        self.fresh = false;
    }

    fn double(&mut self, text: &Text, indent: usize, is_key: bool) {
        self.made("\"");
        let source = text.as_str();
        let mut spaces = false;
        let mut from = 0;
        for (at, letter) in source.char_indices() {
            let end = at + letter.len_utf8();
            if let Some(escape) = scalar::escape(letter) {
                self.out.push_part(text, from..at);
                self.made(&escape);
                from = end;
                spaces = false;
            } else if letter == ' ' {
                let inside = at > 0 && end < source.len();
                if !is_key && !spaces && self.column > WIDTH && inside {
                    self.out.push_part(text, from..at);
                    self.fold(indent);
                    from = end;
                    if source.get(end..).is_some_and(|it| it.starts_with(' ')) {
                        self.made("\\");
                    }
                } else {
                    self.column += 1;
                }
                spaces = true;
            } else {
                self.column += 1;
                spaces = false;
            }
        }
        self.out.push_part(text, from..source.len());
        self.made("\"");
    }

    fn literal(&mut self, text: &Text, indent: usize) {
        let source = text.as_str();
        self.made("|");
        if source.starts_with([' ', '\n']) {
            self.made("2");
        }
        match source.strip_suffix('\n') {
            None => self.made("-"),
            Some(before) if before.is_empty() || before.ends_with('\n') => self.made("+"),
            Some(_) => {}
        }
        self.line_break();
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            if !content.is_empty() {
                self.made(&" ".repeat(indent));
                self.out.push_part(text, at..at + content.len());
                self.column += content.chars().count();
                self.fresh = false;
            }
            if content.len() < line.len() {
                self.line_break();
            }
            at += line.len();
        }
    }
}

fn deeper(indent: i32) -> i32 {
    if indent < 0 { 0 } else { indent + 2 }
}

fn scalar_indent(indent: i32) -> usize {
    usize::try_from(if indent < 0 { 2 } else { indent + 2 }).unwrap_or(2)
}

fn number_or_word(value: &Val) -> String {
    match &value.kind {
        Kind::Bool(it) => it.to_string(),
        Kind::Int(it) | Kind::Long(it) => it.to_string(),
        Kind::Float(it) if it.fract() == 0.0 && it.abs() < 1.8e19 => format!("{}", it + 0.0),
        Kind::Float(it) => float(*it, 'g', None),
        Kind::Version(version) => version.printed().to_owned(),
        _ => "null".to_owned(),
    }
}

/// The order of go-yaml: letters by themselves, digits as numbers.
fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    scalar::natural(a, b)
}
