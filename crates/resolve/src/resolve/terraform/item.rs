//! References to whole resources, data sources and module calls.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        body::WantedFields,
        documents::computed_attributes,
        evaluate::Evaluator,
        expression::key_text,
        instance::{ModuleInstance, Repetition},
        module::BlockItem,
        object::Mode,
        scope::in_repetition,
        symbol::inside,
    },
    source::Span,
    syntax::hcl::{Expr, ExprKind},
    value::{Entry, Kind, List, Map, Symbol, Value},
};

impl<'a> Evaluator<'a> {
    /// The value of a reference to a whole resource or data source, or of a module call. With `wanted`
    /// only that attribute is looked at.
    pub(super) fn item_value(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        wanted: Option<&str>,
        at: Span,
    ) -> Option<Value> {
        let item = instance.module.items.get(index)?;
        let rest = Symbol::new(Arc::clone(&instance.scope), item.address());
        if item.mode == Mode::Module && self.called(instance, index).is_none() {
            return Some(Value::unknown(rest, at));
        }
        let asked = (instance.id, index, wanted.map(Arc::from));
        if let Some(known) = self.items.borrow().get(&asked) {
            return Some(known.clone());
        }
        let expansion = self.expansion(instance, index);
        let mut items = Vec::new();
        for (position, (repetition, _)) in expansion.instances.iter().enumerate() {
            let Some(value) = self.item_part(instance, index, position, wanted) else { break };
            items.push((repetition, value));
        }
        let open = expansion.open.then_some(rest);
        let value = assemble(items, open, item.block.header);
        self.items.borrow_mut().insert(asked, value.clone());
        Some(value)
    }

    /// The value of one instance of an item that has several, if there is one of that key.
    pub(super) fn item_at(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        key: &Value,
        wanted: Option<&str>,
    ) -> Option<Value> {
        let key = key_text(key).ok()??;
        let expansion = self.expansion(instance, index);
        let position = expansion.instances.iter().position(|(repetition, _)| match repetition {
            Repetition::Once => false,
            Repetition::Count(count) => has(count, "index", &key),
            Repetition::Each(each) => has(each, "key", &key),
        })?;
        self.item_part(instance, index, position, wanted)
    }

    /// Whether an expression names a whole resource or module call, or a splat of it, that is not there by the defaults
    /// of the variables in its `count` or `for_each`.
    pub(super) fn is_absent(&self, instance: &Rc<ModuleInstance<'a>>, expression: &Expr) -> bool {
        let whole = match &expression.kind {
            ExprKind::Splat(splat) => &splat.base,
            _ => expression,
        };
        let ExprKind::GetAttr(base, name) = &whole.kind else { return false };
        let ExprKind::Variable(kind) = &base.kind else { return false };
        let mode = if &**kind == "module" { Mode::Module } else { Mode::Resource };
        let item = instance.module.find(mode, kind, name);
        item.is_some_and(|it| self.expansion(instance, it).absent)
    }

    fn item_part(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        index: usize,
        position: usize,
        wanted: Option<&str>,
    ) -> Option<Value> {
        let item = instance.module.items.get(index)?;
        if item.mode == Mode::Module {
            let children = self.called(instance, index)?;
            return Some(self.outputs(children.get(position)?, wanted, item));
        }
        let expansion = self.expansion(instance, index);
        let (repetition, key) = expansion.instances.get(position)?;
        let fields = wanted.map_or(WantedFields::All, WantedFields::Only);
        let value = self.attributes(instance, index, (position, repetition, key), fields);
        let names = if item.mode == Mode::Data { computed_attributes(&item.kind) } else { &[] };
        let names = names.iter().filter(|it| wanted.is_none_or(|wanted| wanted == **it));
        let with_computed = names.fold(computed_where_null(value), |value, name| {
            let computed = self.part(instance, index, position, name, || {
                let source = (&*item.kind, &item.block);
                let computed = in_repetition(instance, repetition, |scope| {
                    self.computed_attribute(scope, source, name)
                });
                computed.unwrap_or_else(|| {
                    let symbol = Symbol::new(Arc::clone(&instance.scope), item.address() + key);
                    Value::unknown(inside(&symbol, &format!(".{name}")), item.block.header)
                })
            });
            with_entry(value, name, computed)
        });
        Some(with_computed)
    }

    fn outputs(
        &self,
        child: &Rc<ModuleInstance<'a>>,
        wanted: Option<&str>,
        item: &BlockItem,
    ) -> Value {
        let module = child.module;
        let mut entries = Vec::new();
        for (name, output) in &module.outputs {
            if wanted.is_some_and(|it| it != &**name) {
                continue;
            }
            let Some(written) = output.value() else { continue };
            let value = self.output(child, name).unwrap_or_else(|| {
                let symbol = Symbol::new(Arc::clone(&child.scope), format!("output.{name}"));
                Value::unknown(symbol, written.value.span)
            });
            entries.push(Entry { key: Arc::clone(name), key_span: written.name_span, value });
        }
        let lost = Symbol::new(Arc::clone(&child.scope), "output");
        let rest = (!module.lost.is_empty()).then_some(lost);
        Value::new(Kind::Map(Arc::new(Map { entries, rest })), item.block.header)
    }
}

/// The attributes of a resource as a reference sees them: for what is null the provider decides.
fn computed_where_null(value: Value) -> Value {
    let Kind::Map(map) = &value.kind else { return value };
    if !map.entries.iter().any(|it| it.value.is_null()) {
        return value;
    }
    let written = map.entries.iter().filter(|it| !it.value.is_null()).cloned();
    let map = Map { entries: written.collect(), rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..value }
}

/// A mapping with one more entry.
fn with_entry(value: Value, name: &str, entry: Option<Value>) -> Value {
    let (Kind::Map(map), Some(entry)) = (&value.kind, entry) else { return value };
    let mut map = (**map).clone();
    map.entries.push(Entry { key: Arc::from(name), key_span: entry.name, value: entry });
    Value { kind: Kind::Map(Arc::new(map)), ..value }
}

/// Whether what a repetition binds has that text.
fn has(bound: &Value, name: &str, text: &str) -> bool {
    let value = bound.get(name).present();
    value.and_then(|it| key_text(it).ok()?).is_some_and(|it| &*it == text)
}

/// Several instances as the value a reference has: the one, a list, or a mapping by key.
fn assemble(items: Vec<(&Repetition, Value)>, open: Option<Symbol>, at: Span) -> Value {
    match items.first() {
        Some((Repetition::Once, value)) => value.clone(),
        Some((Repetition::Count(_), _)) => {
            let items = items.into_iter().map(|(_, value)| value).collect();
            Value::new(Kind::List(Arc::new(List { items, rest: open, is_set: false })), at)
        }
        _ => {
            let keyed = items.into_iter().filter_map(|(repetition, value)| {
                let Repetition::Each(each) = repetition else { return None };
                let key = Arc::from(each.get("key").present()?.as_str()?);
                Some(Entry { key, key_span: at, value })
            });
            let entries = keyed.collect();
            Value::new(Kind::Map(Arc::new(Map { entries, rest: open })), at)
        }
    }
}
