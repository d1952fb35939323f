//! What an expression refers to, and the texts in it, found without evaluating it.

use crate::{
    resolve::terraform::module::literal,
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
    /// How many of these names Terraform takes for its address: those before a splat or a computed index.
    pub fixed: usize,
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
        ExprKind::Null | ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Unreadable => {}
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
            traversal(expression, Vec::new(), found);
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
            traversal(&splat.base, names, found);
        }
        ExprKind::Call { arguments, .. } => in_all(arguments, found),
        ExprKind::Conditional(parts) => in_all(&**parts, found),
        ExprKind::Binary(_, operands) => in_all(&**operands, found),
        ExprKind::For(it) => {
            walk(&it.collection, found);
            let bound = [it.key_variable.as_deref(), Some(&*it.value_variable)];
            let found = &mut without(bound, found);
            walk(&it.value, found);
            in_all(it.key.iter().chain(&it.condition), found);
        }
    }
}

/// Leaves out what a loop's own variables stand for.
fn without<'a>(bound: [Option<&str>; 2], found: &mut dyn FnMut(Met<'a>)) -> impl FnMut(Met<'a>) {
    move |met| match met {
        Met::Reference(it) if bound.contains(&Some(it.root)) => {}
        met => found(met),
    }
}

fn in_all<'a>(expressions: impl IntoIterator<Item = &'a Expr>, found: &mut dyn FnMut(Met<'a>)) {
    for expression in expressions {
        walk(expression, found);
    }
}

/// Follows a traversal down to its first word; `names` are those behind it, the last one first.
fn traversal<'a>(expression: &'a Expr, mut names: Vec<&'a str>, found: &mut dyn FnMut(Met<'a>)) {
    let mut current = expression;
    let mut loose = names.len();
    loop {
        match &current.kind {
            ExprKind::Variable(root) => {
                let fixed = names.len() - loose;
                names.reverse();
                found(Met::Reference(Reference { root, names, fixed, whole: expression }));
                return;
            }
            ExprKind::GetAttr(base, name) => {
                names.push(name);
                current = base;
            }
            ExprKind::Index(base, key) => {
                if literal(key).is_none() && !matches!(key.kind, ExprKind::Number(_)) {
                    loose = names.len();
                }
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
            TemplatePart::For { key_variable, value_variable, collection, body, .. } => {
                walk(collection, found);
                let bound = [key_variable.as_deref(), Some(&**value_variable)];
                in_parts(body, &mut without(bound, found));
            }
        }
    }
}
