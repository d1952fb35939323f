//! The blocks that `dynamic` blocks stand for. What a release may set where a condition is not known is a block whose
//! name is known, and whose value is not.

use std::sync::Arc;

use crate::{
    resolve::terraform::{
        evaluate::Evaluator,
        reference::root_of,
        scope::{Binding, LexicalScope, bound},
    },
    source::{Span, account::Limit},
    syntax::hcl::{Block, Expr, ExprKind},
    value::{Entry, Kind, List, Map, Symbol, Value},
};

/// The blocks of a release that set one value each: one that is not there is the same as one whose value is not known.
const SETS: &[&str] = &["set", "set_sensitive"];

impl<'a> Evaluator<'a> {
    /// The blocks a `dynamic` block stands for.
    pub(super) fn dynamic(&self, scope: LexicalScope<'_, 'a>, block: &Block, list: &mut List) {
        let Some(each) = block.body.attribute("for_each") else { return };
        let Some(content) = block.body.blocks_of("content").next() else { return };
        let label = block.label(0).unwrap_or_default();
        let iterator = block.body.attribute("iterator").and_then(|it| root_of(&it.value));
        let name = iterator.unwrap_or(label);
        let collection = self.value(scope, &each.value);
        let mut perhaps = Vec::new();
        let (pairs, mut rest) = match self.pairs(scope, &collection, &each.value) {
            // By its default there is none of what it walks over.
            Ok(_) if self.is_absent(scope.instance, &each.value) => {
                (Vec::new(), Some(self.symbol(scope, &each.value)))
            }
            Ok((pairs, Some(rest))) => {
                match self.perhaps_set(scope, (label, &each.value), &pairs) {
                    Some(keys) => {
                        perhaps = keys;
                        (pairs, None)
                    }
                    None => (pairs, Some(rest)),
                }
            }
            Ok(pairs) => pairs,
            Err(_) => (Vec::new(), Some(self.symbol(scope, &each.value))),
        };
        let symbol = self.symbol(scope, &each.value);
        let perhaps = perhaps.into_iter().map(|it| {
            let unknown = Value::unknown(symbol.clone(), it.span);
            (it, unknown, true)
        });
        let pairs = pairs.into_iter().map(|(key, value)| (key, value, false));
        for (key, value, is_open) in pairs.chain(perhaps) {
            if self.blocks.get() >= Limit::DynamicBlocks.most() {
                self.files.account().reach(Limit::DynamicBlocks, block.header);
                rest = rest.or_else(|| Some(self.symbol(scope, &each.value)));
                break;
            }
            self.blocks.set(self.blocks.get() + 1);
            let value = bound(each.value.span, [("key", key), ("value", value)]);
            let frame = Binding { name, value, outer: scope.frame };
            let inner = LexicalScope { frame: Some(&frame), ..scope };
            let body = self.deeper(|| self.body(inner, content, block.header));
            list.items.extend(body.map(|it| if is_open { in_doubt(it, &symbol) } else { it }));
        }
        if let Some(rest) = rest {
            list.rest = Some(Symbol::new(
                Arc::clone(&rest.scope),
                format!("dynamic.{label}({})", rest.text),
            ));
        }
    }

    /// The keys that the collection of a `dynamic` block of a release may have beside those that are `known`, if it can
    /// have no others.
    fn perhaps_set(
        &self,
        scope: LexicalScope<'_, 'a>,
        (label, each): (&str, &Expr),
        known: &[(Value, Value)],
    ) -> Option<Vec<Value>> {
        if !SETS.contains(&label) {
            return None;
        }
        let is_known = |key: &str| known.iter().any(|it| it.0.as_str() == Some(key));
        let mut keys: Vec<Value> = Vec::new();
        for (key, span) in self.possible_keys(scope, each)? {
            if !is_known(&key) && keys.iter().all(|it| it.as_str() != Some(&*key)) {
                keys.push(Value::computed(key, span));
            }
        }
        Some(keys)
    }

    /// All keys that a mapping may have, whichever way its conditions turn out.
    fn possible_keys(
        &self,
        scope: LexicalScope<'_, 'a>,
        written: &Expr,
    ) -> Option<Vec<(Arc<str>, Span)>> {
        let value = self.value(scope, written);
        if let Some(map) = value.as_map().filter(|it| it.rest.is_none()) {
            return Some(map.entries.iter().map(|it| (Arc::clone(&it.key), it.key_span)).collect());
        }
        let parts: &[Expr] = match &written.kind {
            ExprKind::Conditional(parts) => &parts[1..],
            ExprKind::Call { name, arguments, expand: false } if &**name == "merge" => arguments,
            _ => return None,
        };
        let keys: Option<Vec<_>> = parts.iter().map(|it| self.possible_keys(scope, it)).collect();
        Some(keys?.into_iter().flatten().collect())
    }
}

/// The body of a block that may not be there: what it is about is known, and nothing else.
fn in_doubt(body: Value, symbol: &Symbol) -> Value {
    let Kind::Map(map) = &body.kind else { return body };
    let doubted = |it: &Entry| match &*it.key {
        "name" => it.clone(),
        _ => Entry { value: Value::unknown(symbol.clone(), it.value.span), ..it.clone() },
    };
    let entries = map.entries.iter().map(doubted).collect();
    let map = Map { entries, rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..body }
}
