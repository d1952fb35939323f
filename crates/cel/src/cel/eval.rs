//! A tree to its value. What decides keeps its place, so the place of a false result is the one to point at.

mod elements;
mod fold;
mod partial;
pub(crate) mod scope;
pub(crate) mod state;

use std::sync::Arc;

use crate::cel::{
    collection, cost,
    data::{Data, Operand, Outcome},
    eval::{
        elements::{field, index},
        state::Evaluator,
    },
    fault::Fault,
    library,
    place::Place,
    tree::{Call, Expr, ExprKind, Index, OptionalMap, Plan, Select},
};

impl<'a> Evaluator<'a> {
    /// The value of a node.
    ///
    /// # Errors
    /// See [`Fault`].
    pub(crate) fn evaluate(&mut self, expression: &'a Expr) -> Outcome {
        let mut found = match &expression.kind {
            ExprKind::Literal(data) => Ok(data.clone().into()),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Select(select) => self.select(select, expression),
            ExprKind::Has(select) => self.has(select),
            ExprKind::Index(index) => self.index(index),
            ExprKind::Call(call) => self.call(call),
            ExprKind::And(terms) => self.logic(terms, false),
            ExprKind::Or(terms) => self.logic(terms, true),
            ExprKind::Conditional(parts) => self.conditional(parts),
            ExprKind::List(_) | ExprKind::Map(_) => self.literal(expression),
            ExprKind::Fold(fold) => self.fold(fold, Self::evaluate),
            ExprKind::OptionalMap(map) => self.optional_map(map),
        };
        if let Err(fault) = &mut found {
            fault.raised_at(&expression.at);
        }
        found
    }

    /// The name of a type is a constant, and costs nothing.
    fn name(&mut self, name: &str) -> Outcome {
        self.cost.charge(1)?;
        let found = self.scope.name(name)?;
        if matches!(found.data, Data::Type(_)) {
            self.cost.refund(1);
        }
        Ok(found)
    }

    fn select(&mut self, select: &'a Select, expression: &'a Expr) -> Outcome {
        if let Some(found) = self.scope.qualified(expression) {
            self.cost.charge(1)?;
            return found;
        }
        if let Some(found) = self.written(select) {
            return found;
        }
        let operand = self.operand(&select.operand)?;
        let found = field(&operand, &select.field, select.is_optional)
            .map_err(|it| it.or_at(None, &select.field_at))?;
        self.refund_none(&found);
        Ok(found)
    }

    /// The value of a file at the end of a chain of names, without making the values on the way. `None` where there is
    /// more to it.
    fn written(&mut self, select: &'a Select) -> Option<Outcome> {
        if select.is_optional {
            return None;
        }
        let (map, cost) = self.scope.map(&select.operand)?;
        let found = collection::read(&map.entry(&select.field)?.value);
        Some(self.cost.charge(cost + 1).and(found))
    }

    /// What is selected from.
    fn operand(&mut self, operand: &'a Expr) -> Outcome {
        self.cost.charge(if operand.is_attribute() { 1 } else { 2 })?;
        self.evaluate(operand)
    }

    /// An optional selection that finds nothing costs nothing.
    fn refund_none(&mut self, found: &Operand) {
        if matches!(found.data, Data::Optional(None)) {
            self.cost.refund(1);
        }
    }

    fn has(&mut self, select: &'a Select) -> Outcome {
        if let Some((map, cost)) = self.scope.map(&select.operand)
            && let Some(entry) = map.entry(&select.field).filter(|it| !it.value.is_null())
        {
            let place = collection::place_of(&entry.value);
            self.cost.charge(cost)?;
            return Ok(Operand { data: Data::Bool(true), place });
        }
        let operand = self.evaluate(&select.operand)?;
        elements::has(&operand, &select.field)
    }

    fn index(&mut self, it: &'a Index) -> Outcome {
        let operand = self.operand(&it.operand);
        let key = self.branch(&it.index);
        match (operand, key) {
            (Ok(operand), Ok(key)) => {
                let found = index(&operand, &key, it.is_optional)?;
                self.refund_none(&found);
                Ok(found)
            }
            (Err(a), Err(b)) => Err(Fault::worse(Some(a), b)),
            (Err(fault), _) | (_, Err(fault)) => Err(fault),
        }
    }

    /// A part whose outermost name Kubernetes does not count.
    fn branch(&mut self, expression: &'a Expr) -> Outcome {
        let found = self.evaluate(expression);
        if expression.is_attribute() {
            self.cost.refund(1);
        }
        found
    }

    fn call(&mut self, call: &'a Call) -> Outcome {
        if let Some(constant) = call.constant.get() {
            return Ok(constant.clone().into());
        }
        let plan = call.plan.get_or_init(|| plan(call));
        if plan.is_lazy {
            return self.or_value(call);
        }
        // Few have more arguments than two.
        match &*call.arguments {
            [one] => match self.evaluate(one) {
                Ok(one) => self.apply(call, plan, &[one]),
                fault => without_value(call, &[fault]),
            },
            [first, second] => match (self.evaluate(first), self.evaluate(second)) {
                (Ok(first), Ok(second)) => self.apply(call, plan, &[first, second]),
                (first, second) => without_value(call, &[first, second]),
            },
            arguments => {
                let outcomes: Vec<Outcome> = arguments.iter().map(|it| self.evaluate(it)).collect();
                if outcomes.iter().any(Result::is_err) {
                    return without_value(call, &outcomes);
                }
                let arguments: Vec<Operand> = outcomes.into_iter().flatten().collect();
                self.apply(call, plan, &arguments)
            }
        }
    }

    /// The result for these arguments.
    fn apply(&mut self, call: &'a Call, plan: &Plan, arguments: &[Operand]) -> Outcome {
        let result = library::call(plan.natives, arguments);
        if plan.is_folded {
            if let (Ok(result), [_]) = (&result, arguments) {
                let _ = call.constant.set(result.data.clone());
            }
        } else {
            self.cost.charge((plan.cost)(arguments, result.as_ref().ok()))?;
        }
        let place = || place_of_call(plan.is_in, arguments);
        match result {
            Ok(Operand { data, place: None }) => Ok(Operand { data, place: place() }),
            Ok(result) => Ok(result),
            Err(Fault::NoOverload) => {
                let types: Vec<&str> = arguments.iter().map(|it| it.data.type_name()).collect();
                let name = call.name.trim_matches('_');
                let message = format!("no such overload: {name}({})", types.join(", "));
                Err(Fault::error(message).or_at(place().as_ref(), &call.name_at))
            }
            Err(fault) => Err(fault.or_at(place().as_ref(), &call.name_at)),
        }
    }

    fn or_value(&mut self, call: &'a Call) -> Outcome {
        let first = self.evaluate(&call.arguments[0])?;
        match &first.data {
            Data::Optional(Some(_)) if &*call.name == "or" => Ok(first),
            Data::Optional(Some(inner)) => Ok((**inner).clone()),
            Data::Optional(None) => {
                let place = first.place.as_ref();
                self.evaluate(&call.arguments[1]).map(|it| it.or_from(place))
            }
            // As in cel-go: what is no optional is there.
            _ => Ok(first),
        }
    }

    /// `&&` and `||`: `decisive` decides whatever the others are.
    fn logic(&mut self, terms: &'a [Expr], decisive: bool) -> Outcome {
        let mut fault = None;
        let mut place: Option<Place> = None;
        for term in terms {
            let found = self.evaluate(term);
            match found {
                Ok(Operand { data: Data::Bool(it), place }) if it == decisive => {
                    return Ok(Operand { data: Data::Bool(decisive), place });
                }
                // The last has the word: those before are its guards.
                Ok(Operand { data: Data::Bool(_), place: found }) => place = found.or(place),
                Ok(other) => {
                    let message = format!("no such overload: {}", other.data.type_name());
                    let error = Fault::error(message).or_at(other.place.as_ref(), &term.at);
                    fault = Some(Fault::worse(fault, error));
                }
                Err(Fault::TooCostly) => return Err(Fault::TooCostly),
                Err(it) => fault = Some(Fault::worse(fault, it)),
            }
        }
        fault.map_or(Ok(Operand { data: Data::Bool(!decisive), place }), Err)
    }

    fn conditional(&mut self, parts: &'a [Expr; 3]) -> Outcome {
        let [condition, yes, no] = parts;
        let decided = self.evaluate(condition)?;
        let part = match decided.data {
            Data::Bool(true) => yes,
            Data::Bool(false) => no,
            other => {
                return Err(Fault::error(format!("no such overload: {} ? :", other.type_name())));
            }
        };
        self.branch(part).map(|it| it.or_from(decided.place.as_ref()))
    }

    fn literal(&mut self, expression: &'a Expr) -> Outcome {
        let is_constant = expression.is_constant();
        match &expression.kind {
            ExprKind::List(items) => {
                self.cost.charge(if is_constant { 0 } else { cost::LIST })?;
                let mut found = Vec::with_capacity(items.len());
                for item in items {
                    let value = self.evaluate(&item.value)?;
                    found.extend(if item.is_optional {
                        elements::optional(value)?
                    } else {
                        Some(value)
                    });
                }
                Ok(Data::list(found).into())
            }
            ExprKind::Map(entries) => {
                self.cost.charge(if is_constant { 0 } else { cost::MAP })?;
                let mut found: Vec<(Operand, Operand)> = Vec::with_capacity(entries.len());
                for entry in entries {
                    let key = self.evaluate(&entry.key)?;
                    let value = self.evaluate(&entry.value)?;
                    let value =
                        if entry.is_optional { elements::optional(value)? } else { Some(value) };
                    found.extend(value.map(|it| (key, it)));
                }
                Ok(Data::Map(elements::keyed(found)?).into())
            }
            _ => Err(Fault::NoOverload),
        }
    }

    fn optional_map(&mut self, map: &'a OptionalMap) -> Outcome {
        let operand = self.evaluate(&map.operand)?;
        self.cost.charge(2)?;
        let inner = match operand.data {
            Data::Optional(None) => return Ok(operand),
            Data::Optional(Some(inner)) => inner,
            other => {
                return Err(Fault::error(format!(
                    "no such overload: {}.optMap",
                    other.type_name()
                )));
            }
        };
        let place = operand.place;
        let depth = self.scope.bind(&map.name, Ok((*inner).clone()));
        let found = self.evaluate(&map.body);
        self.scope.leave(depth);
        let found = found?.or_from(place.as_ref());
        if map.is_flat {
            return match found.data {
                Data::Optional(_) => Ok(found),
                other => Err(Fault::error(format!("no such overload: {}", other.type_name()))),
            };
        }
        let place = found.place.clone();
        Ok(Operand { data: Data::Optional(Some(Arc::new(found))), place })
    }
}

/// How a call is carried out.
fn plan(call: &Call) -> Plan {
    let is_or = matches!(&*call.name, "or" | "orValue");
    Plan {
        natives: library::natives(&call.name),
        cost: cost::of_call(&call.name),
        is_folded: cost::is_folded(call),
        is_lazy: call.is_method && is_or && call.arguments.len() == 2,
        is_in: &*call.name == "_in_",
    }
}

/// What a call gives with arguments of which some have no value.
fn without_value(call: &Call, arguments: &[Outcome]) -> Outcome {
    let faults = arguments.iter().filter_map(|it| it.as_ref().err());
    let worst = faults.fold(None, |worst, it| Some(Fault::worse(worst, it.clone())));
    match worst {
        Some(Fault::TooCostly) | None => Err(Fault::TooCostly),
        Some(fault) => partial::decide(&call.name, arguments).ok_or(fault),
    }
}

/// What a call's result comes from: the first argument that a file holds. What is not in a mapping or list is
/// missing there.
fn place_of_call(is_in: bool, arguments: &[Operand]) -> Option<Place> {
    match arguments {
        [value, range] if is_in => {
            value.place.clone().or_else(|| range.place.as_ref().map(Place::key))
        }
        _ => arguments.iter().find_map(|it| it.place.clone()),
    }
}
