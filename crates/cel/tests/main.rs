//! What expressions give, where they point, and what they refuse.

#![expect(clippy::panic, reason = "a test may stop at what it did not expect")]

mod blame;
mod garbage;
mod golden;
mod limits;
mod mistakes;
mod policies;
mod recorded;
mod speed;
mod unknowns;

use karplint_cel::cel::{
    bindings::Bindings,
    collection,
    data::{Data, Outcome},
    fault::Fault,
    program::{Evaluation, Program},
};
use karplint_core::{source::FileId, syntax::yaml, value::Value};

/// A YAML text as a value.
fn value(text: &str) -> Value {
    let documents = yaml::parse_file(FileId(0), text);
    assert!(documents.parse_errors.is_empty(), "{:?}", documents.parse_errors);
    documents.values.into_iter().next().expect("a document")
}

/// Evaluates an expression about `object`.
fn evaluate(expression: &str, object: &Value) -> Evaluation {
    let program = Program::parse(expression).unwrap_or_else(|it| panic!("{expression}: {it:?}"));
    let mut bindings = Bindings::default();
    bindings.set("object", collection::read(object));
    program.evaluate(&bindings)
}

/// A result in a form that is easy to compare: the value as CEL writes it, `unknown`, or the error.
fn shown(outcome: &Outcome) -> String {
    match outcome {
        Ok(operand) => literal(&operand.data),
        Err(Fault::Error(error)) => format!("error: {}", error.message),
        Err(Fault::Unknown(unknown)) => format!("unknown: {}", unknown.symbol.text),
        Err(Fault::TooCostly) => "too costly".to_owned(),
        Err(Fault::NoOverload) => "no overload".to_owned(),
    }
}

fn literal(data: &Data) -> String {
    let all = |items: Vec<String>| items.join(", ");
    match data {
        Data::Null => "null".to_owned(),
        Data::Bool(it) => it.to_string(),
        Data::Int(it) => it.to_string(),
        Data::Uint(it) => format!("{it}u"),
        Data::Double(it) => format!("{it:?}"),
        Data::String(it) => format!("{it:?}"),
        Data::Bytes(it) => format!("b{:?}", String::from_utf8_lossy(it)),
        Data::Type(it) => it.to_string(),
        Data::Duration(it) => format!("{it}ns"),
        Data::Timestamp(it) => format!("@{}.{:09}", it.seconds, it.nanoseconds),
        Data::Optional(None) => "none".to_owned(),
        Data::Optional(Some(it)) => format!("some({})", literal(&it.data)),
        Data::List(list) => {
            let items = list.all().expect("known");
            format!("[{}]", all(items.iter().map(|it| literal(&it.data)).collect()))
        }
        Data::Map(map) => {
            let entries = map.all().expect("known");
            let entry = |(key, value): &(_, _)| {
                let (key, value): (
                    &karplint_cel::cel::data::Operand,
                    &karplint_cel::cel::data::Operand,
                ) = (key, value);
                format!("{}: {}", literal(&key.data), literal(&value.data))
            };
            format!("{{{}}}", all(entries.iter().map(entry).collect()))
        }
        other => format!("{other:?}"),
    }
}
