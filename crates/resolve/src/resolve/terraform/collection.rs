//! `for` expressions and splats.

use std::sync::Arc;

use crate::{
    resolve::terraform::{
        evaluate::{Evaluated, Evaluator},
        expression::{EntryCollector, key_text},
        functions::call::EvaluationError,
        operator::{fault, truth},
        scope::{Binding, LexicalScope},
        symbol::inside,
        traversal::{attribute, carry, index},
    },
    syntax::hcl::{Access, Expr, ExprKind, For, Splat},
    value::{Entry, Kind, List, Map, Symbol, Value},
};

/// Keys with values, and what the unknown remainder is called.
pub(super) type KeyedValues = (Vec<(Value, Value)>, Option<Symbol>);

impl<'a> Evaluator<'a> {
    /// What a loop over the collection walks over, in Terraform's order.
    ///
    /// # Errors
    /// When it is not a collection.
    pub(super) fn pairs(
        &self,
        scope: LexicalScope<'_, 'a>,
        collection: &Value,
        written: &Expr,
    ) -> Result<KeyedValues, EvaluationError> {
        match &collection.kind {
            Kind::List(list) => {
                let pairs = list.items.iter().enumerate().map(|(index, item)| {
                    #[allow(clippy::cast_precision_loss, reason = "positions are small")]
                    let index = Value::new(Kind::Number(index as f64), item.span);
                    (if list.is_set { item.clone() } else { index }, carry(item, collection))
                });
                Ok((pairs.collect(), list.rest.clone()))
            }
            Kind::Map(map) => {
                let mut entries: Vec<&Entry> = map.entries.iter().collect();
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                let pairs = entries.into_iter().map(|it| {
                    let key = Value::computed(Arc::clone(&it.key), it.key_span);
                    (key, carry(&it.value, collection))
                });
                Ok((pairs.collect(), map.rest.clone()))
            }
            Kind::Unknown(symbol) => Ok((Vec::new(), Some(symbol.clone()))),
            _ => fault(
                written.span,
                format!("{} is no collection", self.symbol(scope, written).text),
            ),
        }
    }

    /// `[for … ]`, `{for … }`
    pub(super) fn for_expression(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        it: &For,
    ) -> Evaluated {
        let collection = self.expression(scope, &it.collection)?;
        let (pairs, rest) = self.pairs(scope, &collection, &it.collection)?;
        let mut open = rest.is_some();
        let mut items = Vec::new();
        let mut entries = EntryCollector::default();
        for (key, value) in pairs {
            let key_frame = Binding {
                name: it.key_variable.as_deref().unwrap_or_default(),
                value: key,
                outer: scope.frame,
            };
            let frame = Binding { name: &it.value_variable, value, outer: Some(&key_frame) };
            let inner = LexicalScope { frame: Some(&frame), ..scope };
            if let Some(condition) = &it.condition {
                match truth(&self.expression(inner, condition)?)? {
                    Some(true) => {}
                    Some(false) => continue,
                    None => {
                        open = true;
                        // The positions after an item in doubt are in doubt too.
                        if it.key.is_none() {
                            break;
                        }
                        continue;
                    }
                }
            }
            let Some(key) = &it.key else {
                items.push(self.expression(inner, &it.value)?);
                continue;
            };
            let name = self.expression(inner, key)?;
            let value = self.expression(inner, &it.value)?;
            let Some(text) = key_text(&name)? else {
                open = true;
                continue;
            };
            let value = if value.origin.is_none() { value.named(name.span) } else { value };
            let entry = Entry { key: text, key_span: name.span, value };
            if it.grouping {
                group(&mut entries, entry);
            } else if entries.get_mut(&entry.key).is_some() {
                return fault(key.span, format!("two items have the key `{}`", entry.key));
            } else {
                entries.put(entry);
            }
        }
        let rest = open.then(|| self.symbol(scope, whole));
        let kind = if it.key.is_some() {
            Kind::Map(Arc::new(Map { entries: entries.list, rest }))
        } else {
            Kind::List(Arc::new(List { items, rest, is_set: false }))
        };
        Ok(Value::new(kind, whole.span))
    }

    /// `base[*].steps`
    pub(super) fn splat(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        splat: &Splat,
    ) -> Evaluated {
        let wanted = match splat.steps.first() {
            Some(Access::Attr(name)) => Some(&**name),
            _ => None,
        };
        let base = match &splat.base.kind {
            ExprKind::Variable(_) | ExprKind::GetAttr(..) | ExprKind::Index(..) => {
                self.traversal(scope, &splat.base, wanted)?
            }
            _ => self.expression(scope, &splat.base)?,
        };
        self.spread(scope, base, &splat.steps, whole)
    }

    /// Applies steps to every item.
    fn spread(
        &self,
        scope: LexicalScope<'_, 'a>,
        base: Value,
        steps: &[Access],
        whole: &Expr,
    ) -> Evaluated {
        let (items, rest) = match &base.kind {
            Kind::Null => (Vec::new(), None),
            Kind::List(list) => (list.items.clone(), list.rest.clone()),
            Kind::Unknown(symbol) => {
                return Ok(Value::unknown(inside(symbol, &steps_text(steps)), whole.span));
            }
            _ => (vec![base.clone()], None),
        };
        let items: Result<Vec<Value>, EvaluationError> =
            items.into_iter().map(|it| self.steps(scope, it, steps, whole)).collect();
        let rest = rest.map(|it| inside(&it, &steps_text(steps)));
        let list = List { items: items?, rest, is_set: false };
        let span = if base.is_null() { whole.span } else { base.span };
        Ok(Value { kind: Kind::List(Arc::new(list)), span, ..base })
    }

    fn steps(
        &self,
        scope: LexicalScope<'_, 'a>,
        mut value: Value,
        steps: &[Access],
        whole: &Expr,
    ) -> Evaluated {
        for (at, step) in steps.iter().enumerate() {
            value = match step {
                Access::Attr(name) => attribute(&value, name, whole.span)?,
                Access::Index(key) => {
                    // The items of a splat have no expression of their own.
                    let doubt = || self.unnamed(scope);
                    index(&value, &self.expression(scope, key)?, &doubt, whole.span)?
                }
                Access::Splat(_) => {
                    let rest = steps.get(at + 1..).unwrap_or_default();
                    return self.spread(scope, value, rest, whole);
                }
            };
        }
        Ok(value)
    }
}

/// Adds a value to the list of its key.
fn group(entries: &mut EntryCollector, entry: Entry) {
    if let Some(earlier) = entries.get_mut(&entry.key) {
        if let Kind::List(list) = &mut earlier.value.kind {
            Arc::make_mut(list).items.push(entry.value);
        }
    } else {
        let list = Value::list(vec![entry.value], entry.key_span);
        entries.put(Entry { value: list, ..entry });
    }
}

fn steps_text(steps: &[Access]) -> String {
    let step = |it: &Access| match it {
        Access::Attr(name) => format!(".{name}"),
        Access::Index(key) => format!("[{}]", crate::resolve::terraform::notation::plain(key)),
        Access::Splat(_) => "[*]".to_owned(),
    };
    let steps: String = steps.iter().map(step).collect();
    format!("[*]{steps}")
}
