//! What `count` and `for_each` depend on: a variable that may be set, or only constants.

use std::{collections::BTreeSet, rc::Rc, sync::Arc};

use crate::hash::HashSet;

use crate::{
    resolve::terraform::{
        evaluate::{Evaluator, Link},
        instance::ModuleInstance,
        reference::in_expression,
    },
    syntax::hcl::{Attribute, Expr, ExprKind},
};

/// A chain of more locals and arguments than this is taken to end at a variable.
const LONGEST: u32 = 160;

impl<'a> Evaluator<'a> {
    /// Whether an expression depends on a variable whose value is not fixed.
    pub(super) fn involves_variable(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        expression: &Expr,
    ) -> bool {
        self.leads_to_variable(instance, expression, 0)
    }

    fn leads_to_variable(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        expression: &Expr,
        links: u32,
    ) -> bool {
        let mut leads = links > LONGEST;
        in_expression(expression, &mut |reference| {
            if leads {
                return;
            }
            let name = reference.names.first().copied().unwrap_or_default();
            leads = match reference.root {
                "local" => instance.module.locals.get_key_value(name).is_some_and(|(name, it)| {
                    self.link((instance, Link::Local(name)), (instance, &it.value), links)
                }),
                "var" => instance.caller.as_ref().is_none_or(|caller| {
                    let given = caller.item().and_then(|it| it.block.body.attribute(name));
                    given.is_some_and(|it| {
                        let link = Link::Argument(&it.name);
                        self.link((instance, link), (&caller.instance, &it.value), links)
                    })
                }),
                "module" | "each" => true,
                _ => false,
            };
        });
        leads
    }

    /// The same of what a local or an argument is, asked once. What leads back to itself leads nowhere else.
    fn link(
        &self,
        (owner, link): (&Rc<ModuleInstance<'a>>, Link<'a>),
        (instance, expression): (&Rc<ModuleInstance<'a>>, &Expr),
        links: u32,
    ) -> bool {
        let key = (owner.id, link);
        if let Some(known) = self.links.borrow().get(&key) {
            return *known;
        }
        self.links.borrow_mut().insert(key, false);
        let leads = self.leads_to_variable(instance, expression, links + 1);
        self.links.borrow_mut().insert(key, leads);
        leads
    }
}

/// What an expression depends on whose value is not fixed: the root's variables, and `module` and `each` for
/// what they lead to.
pub(super) fn variables<'a>(
    instance: &Rc<ModuleInstance<'a>>,
    expression: &Expr,
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
                    let Some(caller) = &instance.caller else {
                        found.insert(Arc::from(format!("var.{name}")));
                        return;
                    };
                    // What a call does not pass is the default.
                    let argument = caller.item().and_then(|it| it.block.body.attribute(name));
                    next.extend(argument.map(|it| (Rc::clone(&caller.instance), &it.value)));
                }
                "module" | "each" => {
                    found.insert(Arc::from(reference.root));
                }
                _ => {}
            }
        });
        waiting.extend(next);
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
