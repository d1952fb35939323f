//! The values of a release of Terraform.

use std::sync::Arc;

use crate::{
    resolve::helm::{
        self, Values,
        set::{Set, SetKind},
    },
    value::{Field, Kind, Symbol, Value},
};

/// The values of a release: its documents, then what it sets. What its module `adds` is not known.
pub(super) fn merged(body: &Value, adds: &[&str]) -> Values {
    let unknown = |symbol: Symbol| Value::unknown(symbol, body.span);
    let documents = match body.get("values") {
        Field::Present(Value { kind: Kind::List(list), .. }) => {
            list.items.iter().cloned().chain(list.rest.clone().map(unknown)).collect()
        }
        Field::Present(value) => vec![value.clone()],
        Field::Missing => Vec::new(),
        Field::Unknown => vec![unknown(Symbol::new("", "values"))],
    };
    let added = |path: &&str| Set {
        name: Value::computed(*path, body.name),
        value: unknown(Symbol::new("", *path)),
        kind: SetKind::Text,
    };
    let mut sets = sets(body);
    sets.extend(adds.iter().map(added));
    helm::values(&documents, &sets, body.name)
}

/// What a release sets, as blocks (provider 2) or as lists of objects (provider 3).
fn sets(body: &Value) -> Vec<Set> {
    let mut found = Vec::new();
    for (key, list) in
        [("set", false), ("set_list", true), ("set_sensitive", false), ("set_wo", false)]
    {
        let value = match body.get(key) {
            Field::Present(value) => value,
            Field::Missing => continue,
            Field::Unknown => &Value::unknown(Symbol::new("", key), body.span),
        };
        for item in value.items() {
            let (Field::Present(name), Field::Present(value)) =
                (item.get("name"), item.get("value"))
            else {
                continue;
            };
            let of_type = item.get("type").present().and_then(Value::as_str);
            let kind = if list { SetKind::List } else { SetKind::of_type(of_type) };
            found.push(Set { name: name.clone(), value: value.clone(), kind });
        }
        let rest = value.as_list().and_then(|it| it.rest.as_ref());
        if value.is_unknown() || rest.is_some() {
            let symbol = rest.and_then(walked_over).unwrap_or_else(|| Symbol::new("", key));
            let unknown = Value::unknown(symbol, value.span);
            found.push(Set { name: unknown.clone(), value: unknown, kind: SetKind::Auto });
        }
    }
    found
}

/// What a `dynamic` block walks over, of which others may come: that is what is missing, and not the name of the block.
fn walked_over(rest: &Symbol) -> Option<Symbol> {
    let inner = rest.text.strip_prefix("dynamic.")?.split_once('(')?.1.strip_suffix(')')?;
    Some(Symbol::new(Arc::clone(&rest.scope), inner).because(rest.cause))
}
