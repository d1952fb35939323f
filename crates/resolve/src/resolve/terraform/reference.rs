//! What an expression refers to, and the texts in it, found without evaluating it.

use crate::{
    source::Span,
    syntax::hcl::{Access, Block, Body, Expr, ExprKind, TemplatePart},
};

/// A reference: `module.m[0].out` is `module` with the names `m`, `out`.
#[derive(Debug)]
pub(super) struct Reference<'a> {
    /// The first word.
    pub root: &'a str,
    /// The attribute names after it; index steps are left out.
    pub names: Vec<&'a str>,
    /// The whole traversal; of a splat, what is spread out.
    pub whole: &'a Expr,
}

/// The first word of a traversal.
pub(super) fn root_of(expression: &Expr) -> Option<&str> {
    let mut current = expression;
    loop {
        match &current.kind {
            ExprKind::Variable(name) => return Some(name),
            ExprKind::GetAttr(base, _) | ExprKind::Index(base, _) => current = base,
            _ => return None,
        }
    }
}

/// What is met on a walk over a tree.
#[derive(Debug)]
pub(super) enum Met<'a> {
    /// A reference.
    Reference(Reference<'a>),
    /// A quoted text or heredoc, and its place.
    Text(&'a [TemplatePart], Span),
}

/// Calls `found` for every reference inside a body, nested blocks included; `depends_on` is left out.
pub(super) fn in_body<'a>(body: &'a Body, found: &mut dyn FnMut(Reference<'a>)) {
    walk_body(body, &mut |met| {
        if let Met::Reference(it) = met {
            found(it);
        }
    });
}

/// Calls `found` for every reference inside an expression.
pub(super) fn in_expression<'a>(expression: &'a Expr, found: &mut dyn FnMut(Reference<'a>)) {
    walk(expression, &mut |met| {
        if let Met::Reference(it) = met {
            found(it);
        }
    });
}

/// Calls `found` for everything inside a body, nested blocks included; `depends_on` is left out.
pub(super) fn walk_body<'a>(body: &'a Body, found: &mut dyn FnMut(Met<'a>)) {
    for attribute in body.attributes.iter().filter(|it| &*it.name != "depends_on") {
        walk(&attribute.value, found);
    }
    for block in &body.blocks {
        in_block(block, found);
    }
}

fn in_block<'a>(block: &'a Block, found: &mut dyn FnMut(Met<'a>)) {
    // What `lifecycle` names are the resource's own attributes, except in its conditions.
    if &*block.kind == "lifecycle" {
        for nested in &block.body.blocks {
            walk_body(&nested.body, found);
        }
        if let Some(triggers) = block.body.attribute("replace_triggered_by") {
            walk(&triggers.value, found);
        }
        return;
    }
    walk_body(&block.body, found);
}

/// Calls `found` for everything inside an expression.
pub(super) fn walk<'a>(expression: &'a Expr, found: &mut dyn FnMut(Met<'a>)) {
    match &expression.kind {
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) => {}
        ExprKind::Template(parts) => {
            found(Met::Text(parts, expression.span));
            in_parts(parts, found);
        }
        ExprKind::Array(items) => in_all(items, found),
        ExprKind::Object(items) => {
            for item in items {
                walk(&item.key, found);
                walk(&item.value, found);
            }
        }
        ExprKind::Parens(inner) | ExprKind::Unary(_, inner) => walk(inner, found),
        ExprKind::Variable(_) | ExprKind::GetAttr(..) | ExprKind::Index(..) => {
            let mut names = Vec::new();
            traversal(expression, &mut names, found);
        }
        ExprKind::Splat(splat) => {
            let mut names = Vec::new();
            for step in splat.steps.iter().rev() {
                match step {
                    Access::Attr(name) => names.push(&**name),
                    Access::Index(key) => walk(key, found),
                    Access::Splat(_) => {}
                }
            }
            traversal(&splat.base, &mut names, found);
        }
        ExprKind::Call { arguments, .. } => in_all(arguments, found),
        ExprKind::Conditional(parts) => in_all(&**parts, found),
        ExprKind::Binary(_, operands) => in_all(&**operands, found),
        ExprKind::For(it) => {
            walk(&it.collection, found);
            walk(&it.value, found);
            in_all(it.key.iter().chain(&it.condition), found);
        }
    }
}

fn in_all<'a>(expressions: impl IntoIterator<Item = &'a Expr>, found: &mut dyn FnMut(Met<'a>)) {
    for expression in expressions {
        walk(expression, found);
    }
}

/// Follows a traversal down to its first word; `names` are those met so far, the last one first.
fn traversal<'a>(expression: &'a Expr, names: &mut Vec<&'a str>, found: &mut dyn FnMut(Met<'a>)) {
    let mut current = expression;
    loop {
        match &current.kind {
            ExprKind::Variable(root) => {
                names.reverse();
                let names = std::mem::take(names);
                found(Met::Reference(Reference { root, names, whole: expression }));
                return;
            }
            ExprKind::GetAttr(base, name) => {
                names.push(name);
                current = base;
            }
            ExprKind::Index(base, key) => {
                walk(key, found);
                current = base;
            }
            _ => return walk(current, found),
        }
    }
}

fn in_parts<'a>(parts: &'a [TemplatePart], found: &mut dyn FnMut(Met<'a>)) {
    for part in parts {
        match part {
            TemplatePart::Literal(_) => {}
            TemplatePart::Interpolation(inner, _) => walk(inner, found),
            TemplatePart::If { condition, then, otherwise, .. } => {
                walk(condition, found);
                in_parts(then, found);
                in_parts(otherwise, found);
            }
            TemplatePart::For { collection, body, .. } => {
                walk(collection, found);
                in_parts(body, found);
            }
        }
    }
}
