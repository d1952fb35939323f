//! Type constraints of variables: conversion of what is given, and `optional()` defaults.

use std::{rc::Rc, sync::Arc};

use crate::hash::HashMap;

use crate::{
    resolve::terraform::{
        evaluate::Evaluator,
        functions::{digits, unify},
        instance::ModuleInstance,
        module::literal,
        operator::as_text,
        scope::LexicalScope,
    },
    syntax::hcl::{Expr, ExprKind, ObjectItem},
    value::{Entry, Kind, List, Map, Value},
};

/// The value as the constraint makes it; unchanged where it does not fit.
pub(super) fn convert<'a>(
    evaluator: &Evaluator<'a>,
    instance: &Rc<ModuleInstance<'a>>,
    value: Value,
    constraint: &Expr,
) -> Value {
    let fallback = value.clone();
    evaluator
        .deeper(|| Converter { evaluator, instance }.convert(value, constraint))
        .unwrap_or(fallback)
}

struct Converter<'e, 'a> {
    evaluator: &'e Evaluator<'a>,
    instance: &'e Rc<ModuleInstance<'a>>,
}

impl Converter<'_, '_> {
    fn convert(&self, value: Value, constraint: &Expr) -> Value {
        match &constraint.kind {
            ExprKind::Variable(name) => primitive(value, name),
            // `type = "string"` is how Terraform 0.11 wrote it.
            ExprKind::Template(_) => primitive(value, literal(constraint).unwrap_or_default()),
            ExprKind::Call { name, arguments, .. } => match (&**name, arguments.as_slice()) {
                ("list", [of]) => self.items(value, of, false),
                ("set", [of]) => self.items(value, of, true),
                ("map", [of]) => self.entries(value, of),
                ("tuple", [of]) => self.tuple(value, of),
                ("object", [of]) => self.object(value, of),
                ("optional", [of, ..]) => self.convert(value, of),
                _ => value,
            },
            _ => value,
        }
    }

    fn items(&self, value: Value, of: &Expr, set: bool) -> Value {
        let Kind::List(list) = &value.kind else { return value };
        let items: Vec<Value> = list.items.iter().map(|it| self.convert(it.clone(), of)).collect();
        let items = if is_any(of) { unify::unify(&items).unwrap_or(items) } else { items };
        let list = List { items, rest: list.rest.clone(), is_set: false };
        let value = Value { kind: Kind::List(Arc::new(list)), ..value };
        if set { unify::as_set(value) } else { value }
    }

    fn tuple(&self, value: Value, of: &Expr) -> Value {
        let (Kind::List(list), ExprKind::Array(types)) = (&value.kind, &of.kind) else {
            return value;
        };
        let items = list.items.iter().enumerate().map(|(index, item)| match types.get(index) {
            Some(of) => self.convert(item.clone(), of),
            None => item.clone(),
        });
        let list = List { items: items.collect(), rest: list.rest.clone(), is_set: false };
        Value { kind: Kind::List(Arc::new(list)), ..value }
    }

    fn entries(&self, value: Value, of: &Expr) -> Value {
        let Kind::Map(map) = &value.kind else { return value };
        let values: Vec<Value> =
            map.entries.iter().map(|it| self.convert(it.value.clone(), of)).collect();
        let values = if is_any(of) { unify::unify(&values).unwrap_or(values) } else { values };
        let entries =
            map.entries.iter().zip(values).map(|(it, value)| Entry { value, ..it.clone() });
        let map = Map { entries: entries.collect(), rest: map.rest.clone() };
        Value { kind: Kind::Map(Arc::new(map)), ..value }
    }

    /// Attributes the constraint does not name are dropped, as Terraform does.
    fn object(&self, value: Value, of: &Expr) -> Value {
        let (Kind::Map(map), ExprKind::Object(attributes)) = (&value.kind, &of.kind) else {
            return value;
        };
        let mut declared: HashMap<&str, &ObjectItem> =
            attributes.iter().filter_map(|it| Some((literal(&it.key)?, it))).collect();
        let mut entries = Vec::new();
        for entry in &map.entries {
            let Some(item) = declared.remove(&*entry.key) else { continue };
            let missing = matches!(entry.value.kind, Kind::Null);
            let default = if missing { self.default(item) } else { None };
            let value = default.unwrap_or_else(|| self.convert(entry.value.clone(), &item.value));
            entries.push(Entry { value, ..entry.clone() });
        }
        if map.rest.is_none() {
            for item in attributes {
                let Some(name) = literal(&item.key).filter(|it| declared.contains_key(it)) else {
                    continue;
                };
                let absent = || Value::new(Kind::Null, value.span).named(value.name);
                let value = self.default(item).unwrap_or_else(absent);
                entries.push(Entry { key: Arc::from(name), key_span: item.key.span, value });
            }
        }
        let map = Map { entries, rest: map.rest.clone() };
        Value { kind: Kind::Map(Arc::new(map)), ..value }
    }

    /// The default of `optional(type, default)`.
    fn default(&self, item: &ObjectItem) -> Option<Value> {
        let ExprKind::Call { name, arguments, .. } = &item.value.kind else { return None };
        let [of, default] = arguments.as_slice() else { return None };
        if &**name != "optional" {
            return None;
        }
        let scope = LexicalScope { closed: true, ..LexicalScope::top(self.instance) };
        let value = self.evaluator.value(scope, default).named(item.key.span);
        Some(self.convert(value, of))
    }
}

/// Whether the items may be of any type, but of one.
fn is_any(of: &Expr) -> bool {
    matches!(&of.kind, ExprKind::Variable(name) if &**name == "any")
}

fn primitive(value: Value, name: &str) -> Value {
    let kind = match (name, &value.kind) {
        ("string", _) => return as_text(value),
        ("number", Kind::String(text)) => text.known().and_then(digits::parse).map(Kind::Number),
        ("bool", Kind::String(_)) => value.as_flag().map(Kind::Bool),
        _ => None,
    };
    match kind {
        Some(kind) => Value { kind, ..value },
        None => value,
    }
}
