//! What an admission policy says of an object that is created.

use std::sync::Arc;

use crate::{
    policies::admission::{
        asked::{Asked, unknown},
        policy::AdmissionPolicy,
    },
    source::Span,
    value::{Entry, Kind, List, Map, Value, deserialize::NOWHERE},
};
use karplint_cel::{
    cel::{
        bindings::Bindings,
        collection, cost,
        data::{Data, Outcome},
        fault::{Fault, Unknown},
        place::Place,
    },
    policy::{Validation, expression::Expression},
};

/// The cost that all expressions of a policy may have together: Kubernetes' budget.
const BUDGET: u64 = 10 * cost::LIMIT;
/// The same for its match conditions.
const CONDITIONS_BUDGET: u64 = BUDGET / 4;
/// A computed message that is longer is not used, bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// What a policy says of an object.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// It refuses it.
    Refused(Refusal),
    /// What decides is not known.
    Undecided(Arc<Unknown>),
}

/// Why a policy refuses an object.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// The operand that decides, if a file holds it.
    pub(super) place: Option<Place>,
    /// What the API server says.
    pub(super) message: String,
    /// The expression that fails.
    pub(super) expression: Span,
}

/// What a policy with these parameters says of an object: nothing if it lets it in. A refusal for each validation.
pub(super) fn judge(
    policy: &AdmissionPolicy,
    asked: &Asked<'_>,
    params: Option<&Value>,
) -> Vec<Answer> {
    let mut run = Run { bindings: bindings(asked, params), left: CONDITIONS_BUDGET };
    let condition = conditions(policy, &mut run);
    // The API server looks for the namespace once the conditions are met.
    run.bindings.set("namespaceObject", collection::read(&nowhere(&asked.namespace_value())));
    run.left = BUDGET;
    match condition {
        Condition::Met => {}
        Condition::NotMet => return Vec::new(),
        Condition::Unclear(answer) => return vec![answer],
    }
    for (name, expression) in &policy.variables {
        let value = run.evaluate(expression);
        run.bindings.set(format!("variables.{name}"), value);
    }
    policy.validations.iter().filter_map(|it| answer(policy, it, &mut run)).collect()
}

fn bindings(asked: &Asked<'_>, params: Option<&Value>) -> Bindings {
    let null = Value::new(Kind::Null, asked.built.span);
    let mut bindings = Bindings::default();
    bindings.set("object", collection::read(&asked.object));
    bindings.set("oldObject", Ok(Data::Null.into()));
    bindings.set("params", collection::read(&nowhere(params.unwrap_or(&null))));
    bindings.set("request", collection::read(&asked.request()));
    bindings.set("namespaceObject", Ok(Data::Null.into()));
    let authorizer = unknown("authorizer", asked.built.span);
    bindings.set("authorizer", collection::read(&authorizer));
    bindings.set("authorizer.requestResource", collection::read(&authorizer));
    bindings
}

/// The same value without places: what is wrong with an object is in the object.
fn nowhere(value: &Value) -> Value {
    let kind = match &value.kind {
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry {
                key: it.key.clone(),
                key_span: NOWHERE,
                value: nowhere(&it.value),
            };
            let entries = map.entries.iter().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        Kind::List(list) => {
            let items = list.items.iter().map(nowhere).collect();
            Kind::List(Arc::new(List { items, ..(**list).clone() }))
        }
        other => other.clone(),
    };
    Value::new(kind, NOWHERE)
}

/// Whether a policy is asked about a request at all.
enum Condition {
    Met,
    NotMet,
    Unclear(Answer),
}

/// One that is false decides; then one that is not known; then one that is an error.
fn conditions(policy: &AdmissionPolicy, run: &mut Run) -> Condition {
    let (mut unknown, mut error) = (None, None);
    for condition in &policy.conditions {
        match run.evaluate(condition) {
            Ok(found) => match found.data {
                Data::Bool(true) => {}
                _ => return Condition::NotMet,
            },
            Err(Fault::Unknown(it)) => unknown = unknown.or(Some(it)),
            Err(fault) => error = error.or(Some((fault, condition))),
        }
    }
    if let Some(unknown) = unknown {
        return Condition::Unclear(Answer::Undecided(unknown));
    }
    match error {
        None => Condition::Met,
        Some(_) if policy.ignores_errors => Condition::NotMet,
        Some((fault, condition)) => {
            let (place, error) = described(fault);
            let message = format!("a match condition cannot be evaluated ({error})");
            Condition::Unclear(refused(place, message, condition.span()))
        }
    }
}

fn answer(policy: &AdmissionPolicy, validation: &Validation, run: &mut Run) -> Option<Answer> {
    let (place, error) = match run.evaluate(&validation.expression) {
        Ok(found) => match found.data {
            Data::Bool(true) => return None,
            _ => (found.place, None),
        },
        Err(Fault::Unknown(unknown)) => return Some(Answer::Undecided(unknown)),
        Err(_) if policy.ignores_errors => return None,
        Err(fault) => {
            let (place, error) = described(fault);
            (place, Some(error))
        }
    };
    let mut message = message(validation, run);
    if let Some(error) = error {
        message = format!("{message} ({error})");
    }
    Some(refused(place, message, validation.expression.span()))
}

fn refused(place: Option<Place>, message: String, expression: Span) -> Answer {
    Answer::Refused(Refusal { place, message, expression })
}

/// The place and the words of an error.
fn described(fault: Fault) -> (Option<Place>, String) {
    match fault {
        Fault::Error(error) => (error.place, error.message),
        Fault::TooCostly => (None, "it costs more than the API server allows".to_owned()),
        Fault::NoOverload => (None, "no such overload".to_owned()),
        Fault::Unknown(unknown) => (None, format!("`{}` is not known", unknown.symbol.text)),
    }
}

/// The computed message if it is a line of text, else the written one, else the expression.
fn message(validation: &Validation, run: &mut Run) -> String {
    let computed = validation.message_expression.as_ref().map(|it| run.evaluate(it));
    if let Some(Ok(found)) = computed
        && let Data::String(text) = found.data
        && !text.trim().is_empty()
        && !text.trim().contains('\n')
        && text.trim().len() <= LONGEST_MESSAGE
    {
        return text.trim().to_owned();
    }
    if let Some(message) = &validation.message {
        return message.to_string();
    }
    let text: Vec<&str> = validation.expression.text().split_whitespace().collect();
    format!("failed expression: {}", text.join(" "))
}

/// The evaluation of a policy for one object.
struct Run {
    bindings: Bindings,
    left: u64,
}

impl Run {
    fn evaluate(&mut self, expression: &Expression) -> Outcome {
        let limit = cost::LIMIT.min(self.left);
        let found = expression.program.evaluate_within(&self.bindings, limit);
        self.left = self.left.saturating_sub(found.cost);
        found.outcome
    }
}
