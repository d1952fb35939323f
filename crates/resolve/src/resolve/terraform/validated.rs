//! The few values that a variable may have: both of a switch, and those that a validation lists.

use crate::{
    resolve::terraform::module::{Variable, literal},
    syntax::hcl::{Binary, Expr, ExprKind},
    value::{Kind, Symbol, Value},
};

/// A symbol of a variable without a value, with the values that it may have.
pub(super) fn of_variable(symbol: Symbol, variable: &Variable) -> Symbol {
    symbol.clone().among(&values(variable)).unwrap_or(symbol)
}

/// The values that a variable may have, if these are few; else none.
pub(super) fn values(variable: &Variable) -> Vec<Value> {
    let at = variable.block.header;
    if is_switch(variable) {
        return [true, false].map(|it| Value::new(Kind::Bool(it), at)).into();
    }
    let mut validations = variable.block.body.blocks_of("validation");
    let listed = validations.find_map(|it| {
        let condition = &it.body.attribute("condition")?.value;
        listed(condition, variable.block.label(0)?)
    });
    listed.unwrap_or_default().into_iter().map(|it| Value::computed(it, at)).collect()
}

/// Whether it is true or false.
pub(super) fn is_switch(variable: &Variable) -> bool {
    let is_bool = |it: &Expr| match &it.kind {
        ExprKind::Variable(name) => &**name == "bool",
        ExprKind::Bool(_) => true,
        _ => false,
    };
    let default = variable.default().map(|it| &it.value);
    variable.constraint().or(default).is_some_and(is_bool)
}

/// The texts of `contains(["a", "b"], var.name)` and `var.name == "a" || var.name == "b"`.
fn listed<'e>(condition: &'e Expr, name: &str) -> Option<Vec<&'e str>> {
    match &condition.kind {
        ExprKind::Parens(inner) => listed(inner, name),
        ExprKind::Call { name: function, arguments, .. } if &**function == "contains" => {
            let [list, wanted] = arguments.as_slice() else { return None };
            let ExprKind::Array(items) = &list.kind else { return None };
            is_variable(wanted, name).then(|| items.iter().map(literal).collect())?
        }
        ExprKind::Binary(Binary::Or, operands) => {
            let mut found = listed(&operands[0], name)?;
            found.extend(listed(&operands[1], name)?);
            Some(found)
        }
        ExprKind::Binary(Binary::Equal, operands) => {
            let [left, right] = &**operands;
            let other = if is_variable(left, name) { right } else { left };
            let is_its = is_variable(left, name) || is_variable(right, name);
            Some(vec![literal(other).filter(|_| is_its)?])
        }
        _ => None,
    }
}

fn is_variable(expression: &Expr, name: &str) -> bool {
    let ExprKind::GetAttr(base, own) = &expression.kind else { return false };
    &**own == name && matches!(&base.kind, ExprKind::Variable(it) if &**it == "var")
}
