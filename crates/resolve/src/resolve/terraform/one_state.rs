//! Blocks that variables switch off, judged in the state in which they are there.

use std::{rc::Rc, sync::Arc};

use crate::{
    resolve::terraform::{
        evaluate::Evaluator, instance::ModuleInstance, module::BlockItem, switch::variables,
    },
    value::{Entry, Kind, Map, Symbol, Value},
};

/// The switches themselves, which say in which state a block is there.
const SWITCHES: [&str; 2] = ["count", "for_each"];

impl<'a> Evaluator<'a> {
    /// The body of a block without the values that hang on a variable that switches the block off: with
    /// the value known for that variable the block is not there at all, and with another they may be others.
    pub(super) fn in_one_state(
        &self,
        instance: &Rc<ModuleInstance<'a>>,
        (index, item): (usize, &BlockItem),
        body: Value,
    ) -> Value {
        let mut switches = self.absent_by(instance, index);
        // What another module or a repetition leads to is not known to be the same.
        switches.retain(|it| !matches!(&**it, "module" | "each"));
        let Kind::Map(map) = &body.kind else { return body };
        if switches.is_empty() {
            return body;
        }
        let hangs = |name: &str| {
            let attribute = item.block.body.attribute(name).filter(|_| !SWITCHES.contains(&name));
            let all = attribute.map(|it| variables(instance, &it.value)).unwrap_or_default();
            !all.is_disjoint(&switches)
        };
        let entry = |it: &Entry| {
            if !hangs(&it.key) {
                return it.clone();
            }
            let text = format!("{}.{}", item.address(), it.key);
            let symbol = Symbol::new(Arc::clone(&instance.scope), text);
            let value = Value::unknown(symbol, it.value.span).named(it.key_span);
            Entry { value, ..it.clone() }
        };
        let entries = map.entries.iter().map(entry).collect();
        let map = Map { entries, rest: map.rest.clone() };
        Value { kind: Kind::Map(Arc::new(map)), ..body }
    }
}
