//! Types of an expression, before any value is known, and what is wrong with it.

mod hint;
mod literal;
mod unify;

use std::sync::Arc;

use crate::cel::{
    bindings::candidates,
    check::{hint::did_you_mean, unify::Unifier},
    data::Data,
    declarations,
    tree::{Call, Entry, Expr, ExprKind, Fold, FoldKind, Item, Mistake, OptionalMap, Select},
    types::{Schema, Type},
};

/// The type of an expression's value, and what is wrong with it.
#[must_use]
pub(crate) fn check(expression: &Expr, schema: &Schema) -> (Type, Vec<Mistake>) {
    let mut checker = Checker {
        schema,
        types: Unifier::default(),
        locals: Vec::new(),
        mistakes: Vec::new(),
        allows_mixed: schema.allows_mixed_literals,
    };
    let found = checker.check(expression);
    (checker.types.finished(&found), checker.mistakes)
}

struct Checker<'a> {
    schema: &'a Schema,
    types: Unifier,
    locals: Vec<(Arc<str>, Type)>,
    mistakes: Vec<Mistake>,
    /// Whether elements of a literal may have different types.
    allows_mixed: bool,
}

impl Checker<'_> {
    /// Complains; what has no type is not complained about again.
    fn wrong(&mut self, at: &Expr, message: impl Into<String>) -> Type {
        self.mistakes.push(Mistake::new(at.at.clone(), message));
        Type::Dyn
    }

    fn shown(&self, of: &Type) -> String {
        self.types.finished(of).to_string()
    }

    fn check(&mut self, expression: &Expr) -> Type {
        match &expression.kind {
            ExprKind::Literal(data) => literal(data),
            ExprKind::Name(name) => self.name(name, expression),
            ExprKind::Select(select) => self.select(select, expression),
            ExprKind::Has(select) => {
                let operand = self.check(&select.operand);
                self.field(&operand, select);
                Type::Bool
            }
            ExprKind::Index(index) => {
                let name = if index.is_optional { "_[?_]" } else { "_[_]" };
                let arguments = [&index.operand, &index.index];
                let types = arguments.map(|it| self.check(it));
                self.overloaded(name, false, &types, &index.index)
            }
            ExprKind::Call(call) => self.call(call, expression),
            ExprKind::And(terms) | ExprKind::Or(terms) => {
                for it in terms {
                    self.expect_bool(it);
                }
                Type::Bool
            }
            ExprKind::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.expect_bool(condition);
                let (yes, other) = (self.check(yes), self.check(no));
                self.join(yes, &other, no, false)
            }
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Fold(fold) => self.fold(fold),
            ExprKind::OptionalMap(map) => self.optional_map(map),
        }
    }

    fn name(&mut self, name: &str, at: &Expr) -> Type {
        if let Some((_, found)) = self.locals.iter().rev().find(|(it, _)| **it == *name) {
            return found.clone();
        }
        if let Some(found) = self.global(name) {
            return found;
        }
        let known = self.schema.variables.keys().map(|it| &**it);
        let known = known.chain(self.locals.iter().map(|(it, _)| &**it));
        let hint = did_you_mean(name, known);
        self.wrong(at, format!("`{name}` is not a variable here{hint}"))
    }

    /// The type of a variable or type that is not an element of a macro.
    fn global(&self, name: &str) -> Option<Type> {
        let names = candidates(&self.schema.container, name);
        let variable = names.iter().find_map(|it| self.schema.variables.get(&**it).cloned());
        let of_type = || {
            let found = Type::of_name(name.trim_start_matches('.'))?;
            Some(Type::Type(Arc::new(found)))
        };
        variable.or_else(of_type)
    }

    fn select(&mut self, select: &Select, expression: &Expr) -> Type {
        if let Some(path) = expression.path() {
            let root = path.split('.').next().unwrap_or_default();
            let is_local = self.locals.iter().any(|(it, _)| **it == *root);
            if !is_local && let Some(found) = self.global(&path) {
                return found;
            }
        }
        let operand = self.check(&select.operand);
        let found = self.field(&operand, select);
        if select.is_optional && !matches!(found, Type::Optional(_)) {
            return Type::optional(found);
        }
        found
    }

    /// The type of a field; an optional's is optional.
    fn field(&mut self, operand: &Type, select: &Select) -> Type {
        let resolved = self.types.resolve(operand);
        match resolved {
            Type::Optional(inner) => match self.field(&inner, select) {
                found @ Type::Optional(_) => found,
                found => Type::optional(found),
            },
            Type::Map(pair) => pair.1.clone(),
            Type::Dyn => Type::Dyn,
            Type::Variable(_) => {
                self.types.assign(operand, &Type::Dyn);
                Type::Dyn
            }
            Type::Object(name) => {
                let Some(object) = self.schema.objects.get(&name) else { return Type::Dyn };
                match object.fields.get(&select.field) {
                    Some(found) => found.clone(),
                    None if object.is_open => Type::Dyn,
                    None => {
                        let hint =
                            did_you_mean(&select.field, object.fields.keys().map(|it| &**it));
                        let field = &select.field;
                        let message = format!("`{name}` has no field `{field}`{hint}");
                        self.mistakes.push(Mistake::new(select.field_at.clone(), message));
                        Type::Dyn
                    }
                }
            }
            other => {
                let message = format!("`{other}` has no fields");
                self.mistakes.push(Mistake::new(select.field_at.clone(), message));
                Type::Dyn
            }
        }
    }

    fn expect_bool(&mut self, expression: &Expr) {
        let found = self.check(expression);
        if !self.types.assign(&Type::Bool, &found) {
            let shown = self.shown(&found);
            self.wrong(expression, format!("a bool is expected here, and this is `{shown}`"));
        }
    }

    fn call(&mut self, call: &Call, at: &Expr) -> Type {
        // What is written in a text may be of any types.
        let before = self.allows_mixed;
        self.allows_mixed |= &*call.name == "format";
        let types: Vec<Type> = call.arguments.iter().map(|it| self.check(it)).collect();
        self.allows_mixed = before;
        if declarations::overloads(&call.name).is_empty() {
            let hint = did_you_mean(&call.name, declarations::names());
            let message = format!("there is no function `{}`{hint}", call.name);
            self.mistakes.push(Mistake::new(call.name_at.clone(), message));
            return Type::Dyn;
        }
        self.literal_arguments(call);
        let is_operator = call.name.contains('_');
        let culprit = if is_operator { call.arguments.last().unwrap_or(at) } else { at };
        let mut place = culprit.clone();
        if !is_operator {
            place.at = call.name_at.clone();
        }
        self.overloaded(&call.name, call.is_method, &types, &place)
    }

    /// The type of a call's result.
    fn overloaded(&mut self, name: &str, is_method: bool, types: &[Type], at: &Expr) -> Type {
        let mut result: Option<Type> = None;
        for overload in declarations::overloads(name) {
            if overload.is_method != is_method || overload.parameters.len() != types.len() {
                continue;
            }
            let (parameters, of_overload) = self.types.instance(overload);
            if !self.types.assign_all(&parameters, types) {
                continue;
            }
            let found = self.types.resolve(&of_overload);
            result = Some(match result {
                None => found,
                Some(before) if self.types.finished(&before) == self.types.finished(&found) => {
                    before
                }
                Some(_) => Type::Dyn,
            });
        }
        if let Some(result) = result {
            return result;
        }
        let shown: Vec<String> = types.iter().map(|it| format!("`{}`", self.shown(it))).collect();
        let message = match (name.trim_matches('_'), &*shown) {
            ("[_]" | "[?_]", [operand, index]) => format!("{operand} has no element by {index}"),
            (sign, [left, right]) if name.starts_with('_') => {
                format!("there is no `{sign}` between {left} and {right}")
            }
            (sign, [operand]) if name.ends_with('_') => {
                format!("there is no `{sign}` of {operand}")
            }
            _ if is_method => {
                let (receiver, rest) =
                    shown.split_first().map_or(("", &[][..]), |(a, b)| (&**a, b));
                format!("`{name}` of {receiver} does not take ({})", rest.join(", "))
            }
            _ => format!("`{name}` does not take ({})", shown.join(", ")),
        };
        self.wrong(at, message)
    }

    /// The type of two values that stand for one another.
    fn join(&mut self, before: Type, next: &Type, at: &Expr, is_literal: bool) -> Type {
        if self.types.assign(&before, next) {
            return self.types.more_general(before, next);
        }
        if is_literal && self.allows_mixed {
            return Type::Dyn;
        }
        let (before, next) = (self.shown(&before), self.shown(next));
        self.wrong(at, format!("`{before}` is expected, as before, and this is `{next}`"))
    }

    /// The type of a literal's element; an optional one's inner type.
    fn element(&mut self, expression: &Expr, is_optional: bool) -> Type {
        let found = self.check(expression);
        if !is_optional {
            return found;
        }
        match self.types.resolve(&found) {
            Type::Optional(inner) => (*inner).clone(),
            Type::Dyn => Type::Dyn,
            other => {
                let shown = self.shown(&other);
                self.wrong(
                    expression,
                    format!("an optional is expected here, and this is `{shown}`"),
                )
            }
        }
    }

    fn list(&mut self, items: &[Item]) -> Type {
        let mut joined = None;
        for item in items {
            let found = self.element(&item.value, item.is_optional);
            joined = Some(match joined {
                None => found,
                Some(before) => self.join(before, &found, &item.value, true),
            });
        }
        Type::list(joined.unwrap_or_else(|| self.types.variable()))
    }

    fn map(&mut self, entries: &[Entry]) -> Type {
        let mut joined: Option<(Type, Type)> = None;
        for entry in entries {
            let key = self.check(&entry.key);
            let value = self.element(&entry.value, entry.is_optional);
            joined = Some(match joined {
                None => (key, value),
                Some((keys, values)) => (
                    self.join(keys, &key, &entry.key, true),
                    self.join(values, &value, &entry.value, true),
                ),
            });
        }
        let (key, value) = joined.unwrap_or_else(|| (self.types.variable(), self.types.variable()));
        Type::map(key, value)
    }

    fn fold(&mut self, fold: &Fold) -> Type {
        let range = self.check(&fold.range);
        let (first, second, element) = match self.types.resolve(&range) {
            Type::List(item) => (Type::Int, (*item).clone(), (*item).clone()),
            Type::Map(pair) => (pair.0.clone(), pair.1.clone(), pair.0.clone()),
            Type::Dyn => (Type::Dyn, Type::Dyn, Type::Dyn),
            Type::Variable(_) => {
                self.types.assign(&range, &Type::Dyn);
                (Type::Dyn, Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!("a list or map is expected here, and this is `{other}`");
                self.wrong(&fold.range, message);
                (Type::Dyn, Type::Dyn, Type::Dyn)
            }
        };
        let depth = self.locals.len();
        match &fold.second {
            Some(name) => {
                self.locals.push((fold.first.clone(), first.clone()));
                self.locals.push((name.clone(), second));
            }
            None => self.locals.push((fold.first.clone(), element.clone())),
        }
        if let Some(filter) = &fold.filter {
            self.expect_bool(filter);
        }
        let found = self.body(fold, first, element);
        self.locals.truncate(depth);
        found
    }

    fn body(&mut self, fold: &Fold, key: Type, element: Type) -> Type {
        match fold.kind {
            FoldKind::All | FoldKind::Exists | FoldKind::ExistsOne => {
                self.expect_bool(&fold.body);
                Type::Bool
            }
            FoldKind::Filter => {
                self.expect_bool(&fold.body);
                Type::list(element)
            }
            FoldKind::Map => Type::list(self.check(&fold.body)),
            FoldKind::TransformMap => Type::map(key, self.check(&fold.body)),
            FoldKind::TransformMapEntry => self.check(&fold.body),
            FoldKind::SortBy => {
                self.check(&fold.body);
                Type::list(element)
            }
        }
    }

    fn optional_map(&mut self, map: &OptionalMap) -> Type {
        let operand = self.check(&map.operand);
        let inner = match self.types.resolve(&operand) {
            Type::Optional(inner) => (*inner).clone(),
            Type::Dyn => Type::Dyn,
            other => {
                let shown = self.shown(&other);
                self.wrong(
                    &map.operand,
                    format!("an optional is expected here, and this is `{shown}`"),
                )
            }
        };
        self.locals.push((map.name.clone(), inner));
        let body = self.check(&map.body);
        self.locals.pop();
        if map.is_flat {
            return match self.types.resolve(&body) {
                found @ (Type::Optional(_) | Type::Dyn) => found,
                other => {
                    let shown = self.shown(&other);
                    self.wrong(
                        &map.body,
                        format!("an optional is expected here, and this is `{shown}`"),
                    )
                }
            };
        }
        Type::optional(body)
    }
}

fn literal(data: &Data) -> Type {
    match data {
        Data::Null => Type::Null,
        Data::Bool(_) => Type::Bool,
        Data::Int(_) => Type::Int,
        Data::Uint(_) => Type::Uint,
        Data::Double(_) => Type::Double,
        Data::String(_) => Type::String,
        Data::Bytes(_) => Type::Bytes,
        _ => Type::Dyn,
    }
}
