//! Intrinsic functions: `{"Ref": …}` of JSON, `!Ref …` of YAML.

use std::sync::Arc;

use crate::{
    source::{FileId, Files, Span},
    value::{
        Entry, HOLE_END, HOLE_START, Kind, List, Map, Symbol, Text, TextPiece, TextSource, Value,
    },
};

/// Functions nested deeper than this are unknown.
const DEEPEST: usize = 64;
/// The longest text that is joined, in bytes.
const LONGEST: usize = 1 << 22;

/// Evaluates the values of a template.
pub(super) struct Intrinsics<'a> {
    /// The text of the file, where short forms are possible.
    yaml: Option<&'a str>,
    scope: Arc<str>,
}

impl<'a> Intrinsics<'a> {
    pub(super) fn new(files: &'a Files, id: FileId) -> Self {
        let file = files.get(id);
        let yaml = (file.ending() != "json").then(|| file.text());
        Self { yaml, scope: format!("template {}", id.0).into() }
    }

    /// A value with all functions in it evaluated.
    pub(super) fn evaluate(&self, value: &Value) -> Value {
        self.inside(value, 0)
    }

    fn inside(&self, value: &Value, depth: usize) -> Value {
        if depth > DEEPEST {
            return self.unknown(value, "nested too deeply");
        }
        if let Some(tag) = self.tag(value.span) {
            return match tag {
                "Ref" | "Condition" => self.call(tag, value, value, depth),
                _ => self.call(&format!("Fn::{tag}"), value, value, depth),
            };
        }
        match &value.kind {
            Kind::Map(map) => match &*map.entries {
                [Entry { key, value: argument, .. }] if is_function(key) => {
                    self.call(key, argument, value, depth)
                }
                _ => {
                    let entry = |it: &Entry| Entry {
                        value: self.inside(&it.value, depth + 1),
                        ..it.clone()
                    };
                    let entries = map.entries.iter().map(entry).collect();
                    let map = Map { entries, rest: map.rest.clone() };
                    Value { kind: Kind::Map(Arc::new(map)), ..value.clone() }
                }
            },
            Kind::List(list) => {
                let items = list.items.iter().map(|it| self.inside(it, depth + 1)).collect();
                let list = List { items, ..List::clone(list) };
                Value { kind: Kind::List(Arc::new(list)), ..value.clone() }
            }
            _ => value.clone(),
        }
    }

    /// The name of the short form before a value: `Ref` of `!Ref x`.
    fn tag(&self, span: Span) -> Option<&'a str> {
        let before = self.yaml?.get(..span.start as usize)?.trim_end();
        let word = before.rsplit([' ', '\n', '\t', '[', '{', ',']).next()?;
        let name = word.strip_prefix('!')?;
        (!name.is_empty() && name.chars().all(char::is_alphanumeric)).then_some(name)
    }

    /// What a function gives; `whole` is its call.
    fn call(&self, name: &str, argument: &Value, whole: &Value, depth: usize) -> Value {
        let known = match name {
            "Fn::Join" => self.join(argument, whole, depth),
            "Fn::Sub" => substituted(argument),
            _ => None,
        };
        let written = || match &argument.kind {
            Kind::List(list) => {
                let items: Option<Vec<&str>> = list.items.iter().map(Value::as_str).collect();
                items.map(|it| it.join("."))
            }
            _ => argument.as_str().map(str::to_owned),
        };
        known.unwrap_or_else(|| match written() {
            Some(text) => self.unknown(whole, format!("{name} {text}")),
            None => self.unknown(whole, format!("#{name} {}", argument.span.start)),
        })
    }

    fn unknown(&self, whole: &Value, text: impl Into<Arc<str>>) -> Value {
        let symbol = Symbol::new(Arc::clone(&self.scope), text);
        Value { kind: Kind::Unknown(symbol), ..whole.clone() }
    }

    /// The texts of a list with a delimiter between them; those that are not known are holes.
    fn join(&self, argument: &Value, whole: &Value, depth: usize) -> Option<Value> {
        let [delimiter, list] = argument.items() else { return None };
        let (delimiter, list) = (delimiter.as_str()?, list.as_list()?);
        let mut joined = Joined::default();
        for (index, item) in list.items.iter().enumerate() {
            if index > 0 {
                joined.add_plain(delimiter, item.span);
            }
            let item = self.inside(item, depth + 1);
            match &item.kind {
                Kind::String(text) if text.holes.is_empty() => joined.add(text, item.span),
                Kind::Unknown(symbol) => joined.add_hole(symbol.clone(), item.span),
                _ => {
                    let text = format!("#{}", item.span.start);
                    joined.add_hole(Symbol::new(Arc::clone(&self.scope), text), item.span);
                }
            }
            if joined.text.len() > LONGEST {
                return None;
            }
        }
        let kind = Kind::String(joined.into_text());
        list.rest.is_none().then(|| Value { kind, ..whole.clone() })
    }
}

/// A text in which nothing is substituted, or in which what is substituted is known to be unknown.
fn substituted(argument: &Value) -> Option<Value> {
    let Kind::String(text) = &argument.kind else { return None };
    (!text.text.contains("${")).then(|| argument.clone())
}

fn is_function(key: &str) -> bool {
    key == "Ref" || key == "Condition" || key.starts_with("Fn::")
}

/// A text put together of others.
#[derive(Default)]
struct Joined {
    text: String,
    pieces: Vec<TextPiece>,
    holes: Vec<Symbol>,
}

impl Joined {
    fn add_plain(&mut self, text: &str, span: Span) {
        if !text.is_empty() {
            self.pieces.push(TextPiece {
                at: number(self.text.len()),
                len: number(text.len()),
                span: Span { end: span.start, ..span },
            });
            self.text.push_str(text);
        }
    }

    fn add(&mut self, text: &Text, whole: Span) {
        let at = number(self.text.len());
        match &text.layout {
            TextSource::Pieces(pieces) => {
                self.pieces.extend(pieces.iter().map(|it| TextPiece { at: it.at + at, ..*it }));
            }
            TextSource::Verbatim(span) => {
                self.pieces.push(TextPiece { at, len: number(text.text.len()), span: *span });
            }
            TextSource::Nowhere => {
                self.pieces.push(TextPiece { at, len: number(text.text.len()), span: whole });
            }
        }
        self.text.push_str(&text.text);
    }

    fn add_hole(&mut self, symbol: Symbol, span: Span) {
        let mark = format!("{HOLE_START}{}{HOLE_END}", self.holes.len());
        let (at, len) = (number(self.text.len()), number(mark.len()));
        self.pieces.push(TextPiece { at, len, span });
        self.text.push_str(&mark);
        self.holes.push(symbol);
    }

    fn into_text(self) -> Text {
        let layout = TextSource::Pieces(self.pieces.into());
        Text { layout, holes: self.holes.into(), ..Text::computed(self.text) }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
