//! What `count` and `for_each` depend on: a variable that may be set, or only constants.

use std::{collections::HashSet, rc::Rc};

use crate::{
    resolve::terraform::{instance::ModuleInstance, reference::in_expression},
    syntax::hcl::{Expr, ExprKind},
};

/// Whether an expression depends on a variable whose value is not fixed.
pub(super) fn involves_variable<'a>(instance: &Rc<ModuleInstance<'a>>, expression: &Expr) -> bool {
    let mut seen: HashSet<(u32, &str)> = HashSet::new();
    let mut waiting: Vec<(Rc<ModuleInstance<'a>>, &Expr)> = vec![(Rc::clone(instance), expression)];
    while let Some((instance, expression)) = waiting.pop() {
        let mut involved = false;
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
                    involved |= argument.is_none();
                    next.extend(argument);
                }
                "module" | "each" => involved = true,
                _ => {}
            }
        });
        if involved {
            return true;
        }
        waiting.extend(next);
        if seen.len() > 10_000 || waiting.len() > 10_000 {
            return true;
        }
    }
    false
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
