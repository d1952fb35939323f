//! Changing every node of a tree: its places, or what its references mean.

use crate::syntax::hcl::{Access, Expr, ExprKind, TemplatePart};

/// A node that may be changed; what is inside it was visited before.
pub enum Visited<'n> {
    /// An expression.
    Expr(&'n mut Expr),
    /// A part of a template.
    Part(&'n mut TemplatePart),
}

/// Visits everything in an expression, the innermost first.
pub fn in_expr(expr: &mut Expr, change: &mut dyn FnMut(Visited<'_>)) {
    match &mut expr.kind {
        ExprKind::Null
        | ExprKind::Bool(_)
        | ExprKind::Number(_)
        | ExprKind::Unreadable
        | ExprKind::Variable(_) => {}
        ExprKind::Template(parts) => in_parts(parts, change),
        ExprKind::Array(items) => in_all(items, change),
        ExprKind::Object(items) => {
            for item in items {
                in_expr(&mut item.key, change);
                in_expr(&mut item.value, change);
            }
        }
        ExprKind::Parens(inner) | ExprKind::Unary(_, inner) | ExprKind::GetAttr(inner, _) => {
            in_expr(inner, change);
        }
        ExprKind::Index(base, key) => {
            in_expr(base, change);
            in_expr(key, change);
        }
        ExprKind::Splat(splat) => {
            in_expr(&mut splat.base, change);
            for step in &mut splat.steps {
                if let Access::Index(key) = step {
                    in_expr(key, change);
                }
            }
        }
        ExprKind::Call { arguments, .. } => in_all(arguments, change),
        ExprKind::Conditional(parts) => in_all(&mut **parts, change),
        ExprKind::Binary(_, operands) => in_all(&mut **operands, change),
        ExprKind::For(it) => {
            in_expr(&mut it.collection, change);
            in_expr(&mut it.value, change);
            in_all(it.key.iter_mut().chain(&mut it.condition), change);
        }
    }
    change(Visited::Expr(expr));
}

fn in_all<'e>(
    expressions: impl IntoIterator<Item = &'e mut Expr>,
    change: &mut dyn FnMut(Visited<'_>),
) {
    for expression in expressions {
        in_expr(expression, change);
    }
}

/// Visits everything in a template.
pub fn in_parts(parts: &mut [TemplatePart], change: &mut dyn FnMut(Visited<'_>)) {
    for part in parts {
        match part {
            TemplatePart::Literal(_) => {}
            TemplatePart::Interpolation(inner, _) => in_expr(inner, change),
            TemplatePart::If { condition, then, otherwise, .. } => {
                in_expr(condition, change);
                in_parts(then, change);
                in_parts(otherwise, change);
            }
            TemplatePart::For { collection, body, .. } => {
                in_expr(collection, change);
                in_parts(body, change);
            }
        }
        change(Visited::Part(part));
    }
}
