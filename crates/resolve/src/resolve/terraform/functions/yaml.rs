//! Writing YAML as `yamlencode` does: keys sorted, text quoted or in literal blocks, lists not indented.
//!
//! The style is that of the emitter Terraform uses: long quoted text is folded behind column 80, text of
//! several lines is a block where its characters allow it.

use std::fmt::Write;

use crate::{
    resolve::terraform::functions::{
        assemble::{Assembly, Segment, segments},
        digits, scalar,
    },
    value::{Entry, HOLE_START, Kind, Text, Value},
};

/// The YAML of a value; what is not known becomes a hole.
#[must_use]
pub(super) fn encode(value: &Value) -> Text {
    let mut writer = YamlWriter::default();
    match &value.kind {
        Kind::List(list) if !list.items.is_empty() => writer.node(value, 0, NodeStart::Line),
        Kind::Map(map) if !map.entries.is_empty() => writer.node(value, 0, NodeStart::Line),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => {
            writer.node(value, 0, NodeStart::Line);
            writer.plain("\n...", value);
        }
        _ => writer.node(value, 0, NodeStart::Line),
    }
    writer.end_line(value);
    writer.result.computed()
}

/// Where a node begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeStart {
    /// At the beginning of a line, or behind `- `.
    Line,
    /// Behind `key:`, where a collection starts a new line.
    Key,
}

#[derive(Default)]
struct YamlWriter {
    result: Assembly,
    /// Characters since the last line break.
    column: usize,
    /// Whether the last thing written was a line break.
    fresh: bool,
}

impl YamlWriter {
    /// Writes a node of a collection that is indented by `indent`.
    fn node(&mut self, value: &Value, indent: usize, place: NodeStart) {
        let scalar_space = if place == NodeStart::Key { " " } else { "" };
        match &value.kind {
            Kind::List(list) if !list.items.is_empty() => {
                self.list(&list.items, value, indent, place);
            }
            Kind::Map(map) if !map.entries.is_empty() => {
                let entries = sorted(&map.entries);
                self.map(&entries, value, indent, place);
            }
            kind => {
                self.plain(scalar_space, value);
                match kind {
                    Kind::Bool(true) => self.plain("true", value),
                    Kind::Bool(false) => self.plain("false", value),
                    Kind::Number(number) => match digits::number_text(*number) {
                        Some(text) => self.plain(&text, value),
                        None => self.hole(&scalar::inexact(*number), value),
                    },
                    Kind::String(text) => self.text(text, value, indent + 2),
                    Kind::Unknown(symbol) => self.hole(symbol, value),
                    Kind::List(list) => self.open(list.rest.as_ref(), "[]", value),
                    Kind::Map(map) => self.open(map.rest.as_ref(), "{}", value),
                    Kind::Null => self.plain("null", value),
                }
                return;
            }
        }
        let rest = match &value.kind {
            Kind::List(list) => list.rest.as_ref(),
            Kind::Map(map) => map.rest.as_ref(),
            _ => None,
        };
        if let Some(rest) = rest {
            self.line(indent, value);
            self.hole(rest, value);
        }
    }

    /// An empty collection, or one of which nothing is known.
    fn open(&mut self, rest: Option<&crate::value::Symbol>, empty: &str, value: &Value) {
        match rest {
            Some(rest) => self.hole(rest, value),
            None => self.plain(empty, value),
        }
    }

    fn list(&mut self, items: &[Value], value: &Value, indent: usize, place: NodeStart) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 || place == NodeStart::Key {
                self.line(indent, value);
            }
            self.plain("- ", value);
            let inner = match &item.kind {
                Kind::List(_) | Kind::Map(_) => indent + 2,
                _ => indent,
            };
            self.node(item, inner, NodeStart::Line);
        }
    }

    fn map(&mut self, entries: &[&Entry], value: &Value, indent: usize, place: NodeStart) {
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 || place == NodeStart::Key {
                self.line(indent, value);
            }
            let key = Text::computed(entry.key.clone());
            // Keys of several lines or above 128 bytes are written in the explicit form, and what
            // follows is indented like an item of a list.
            if entry.key.len() > 128 || entry.key.contains(is_break) {
                self.plain("? ", value);
                self.text(&key, value, indent + 2);
                self.line(indent, value);
                self.plain(": ", value);
                let inner = match &entry.value.kind {
                    Kind::List(_) | Kind::Map(_) => indent + 2,
                    _ => indent,
                };
                self.node(&entry.value, inner, NodeStart::Line);
                continue;
            }
            self.quoted(&key, value, None);
            self.plain(":", value);
            // Lists have the indentation of their key.
            let inner = match &entry.value.kind {
                Kind::Map(_) => indent + 2,
                _ => indent,
            };
            self.node(&entry.value, inner, NodeStart::Key);
        }
    }

    fn text(&mut self, text: &Text, value: &Value, indent: usize) {
        if block_allowed(&text.text) {
            self.block(text, value, indent);
        } else {
            self.quoted(text, value, Some(indent));
        }
    }

    /// `|` and the lines.
    fn block(&mut self, text: &Text, value: &Value, indent: usize) {
        let hint = if text.text.starts_with([' ', '\n']) { "2" } else { "" };
        let chomp = match text.text.strip_suffix('\n') {
            None => "-",
            Some(before) if before.is_empty() || before.ends_with('\n') => "+",
            Some(_) => "",
        };
        self.plain(&format!("|{hint}{chomp}\n"), value);
        for segment in segments(text) {
            match segment {
                Segment::Hole(symbol, ..) => {
                    self.indented(indent, value);
                    self.hole(symbol, value);
                }
                Segment::Known(known, _) => {
                    for line in known.split_inclusive('\n') {
                        if line != "\n" {
                            self.indented(indent, value);
                        }
                        self.plain(line, value);
                    }
                }
            }
        }
    }

    /// Text in double quotes; folded at spaces behind column 80 when an indentation is given.
    fn quoted(&mut self, text: &Text, value: &Value, fold: Option<usize>) {
        self.plain("\"", value);
        let last = text.text.char_indices().next_back().map_or(0, |(at, _)| at);
        let mut spaces = false;
        for segment in segments(text) {
            let (known, at) = match segment {
                Segment::Known(known, at) => (known, at),
                Segment::Hole(symbol, ..) => {
                    self.hole(symbol, value);
                    spaces = false;
                    continue;
                }
            };
            let mut run = String::new();
            let mut letters = known.char_indices().peekable();
            while let Some((offset, letter)) = letters.next() {
                let inside = at + offset > 0 && at + offset < last;
                let column = self.column + run.chars().count();
                match fold {
                    Some(indent) if letter == ' ' && !spaces && inside && column > 80 => {
                        self.plain(&run, value);
                        run.clear();
                        self.line(indent, value);
                        if letters.peek().is_some_and(|(_, next)| *next == ' ') {
                            run.push('\\');
                        }
                    }
                    _ => escape(letter, &mut run),
                }
                spaces = letter == ' ';
                // Counting a run's characters stays cheap when runs are short.
                if run.len() > 64 {
                    self.plain(&run, value);
                    run.clear();
                }
            }
            self.plain(&run, value);
        }
        self.plain("\"", value);
    }

    fn hole(&mut self, symbol: &crate::value::Symbol, value: &Value) {
        self.result.push_hole(symbol, value.span);
        self.column += 1;
        self.fresh = false;
    }

    fn plain(&mut self, text: &str, value: &Value) {
        let Some(last) = text.chars().next_back() else { return };
        self.result.push(text, value.span);
        self.fresh = last == '\n';
        self.column = match text.rfind('\n') {
            Some(at) => text[at + 1..].chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    /// Begins a new line unless one has just begun, and indents it.
    fn line(&mut self, indent: usize, value: &Value) {
        self.end_line(value);
        self.indented(indent, value);
    }

    /// Indents a line that has just begun.
    fn indented(&mut self, indent: usize, value: &Value) {
        if self.fresh {
            self.plain(&" ".repeat(indent), value);
            self.fresh = false;
        }
    }

    fn end_line(&mut self, value: &Value) {
        if !self.fresh {
            self.plain("\n", value);
        }
    }
}

fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| a.key.cmp(&b.key));
    sorted
}

/// Whether text becomes a literal block: several lines, none with a space at its end, nothing that
/// needs an escape.
fn block_allowed(text: &str) -> bool {
    text.contains('\n')
        && !text.ends_with(' ')
        && !text.contains(" \n")
        && text.chars().all(|it| it == '\n' || is_printable(it))
}

/// What ends a line in YAML 1.1.
fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What needs no escape in YAML.
fn is_printable(letter: char) -> bool {
    matches!(letter, ' '..='~' | '\u{a0}'..='\u{d7ff}' | HOLE_START..='\u{fffd}')
        && letter != '\u{feff}'
}

fn escape(letter: char, run: &mut String) {
    let short = match letter {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => letter,
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ if is_printable(letter) => {
            run.push(letter);
            return;
        }
        _ => {
            let code = u32::from(letter);
            let _ = match code {
                0..=0xff => write!(run, "\\x{code:02X}"),
                0x100..=0xffff => write!(run, "\\u{code:04X}"),
                _ => write!(run, "\\U{code:08X}"),
            };
            return;
        }
    };
    run.extend(['\\', short]);
}
