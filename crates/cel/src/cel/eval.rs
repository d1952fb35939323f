//! A tree to its value. What decides keeps its place, so the place of a false result is the one to point at.

mod elements;
mod fold;
mod partial;
pub(crate) mod scope;
pub(crate) mod state;

use std::sync::Arc;

use crate::cel::{
    cost,
    data::{Data, Operand, Outcome},
    eval::{
        elements::{field, index},
        state::Evaluator,
    },
    fault::Fault,
    library,
    place::Place,
    tree::{Call, Expr, ExprKind, Index, OptionalMap, Select},
};

impl Evaluator<'_> {
    /// The value of a node.
    ///
    /// # Errors
    /// See [`Fault`].
    pub(crate) fn evaluate(&mut self, expression: &Expr) -> Outcome {
        let found = match &expression.kind {
            ExprKind::Literal(data) => Ok(data.clone().into()),
            ExprKind::Name(name) => self.cost.charge(1).and_then(|()| self.scope.name(name)),
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
        found.map_err(|it| it.or_at(None, &expression.at))
    }

    fn select(&mut self, select: &Select, expression: &Expr) -> Outcome {
        if let Some(found) = self.scope.qualified(expression) {
            self.cost.charge(1)?;
            return found;
        }
        let operand = self.operand(&select.operand)?;
        field(&operand, &select.field, select.is_optional)
            .map_err(|it| it.or_at(None, &select.field_at))
    }

    /// What is selected from.
    fn operand(&mut self, operand: &Expr) -> Outcome {
        self.cost.charge(if operand.is_attribute() { 1 } else { 2 })?;
        self.evaluate(operand)
    }

    fn has(&mut self, select: &Select) -> Outcome {
        let operand = self.evaluate(&select.operand)?;
        elements::has(&operand, &select.field)
    }

    fn index(&mut self, it: &Index) -> Outcome {
        let operand = self.operand(&it.operand);
        let key = self.branch(&it.index);
        match (operand, key) {
            (Ok(operand), Ok(key)) => index(&operand, &key, it.is_optional),
            (Err(a), Err(b)) => Err(Fault::worse(Some(a), b)),
            (Err(fault), _) | (_, Err(fault)) => Err(fault),
        }
    }

    /// A part whose outermost name Kubernetes does not count.
    fn branch(&mut self, expression: &Expr) -> Outcome {
        let found = self.evaluate(expression);
        if expression.is_attribute() {
            self.cost.refund(1);
        }
        found
    }

    fn call(&mut self, call: &Call) -> Outcome {
        if let Some(constant) = call.constant.get() {
            return Ok(constant.clone().into());
        }
        if call.is_method && matches!(&*call.name, "or" | "orValue") && call.arguments.len() == 2 {
            return self.or_value(call);
        }
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut fault = None;
        let mut outcomes = Vec::new();
        for argument in &call.arguments {
            match self.evaluate(argument) {
                Ok(argument) => arguments.push(argument),
                Err(Fault::TooCostly) => return Err(Fault::TooCostly),
                Err(it) => {
                    outcomes = arguments.iter().cloned().map(Ok).collect();
                    outcomes.push(Err(it.clone()));
                    fault = Some(Fault::worse(fault, it));
                }
            }
        }
        if let Some(fault) = fault {
            let missing = arguments.get(outcomes.len() - 1..).unwrap_or_default();
            outcomes.extend(missing.iter().cloned().map(Ok));
            return partial::decide(&call.name, &outcomes).ok_or(fault);
        }
        let result = library::call(&call.name, &arguments);
        if cost::is_folded(call) {
            if let (Ok(result), 1) = (&result, arguments.len()) {
                let _ = call.constant.set(result.data.clone());
            }
        } else {
            self.cost.charge(cost::of_call(&call.name, &arguments, result.as_ref().ok()))?;
        }
        let place = place_of_call(&call.name, &arguments);
        match result {
            Ok(result) => Ok(result.or_from(place.as_ref())),
            Err(Fault::NoOverload) => {
                let types: Vec<&str> = arguments.iter().map(|it| it.data.type_name()).collect();
                let name = call.name.trim_matches('_');
                let message = format!("no such overload: {name}({})", types.join(", "));
                Err(Fault::error(message).or_at(place.as_ref(), &call.name_at))
            }
            Err(fault) => Err(fault.or_at(place.as_ref(), &call.name_at)),
        }
    }

    fn or_value(&mut self, call: &Call) -> Outcome {
        let first = self.evaluate(&call.arguments[0])?;
        match &first.data {
            Data::Optional(Some(_)) if &*call.name == "or" => Ok(first),
            Data::Optional(Some(inner)) => Ok((**inner).clone()),
            Data::Optional(None) => {
                let place = first.place.as_ref();
                self.evaluate(&call.arguments[1]).map(|it| it.or_from(place))
            }
            other => {
                Err(Fault::error(format!("no such overload: {}.{}", other.type_name(), call.name)))
            }
        }
    }

    /// `&&` and `||`: `decisive` decides whatever the others are.
    fn logic(&mut self, terms: &[Expr], decisive: bool) -> Outcome {
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

    fn conditional(&mut self, parts: &[Expr; 3]) -> Outcome {
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

    fn literal(&mut self, expression: &Expr) -> Outcome {
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

    fn optional_map(&mut self, map: &OptionalMap) -> Outcome {
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
        let depth = self.scope.bind(map.name.clone(), Ok((*inner).clone()));
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

/// What a call's result comes from: the first argument that a file holds. What is not in a mapping or list is
/// missing there.
fn place_of_call(name: &str, arguments: &[Operand]) -> Option<Place> {
    match (name, arguments) {
        ("_in_", [value, range]) => {
            value.place.clone().or_else(|| range.place.as_ref().map(Place::key))
        }
        _ => arguments.iter().find_map(|it| it.place.clone()),
    }
}
