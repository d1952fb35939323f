//! hcl-edit's bodies and expressions as our tree.

use std::{cell::RefCell, collections::HashMap, ops::Range, sync::Arc};

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
    source::{FileId, Span},
    syntax::{
        ParseError,
        hcl::{
            Access, Attribute, Binary, Block, Body, Expr, ExprKind, For, Item, Literal, Part,
            Splat, Unary,
            template::{self, Quoting},
        },
    },
    value::Piece,
};

/// A parsed piece of a file: its text as it was parsed and where it begins in the file.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The file.
    pub file: FileId,
    /// The text hcl-edit's offsets count in.
    pub text: &'a str,
    /// The offset of `text` in the file.
    pub offset: usize,
    /// Where to put what hcl-edit lets pass and people should know.
    pub notes: &'a RefCell<Vec<ParseError>>,
}

impl Source<'_> {
    /// A range of the parsed text as a place in the file.
    pub fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.file, self.offset + range.start, self.offset + range.end)
    }

    /// The place of one of hcl-edit's nodes.
    pub fn span_of(&self, node: &impl hcl_edit::Span) -> Span {
        self.span(&node.span().unwrap_or_default())
    }

    /// Notes something wrong that could be read all the same.
    pub fn note(&self, span: Span, message: String, severity: Severity) {
        self.notes.borrow_mut().push(ParseError::new(span, message, severity));
    }

    /// The text under a range; empty if there is no such range.
    pub fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }
}

/// Attributes and blocks, in order.
pub fn body(source: Source<'_>, from: &structure::Body) -> Body {
    let mut result = Body::default();
    for item in from {
        match item {
            structure::Structure::Attribute(it) => result.attributes.push(attribute(source, it)),
            structure::Structure::Block(it) => result.blocks.push(block(source, it)),
        }
    }
    result
}

fn attribute(source: Source<'_>, from: &structure::Attribute) -> Attribute {
    let name_span = source.span_of(&from.key);
    let value = expression(source, &from.value);
    let span = name_span.to(value.span);
    Attribute { name: from.key.as_str().into(), name_span, value, span }
}

fn block(source: Source<'_>, from: &structure::Block) -> Block {
    let kind = source.span_of(&from.ident);
    let labels: Vec<(Arc<str>, Span)> =
        from.labels.iter().map(|it| (it.as_str().into(), source.span_of(it))).collect();
    let header = labels.last().map_or(kind, |(_, last)| kind.to(*last));
    Block {
        kind: from.ident.as_str().into(),
        labels,
        header,
        body: body(source, &from.body),
        span: source.span_of(from),
    }
}

/// An expression.
pub fn expression(source: Source<'_>, from: &Expression) -> Expr {
    let span = source.span_of(from);
    let range = from.span().unwrap_or_default();
    let many = |items: &mut dyn Iterator<Item = &Expression>| -> Vec<Expr> {
        items.map(|it| expression(source, it)).collect()
    };
    let kind = match from {
        Expression::Null(_) => ExprKind::Null,
        Expression::Bool(it) => ExprKind::Bool(*it.value()),
        Expression::Number(it) => ExprKind::Number(it.value().as_f64().unwrap_or(f64::NAN)),
        Expression::String(_) => {
            template::check_lines(source, range.clone(), range.start);
            let inside = range.start + 1..range.end.saturating_sub(1);
            ExprKind::Template(template::plain(source, inside))
        }
        Expression::StringTemplate(it) => ExprKind::Template(template::parts(
            source,
            it,
            Quoting::Quoted { opening: range.start },
        )),
        Expression::HeredocTemplate(it) => {
            let flush = source.slice(range).starts_with("<<-");
            ExprKind::Template(template::parts(source, &it.template, Quoting::Heredoc { flush }))
        }
        Expression::Array(it) => ExprKind::Array(many(&mut it.iter())),
        Expression::Object(it) => ExprKind::Object(object(source, it)),
        Expression::Parenthesis(it) => ExprKind::Parens(Box::new(expression(source, it.inner()))),
        Expression::Variable(it) => ExprKind::Variable(it.as_str().into()),
        Expression::Conditional(it) => conditional(source, it),
        Expression::FuncCall(it) => call(source, it),
        Expression::Traversal(it) => return traversal(source, it),
        Expression::UnaryOp(it) => {
            let operator = match it.operator.value() {
                UnaryOperator::Neg => Unary::Negate,
                UnaryOperator::Not => Unary::Not,
            };
            ExprKind::Unary(operator, Box::new(expression(source, &it.expr)))
        }
        Expression::BinaryOp(it) => {
            let sides = [expression(source, &it.lhs_expr), expression(source, &it.rhs_expr)];
            ExprKind::Binary(binary(*it.operator.value()), Box::new(sides))
        }
        Expression::ForExpr(it) => for_expression(source, it),
    };
    Expr { kind, span }
}

/// The items of an object. hcl-edit takes `a` and `"a"` for different keys; Terraform does not.
fn object(source: Source<'_>, from: &Object) -> Vec<Item> {
    let mut items: Vec<Option<Item>> = Vec::with_capacity(from.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (index, (key, value)) in from.iter().enumerate() {
        let key = object_key(source, key);
        let name = key.as_literal().map(str::to_owned);
        let value = expression(source, value.expr());
        items.push(Some(Item { key, value }));
        let earlier = name.and_then(|name| seen.insert(name, index));
        if let Some(item) = earlier.and_then(|it| items.get_mut(it)?.take()) {
            let name = item.key.as_literal().unwrap_or_default();
            source.note(item.key.span, duplicate_key(name), Severity::Warning);
        }
    }
    items.into_iter().flatten().collect()
}

/// What is said of a key that is written again in the same object.
pub fn duplicate_key(name: &str) -> String {
    format!("duplicate key `{name}`: the last one counts")
}

fn object_key(source: Source<'_>, from: &ObjectKey) -> Expr {
    let word = match from {
        ObjectKey::Expression(it) => return expression(source, it),
        ObjectKey::Ident(word) => word,
    };
    let span = source.span_of(word);
    let text: Arc<str> = word.as_str().into();
    let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let pieces = vec![Piece { at: 0, len, span }];
    Expr { kind: ExprKind::Template(vec![Part::Literal(Literal { text, pieces })]), span }
}

fn conditional(source: Source<'_>, from: &Conditional) -> ExprKind {
    ExprKind::Conditional(Box::new([
        expression(source, &from.cond_expr),
        expression(source, &from.true_expr),
        expression(source, &from.false_expr),
    ]))
}

fn call(source: Source<'_>, from: &FuncCall) -> ExprKind {
    let words = from.name.namespace.iter().chain(std::iter::once(&from.name.name));
    let words: Vec<&str> = words.map(|it| it.as_str()).collect();
    ExprKind::Call {
        name: words.join("::").into(),
        arguments: from.args.iter().map(|it| expression(source, it)).collect(),
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

fn for_expression(source: Source<'_>, from: &ForExpr) -> ExprKind {
    ExprKind::For(Box::new(For {
        key_variable: from.intro.key_var.as_ref().map(|it| it.as_str().into()),
        value_variable: from.intro.value_var.as_str().into(),
        collection: expression(source, &from.intro.collection_expr),
        key: from.key_expr.as_ref().map(|it| expression(source, it)),
        value: expression(source, &from.value_expr),
        grouping: from.grouping,
        condition: from.cond.as_ref().map(|it| expression(source, &it.expr)),
    }))
}

/// `base.a[0].*.b`: nested from the inside out. A splat takes the steps it applies to each item.
fn traversal(source: Source<'_>, from: &Traversal) -> Expr {
    let mut base = expression(source, &from.expr);
    let mut steps = from.operators.iter().peekable();
    while let Some(step) = steps.next() {
        let mut span = base.span.to(source.span_of(step));
        let full = match access(source, step.value()) {
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
            span = span.to(source.span_of(step));
            inner.push(access(source, step.value()));
        }
        base = Expr { kind: ExprKind::Splat(Box::new(Splat { base, full, steps: inner })), span };
    }
    base
}

fn is_attribute(step: &TraversalOperator) -> bool {
    matches!(step, TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_))
}

fn access(source: Source<'_>, step: &TraversalOperator) -> Access {
    match step {
        TraversalOperator::GetAttr(name) => Access::Attr(name.as_str().into()),
        TraversalOperator::Index(key) => Access::Index(expression(source, key)),
        TraversalOperator::LegacyIndex(index) => {
            let span = source.span_of(index);
            let text = source.slice(index.span().unwrap_or_default());
            Access::Index(Expr { kind: ExprKind::Number(text.parse().unwrap_or(f64::NAN)), span })
        }
        TraversalOperator::AttrSplat(_) => Access::Splat(false),
        TraversalOperator::FullSplat(_) => Access::Splat(true),
    }
}
