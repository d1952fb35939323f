//! hcl-edit's bodies and expressions as our tree.

use std::sync::Arc;

use crate::hash::HashMap;

use hcl_edit::{
    Span as _,
    expr::{
        BinaryOperator, Conditional, Expression, ForExpr, FuncCall, Object, ObjectKey, Traversal,
        TraversalOperator, UnaryOperator,
    },
    structure,
};

use crate::{
    findings::Severity,
    source::Span,
    syntax::hcl::{
        Access, Attribute, Binary, Block, Body, Expr, ExprKind, For, Literal, ObjectItem, Splat,
        TemplatePart, Unary,
        snippet::Snippet,
        template::{self, Quoting},
    },
    value::TextPiece,
};

/// Attributes and blocks, in order.
pub(super) fn body(snippet: Snippet<'_>, from: &structure::Body) -> Body {
    let mut result = Body::default();
    for item in from {
        match item {
            structure::Structure::Attribute(it) => result.attributes.push(attribute(snippet, it)),
            structure::Structure::Block(it) => result.blocks.push(block(snippet, it)),
        }
    }
    result
}

fn attribute(snippet: Snippet<'_>, from: &structure::Attribute) -> Attribute {
    let name_span = snippet.span_of(&from.key);
    let value = expression(snippet, &from.value);
    let span = name_span.to(value.span);
    Attribute { name: from.key.as_str().into(), name_span, value, span }
}

fn block(snippet: Snippet<'_>, from: &structure::Block) -> Block {
    let kind = snippet.span_of(&from.ident);
    let labels: Vec<(Arc<str>, Span)> =
        from.labels.iter().map(|it| (it.as_str().into(), snippet.span_of(it))).collect();
    let header = labels.last().map_or(kind, |(_, last)| kind.to(*last));
    Block {
        kind: from.ident.as_str().into(),
        labels,
        header,
        body: body(snippet, &from.body),
        span: snippet.span_of(from),
    }
}

/// An expression.
pub(super) fn expression(snippet: Snippet<'_>, from: &Expression) -> Expr {
    let span = snippet.span_of(from);
    let range = from.span().unwrap_or_default();
    let many = |items: &mut dyn Iterator<Item = &Expression>| -> Vec<Expr> {
        items.map(|it| expression(snippet, it)).collect()
    };
    let kind = match from {
        Expression::String(_) | Expression::StringTemplate(_) | Expression::HeredocTemplate(_)
            if snippet.is_unreadable(&range) =>
        {
            ExprKind::Unreadable
        }
        Expression::Null(_) => ExprKind::Null,
        Expression::Bool(it) => ExprKind::Bool(*it.value()),
        Expression::Number(it) => ExprKind::Number(it.value().as_f64().unwrap_or(f64::NAN)),
        Expression::String(_) => {
            template::check_lines(snippet, range.clone(), range.start);
            let inside = range.start + 1..range.end.saturating_sub(1);
            ExprKind::Template(template::plain(snippet, inside))
        }
        Expression::StringTemplate(it) => ExprKind::Template(template::parts(
            snippet,
            it,
            Quoting::Quoted { opening: range.start },
            expression,
        )),
        Expression::HeredocTemplate(it) => {
            let flush = snippet.slice(range).starts_with("<<-");
            ExprKind::Template(template::parts(
                snippet,
                &it.template,
                Quoting::Heredoc { flush },
                expression,
            ))
        }
        Expression::Array(it) => ExprKind::Array(many(&mut it.iter())),
        Expression::Object(it) => ExprKind::Object(object(snippet, it)),
        Expression::Parenthesis(it) => ExprKind::Parens(Box::new(expression(snippet, it.inner()))),
        Expression::Variable(it) => ExprKind::Variable(it.as_str().into()),
        Expression::Conditional(it) => conditional(snippet, it),
        Expression::FuncCall(it) => call(snippet, it),
        Expression::Traversal(it) => return traversal(snippet, it),
        Expression::UnaryOp(it) => {
            let operator = match it.operator.value() {
                UnaryOperator::Neg => Unary::Negate,
                UnaryOperator::Not => Unary::Not,
            };
            ExprKind::Unary(operator, Box::new(expression(snippet, &it.expr)))
        }
        Expression::BinaryOp(it) => {
            let sides = [expression(snippet, &it.lhs_expr), expression(snippet, &it.rhs_expr)];
            ExprKind::Binary(binary(*it.operator.value()), Box::new(sides))
        }
        Expression::ForExpr(it) => for_expression(snippet, it),
    };
    Expr { kind, span }
}

/// The items of an object. hcl-edit takes `a` and `"a"` for different keys; Terraform does not.
fn object(snippet: Snippet<'_>, from: &Object) -> Vec<ObjectItem> {
    let mut items: Vec<Option<ObjectItem>> = Vec::with_capacity(from.len());
    let mut seen: HashMap<String, usize> = HashMap::default();
    let text = |it: &Expr| {
        let range = it.span.range();
        snippet.slice(range.start - snippet.offset..range.end - snippet.offset)
    };
    for (index, (key, value)) in from.iter().enumerate() {
        let key = object_key(snippet, key);
        let name = key.as_literal().map(str::to_owned);
        let value = expression(snippet, value.expr());
        items.push(Some(ObjectItem { key, value }));
        let earlier = name.and_then(|name| seen.insert(name, index));
        if let Some(item) = earlier.and_then(|it| items.get_mut(it)?.take()) {
            let name = item.key.as_literal().unwrap_or_default();
            let again = items[index].as_ref().map(|it| text(&it.value));
            // Whichever of two that are the same counts.
            if again != Some(text(&item.value)) {
                snippet.note(item.key.span, duplicate_key(name), Severity::Warning);
            }
        }
    }
    items.into_iter().flatten().collect()
}

/// The message for a key that is written again in the same object.
pub(super) fn duplicate_key(name: &str) -> String {
    format!("duplicate key `{name}`: the last one counts")
}

fn object_key(snippet: Snippet<'_>, from: &ObjectKey) -> Expr {
    let word = match from {
        ObjectKey::Expression(it) => return expression(snippet, it),
        ObjectKey::Ident(word) => word,
    };
    let span = snippet.span_of(word);
    let text: Arc<str> = word.as_str().into();
    let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let pieces = vec![TextPiece { at: 0, len, span }];
    Expr { kind: ExprKind::Template(vec![TemplatePart::Literal(Literal { text, pieces })]), span }
}

fn conditional(snippet: Snippet<'_>, from: &Conditional) -> ExprKind {
    ExprKind::Conditional(Box::new([
        expression(snippet, &from.cond_expr),
        expression(snippet, &from.true_expr),
        expression(snippet, &from.false_expr),
    ]))
}

fn call(snippet: Snippet<'_>, from: &FuncCall) -> ExprKind {
    let words = from.name.namespace.iter().chain(std::iter::once(&from.name.name));
    let words: Vec<&str> = words.map(|it| it.as_str()).collect();
    ExprKind::Call {
        name: words.join("::").into(),
        arguments: from.args.iter().map(|it| expression(snippet, it)).collect(),
        expand: from.args.expand_final(),
    }
}

fn binary(from: BinaryOperator) -> Binary {
    match from {
        BinaryOperator::Eq => Binary::Equal,
        BinaryOperator::NotEq => Binary::NotEqual,
        BinaryOperator::LessEq => Binary::LessOrEqual,
        BinaryOperator::GreaterEq => Binary::GreaterOrEqual,
        BinaryOperator::Less => Binary::Less,
        BinaryOperator::Greater => Binary::Greater,
        BinaryOperator::Plus => Binary::Plus,
        BinaryOperator::Minus => Binary::Minus,
        BinaryOperator::Mul => Binary::Times,
        BinaryOperator::Div => Binary::Divide,
        BinaryOperator::Mod => Binary::Modulo,
        BinaryOperator::And => Binary::And,
        BinaryOperator::Or => Binary::Or,
    }
}

fn for_expression(snippet: Snippet<'_>, from: &ForExpr) -> ExprKind {
    ExprKind::For(Box::new(For {
        key_variable: from.intro.key_var.as_ref().map(|it| it.as_str().into()),
        value_variable: from.intro.value_var.as_str().into(),
        collection: expression(snippet, &from.intro.collection_expr),
        key: from.key_expr.as_ref().map(|it| expression(snippet, it)),
        value: expression(snippet, &from.value_expr),
        grouping: from.grouping,
        condition: from.cond.as_ref().map(|it| expression(snippet, &it.expr)),
    }))
}

/// `base.a[0].*.b`: nested from the inside out. A splat takes the steps it applies to each item.
fn traversal(snippet: Snippet<'_>, from: &Traversal) -> Expr {
    let mut base = expression(snippet, &from.expr);
    let mut steps = from.operators.iter().peekable();
    while let Some(step) = steps.next() {
        let mut span = base.span.to(snippet.span_of(step));
        let full = match access(snippet, step.value()) {
            Access::Attr(name) => {
                base = Expr { kind: ExprKind::GetAttr(Box::new(base), name), span };
                continue;
            }
            Access::Index(key) => {
                base = Expr { kind: ExprKind::Index(Box::new(base), Box::new(key)), span };
                continue;
            }
            Access::Splat(full) => full,
        };
        let mut inner = Vec::new();
        while let Some(step) = steps.next_if(|it| full || is_attribute(it.value())) {
            span = span.to(snippet.span_of(step));
            inner.push(access(snippet, step.value()));
        }
        base = Expr { kind: ExprKind::Splat(Box::new(Splat { base, full, steps: inner })), span };
    }
    base
}

fn is_attribute(step: &TraversalOperator) -> bool {
    matches!(step, TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_))
}

fn access(snippet: Snippet<'_>, step: &TraversalOperator) -> Access {
    match step {
        TraversalOperator::GetAttr(name) => Access::Attr(name.as_str().into()),
        TraversalOperator::Index(key) => Access::Index(expression(snippet, key)),
        TraversalOperator::LegacyIndex(index) => {
            let span = snippet.span_of(index);
            let text = snippet.slice(index.span().unwrap_or_default());
            Access::Index(Expr { kind: ExprKind::Number(text.parse().unwrap_or(f64::NAN)), span })
        }
        TraversalOperator::AttrSplat(_) => Access::Splat(false),
        TraversalOperator::FullSplat(_) => Access::Splat(true),
    }
}
