//! hcl-edit's templates as our parts: escapes decoded, heredoc indentation and `~` applied.
//!
//! Terraform works on tokens: every line of a heredoc or file is one, `~` trims only the token beside it, and
//! `<<-` looks at the first token of each line. So the template is laid out as a flat list of tokens
//! first and nested again at the end.

use std::{ops::Range, sync::Arc};

use hcl_edit::{
    expr::Expression,
    template::{Directive, Element, ForDirective, IfDirective, Strip, Template},
};

use crate::{
    findings::Severity,
    source::Span,
    syntax::hcl::{
        Expr, TemplatePart,
        scan::STRING_NOT_CLOSED,
        snippet::Snippet,
        text::{LiteralText, decode},
    },
};

/// What surrounds a template, which decides its escapes and its lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// `"…"`
    Quoted {
        /// The offset of the opening quote.
        opening: usize,
    },
    /// `<<EOT`; with `flush`, `<<-EOT`.
    Heredoc {
        /// Whether common indentation is removed.
        flush: bool,
    },
    /// A template file.
    Bare,
}

enum TemplateToken {
    Text(LiteralText),
    Interpolation(Expr, Span),
    If(Expr, Span),
    Else,
    EndIf,
    For(Option<Arc<str>>, Arc<str>, Expr, Span),
    EndFor,
}

/// What reads an expression: one in a template may hold templates in turn.
pub(super) type ReadExpression = fn(Snippet<'_>, &Expression) -> Expr;

/// The parts of a template.
pub(super) fn parts(
    snippet: Snippet<'_>,
    from: &Template,
    quoting: Quoting,
    expression: ReadExpression,
) -> Vec<TemplatePart> {
    let mut layout = TemplateLayout::new(snippet, quoting);
    layout.template(from, expression);
    layout.finish()
}

/// The parts of a quoted string without interpolations.
pub(super) fn plain(snippet: Snippet<'_>, inside: Range<usize>) -> Vec<TemplatePart> {
    let mut run = LiteralText::default();
    decode(snippet, inside, true, &mut run);
    if run.text.is_empty() { Vec::new() } else { vec![TemplatePart::Literal(run.into_literal())] }
}

/// Notes a line break between quotes: the closing quote was forgotten.
pub(super) fn check_lines(snippet: Snippet<'_>, range: Range<usize>, opening: usize) {
    if snippet.slice(range).contains('\n') {
        let span = snippet.span(&(opening..opening + 1));
        snippet.note(span, STRING_NOT_CLOSED.to_owned(), Severity::Error);
    }
}

/// The tokens of a template as they are read.
pub(super) struct TemplateLayout<'a> {
    snippet: Snippet<'a>,
    quoting: Quoting,
    tokens: Vec<TemplateToken>,
    trim_next: bool,
}

impl<'a> TemplateLayout<'a> {
    /// Nothing yet.
    pub(super) fn new(snippet: Snippet<'a>, quoting: Quoting) -> Self {
        Self { snippet, quoting, tokens: Vec::new(), trim_next: false }
    }

    /// Adds `${…}`, and whether white space before and behind it is cut.
    pub(super) fn interpolation(&mut self, value: Expr, span: Span, strip: (bool, bool)) {
        self.control(strip.into(), TemplateToken::Interpolation(value, span));
    }

    /// The parts, nested.
    pub(super) fn finish(mut self) -> Vec<TemplatePart> {
        if self.quoting == (Quoting::Heredoc { flush: true }) {
            remove_indentation(&mut self.tokens);
        }
        nest(&mut self.tokens.into_iter()).0
    }

    fn template(&mut self, from: &Template, expression: ReadExpression) {
        for element in from {
            match element {
                Element::Literal(it) => {
                    self.literal(hcl_edit::Span::span(it).unwrap_or_default());
                }
                Element::Interpolation(it) => {
                    let span = self.snippet.span_of(it);
                    let value = expression(self.snippet, &it.expr);
                    self.control(it.strip, TemplateToken::Interpolation(value, span));
                }
                Element::Directive(it) => match &**it {
                    Directive::If(it) => self.condition(it, expression),
                    Directive::For(it) => self.repetition(it, expression),
                },
            }
        }
    }

    /// Adds the text of a range; nothing if that is empty.
    pub(super) fn literal(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let text = self.snippet.slice(range.clone());
        let lines: Vec<&str> = match self.quoting {
            Quoting::Heredoc { .. } | Quoting::Bare => text.split_inclusive('\n').collect(),
            Quoting::Quoted { opening } => {
                check_lines(self.snippet, range.clone(), opening);
                vec![text]
            }
        };
        let quoted = matches!(self.quoting, Quoting::Quoted { .. });
        let mut start = range.start;
        for line in lines {
            let mut run = LiteralText::default();
            let end = start + line.len();
            decode(self.snippet, start..end, quoted, &mut run);
            if std::mem::take(&mut self.trim_next) {
                run.trim_start();
            }
            self.tokens.push(TemplateToken::Text(run));
            start = end;
        }
    }

    fn control(&mut self, strip: Strip, token: TemplateToken) {
        if let (true, Some(TemplateToken::Text(run))) =
            (strip.strip_start(), self.tokens.last_mut())
        {
            run.trim_end();
        }
        self.trim_next = strip.strip_end();
        self.tokens.push(token);
    }

    fn condition(&mut self, from: &IfDirective, expression: ReadExpression) {
        let span = self.snippet.span_of(from);
        let condition = expression(self.snippet, &from.if_expr.cond_expr);
        self.control(from.if_expr.strip, TemplateToken::If(condition, span));
        self.template(&from.if_expr.template, expression);
        if let Some(otherwise) = &from.else_expr {
            self.control(otherwise.strip, TemplateToken::Else);
            self.template(&otherwise.template, expression);
        }
        self.control(from.endif_expr.strip, TemplateToken::EndIf);
    }

    fn repetition(&mut self, from: &ForDirective, expression: ReadExpression) {
        let span = self.snippet.span_of(from);
        let head = &from.for_expr;
        let key = head.key_var.as_ref().map(|it| it.as_str().into());
        let collection = expression(self.snippet, &head.collection_expr);
        let token = TemplateToken::For(key, head.value_var.as_str().into(), collection, span);
        self.control(head.strip, token);
        self.template(&head.template, expression);
        self.control(from.endfor_expr.strip, TemplateToken::EndFor);
    }
}

/// Removes the smallest indentation of all lines from all lines. Blank lines neither count nor
/// change; a line that begins with an interpolation has no indentation.
fn remove_indentation(tokens: &mut [TemplateToken]) {
    let mut smallest = usize::MAX;
    let mut starts = Vec::new();
    let mut line_begins = true;
    for (index, token) in tokens.iter().enumerate() {
        let TemplateToken::Text(run) = token else {
            if line_begins {
                smallest = 0;
            }
            line_begins = false;
            continue;
        };
        let blank = run.text.ends_with('\n') && run.text.trim().is_empty();
        if line_begins && !blank {
            let indentation = run.text.chars().take_while(|it| it.is_whitespace()).count();
            smallest = smallest.min(indentation);
            starts.push(index);
        }
        line_begins = run.text.ends_with('\n');
    }
    for index in starts {
        if let Some(TemplateToken::Text(run)) = tokens.get_mut(index) {
            let bytes = run.text.chars().take(smallest).map(char::len_utf8).sum();
            run.cut_start(bytes);
        }
    }
}

#[derive(PartialEq, Eq)]
enum End {
    Template,
    Else,
    Directive,
}

/// The parts up to the end of the enclosing directive.
fn nest(tokens: &mut std::vec::IntoIter<TemplateToken>) -> (Vec<TemplatePart>, End) {
    let mut parts = Vec::new();
    let mut pending: Option<LiteralText> = None;
    loop {
        let token = match tokens.next() {
            Some(TemplateToken::Text(run)) => {
                match &mut pending {
                    Some(before) => before.append(run),
                    None => pending = Some(run),
                }
                continue;
            }
            other => other,
        };
        parts.extend(pending.take().map(|run| TemplatePart::Literal(run.into_literal())));
        match token {
            None => return (parts, End::Template),
            Some(TemplateToken::Else) => return (parts, End::Else),
            Some(TemplateToken::EndIf | TemplateToken::EndFor) => return (parts, End::Directive),
            Some(TemplateToken::Text(_)) => {}
            Some(TemplateToken::Interpolation(value, span)) => {
                parts.push(TemplatePart::Interpolation(value, span));
            }
            Some(TemplateToken::If(condition, span)) => {
                let (then, end) = nest(tokens);
                let otherwise = if end == End::Else { nest(tokens).0 } else { Vec::new() };
                parts.push(TemplatePart::If { condition, then, otherwise, span });
            }
            Some(TemplateToken::For(key_variable, value_variable, collection, span)) => {
                let body = nest(tokens).0;
                parts.push(TemplatePart::For {
                    key_variable,
                    value_variable,
                    collection,
                    body,
                    span,
                });
            }
        }
    }
}
