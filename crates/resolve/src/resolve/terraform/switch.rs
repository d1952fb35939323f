//! What `count` and `for_each` depend on: a variable that may be set, or only constants.

use std::{collections::BTreeSet, rc::Rc, sync::Arc};

use crate::hash::HashSet;

use crate::{
    resolve::terraform::{instance::ModuleInstance, reference::in_expression},
    syntax::hcl::{Attribute, Expr, ExprKind},
};

/// Whether an expression depends on a variable whose value is not fixed.
pub(super) fn involves_variable(instance: &Rc<ModuleInstance<'_>>, expression: &Expr) -> bool {
    !reached(instance, expression, true).is_empty()
}

/// What an expression depends on whose value is not fixed: the root's variables, and `module` and `each` for
/// what they lead to.
pub(super) fn variables(
    instance: &Rc<ModuleInstance<'_>>,
    expression: &Expr,
) -> BTreeSet<Arc<str>> {
    reached(instance, expression, false)
}

/// The same, or enough of it to see whether there is any.
fn reached<'a>(
    instance: &Rc<ModuleInstance<'a>>,
    expression: &Expr,
    any: bool,
) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    let mut seen: HashSet<(u32, &str)> = HashSet::default();
    let mut waiting: Vec<(Rc<ModuleInstance<'a>>, &Expr)> = vec![(Rc::clone(instance), expression)];
    while let Some((instance, expression)) = waiting.pop() {
        let module = instance.module;
        let mut next = Vec::new();
        in_expression(expression, &mut |reference| {
            let name = reference.names.first().copied().unwrap_or_default();
            match reference.root {
                "local" => {
                    if let Some((name, local)) = module.locals.get_key_value(name)
                        && seen.insert((instance.id, name))
                    {
                        next.push((Rc::clone(&instance), &local.value));
                    }
                }
                "var" => {
                    let argument = instance.caller.as_ref().and_then(|caller| {
                        let argument = caller.item()?.block.body.attribute(name)?;
                        Some((Rc::clone(&caller.instance), &argument.value))
                    });
                    if argument.is_none() {
                        found.insert(Arc::from(format!("{}var.{name}", instance.prefix)));
                    }
                    next.extend(argument);
                }
                "module" | "each" => {
                    found.insert(Arc::from(reference.root));
                }
                _ => {}
            }
        });
        waiting.extend(next);
        if any && !found.is_empty() {
            break;
        }
        if seen.len() > 10_000 || waiting.len() > 10_000 {
            found.insert(Arc::from("module"));
            break;
        }
    }
    found
}

/// Whether the expression is `condition ? 1 : 0` or the other way round.
pub(super) fn is_switch(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Parens(inner) => is_switch(inner),
        ExprKind::Conditional(parts) => {
            let [_, then, otherwise] = &**parts;
            let small = |it: &Expr| {
                matches!(it.kind, ExprKind::Number(number) if number <= 1.0) || is_switch(it)
            };
            small(then) && small(otherwise)
        }
        _ => false,
    }
}

/// The variable of `var.… ? 1 : 0`.
pub(super) fn switch_of(count: &Attribute) -> Option<Arc<str>> {
    let ExprKind::Conditional(parts) = &count.value.kind else { return None };
    let [condition, then, otherwise] = parts.as_ref();
    let is = |it: &Expr, number: &str| matches!(&it.kind, ExprKind::Number(it) if it.to_string() == number);
    let ExprKind::GetAttr(base, name) = &condition.kind else { return None };
    let is_variable = matches!(&base.kind, ExprKind::Variable(it) if &**it == "var");
    (is_variable && is(then, "1") && is(otherwise, "0")).then(|| Arc::clone(name))
}
