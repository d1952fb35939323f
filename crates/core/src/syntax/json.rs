//! JSON into values with places.

use crate::{
    findings::Severity,
    source::Span,
    syntax::{
        Documents, ParseError,
        yaml::{
            self,
            place::{add_pieces, from_pieces, verbatim},
        },
    },
    value::{Entry, Kind, Text, TextPiece, TextSource, Value},
};

/// The message for a comment.
pub const NO_COMMENTS: &str = "JSON has no comments";
use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{self, ObjectPropName, StringLit},
    common::{Range, Ranged},
    errors::{ParseError as JsonError, ParseErrorKind},
    parse_to_ast,
};
use std::{ops, sync::Arc};

use crate::hash::HashMap;

/// What the JSON standard allows, and nothing that editors tolerate.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads a JSON text, strictly. Parameters as in [`yaml::parse`]; nothing but the holes of the text is
/// unknown. An empty text has no document.
#[must_use]
pub fn parse(text: &Text, whole: Span) -> Documents {
    if !text.holes.is_empty() {
        // A hole may be where JSON wants a value; YAML takes it as a word, and JSON as it is.
        return yaml::parse_literal(text, whole);
    }
    let source = text.text.strip_prefix('\u{feff}').unwrap_or(&text.text);
    let base = text.text.len() - source.len();
    let mut reader = JsonReader { text, whole, base, parse_errors: Vec::new() };
    let values = match parse_to_ast(source, &CollectOptions::default(), &STRICT) {
        Ok(result) => result.value.iter().map(|value| reader.value(value)).collect(),
        Err(error) => {
            let range = shown(&error, source);
            reader.parse_errors.push(parse_error(&error, reader.span(range)));
            Vec::new()
        }
    };
    let parse_errors = reader.parse_errors;
    Documents { values, parse_errors, ..Documents::default() }
}

struct JsonReader<'a> {
    text: &'a Text,
    whole: Span,
    base: usize,
    parse_errors: Vec<ParseError>,
}

impl JsonReader<'_> {
    fn span(&self, range: Range) -> Span {
        self.text.locate(self.base + range.start, self.base + range.end, self.whole)
    }

    /// Recurses no deeper than the parser did, which stops at 512.
    fn value(&mut self, value: &ast::Value) -> Value {
        let span = self.span(value.range());
        match value {
            ast::Value::NullKeyword(_) => Value::new(Kind::Null, span),
            ast::Value::BooleanLit(it) => Value::new(Kind::Bool(it.value), span),
            ast::Value::NumberLit(it) => match it.value.parse::<f64>() {
                Ok(number) if number.is_finite() => Value::new(Kind::Number(number), span),
                _ => Value::computed(it.value, span),
            },
            ast::Value::StringLit(it) => Value::new(Kind::String(self.string(it)), span),
            ast::Value::Array(it) => {
                Value::list(it.elements.iter().map(|item| self.value(item)).collect(), span)
            }
            ast::Value::Object(it) => {
                let entries = self.entries(it);
                let name = entries.first().map_or(span, |first| first.key_span);
                Value::map(entries, span).named(name)
            }
        }
    }

    fn string(&self, literal: &StringLit) -> Text {
        let (start, end) = (self.base + literal.range.start + 1, self.base + literal.range.end - 1);
        let layout = if self.text.text.get(start..end) == Some(&*literal.value) {
            verbatim(self.text, start..end)
        } else {
            self.escaped(start..end, &literal.value).unwrap_or(TextSource::Nowhere)
        };
        let text = Arc::from(&*literal.value);
        Text { layout, ..Text::computed(text) }
    }

    /// The layout of a string with escapes: each is a piece of its own.
    fn escaped(&self, inside: ops::Range<usize>, decoded: &str) -> Option<TextSource> {
        let text = &self.text.text;
        let mut pieces = Vec::new();
        let (mut at, mut from) = (0, inside.start);
        while let Some(next) = memchr::memchr(b'\\', text.get(from..inside.end)?.as_bytes()) {
            let escape = from + next;
            if next > 0 {
                add_pieces(self.text, from..escape, at, &mut pieces);
            }
            at += next;
            let length = escape_length(text.get(escape..inside.end)?);
            let character = decoded.get(at..)?.chars().next()?.len_utf8();
            let span = self.text.locate(escape, escape + length, self.whole);
            let offset = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
            pieces.push(TextPiece { at: offset(at), len: offset(character), span });
            at += character;
            from = escape + length;
        }
        if from < inside.end {
            add_pieces(self.text, from..inside.end, at, &mut pieces);
        }
        let complete = at + inside.end.checked_sub(from)? == decoded.len();
        complete.then(|| from_pieces(pieces))
    }

    fn entries(&mut self, object: &ast::Object) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::with_capacity(object.properties.len());
        let mut places: HashMap<Arc<str>, usize> = HashMap::default();
        let whole = self.span(object.range);
        for property in &object.properties {
            let (key, range): (Arc<str>, _) = match &property.name {
                ObjectPropName::String(it) => (Arc::from(&*it.value), it.range),
                ObjectPropName::Word(it) => (Arc::from(it.value), it.range),
            };
            let key_span = self.span(range);
            let value = self.value(&property.value).named(key_span);
            let entry = Entry { key: key.clone(), key_span, value };
            let place = places.insert(key, entries.len());
            match place.and_then(|at| Some((at, entries.get_mut(at)?))) {
                Some((at, earlier)) => {
                    let is_same = earlier.value.same_as(&entry.value) == Some(true);
                    let earlier_key = earlier.key_span;
                    let twice =
                        ParseError::duplicate_key(&entry.key, earlier_key, key_span, is_same);
                    self.parse_errors.push(twice.inside(whole));
                    places.insert(entry.key.clone(), at);
                    *earlier = entry;
                }
                None => entries.push(entry),
            }
        }
        entries
    }
}

/// How long the escape is with which a text begins; two halves of a character outside Unicode's first
/// plane count as one.
fn escape_length(text: &str) -> usize {
    let code = |from: usize| u32::from_str_radix(text.get(from + 2..from + 6)?, 16).ok();
    match text.as_bytes().get(1) {
        Some(b'u') if code(0).is_some_and(|it| (0xd800..0xdc00).contains(&it)) => 12,
        Some(b'u') => 6,
        _ => 2,
    }
}

/// What to point at: the bracket that is not closed, and never nothing.
fn shown(error: &JsonError, source: &str) -> Range {
    let Range { start, end } = error.range();
    match error.kind() {
        ParseErrorKind::UnterminatedArray | ParseErrorKind::UnterminatedObject => {
            Range { start, end: start + 1 }
        }
        _ if start >= end => {
            let before = source.get(..start).unwrap_or(source).trim_end();
            let last = before.chars().next_back().map_or(0, char::len_utf8);
            Range { start: before.len() - last, end: before.len() }
        }
        _ => Range { start, end },
    }
}

/// An error of the parser as a message for users.
fn parse_error(error: &JsonError, span: Span) -> ParseError {
    use ParseErrorKind as E;
    let message = match error.kind() {
        E::CommentsNotAllowed => NO_COMMENTS.to_owned(),
        E::TrailingCommasNotAllowed => "JSON allows no comma after the last item".to_owned(),
        E::ExpectedComma => "a comma is missing here".to_owned(),
        E::ExpectedColonAfterObjectKey => "a `:` is missing after this key".to_owned(),
        E::ExpectedObjectValue => "this key has no value".to_owned(),
        E::ExpectedStringObjectProperty => "a key needs double quotes".to_owned(),
        E::SingleQuotedStringsNotAllowed => "text needs double quotes".to_owned(),
        E::MultipleRootJsonValues => "a second value after the end of the first".to_owned(),
        E::UnexpectedWord => {
            "this word is neither `true`, `false`, `null` nor in quotes".to_owned()
        }
        E::UnterminatedArray => "this `[` is never closed".to_owned(),
        E::UnterminatedObject => "this `{` is never closed".to_owned(),
        E::NestingDepthExceeded => "nested too deeply".to_owned(),
        other => other.to_string().to_lowercase(),
    };
    ParseError::new(span, message, Severity::Error)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::{
        source::{FileId, Span},
        syntax::Documents,
        value::{Kind, Symbol, Text, TextSource},
    };

    fn read(source: &str) -> Documents {
        let whole = Span::new(FileId(0), 0, source.len());
        parse(&Text::verbatim(source, whole), whole)
    }

    #[test]
    fn values_have_exact_places() {
        let source = "\u{feff}{\"a\": [1, -2.5e1, \"x\"], \"b\": {\"c\": \"\\n\"}, \"d\": null}";
        let value = read(source).values.remove(0);
        let under = |span: Span| &source[span.range()];
        let items = value.get("a").present().unwrap().items();
        assert_eq!((items[0].as_number(), items[1].as_number()), (Some(1.0), Some(-25.0)));
        assert_eq!((under(items[1].span), under(items[2].span)), ("-2.5e1", "\"x\""));
        assert_eq!(under(items[1].name), "-2.5e1");
        assert_eq!(under(value.name), "\"a\"");
        let Kind::String(text) = &items[2].kind else { panic!() };
        assert!(matches!(text.layout, TextSource::Verbatim(span) if under(span) == "x"));
        let escaped = value.at("b.c").present().unwrap();
        assert_eq!(escaped.as_str(), Some("\n"));
        assert_eq!(under(escaped.name), "\"c\"");
        assert!(value.get("d").is_missing());
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        let cases = [
            ("{\"a\": 1,}", ",", "JSON allows no comma after the last item"),
            ("{\"a\": 1 \"b\": 2}", "1", "a comma is missing here"),
            ("{\"a\" 1}", "1", "a `:` is missing after this key"),
            ("{a: 1}", "a", "a key needs double quotes"),
            ("// x\n{}", "// x", "JSON has no comments"),
            ("{\"a\": [1", "[", "this `[` is never closed"),
            ("{} {}", "{", "a second value after the end of the first"),
            ("{\"a\": 1, \"a\": 2}", "\"a\"", "duplicate key `a`: the last one counts"),
        ];
        for (source, place, message) in cases {
            let documents = read(source);
            assert_eq!(documents.parse_errors.len(), 1, "{source}");
            assert_eq!(documents.parse_errors[0].message, message, "{source}");
            assert_eq!(&source[documents.parse_errors[0].span.range()], place, "{source}");
        }
        assert!(read("").values.is_empty() && read("").parse_errors.is_empty());
        assert_eq!(read(&"[".repeat(100_000)).parse_errors[0].message, "nested too deeply");
        assert!(read(&"{\"a\":".repeat(100_000)).values.is_empty());
    }

    #[test]
    fn holes_may_stand_for_values() {
        let source = "{\"a\": \u{e000}0\u{e001}, \"b\": \"x\"}";
        let text = Text { holes: [Symbol::new("m", "var.a")].into(), ..Text::computed(source) };
        let value = parse(&text, Span::new(FileId(0), 0, 9)).values.remove(0);
        assert!(value.get("a").is_unknown());
        assert_eq!(value.get("b").present().and_then(|it| it.as_str()), Some("x"));
    }
}
