//! References to whole resources, data sources and module calls.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        Mode,
        evaluate::Evaluator,
        instance::{Instance, Repetition},
        module::Item,
    },
    source::Span,
    value::{Entry, Kind, List, Map, Symbol, Value},
};

impl<'a> Evaluator<'a> {
    /// The value of a reference to a whole resource or data source, or of a module call. With `wanted`
    /// only that attribute is looked at.
    pub fn item_value(
        &self,
        instance: &Rc<Instance<'a>>,
        index: usize,
        wanted: Option<&str>,
        at: Span,
    ) -> Option<Value> {
        let item = instance.module.items.get(index)?;
        let rest = Symbol::new(Arc::clone(&instance.scope), item.address());
        let children = self.called(instance, index);
        if item.mode == Mode::Module && children.is_none() {
            return Some(Value::unknown(rest, at));
        }
        let expansion = self.expansion(instance, index);
        let mut items = Vec::new();
        for (position, (repetition, key)) in expansion.instances.iter().enumerate() {
            let value = match &children {
                Some(children) => {
                    let Some(child) = children.get(position) else { break };
                    self.outputs(child, wanted, item)
                }
                None => self.attributes(instance, index, (position, repetition, key), wanted),
            };
            items.push((repetition, value));
        }
        let open = expansion.open.then_some(rest);
        Some(assemble(items, open, item.block.header))
    }

    fn outputs(&self, child: &Rc<Instance<'a>>, wanted: Option<&str>, item: &Item) -> Value {
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
        let rest = module.incomplete.then_some(lost);
        Value::new(Kind::Map(Arc::new(Map { entries, rest })), item.block.header)
    }
}

/// Several instances as the value a reference has: the one, a list, or a mapping by key.
fn assemble(items: Vec<(&Repetition, Value)>, open: Option<Symbol>, at: Span) -> Value {
    match items.first() {
        Some((Repetition::Once, value)) => value.clone(),
        Some((Repetition::Count(_), _)) => {
            let items = items.into_iter().map(|(_, value)| value).collect();
            Value::new(Kind::List(Arc::new(List { items, rest: open })), at)
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
