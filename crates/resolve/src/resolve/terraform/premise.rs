//! One state at a time: a block that is there only with other values of variables than those known is
//! evaluated with the values that make it be there.
//!
//! With `count = var.enabled ? 1 : 0` and `enabled` off by default, `var.enabled ? "shop" : ""` in the block is
//! `"shop"` wherever the block exists. Only variables of few values are tried: switches, and those that a
//! condition compares with literals.

use std::{collections::BTreeSet, rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        evaluate::Evaluator,
        instance::{ModuleInstance, Premise},
        module::{Variable, literal},
        reference::{Met, walk},
        switch::variables,
        validated::{self, is_switch},
    },
    syntax::hcl::{Expr, ExprKind, TemplatePart},
    value::{Kind, Symbol, Value},
};

/// A block that more variables decide about is taken as it is.
const MOST_VARIABLES: usize = 3;
/// The same of a variable that may have more values.
const MOST_VALUES: usize = 6;

impl<'a> Evaluator<'a> {
    /// Whether an item is off whatever the variables are. What hangs on one is not evaluated for that.
    pub(super) fn is_disabled(&self, instance: &Rc<ModuleInstance<'a>>, index: usize) -> bool {
        let body = instance.module.items.get(index).map(|it| &it.block.body);
        let switch = body.and_then(|it| it.attribute("count").or(it.attribute("for_each")));
        let Some(switch) = switch else { return false };
        let expansion = || self.expansion(instance, index);
        if !self.involves_variable(instance, &switch.value) {
            return expansion().disabled;
        }
        let present = || self.where_present(instance, index);
        expansion().absent && present().is_some_and(|it| self.expansion(&it, index).absent)
    }

    /// The module instance in which a block is there: where its `count` or `for_each` is nothing or not known
    /// with the values known of the root's variables, its like with those that make it be there. Where several
    /// do, or any but the one known, the variables are unknown in it. `None` where it is there anyway.
    pub(super) fn where_present(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
    ) -> Option<Rc<ModuleInstance<'a>>> {
        let expansion = self.expansion(instance, index);
        if !expansion.absent && !expansion.open_switch {
            return None;
        }
        let body = &instance.module.items.get(index)?.block.body;
        let switch = &body.attribute("count").or(body.attribute("for_each"))?.value;
        let variables = variables(instance, switch);
        let assumed = &root_of(instance).premise;
        if let Some(like) = self.only_case(instance, index, (assumed, &variables, switch)) {
            return Some(like);
        }
        let unknown = |address: &Arc<str>| {
            let name = address.strip_prefix("var.")?;
            let (name, variable) = self.root()?.variables.get_key_value(name)?;
            is_scalar(variable).then_some(())?;
            let symbol = Symbol::new(Arc::clone(&self.folder), &**address);
            let symbol = validated::of_variable(symbol, variable);
            Some((Arc::clone(name), Value::unknown(symbol, variable.block.header)))
        };
        let unknown: Option<Premise> = variables.iter().map(unknown).collect();
        let premise = unknown.filter(|_| expansion.absent)?.into_iter().chain(assumed.clone());
        self.like(instance, &self.root_under(premise.collect())?)
    }

    /// The like of an instance with the only values of few, or those with the fewest changes, that make a
    /// block be there.
    fn only_case(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        (assumed, variables, switch): (&Premise, &BTreeSet<Arc<str>>, &Expr),
    ) -> Option<Rc<ModuleInstance<'a>>> {
        let mut cases = vec![(0, assumed.clone())];
        for name in variables {
            cases = self.cases(&cases, (name, switch))?;
        }
        let mut found: Option<(usize, Rc<ModuleInstance<'a>>)> = None;
        let mut is_clear = true;
        for (changes, premise) in cases.into_iter().filter(|it| it.0 > 0) {
            let Some(like) = self.like(instance, &self.root_under(premise)?) else { continue };
            let expansion = self.expansion(&like, index);
            if expansion.absent || expansion.open_switch || expansion.disabled {
                continue;
            }
            match found.as_ref().map(|it| it.0) {
                Some(least) if least < changes => {}
                Some(least) if least == changes => is_clear = false,
                _ => (found, is_clear) = (Some((changes, like)), true),
            }
        }
        found.filter(|_| is_clear).map(|it| it.1)
    }

    /// The premises with each value of one more variable, and how many variables each changes; `None` if
    /// the values it may have are not few.
    fn cases(
        &self,
        premises: &[(usize, Premise)],
        (address, switch): (&str, &Expr),
    ) -> Option<Vec<(usize, Premise)>> {
        let name = address.strip_prefix("var.")?;
        let (name, variable) = self.root()?.variables.get_key_value(name)?;
        let first = premises.first()?;
        if first.1.contains_key(name) {
            return Some(premises.to_vec());
        }
        let root = self.root_under(first.1.clone())?;
        let known = self.variable(&root, name, variable.block.header);
        let values = values(variable, switch);
        if first.1.len() >= MOST_VARIABLES || values.is_empty() || values.len() > MOST_VALUES {
            return None;
        }
        let mut found = Vec::new();
        for (changes, premise) in premises {
            for kind in &values {
                let value = Value::new(kind.clone(), variable.block.header);
                let mut premise = premise.clone();
                let changed = usize::from(value.same_as(&known) != Some(true));
                let value = if changed == 0 { known.clone() } else { value };
                premise.insert(Arc::clone(name), value);
                found.push((changes + changed, premise));
            }
        }
        Some(found)
    }

    /// The root under a premise: one for each.
    fn root_under(&self, premise: Premise) -> Option<Rc<ModuleInstance<'a>>> {
        let parts: Vec<String> =
            premise.iter().map(|(name, it)| format!("{name}={:?}", it.kind)).collect();
        let key = parts.join(";");
        if let Some(known) = self.premises.borrow().get(&key) {
            return Some(Rc::clone(known));
        }
        let root = self.root_with(premise)?;
        self.premises.borrow_mut().insert(key, Rc::clone(&root));
        Some(root)
    }

    /// The instance at the same place below another instance of the root.
    fn like(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        root: &Rc<ModuleInstance<'a>>,
    ) -> Option<Rc<ModuleInstance<'a>>> {
        let Some(caller) = &instance.caller else { return Some(Rc::clone(root)) };
        let around = self.like(&caller.instance, root)?;
        let children = self.called(&around, caller.index)?;
        children.iter().find(|it| it.prefix == instance.prefix).cloned()
    }
}

fn root_of<'i, 'a>(instance: &'i ModuleInstance<'a>) -> &'i ModuleInstance<'a> {
    instance.caller.as_ref().map_or(instance, |it| root_of(&it.instance))
}

/// Whether a variable is a text, a number or a switch. Of a mapping of options the one that switches a block
/// on is written beside others, which count as known.
fn is_scalar(variable: &Variable) -> bool {
    let default = variable.default().map(|it| &it.value);
    variable.constraint().or(default).is_some_and(|it| match &it.kind {
        ExprKind::Variable(name) => matches!(&**name, "string" | "number" | "bool"),
        kind => matches!(kind, ExprKind::Template(_) | ExprKind::Number(_) | ExprKind::Bool(_)),
    })
}

/// The values of a variable among which the cases are: both of a switch, and the texts that its validation or
/// the condition names.
fn values(variable: &Variable, condition: &Expr) -> Vec<Kind> {
    if is_switch(variable) {
        return vec![Kind::Bool(true), Kind::Bool(false)];
    }
    let default = variable.default().map(|it| &it.value);
    let validations = variable.block.body.blocks_of("validation");
    let rules: Vec<&Expr> =
        validations.filter_map(|it| Some(&it.body.attribute("condition")?.value)).collect();
    let mut found = BTreeSet::new();
    for expression in rules.into_iter().chain([condition]) {
        walk(expression, &mut |met| {
            if let Met::Text([TemplatePart::Literal(text)], _) = met {
                found.insert(Arc::clone(&text.text));
            }
        });
    }
    found.extend(default.and_then(literal).map(Arc::from));
    found.into_iter().map(|it| Value::computed(it, variable.block.header).kind).collect()
}
