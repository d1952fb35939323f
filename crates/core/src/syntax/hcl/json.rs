//! HCL's JSON syntax into the tree of native syntax, so that everything after it is shared.
//!
//! JSON does not show whether an object is a block or a value; the caller's [`JsonProperty`]s do. Texts are
//! templates: each is parsed as one, and its places are those of the characters in the JSON text.

use std::sync::Arc;

use crate::{
    findings::Severity,
    source::{FileId, Span},
    syntax::{
        ParseError,
        hcl::{
            Attribute, Block, Body, Expr, ExprKind, HclFile, JsonProperty, Literal, ObjectItem,
            TemplatePart,
            change::{self, Visited},
            read::parse_template,
        },
        json,
        yaml::place::add_pieces,
    },
    value::{Entry, Kind, Text, TextPiece, TextSource, Value},
};

/// The key of a comment.
const COMMENT: &str = "//";

/// Reads HCL's JSON syntax (`.tf.json`, `.tfvars.json`). `shape` is given the types of the blocks around
/// a property and its name.
#[must_use]
pub fn parse(
    file: FileId,
    text: &str,
    shape: &dyn Fn(&[Arc<str>], &str) -> JsonProperty,
) -> HclFile {
    let whole = Span::new(file, 0, text.len());
    let documents = json::parse(&Text::verbatim(text, whole), whole);
    let mut reader =
        BodyReader { file, shape, around: Vec::new(), parse_errors: documents.parse_errors };
    let mut body = Body::default();
    if let Some(value) = documents.values.first() {
        reader.body(value, &mut body);
    }
    HclFile { body, parse_errors: reader.parse_errors, lost: Vec::new() }
}

/// The expression of a value, taken as it is.
#[must_use]
pub fn literal_value(value: &Value) -> Expr {
    let shape = |_: &[Arc<str>], _: &str| JsonProperty::Literal;
    let mut reader = BodyReader {
        file: value.span.file,
        shape: &shape,
        around: Vec::new(),
        parse_errors: Vec::new(),
    };
    reader.expression(value, JsonProperty::Literal)
}

struct BodyReader<'s> {
    file: FileId,
    shape: &'s dyn Fn(&[Arc<str>], &str) -> JsonProperty,
    /// The types of the blocks around.
    around: Vec<Arc<str>>,
    parse_errors: Vec<ParseError>,
}

impl BodyReader<'_> {
    fn refuse(&mut self, span: Span, message: impl Into<String>) {
        self.parse_errors.push(ParseError::new(span, message, Severity::Error));
    }

    /// An object, or an array of objects that are read as one.
    fn body(&mut self, value: &Value, body: &mut Body) {
        match &value.kind {
            Kind::Map(map) => {
                for entry in map.entries.iter().filter(|it| &*it.key != COMMENT) {
                    self.property(entry, body);
                }
            }
            Kind::List(list) => {
                for item in &list.items {
                    self.body(item, body);
                }
            }
            Kind::Null => {}
            _ => self.refuse(value.span, "an object is expected here"),
        }
    }

    fn property(&mut self, entry: &Entry, body: &mut Body) {
        let shape = (self.shape)(&self.around, &entry.key);
        if let JsonProperty::Blocks(labels) = shape {
            self.around.push(Arc::clone(&entry.key));
            self.blocks(entry, &entry.value, labels, &mut Vec::new(), body);
            self.around.pop();
            return;
        }
        body.attributes.push(Attribute {
            name: Arc::clone(&entry.key),
            name_span: entry.key_span,
            value: self.expression(&entry.value, shape),
            span: entry.key_span.to(entry.value.span),
        });
    }

    /// The blocks of a property: an object for each label, then the body, either of them repeated in an
    /// array.
    fn blocks(
        &mut self,
        property: &Entry,
        value: &Value,
        missing: usize,
        labels: &mut Vec<(Arc<str>, Span)>,
        body: &mut Body,
    ) {
        match &value.kind {
            Kind::List(list) => {
                for item in &list.items {
                    self.blocks(property, item, missing, labels, body);
                }
            }
            Kind::Map(map) if missing > 0 => {
                for entry in map.entries.iter().filter(|it| &*it.key != COMMENT) {
                    labels.push((Arc::clone(&entry.key), entry.key_span));
                    self.blocks(property, &entry.value, missing - 1, labels, body);
                    labels.pop();
                }
            }
            Kind::Map(_) => {
                let mut inside = Body::default();
                self.body(value, &mut inside);
                let header = labels.last().map_or(property.key_span, |(_, span)| *span);
                body.blocks.push(Block {
                    kind: Arc::clone(&property.key),
                    labels: labels.clone(),
                    header,
                    body: inside,
                    span: header.to(value.span),
                });
            }
            Kind::Null => {}
            _ => {
                let message = format!("`{}` is a block: an object is expected", property.key);
                self.refuse(value.span, message);
            }
        }
    }

    /// Recurses no deeper than the JSON parser did.
    fn expression(&mut self, value: &Value, shape: JsonProperty) -> Expr {
        let kind = match &value.kind {
            Kind::Null => ExprKind::Null,
            Kind::Bool(truth) => ExprKind::Bool(*truth),
            Kind::Number(number) => ExprKind::Number(*number),
            Kind::String(text) => self.text(text, value.span, shape),
            Kind::List(list) => {
                ExprKind::Array(list.items.iter().map(|it| self.expression(it, shape)).collect())
            }
            Kind::Map(map) => {
                let item = |it| ObjectItem {
                    key: self.key(it, shape),
                    value: self.expression(&it.value, shape),
                };
                ExprKind::Object(map.entries.iter().map(item).collect())
            }
            Kind::Unknown(_) => lost(),
        };
        Expr { kind, span: value.span }
    }

    fn key(&mut self, entry: &Entry, shape: JsonProperty) -> Expr {
        let span = entry.key_span;
        let inside = Span { start: span.start + 1, end: span.end.saturating_sub(1), ..span };
        let verbatim = (inside.range().len() == entry.key.len()).then_some(inside);
        let text = match verbatim {
            Some(inside) => Text::verbatim(Arc::clone(&entry.key), inside),
            None => Text::computed(Arc::clone(&entry.key)),
        };
        let shape = if shape == JsonProperty::Attribute { shape } else { JsonProperty::Literal };
        Expr { kind: self.text(&text, span, shape), span }
    }

    fn text(&mut self, text: &Text, whole: Span, shape: JsonProperty) -> ExprKind {
        let has_template = || text.text.contains("${") || text.text.contains("%{");
        let wrapped = format!("${{{}}}", text.text);
        let (parsed, shift) = match shape {
            JsonProperty::Reference => (parse_template(self.file, &wrapped), 2),
            JsonProperty::Attribute if has_template() => (parse_template(self.file, &text.text), 0),
            _ => return literal(text, whole),
        };
        match parsed {
            Ok(mut parts) => {
                let map = OffsetMap { text, whole, shift };
                change::in_parts(&mut parts, &mut |node| map.node(node));
                match <[TemplatePart; 1]>::try_from(parts) {
                    Ok([TemplatePart::Interpolation(inner, _)])
                        if shape == JsonProperty::Reference =>
                    {
                        inner.kind
                    }
                    Ok(one) => ExprKind::Template(one.into()),
                    Err(parts) => ExprKind::Template(parts),
                }
            }
            Err(parse_errors) => {
                let map = OffsetMap { text, whole, shift };
                self.parse_errors
                    .push(ParseError { span: map.moved(parse_errors.span), ..parse_errors });
                lost()
            }
        }
    }
}

/// A reference to nothing, whose value is unknown.
fn lost() -> ExprKind {
    ExprKind::Variable(Arc::from("unreadable"))
}

fn literal(text: &Text, whole: Span) -> ExprKind {
    if text.text.is_empty() {
        return ExprKind::Template(Vec::new());
    }
    let len = u32::try_from(text.text.len()).unwrap_or(u32::MAX);
    let pieces = match &text.layout {
        TextSource::Nowhere => vec![TextPiece { at: 0, len, span: whole }],
        TextSource::Verbatim(span) => vec![TextPiece { at: 0, len, span: *span }],
        TextSource::Pieces(pieces) => pieces.to_vec(),
    };
    ExprKind::Template(vec![TemplatePart::Literal(Literal {
        text: Arc::clone(&text.text),
        pieces,
    })])
}

/// From offsets in a decoded text to places in the file.
struct OffsetMap<'t> {
    text: &'t Text,
    whole: Span,
    /// What was put before the text to parse it.
    shift: usize,
}

impl OffsetMap<'_> {
    fn moved(&self, span: Span) -> Span {
        let offset = |it: u32| (it as usize).saturating_sub(self.shift);
        self.text.locate(offset(span.start), offset(span.end), self.whole)
    }

    fn node(&self, node: Visited<'_>) {
        match node {
            Visited::Expr(expr) => expr.span = self.moved(expr.span),
            Visited::Part(TemplatePart::Literal(literal)) => {
                let mut moved = Vec::with_capacity(literal.pieces.len());
                for piece in &literal.pieces {
                    let range = piece.span.range();
                    if range.len() == piece.len as usize && range.start >= self.shift {
                        let range = range.start - self.shift..range.end - self.shift;
                        add_pieces(self.text, range, piece.at as usize, &mut moved);
                    } else {
                        moved.push(TextPiece { span: self.moved(piece.span), ..*piece });
                    }
                }
                literal.pieces = moved;
            }
            Visited::Part(
                TemplatePart::Interpolation(_, span)
                | TemplatePart::If { span, .. }
                | TemplatePart::For { span, .. },
            ) => *span = self.moved(*span),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{
        source::FileId,
        syntax::hcl::{ExprKind, HclFile, JsonProperty, TemplatePart, json},
    };

    fn read(text: &str) -> HclFile {
        json::parse(FileId(0), text, &|around: &[Arc<str>], name| match (around.len(), name) {
            (0, "resource") => JsonProperty::Blocks(2),
            (0, "locals") => JsonProperty::Blocks(0),
            (_, "refs") => JsonProperty::Reference,
            (_, "plain") => JsonProperty::Literal,
            _ => JsonProperty::Attribute,
        })
    }

    #[test]
    fn objects_become_blocks_by_their_shape() {
        let text = r#"{"//": "note", "resource": {"a": {"x": {"n": 1}, "y": [{"n": 2}, {"n": 3}]}},
            "locals": [{"l": true}, {"m": {"//": "kept"}}]}"#;
        let file = read(text);
        assert!(file.parse_errors.is_empty(), "{:?}", file.parse_errors);
        let blocks = &file.body.blocks;
        let shown: Vec<_> =
            blocks.iter().map(|it| (&*it.kind, it.label(1), &text[it.header.range()])).collect();
        assert_eq!(
            shown,
            [
                ("resource", Some("x"), "\"x\""),
                ("resource", Some("y"), "\"y\""),
                ("resource", Some("y"), "\"y\""),
                ("locals", None, "\"locals\""),
                ("locals", None, "\"locals\""),
            ]
        );
        assert_eq!(&text[blocks[0].span.range()], r#""x": {"n": 1}"#);
        let ExprKind::Object(items) = &blocks[4].body.attributes[0].value.kind else { panic!() };
        assert_eq!(items[0].key.as_literal(), Some("//"));
    }

    #[test]
    fn places_in_texts_are_exact() {
        let text = r#"{"locals": {"a": "x\n${var.v["k"]}-\u00e9${ upper("b") }", "refs": ["data.a.b"], "plain": "${no}"}}"#;
        let text = &text.replace(r#"["k"]"#, r#"[\"k\"]"#).replace(r#"("b")"#, r#"(\"b\")"#);
        let file = read(text);
        assert!(file.parse_errors.is_empty(), "{:?}", file.parse_errors);
        let attributes = &file.body.blocks[0].body.attributes;
        let ExprKind::Template(parts) = &attributes[0].value.kind else { panic!() };
        let [
            TemplatePart::Literal(first),
            TemplatePart::Interpolation(inner, span),
            TemplatePart::Literal(between),
            TemplatePart::Interpolation(call, _),
        ] = parts.as_slice()
        else {
            panic!("{parts:?}")
        };
        assert_eq!(&*first.text, "x\n");
        assert_eq!(&text[first.pieces[1].span.range()], "\\n");
        assert_eq!(&text[inner.span.range()], "var.v[\\\"k\\\"]");
        assert_eq!(&text[span.range()], "${var.v[\\\"k\\\"]}");
        assert_eq!(&*between.text, "-é");
        assert_eq!(&text[between.pieces[1].span.range()], "\\u00e9");
        assert_eq!(&text[call.span.range()], "upper(\\\"b\\\")");
        let ExprKind::Array(references) = &attributes[1].value.kind else { panic!() };
        assert!(matches!(references[0].kind, ExprKind::GetAttr(..)));
        assert_eq!(&text[references[0].span.range()], "\"data.a.b\"");
        assert_eq!(attributes[2].value.as_literal(), Some("${no}"));
    }

    #[test]
    fn a_broken_template_costs_only_itself() {
        let text = r#"{"locals": {"a": "${oops", "b": 1}, "resource": 3}"#;
        let file = read(text);
        assert_eq!(file.body.blocks[0].body.attributes.len(), 2);
        assert_eq!(file.parse_errors.len(), 2);
        assert_eq!(&text[file.parse_errors[1].span.range()], "3");
    }
}
