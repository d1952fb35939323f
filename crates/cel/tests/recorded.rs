//! What Kubernetes answers.

use std::collections::HashMap;

use karplint_cel::cel::{
    data::{Data, Outcome},
    fault::Fault,
    program::Program,
    types::{Schema, Type},
};
use karplint_core::value::Value;

use crate::{evaluate, value};

const ANSWERS: &str = include_str!("recorded/answers.txt");
const OBJECTS: &str = include_str!("recorded/objects.jsonl");

/// What an expression gives for an object, and what it costs, as it is recorded.
fn answer(expression: &str, object: &Value) -> (String, String) {
    let mut schema = Schema::default();
    schema.variables.insert("object".into(), Type::Dyn);
    let is_refused = |it: &Program| !it.check(&schema).1.is_empty();
    if Program::parse(expression).as_ref().map_or(true, is_refused) {
        return ("invalid".to_owned(), "-".to_owned());
    }
    let found = evaluate(expression, object);
    (recorded(&found.outcome), found.cost.to_string())
}

fn recorded(outcome: &Outcome) -> String {
    match outcome {
        Ok(operand) => match &operand.data {
            Data::Bool(it) => it.to_string(),
            Data::String(it) => format!("text {it}"),
            other => format!("a {}", other.type_name()),
        },
        Err(Fault::Error(_) | Fault::NoOverload | Fault::TooCostly) => "error".to_owned(),
        Err(Fault::Unknown(unknown)) => format!("unknown: {}", unknown.symbol.text),
    }
}

#[test]
fn kubernetes_answers_the_same() {
    let objects: HashMap<&str, Value> =
        OBJECTS.lines().filter_map(|it| it.split_once(' ')).map(|it| (it.0, value(it.1))).collect();
    let (mut expression, mut count, mut other_cost, mut wrong) = ("", 0, 0, Vec::new());
    for line in ANSWERS.lines().filter(|it| !it.starts_with('#')) {
        if let Some(found) = line.strip_prefix("= ") {
            expression = found;
            continue;
        }
        let mut parts = line.splitn(3, ' ');
        let mut part = || parts.next().expect("three parts");
        let (key, cost, wanted) = (part(), part(), part());
        let (found, spent) = answer(expression, &objects[key]);
        count += 1;
        if found != wanted {
            wrong.push(format!("{expression}\n  {key}: wanted {wanted}, got {found}"));
        }
        // An error ends some evaluations earlier than others, and Go goes through a mapping in any order.
        other_cost += usize::from(wanted != "error" && spent != cost);
    }
    assert!(count > 2000, "{count}");
    assert!(other_cost * 20 < count, "{other_cost} of {count} at another cost");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}
