//! Templates: quoted strings, heredocs, template files.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        evaluate::{Evaluated, Evaluator},
        functions::{
            assemble::{Segment, carry, only_encoding, segments},
            call::EvaluationError,
            filesystem, scalar,
        },
        operator::{as_text, fault, truth},
        scope::{Binding, LexicalScope},
        whole_lines::{indentation, line_end},
    },
    source::Span,
    syntax::hcl::{Block, Expr, Literal, TemplatePart, read::parse_template},
    value::{
        Carried, HOLE_END, HOLE_START, Kind, Symbol, Text, TextPiece, TextSource, UNKNOWN_LINES,
        Value, cause::Cause, step::StepKind,
    },
};

/// Longer texts are not built.
const LONGEST: usize = 1 << 20;
/// Template files are given fewer variables than this; each is a level of nesting.
const MOST_VARIABLES: usize = 200;

impl<'a> Evaluator<'a> {
    /// The value of a template's parts.
    pub(super) fn template_value(
        &self,
        scope: LexicalScope<'_, 'a>,
        parts: &[TemplatePart],
        at: Span,
    ) -> Evaluated {
        if let [TemplatePart::Interpolation(inner, _)] = parts {
            return self.expression(scope, inner);
        }
        // Nearly all texts are written as they are.
        if let [TemplatePart::Literal(literal)] = parts
            && let [only] = literal.pieces.as_slice()
            && is_whole(only, u32::try_from(literal.text.len()).unwrap_or(u32::MAX))
        {
            let text = Text::verbatim(Arc::clone(&literal.text), only.span);
            return Ok(Value::new(Kind::String(text), at));
        }
        let structured = |it: &TemplatePart| matches!(it, TemplatePart::Literal(literal) if literal.text.contains(['\n', ':', '{']));
        let mut builder =
            TemplateText { is_structured: parts.iter().any(structured), ..TemplateText::default() };
        self.parts(scope, parts, &mut builder)?;
        Ok(Value::new(Kind::String(builder.finish()), at))
    }

    fn parts(
        &self,
        scope: LexicalScope<'_, 'a>,
        parts: &[TemplatePart],
        builder: &mut TemplateText,
    ) -> Result<(), EvaluationError> {
        for part in parts {
            match part {
                TemplatePart::Literal(literal) => builder.literal(literal),
                TemplatePart::Interpolation(inner, span) => {
                    let value = self.part_of(scope, inner)?;
                    builder.value(&value, *span)?;
                }
                TemplatePart::If { condition, then, otherwise, span } => {
                    let condition = self.expression(scope, condition)?;
                    match truth(&condition)? {
                        Some(true) => self.parts(scope, then, builder)?,
                        Some(false) => self.parts(scope, otherwise, builder)?,
                        None => self.directive(scope, &[then, otherwise], *span, builder),
                    }
                }
                TemplatePart::For { key_variable, value_variable, collection, body, span } => {
                    let value = self.expression(scope, collection)?;
                    let (pairs, rest) = self.pairs(scope, &value, collection)?;
                    for (key, value) in pairs {
                        let name = key_variable.as_deref().unwrap_or_default();
                        let outer = Binding { name, value: key, outer: scope.frame };
                        let frame = Binding { name: value_variable, value, outer: Some(&outer) };
                        self.parts(LexicalScope { frame: Some(&frame), ..scope }, body, builder)?;
                    }
                    if rest.is_some() {
                        self.directive(scope, &[body], *span, builder);
                    }
                }
            }
            if builder.text.len() > LONGEST {
                return fault(place_of(parts), "the text is too long");
            }
        }
        Ok(())
    }

    /// A directive of which it is not known which branch counts, or how often. What makes whole lines is a line of
    /// its own, as far indented as they are, so that nothing farther out is taken to be open.
    fn directive(
        &self,
        scope: LexicalScope<'_, 'a>,
        branches: &[&[TemplatePart]],
        span: Span,
        builder: &mut TemplateText,
    ) {
        let end = branches.iter().find_map(|it| line_end(it));
        let before = builder.blanks_before();
        let column = before.and_then(|before| Some((before, indentation(branches, before)?)));
        let mut symbol = self.unnamed(scope);
        if let Some((before, column)) = column.filter(|_| end.is_some()) {
            builder.text.push_str(&" ".repeat(column.saturating_sub(before)));
            symbol = symbol.called(format!("{UNKNOWN_LINES}{}", symbol.text));
        }
        builder.hole(symbol, span);
        builder.text.push_str(end.filter(|_| before.is_some()).unwrap_or_default());
    }

    /// The symbol of something unknown that is equal to nothing else.
    pub(super) fn unnamed(&self, scope: LexicalScope<'_, 'a>) -> Symbol {
        Symbol::new(Arc::clone(&scope.instance.scope), format!("#{}", self.fresh()))
    }

    /// `templatefile(path, variables)`
    pub(super) fn template_file(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        path: &Expr,
        variables: &Expr,
    ) -> Evaluated {
        self.outside_templates(whole)?;
        let mut path = self.expression(scope, path)?;
        filesystem::below_root(&mut path);
        let variables = self.expression(scope, variables)?;
        let file = path.as_str().and_then(|it| filesystem::find(self.files, &self.folder, it));
        let Some(file) = file else {
            let symbol = self.symbol(scope, whole);
            let path = path.as_str().unwrap_or_default();
            let is_missing = filesystem::is_missing(self.files, &self.folder, path);
            let cause = if is_missing { Cause::MissingFile } else { symbol.cause };
            return Ok(Value::unknown(symbol.because(cause), whole.span));
        };
        let Some(parts) = self.template(file) else { return Ok(self.unknown(scope, whole)) };
        let at = Span::new(file, 0, self.files.get(file).text().len());
        let value = self.with_variables(scope, &variables, whole, &|scope| {
            self.templating.set(true);
            let value = self.template_value(scope, &parts, at);
            self.templating.set(false);
            value
        })?;
        let kind = StepKind::TemplateFile(self.files.get(file).path().into());
        Ok(value.through(whole.span, kind))
    }

    /// Terraform fills in no template inside another.
    fn outside_templates(&self, whole: &Expr) -> Result<(), EvaluationError> {
        if self.templating.get() {
            fault(whole.span, "a template is inside another")
        } else {
            Ok(())
        }
    }

    /// `templatestring(text, variables)`
    pub(super) fn template_string(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        text: &Expr,
        variables: &Expr,
    ) -> Evaluated {
        self.outside_templates(whole)?;
        let text = self.expression(scope, text)?;
        let variables = self.expression(scope, variables)?;
        self.rendered_text(scope, whole, &text, &variables)
    }

    /// A text as a template, with places where the text is written.
    fn rendered_text(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        text: &Value,
        variables: &Value,
    ) -> Evaluated {
        let Kind::String(source) = &text.kind else { return Ok(self.unknown(scope, whole)) };
        let Some(known) = text.as_str() else {
            // Nothing is left to fill in where Terraform itself has done so.
            let is_open = ["${", "%{"].iter().any(|it| source.text.contains(it));
            return Ok(if is_open { self.unknown(scope, whole) } else { text.clone() });
        };
        let Ok(parts) = parse_template(whole.span.file, known) else {
            return fault(whole.span, "this is no template");
        };
        let parts: Rc<[TemplatePart]> = Rc::from(parts);
        self.kept.borrow_mut().push(Rc::clone(&parts));
        let value = self.with_variables(scope, variables, whole, &|scope| {
            self.templating.set(true);
            let value = self.template_value(scope, &parts, whole.span);
            self.templating.set(false);
            value
        })?;
        let kind = match value.kind {
            // The one interpolation the template consists of has its own places.
            Kind::String(rendered) if !matches!(*parts, [TemplatePart::Interpolation(..)]) => {
                Kind::String(relocated(rendered, source, text.span))
            }
            Kind::List(_) | Kind::Map(_) => return fault(whole.span, "a template makes a text"),
            kind => as_text(Value::new(kind, whole.span)).kind,
        };
        let span =
            if matches!(source.layout, TextSource::Nowhere) { whole.span } else { text.span };
        Ok(Value { kind, origin: text.origin.clone(), ..Value::new(Kind::Null, span) })
    }

    /// `rendered` of a `template_file`, the predecessor of `templatefile`: its `template` with its `vars`.
    pub(super) fn rendered(&self, scope: LexicalScope<'_, 'a>, block: &Block) -> Option<Value> {
        let template = block.body.attribute("template")?;
        let text = self.value(scope, &template.value);
        let none = || Value::map(Vec::new(), block.header);
        let variables = block.body.attribute("vars");
        let variables = variables.map_or_else(none, |it| self.value(scope, &it.value));
        let rendered = self.rendered_text(scope, &template.value, &text, &variables);
        rendered.ok().filter(|it| !matches!(it.kind, Kind::Unknown(_)))
    }

    /// Evaluates where only the given variables are seen.
    pub(super) fn with_variables(
        &self,
        scope: LexicalScope<'_, 'a>,
        variables: &Value,
        whole: &Expr,
        work: &dyn Fn(LexicalScope<'_, 'a>) -> Evaluated,
    ) -> Evaluated {
        let Kind::Map(map) = &variables.kind else { return Ok(self.unknown(scope, whole)) };
        if map.rest.is_some() || map.entries.len() > MOST_VARIABLES {
            return Ok(self.unknown(scope, whole));
        }
        let closed = LexicalScope { instance: scope.instance, frame: None, closed: true };
        bind(&map.entries, closed, work)
    }
}

/// Binds entries one inside the other, then works.
fn bind<'a>(
    entries: &[crate::value::Entry],
    scope: LexicalScope<'_, 'a>,
    work: &dyn Fn(LexicalScope<'_, 'a>) -> Evaluated,
) -> Evaluated {
    let Some((first, rest)) = entries.split_first() else { return work(scope) };
    let frame = Binding { name: &first.key, value: first.value.clone(), outer: scope.frame };
    bind(rest, LexicalScope { frame: Some(&frame), ..scope }, work)
}

/// A text whose places count from the start of another text, with the places where that is written.
fn relocated(rendered: Text, source: &Text, whole: Span) -> Text {
    let pieces = match &rendered.layout {
        TextSource::Nowhere => return rendered,
        TextSource::Verbatim(span) => {
            &[TextPiece { at: 0, len: span.end - span.start, span: *span }][..]
        }
        TextSource::Pieces(pieces) => pieces,
    };
    if matches!(source.layout, TextSource::Nowhere) {
        return Text { layout: TextSource::Nowhere, ..rendered };
    }
    let moved = pieces.iter().map(|it| {
        let range = it.span.range();
        TextPiece { span: source.locate(range.start, range.end, whole), ..*it }
    });
    Text { layout: TextSource::Pieces(Arc::new(moved.collect())), ..rendered }
}

fn place_of(parts: &[TemplatePart]) -> Span {
    let span = parts.iter().find_map(|it| match it {
        TemplatePart::Interpolation(_, span)
        | TemplatePart::If { span, .. }
        | TemplatePart::For { span, .. } => Some(*span),
        TemplatePart::Literal(_) => None,
    });
    span.unwrap_or(Span::new(crate::source::FileId(0), 0, 0))
}

/// Text under construction.
#[derive(Default)]
struct TemplateText {
    text: String,
    pieces: Vec<TextPiece>,
    holes: Vec<Symbol>,
    carried: Vec<Carried>,
    /// Whether it may be YAML, of which values are parts.
    is_structured: bool,
}

impl TemplateText {
    fn end(&self) -> u32 {
        u32::try_from(self.text.len()).unwrap_or(u32::MAX)
    }

    fn literal(&mut self, literal: &Literal) {
        let base = self.end();
        let moved =
            literal.pieces.iter().map(|it| TextPiece { at: it.at.saturating_add(base), ..*it });
        self.pieces.extend(moved);
        self.text.push_str(&literal.text);
    }

    fn run(&mut self, text: &str, span: Span) {
        let at = self.end();
        self.text.push_str(text);
        if self.end() > at {
            self.pieces.push(TextPiece { at, len: self.end() - at, span });
        }
    }

    fn hole(&mut self, symbol: Symbol, span: Span) {
        let placeholder = placeholder(self.holes.len());
        self.holes.push(symbol);
        self.run(&placeholder, span);
    }

    /// The blanks that the text ends with, where nothing else is in the line.
    fn blanks_before(&self) -> Option<usize> {
        let before = self.text.trim_end_matches([' ', '\t']);
        let begins_line = before.is_empty() || before.ends_with('\n');
        begins_line.then_some(self.text.len() - before.len())
    }

    fn value(&mut self, value: &Value, span: Span) -> Result<(), EvaluationError> {
        let at = self.end();
        self.text_of(value, span)?;
        let scalars = self.is_structured || is_version(value);
        carry(value, at, self.end() - at, scalars, &mut self.carried);
        Ok(())
    }

    fn text_of(&mut self, value: &Value, span: Span) -> Result<(), EvaluationError> {
        match &value.kind {
            Kind::String(text) => {
                if text.holes.is_empty() {
                    self.run(&text.text, span);
                } else {
                    let renumbered = self.renumber(text);
                    self.run(&renumbered, span);
                }
            }
            Kind::Null if value.origin.is_some() => self.hole(scalar::given(value), span),
            _ => match scalar::scalar_text(value) {
                Some(Ok(text)) => self.run(&text.text, span),
                Some(Err(symbol)) => self.hole(symbol, span),
                None => return fault(span, "null or a collection in a text"),
            },
        }
        Ok(())
    }

    /// The text with its holes counted on from ours.
    fn renumber(&mut self, text: &Text) -> String {
        let mut out = String::with_capacity(text.text.len());
        for segment in segments(text) {
            match segment {
                Segment::Known(known, _) => out.push_str(known),
                Segment::Hole(symbol, ..) => {
                    out.push_str(&placeholder(self.holes.len()));
                    self.holes.push(symbol.clone());
                }
            }
        }
        out
    }

    fn finish(self) -> Text {
        let whole = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let layout = match self.pieces.as_slice() {
            [] => TextSource::Nowhere,
            [only] if self.holes.is_empty() && is_whole(only, whole) => {
                TextSource::Verbatim(only.span)
            }
            _ => TextSource::Pieces(self.pieces.into()),
        };
        let encodes = only_encoding(&self.text, &self.carried);
        let carried = (!self.carried.is_empty()).then(|| Arc::new(self.carried));
        Text { text: self.text.into(), layout, holes: self.holes.into(), encodes, carried }
    }
}

fn placeholder(hole: usize) -> String {
    format!("{HOLE_START}{hole}{HOLE_END}")
}

fn is_whole(piece: &TextPiece, length: u32) -> bool {
    piece.at == 0 && piece.len == length && piece.span.end - piece.span.start == length
}

/// Whether a value is a version, which is looked up where it is written: `"v${var.version}"`.
fn is_version(value: &Value) -> bool {
    let is_part = |it: char| it.is_ascii_digit() || it == '.';
    value.as_str().is_some_and(|it| it.contains('.') && it.chars().all(is_part))
}
