//! What a variable that is empty by default may add to: `merge(local.pools, var.extra_pools)`.

use std::rc::Rc;

use crate::{
    resolve::terraform::{evaluate::Evaluator, instance::ModuleInstance, module::Variable},
    syntax::hcl::{Expr, ExprKind},
};

/// More steps than this are not followed.
const MOST_STEPS: usize = 1_000;

/// The functions whose results have what their arguments have.
const JOINING: &[&str] = &[
    "coalesce",
    "coalescelist",
    "compact",
    "concat",
    "distinct",
    "flatten",
    "keys",
    "length",
    "merge",
    "setunion",
    "tolist",
    "tomap",
    "toset",
    "try",
    "values",
];

impl<'a> Evaluator<'a> {
    /// Whether a variable of the root that is empty by default may add entries to what an expression gives.
    pub(super) fn may_gain(&self, instance: &Rc<ModuleInstance<'a>>, expression: &Expr) -> bool {
        let mut waiting: Vec<(Rc<ModuleInstance<'a>>, &Expr)> =
            vec![(Rc::clone(instance), expression)];
        for _ in 0..MOST_STEPS {
            let Some((instance, expression)) = waiting.pop() else { return false };
            match &expression.kind {
                ExprKind::Parens(inner) => waiting.push((instance, inner)),
                ExprKind::Conditional(parts) => {
                    let branches = parts.iter().skip(1);
                    waiting.extend(branches.map(|it| (Rc::clone(&instance), it)));
                }
                ExprKind::Call { name, arguments, .. } if JOINING.contains(&&**name) => {
                    waiting.extend(arguments.iter().map(|it| (Rc::clone(&instance), it)));
                }
                ExprKind::For(it) => waiting.push((instance, &it.collection)),
                ExprKind::GetAttr(base, name) => match &base.kind {
                    ExprKind::Variable(root) if &**root == "local" => {
                        let local = instance.module.locals.get(name);
                        waiting.extend(local.map(|it| (Rc::clone(&instance), &it.value)));
                    }
                    ExprKind::Variable(root) if &**root == "var" => match &instance.caller {
                        None if self.is_empty_by_default(&instance, name) => return true,
                        None => {}
                        Some(caller) => {
                            let body = caller.item().map(|it| &it.block.body);
                            let given = body.and_then(|it| it.attribute(name));
                            waiting
                                .extend(given.map(|it| (Rc::clone(&caller.instance), &it.value)));
                        }
                    },
                    _ => {}
                },
                _ => {}
            }
        }
        false
    }

    /// Whether a variable of the root is an empty collection that its default gives.
    fn is_empty_by_default(&self, instance: &Rc<ModuleInstance<'a>>, name: &str) -> bool {
        let Some(variable) = instance.module.variables.get(name) else { return false };
        has_empty_default(variable)
            && self.variable(instance, name, variable.block.header).is_empty()
    }
}

/// Whether a variable is an empty collection, or null, by default.
pub(super) fn has_empty_default(variable: &Variable) -> bool {
    variable.default().is_some_and(|it| match &it.value.kind {
        ExprKind::Null => true,
        ExprKind::Array(items) => items.is_empty(),
        ExprKind::Object(items) => items.is_empty(),
        _ => false,
    })
}
