//! What a policy says: to the types of its subject, and to a subject.

use std::{borrow::Cow, sync::Arc};

use crate::{
    cel::{
        bindings::Bindings,
        cost,
        data::{Data, Outcome},
        fault::{Fault, Unknown},
        place::Place,
        tree::Mistake,
        types::{Schema, Type},
    },
    findings::Severity,
    policy::{Policy, Validation, expression::Expression},
    syntax::ParseError,
};

/// The cost that one policy may have for one subject: Kubernetes' budget.
const BUDGET: u64 = 10 * cost::LIMIT;

/// What a policy says to a subject.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The validation fails.
    Failed {
        /// The operand that decides; `None` when it is nothing that a file holds.
        place: Option<Place>,
        /// What is wrong.
        message: String,
    },
    /// What decides is not known.
    Undecided(Arc<Unknown>),
    /// It would take too long; where the expression is.
    TooCostly(crate::source::Span),
}

impl Policy {
    /// What is wrong with its expressions for a subject of these types, each at its character.
    #[must_use]
    pub fn check(&self, schema: &Schema) -> Vec<ParseError> {
        let mut schema = schema.clone();
        let mut errors = Vec::new();
        for (name, expression) in &self.variables {
            let found = checked(expression, &schema, None, &mut errors);
            schema.variables.insert(format!("variables.{name}").into(), found.clone());
            schema.variables.insert(name.clone(), found);
        }
        if let Some(condition) = &self.condition {
            checked(condition, &schema, Some(&Type::Bool), &mut errors);
        }
        for validation in &self.validations {
            checked(&validation.expression, &schema, Some(&Type::Bool), &mut errors);
            if let Some(message) = &validation.message_expression {
                checked(message, &schema, Some(&Type::String), &mut errors);
            }
            if let Some(at) = &validation.at {
                checked(at, &schema, None, &mut errors);
            }
        }
        errors
    }

    /// What it says to a subject: nothing where the subject is as it should be, or is not asked about.
    #[must_use]
    pub fn judge(&self, bindings: &Bindings) -> Vec<Verdict> {
        let mut run = Run { bindings: Cow::Borrowed(bindings), left: BUDGET };
        for (name, expression) in &self.variables {
            let value = run.evaluate(expression);
            let bindings = run.bindings.to_mut();
            bindings.set(format!("variables.{name}"), value.clone());
            bindings.set(name.clone(), value);
        }
        if let Some(condition) = &self.condition {
            match run.evaluate(condition) {
                Ok(found) if matches!(found.data, Data::Bool(true)) => {}
                Err(Fault::Unknown(unknown)) => return vec![Verdict::Undecided(unknown)],
                Err(Fault::TooCostly) => return vec![Verdict::TooCostly(condition.span())],
                // An error counts as false.
                Ok(_) | Err(_) => return Vec::new(),
            }
        }
        self.validations.iter().filter_map(|it| self.verdict(it, &mut run)).collect()
    }

    fn verdict(&self, validation: &Validation, run: &mut Run<'_>) -> Option<Verdict> {
        let (place, error) = match run.evaluate(&validation.expression) {
            Ok(found) => match found.data {
                Data::Bool(true) => return None,
                Data::Bool(false) => (found.place, None),
                other => {
                    let message = format!("the expression is a {}, no bool", other.type_name());
                    (found.place, Some(message))
                }
            },
            Err(Fault::Error(error)) => (error.place, Some(error.message)),
            Err(Fault::NoOverload) => (None, Some("no such overload".to_owned())),
            Err(Fault::Unknown(unknown)) => return Some(Verdict::Undecided(unknown)),
            Err(Fault::TooCostly) => {
                return Some(Verdict::TooCostly(validation.expression.span()));
            }
        };
        let at = validation.at.as_ref().and_then(|it| place_of(&run.evaluate(it)));
        let mut message = self.message(validation, run);
        if let Some(error) = error {
            message = format!("{message} ({error})");
        }
        Some(Verdict::Failed { place: at.or(place), message })
    }

    /// The computed message, if it can be computed and is a line of text, else the written one.
    fn message(&self, validation: &Validation, run: &mut Run<'_>) -> String {
        let computed = validation.message_expression.as_ref().map(|it| run.evaluate(it));
        if let Some(Ok(found)) = computed
            && let Data::String(text) = found.data
            && !text.trim().is_empty()
            && !text.contains('\n')
        {
            return text.trim().to_owned();
        }
        validation.message.as_deref().unwrap_or(&self.title).to_owned()
    }
}

/// The evaluation of a policy for one subject.
struct Run<'b> {
    bindings: Cow<'b, Bindings>,
    left: u64,
}

impl Run<'_> {
    fn evaluate(&mut self, expression: &Expression) -> Outcome {
        let limit = cost::LIMIT.min(self.left);
        let found = expression.program.evaluate_within(&self.bindings, limit);
        self.left = self.left.saturating_sub(found.cost);
        found.outcome
    }
}

/// Where a value comes from, or what kept it from being one.
fn place_of(outcome: &Outcome) -> Option<Place> {
    match outcome {
        Ok(found) => found.place.clone(),
        Err(Fault::Error(error)) => error.place.clone(),
        Err(Fault::Unknown(unknown)) => unknown.place.clone(),
        Err(Fault::TooCostly | Fault::NoOverload) => None,
    }
}

/// The type of an expression; complains if it has another than the one wanted.
fn checked(
    expression: &Expression,
    schema: &Schema,
    wanted: Option<&Type>,
    errors: &mut Vec<ParseError>,
) -> Type {
    let (found, mistakes) = expression.program.check(schema);
    errors.extend(mistakes.iter().map(|it| expression.error(it)));
    if let Some(wanted) = wanted
        && mistakes.is_empty()
        && found != *wanted
        && found != Type::Dyn
    {
        let message = format!("this is a {found}, and a {wanted} is expected");
        let mistake = Mistake::new(0..expression.text().len(), message);
        errors.push(ParseError { severity: Severity::Error, ..expression.error(&mistake) });
    }
    found
}
