//! The nodes of YAML that an alias repeats, wherever YAML is written: in a file, in a text inside YAML, in a
//! string of HCL. Who changes one of them changes every place that repeats it.

use std::fmt::Write as _;

use crate::{
    source::{FileId, Span},
    syntax::{
        hcl::{
            self, Body, ExprKind, TemplatePart,
            change::{Visited, in_expr},
        },
        yaml,
    },
    value::{HOLE_END, HOLE_START, Kind, Symbol, Text, TextPiece, TextSource, Value},
};

/// Texts inside texts are read this far.
const DEEPEST: usize = 8;

/// The aliased nodes of a YAML file and of the texts in it, each from its anchor to its end.
#[must_use]
pub fn in_yaml(file: FileId, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    if may_alias(text) {
        let whole = Span::new(file, 0, text.len());
        of_text(&Text::verbatim(text, whole), whole, DEEPEST, &mut found);
    }
    found
}

/// The aliased nodes of the YAML in quoted strings and heredocs of a file in HCL's native syntax.
#[must_use]
pub fn in_hcl(file: FileId, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    if may_alias(text) {
        of_body(&mut hcl::read::parse(file, text).body, &mut found);
    }
    found
}

/// The quick test: anchors begin with `&`, aliases with `*`.
fn may_alias(text: &str) -> bool {
    text.contains('&') && text.contains('*')
}

fn of_text(text: &Text, whole: Span, depth: usize, found: &mut Vec<Span>) {
    if may_alias(&text.text) {
        let documents = yaml::parse(text, whole);
        found.extend(documents.aliased);
        for value in &documents.values {
            of_value(value, depth, found);
        }
    }
}

/// Those of the texts in a value.
fn of_value(value: &Value, depth: usize, found: &mut Vec<Span>) {
    // What an alias repeats is met where it is written.
    if value.origin.is_some() {
        return;
    }
    match &value.kind {
        Kind::String(text) if depth > 0 && text.text.contains('\n') => {
            of_text(text, value.span, depth - 1, found);
        }
        Kind::List(_) => value.items().iter().for_each(|it| of_value(it, depth, found)),
        Kind::Map(_) => value.entries().iter().for_each(|it| of_value(&it.value, depth, found)),
        _ => {}
    }
}

fn of_body(body: &mut Body, found: &mut Vec<Span>) {
    for attribute in &mut body.attributes {
        in_expr(&mut attribute.value, &mut |it| {
            if let Visited::Expr(expr) = it
                && let ExprKind::Template(parts) = &expr.kind
            {
                let mut flat = Flat::default();
                flat.add(parts);
                of_text(&flat.finish(), expr.span, DEEPEST, found);
            }
        });
    }
    for block in &mut body.blocks {
        of_body(&mut block.body, found);
    }
}

/// The text of a template, all branches one after the other, with a hole for each interpolation.
#[derive(Default)]
struct Flat {
    text: String,
    pieces: Vec<TextPiece>,
    holes: Vec<Symbol>,
}

impl Flat {
    fn add(&mut self, parts: &[TemplatePart]) {
        for part in parts {
            let at = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
            match part {
                TemplatePart::Literal(literal) => {
                    let shifted =
                        |it: &TextPiece| TextPiece { at: it.at.saturating_add(at), ..*it };
                    self.pieces.extend(literal.pieces.iter().map(shifted));
                    self.text.push_str(&literal.text);
                }
                TemplatePart::Interpolation(_, span) => {
                    // Writing to a string cannot fail.
                    let _ = write!(self.text, "{HOLE_START}{}{HOLE_END}", self.holes.len());
                    self.holes.push(Symbol::new("", "${ … }"));
                    let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
                    self.pieces.push(TextPiece { at, len: end - at, span: *span });
                }
                TemplatePart::If { then, otherwise, .. } => {
                    self.add(then);
                    self.add(otherwise);
                }
                TemplatePart::For { body, .. } => self.add(body),
            }
        }
    }

    fn finish(self) -> Text {
        let layout = TextSource::Pieces(self.pieces.into());
        let holes = self.holes.into();
        Text { text: self.text.into(), layout, holes, encodes: None, carried: None }
    }
}

#[cfg(test)]
mod tests {
    use super::{in_hcl, in_yaml};
    use crate::source::FileId;

    /// Whether the word `HERE` is written in a node that an alias repeats.
    fn is_aliased(text: &str, is_hcl: bool) -> bool {
        let find = if is_hcl { in_hcl } else { in_yaml };
        let at = u32::try_from(text.find("HERE").unwrap()).unwrap();
        find(FileId(0), text).iter().any(|it| it.start <= at && at <= it.end)
    }

    #[test]
    fn what_an_alias_repeats_is_more_than_one_thing() {
        for (text, wanted) in [
            ("a: &x\n  HERE: 1\nb: *x\n", true),
            ("a: &x\n  - HERE\nb: *x\n", true),
            ("a: &x\n- HERE\nb: *x\n", true),
            ("a: &x HERE\nb: *x\n", true),
            ("a: { b: &x { HERE: 1 } }\nb: { <<: *x }\n", true),
            ("a: &x\n  b: 1\nHERE: 2\nc: *x\n", false),
            ("a: &x\n  HERE: 1\n", false),
            ("a: &x\n  HERE: 1\nb: *xy\n", false),
            ("a: 'R&D'\nHERE: 1\n", false),
            // What only looks like an anchor or an alias.
            ("a: '&x'\nb:\n  HERE: 1\nc: '*x'\n", false),
            ("a: &x\n  HERE: 1\n# b: *x\n", false),
            ("a: { b: &x { c: 1 }, HERE: *x }\n", false),
            ("a: &x\n  HERE: 1\na: &x\n  b: 1\nc: *x\n", false),
            ("a: &x\n  HERE: 1\n---\nb: *x\n", false),
            // Behind the last entry the next one is written.
            ("a: &x\n  b: 1 # HERE\nc: *x\n", true),
            ("- &x # HERE\n  a: 1\n- *x\n", true),
            ("a: &x |\n  text\nHERE: 1\nb: *x\n", false),
            // Texts inside YAML, templates.
            ("a: |\n  b: &x\n    HERE: 1\n  c: *x\n", true),
            ("a: &x\n  HERE: {{ .Values.b }}\n{{- if .Values.c }}\nb: *x\n{{- end }}\n", true),
            ("a: &x\n%{ for it in names ~}\n  HERE: ${it}\n%{ endfor ~}\nb: *x\n", true),
        ] {
            assert_eq!(is_aliased(text, false), wanted, "{text}");
        }
    }

    #[test]
    fn yaml_is_written_in_heredocs_and_strings_too() {
        for (text, wanted) in [
            ("a = <<-EOT\n  b: &x\n    HERE: 1\n  c: *x\nEOT\n", true),
            (
                "a \"b\" {\n  c = f([<<-EOT\n    b: &x\n      HERE: ${d}\n    c: *x\n  EOT\n  ])\n}\n",
                true,
            ),
            ("a = <<EOT\nb: &x\n  c: 1\nHERE: 1\nc: *x\nEOT\n", false),
            ("a = b && c * d\nHERE = 1\n", false),
            ("a = \"b: &x HERE\\nc: *x\\n\"\n", true),
            ("a = <<EOT\n%{ if b }\nc: &x\n  HERE: 1\n%{ endif }\nd: *x\nEOT\n", true),
        ] {
            assert_eq!(is_aliased(text, true), wanted, "{text}");
        }
    }
}
