//! How much a function has to go through: values may share their parts, so that a few steps make one that is
//! larger than any memory when it is printed.

use crate::helm::{
    convert::DEPTH,
    value::{Kind, Val},
};

/// Functions that look no further than at their arguments themselves. All others may print them.
const SHALLOW: &[&str] = &[
    "all",
    "and",
    "any",
    "append",
    "chunk",
    "coalesce",
    "compact",
    "concat",
    "default",
    "dict",
    "dig",
    "empty",
    "eq",
    "fail",
    "first",
    "ge",
    "get",
    "gt",
    "hasKey",
    "include",
    "index",
    "initial",
    "keys",
    "kindIs",
    "kindOf",
    "last",
    "le",
    "len",
    "list",
    "lt",
    "mustAppend",
    "mustFirst",
    "mustInitial",
    "mustLast",
    "mustPrepend",
    "mustPush",
    "mustRest",
    "ne",
    "not",
    "omit",
    "or",
    "pick",
    "pluck",
    "prepend",
    "push",
    "required",
    "rest",
    "reverse",
    "set",
    "slice",
    "ternary",
    "tuple",
    "typeIs",
    "typeIsLike",
    "typeOf",
    "unset",
    "values",
];

/// What a call of a function costs with these arguments; no more than a little over `most`.
pub(crate) fn of_call(name: &str, arguments: &[Val], most: usize) -> usize {
    if SHALLOW.binary_search(&name).is_ok() {
        return arguments.iter().map(shallow).sum();
    }
    let whole = deep(arguments, most);
    // Searching and reading take longer than copying.
    let is_slow =
        ["regex", "mustRegex", "from", "mustFrom", "split"].iter().any(|it| name.starts_with(it));
    if is_slow { whole * 8 } else { whole }
}

/// What it costs to copy a value without its parts.
pub(crate) fn shallow(value: &Val) -> usize {
    match &value.kind {
        Kind::List(items) => items.len() + 1,
        Kind::Map(map) => map.len() / 8 + 1,
        Kind::Text(text) => text.len() / 64 + 1,
        _ => 1,
    }
}

/// What it costs to print values; no more than a little over `most`.
pub(crate) fn deep(values: &[Val], most: usize) -> usize {
    let mut cost = 0;
    for value in values {
        add(value, 0, most, &mut cost);
    }
    cost
}

fn add(value: &Val, depth: usize, most: usize, cost: &mut usize) {
    if *cost > most || depth > DEPTH {
        return;
    }
    *cost += 1;
    match &value.kind {
        Kind::List(items) => items.iter().for_each(|it| add(it, depth + 1, most, cost)),
        Kind::Map(map) => map.each(|it| add(it, depth + 1, most, cost)),
        Kind::Text(text) => *cost += text.len() / 8,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_list_is_in_order() {
        assert!(super::SHALLOW.is_sorted());
    }
}
