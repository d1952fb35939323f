//! Expressions to values.

use std::{cell::LazyCell, sync::Arc};

use crate::hash::HashMap;

use crate::{
    resolve::terraform::{
        agreement,
        evaluate::{Evaluated, Evaluator},
        functions::{
            self,
            call::{Call, EvaluationError, is_sensible},
            filesystem, scalar, unify,
        },
        module::{FIRST_GIVEN, literal},
        operator::{fault, truth},
        scope::LexicalScope,
    },
    source::Span,
    syntax::hcl::{Expr, ExprKind, ObjectItem},
    value::{Entry, Kind, Map, Symbol, Value},
};

impl<'a> Evaluator<'a> {
    /// An expression's value.
    ///
    /// # Errors
    /// When Terraform would refuse it.
    pub(super) fn expression(&self, scope: LexicalScope<'_, 'a>, expression: &Expr) -> Evaluated {
        let value = self.deeper(|| self.any(scope, expression));
        value.unwrap_or_else(|| Ok(self.exhausted(scope, expression.span)))
    }

    /// Something too deep or too long to evaluate, or not readable; equal to nothing else.
    fn exhausted(&self, scope: LexicalScope<'_, 'a>, at: Span) -> Value {
        let text = format!("#{}", self.fresh());
        Value::unknown(Symbol::new(Arc::clone(&scope.instance.scope), text), at)
    }

    fn any(&self, scope: LexicalScope<'_, 'a>, expression: &Expr) -> Evaluated {
        let at = expression.span;
        match &expression.kind {
            ExprKind::Null => Ok(Value::new(Kind::Null, at)),
            ExprKind::Unreadable => Ok(self.exhausted(scope, at)),
            ExprKind::Bool(truth) => Ok(Value::new(Kind::Bool(*truth), at)),
            ExprKind::Number(number) => Ok(Value::new(Kind::Number(*number), at)),
            ExprKind::Template(parts) => self.template_value(scope, parts, at),
            ExprKind::Array(items) => {
                let items: Result<Vec<Value>, _> =
                    items.iter().map(|it| self.part_of(scope, it)).collect();
                Ok(Value::list(items?, at))
            }
            ExprKind::Object(items) => self.object(scope, expression, items),
            ExprKind::Parens(inner) => self.expression(scope, inner),
            ExprKind::Variable(_) | ExprKind::GetAttr(..) | ExprKind::Index(..) => {
                self.traversal(scope, expression, None)
            }
            ExprKind::Splat(splat) => self.splat(scope, expression, splat),
            ExprKind::Call { name, arguments, expand } => {
                self.call(scope, expression, name, arguments, *expand)
            }
            ExprKind::Conditional(parts) => self.conditional(scope, expression, parts),
            ExprKind::Unary(operator, operand) => self.unary(scope, expression, *operator, operand),
            ExprKind::Binary(operator, operands) => {
                self.binary(scope, expression, *operator, operands)
            }
            ExprKind::For(it) => self.for_expression(scope, expression, it),
        }
    }

    fn object(&self, scope: LexicalScope<'_, 'a>, whole: &Expr, items: &[ObjectItem]) -> Evaluated {
        let mut entries = EntryCollector::default();
        let mut rest = None;
        for item in items {
            let value = self.part_of(scope, &item.value)?;
            let key = match (literal(&item.key), &item.key.kind) {
                (Some(key), _) => Some(Arc::from(key)),
                (_, ExprKind::Null) => Some(Arc::from("null")),
                // Terraform wants a reference in parentheses.
                (_, ExprKind::GetAttr(..) | ExprKind::Index(..)) => {
                    return fault(item.key.span, "this key is ambiguous");
                }
                _ => key_text(&self.expression(scope, &item.key)?)?,
            };
            let Some(key) = key else {
                rest = Some(self.symbol(scope, whole));
                continue;
            };
            let value = if value.origin.is_none() { value.named(item.key.span) } else { value };
            entries.put(Entry { key, key_span: item.key.span, value });
        }
        let map = Map { entries: entries.list, rest };
        Ok(Value::new(Kind::Map(Arc::new(map)), whole.span))
    }

    fn conditional(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        parts: &[Expr; 3],
    ) -> Evaluated {
        let [condition, then, otherwise] = parts;
        let Some(truth) = truth(&self.expression(scope, condition)?)? else {
            return Ok(self.either(scope, whole, then, otherwise));
        };
        let (taken, other) = if truth { (then, otherwise) } else { (otherwise, then) };
        let value = self.expression(scope, taken)?;
        if matches!(value.kind, Kind::Null | Kind::Unknown(_)) {
            return Ok(value);
        }
        let Ok(other) = self.expression(scope, other) else { return Ok(value) };
        if matches!(other.kind, Kind::Null | Kind::Unknown(_)) {
            return Ok(value);
        }
        let becomes_set = other.as_list().is_some_and(|it| it.is_set)
            && !value.as_list().is_some_and(|it| it.is_set);
        if !becomes_set && unify::are_alike(&value, &other) {
            return Ok(value);
        }
        // Both branches become one type.
        let both = [value, other];
        let is_sensible = is_sensible(&both);
        let [value, other] = both;
        if !is_sensible {
            return Ok(value);
        }
        let is_set = |it: &Value| it.as_list().is_some_and(|it| it.is_set);
        match unify::as_beside(&value, &other) {
            Some(one) if is_set(&value) || is_set(&other) => Ok(unify::as_set(one)),
            Some(one) => Ok(one),
            None => fault(whole.span, "the two results have no common type"),
        }
    }

    /// What is sure whichever of the two it will be.
    fn either(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        then: &Expr,
        otherwise: &Expr,
    ) -> Value {
        let (Ok(then), Ok(otherwise)) =
            (self.expression(scope, then), self.expression(scope, otherwise))
        else {
            return self.unknown(scope, whole);
        };
        if then.same_as(&otherwise) == Some(true) {
            return then;
        }
        match agreement::shared(&then, &otherwise, &self.symbol(scope, whole)) {
            Some(it) => Value { span: whole.span, name: whole.span, ..it },
            None => self.unknown(scope, whole),
        }
    }

    fn call(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        name: &str,
        arguments: &[Expr],
        expand: bool,
    ) -> Evaluated {
        match (name, arguments) {
            ("try", _) => {
                return self.with_lenience(false, || self.try_each(scope, whole, arguments));
            }
            ("can", [only]) => {
                return Ok(match self.with_lenience(false, || self.expression(scope, only)) {
                    Err(_) => Value::new(Kind::Bool(false), whole.span),
                    Ok(value) if value.is_wholly_known() => {
                        Value::new(Kind::Bool(true), whole.span)
                    }
                    Ok(_) => self.unknown(scope, whole),
                });
            }
            ("sensitive" | "nonsensitive", [only]) => return self.expression(scope, only),
            ("templatefile", [path, variables]) => {
                return self.template_file(scope, whole, path, variables);
            }
            (FIRST_GIVEN, fields) => {
                let unknown = || self.unknown(scope, whole);
                return Ok(self.first_given(scope, fields).unwrap_or_else(unknown));
            }
            ("templatestring", [text, variables]) => {
                return self.template_string(scope, whole, text, variables);
            }
            _ if name.contains("::") => {
                return Ok(match name.strip_prefix("core::") {
                    Some(name) => return self.call(scope, whole, name, arguments, expand),
                    None => self.unknown(scope, whole),
                });
            }
            _ => {}
        }
        let Some(mut values) = self.arguments(scope, whole, name, arguments, expand)? else {
            return Ok(self.unknown(scope, whole));
        };
        if let Some(path) = values.first_mut().filter(|_| filesystem::READERS.contains(&name)) {
            filesystem::below_root(path);
        }
        let symbol = || self.symbol(scope, whole);
        let call = Call {
            name,
            span: whole.span,
            symbol: LazyCell::new(&symbol),
            files: self.files,
            read: &self.read,
            folder: &self.folder,
        };
        functions::call(&call, &values)
    }

    /// The arguments of a call; `None` when it is unknown how many there are.
    fn arguments(
        &self,
        scope: LexicalScope<'_, 'a>,
        whole: &Expr,
        name: &str,
        arguments: &[Expr],
        expand: bool,
    ) -> Result<Option<Vec<Value>>, EvaluationError> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.part_of(scope, argument)?);
        }
        if expand && let Some(last) = values.pop() {
            match &last.kind {
                Kind::List(list) if list.rest.is_none() => {
                    values.extend(list.items.iter().cloned());
                }
                // These take what is sure of the rest of their arguments.
                Kind::List(_) | Kind::Unknown(_)
                    if matches!(name, "merge" | "concat" | "setunion") =>
                {
                    values.extend(last.items().iter().cloned());
                    values.push(self.unknown(scope, whole));
                }
                Kind::List(_) | Kind::Unknown(_) => return Ok(None),
                _ => return fault(last.span, "`...` needs a list"),
            }
        }
        Ok(Some(values))
    }

    fn try_each(&self, scope: LexicalScope<'_, 'a>, whole: &Expr, arguments: &[Expr]) -> Evaluated {
        let mut met = Vec::new();
        for argument in arguments {
            match self.expression(scope, argument) {
                Err(_) => {}
                // It may turn out to be there or not; only Terraform will know.
                Ok(value) if matches!(value.kind, Kind::Unknown(_)) => met.push(value),
                Ok(value) if met.is_empty() => return Ok(value),
                Ok(value) => {
                    met.push(value);
                    break;
                }
            }
        }
        if met.is_empty() {
            return fault(whole.span, "no argument of `try` has a value");
        }
        let symbol = self.symbol(scope, whole);
        Ok(Value::unknown(symbol.clone().among(&met).unwrap_or(symbol), whole.span))
    }
}

/// The text of a value used as a key; `None` if it is unknown.
///
/// # Errors
/// When it cannot be a key.
pub(super) fn key_text(key: &Value) -> Result<Option<Arc<str>>, EvaluationError> {
    match &key.kind {
        Kind::String(text) => Ok(text.known().map(Arc::from)),
        Kind::Number(_) | Kind::Bool(_) => Ok(scalar::text(key)),
        Kind::Unknown(_) => Ok(None),
        _ => fault(key.span, "this cannot be a key"),
    }
}

/// Entries under construction: of equal keys the last one counts.
#[derive(Default)]
pub(super) struct EntryCollector {
    /// What is there so far.
    pub list: Vec<Entry>,
    places: HashMap<Arc<str>, usize>,
}

impl EntryCollector {
    /// Adds an entry or replaces the one of that key.
    pub(super) fn put(&mut self, entry: Entry) {
        let next = self.list.len();
        let place = *self.places.entry(Arc::clone(&entry.key)).or_insert(next);
        match self.list.get_mut(place) {
            Some(earlier) => *earlier = entry,
            None => self.list.push(entry),
        }
    }

    /// The value of a key.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.list.get_mut(*self.places.get(key)?)
    }
}
