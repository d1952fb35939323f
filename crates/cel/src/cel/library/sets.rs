//! Lists as sets.

use crate::cel::{
    compare,
    data::{Data, ListData, Operand, Outcome, take},
    fault::Fault,
    native::Native,
    place::Place,
};

/// Functions of lists as sets.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[
    ("sets.contains", |it| test(it, contains)),
    ("sets.equivalent", |it| test(it, |a, b| both(contains(a, b), || contains(b, a)))),
    ("sets.intersects", |it| test(it, intersects)),
];

type Answer = Result<bool, Fault>;

fn test(arguments: &[Operand], test: fn(&ListData, &ListData) -> Answer) -> Outcome {
    let [Data::List(a), Data::List(b)] = take(arguments)? else { return Err(Fault::NoOverload) };
    // The place of the list that is looked into, at its key.
    let place = arguments.iter().find_map(|it| it.place.as_ref()).map(Place::key);
    Ok(Operand { data: Data::Bool(test(a, b)?), place })
}

/// Whether both are true, one of which may not be known.
fn both(a: Answer, b: impl Fn() -> Answer) -> Answer {
    match a {
        Ok(true) => b(),
        Ok(false) => Ok(false),
        Err(fault) => {
            if let Ok(false) = b() {
                Ok(false)
            } else {
                Err(fault)
            }
        }
    }
}

/// Whether every element of the second is in the first.
fn contains(a: &ListData, b: &ListData) -> Answer {
    let mut doubt = None;
    for item in b.each() {
        match item.and_then(|it| compare::contains(a, &it.data)) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(fault) => doubt = Some(fault),
        }
    }
    b.closed()?;
    doubt.map_or(Ok(true), Err)
}

fn intersects(a: &ListData, b: &ListData) -> Answer {
    let mut doubt = None;
    for item in a.each() {
        match item.and_then(|it| compare::contains(b, &it.data)) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(fault) => doubt = Some(fault),
        }
    }
    a.closed()?;
    doubt.map_or(Ok(false), Err)
}
