//! What Kubernetes matches: taints and tolerations, labels and selectors.

use crate::cel::{
    compare,
    data::{Data, ListData, MapData, Operand, Outcome, take},
    fault::Fault,
    native::Native,
    place::Place,
};

/// Functions of objects.
pub(super) const FUNCTIONS: &[(&str, Native)] = &[("tolerates", tolerates), ("selects", selects)];

type Answer = Result<bool, Fault>;

/// The text of a field; empty if there is none.
fn text(map: &MapData, field: &str) -> Result<String, Fault> {
    match map.get(&Data::text(field)).transpose()?.map(|it| it.data) {
        None | Some(Data::Null) => Ok(String::new()),
        Some(Data::String(it)) => Ok(it.to_string()),
        Some(Data::Bool(it)) => Ok(it.to_string()),
        Some(Data::Int(it)) => Ok(it.to_string()),
        Some(_) => Err(Fault::NoOverload),
    }
}

/// Whether one of several is true, of which some may not be known.
fn any(answers: impl Iterator<Item = Answer>) -> Answer {
    let mut doubt = None;
    for answer in answers {
        match answer {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(fault) => doubt = Some(fault),
        }
    }
    doubt.map_or(Ok(false), Err)
}

/// `tolerates(tolerations, taint)`: whether pods with these tolerations may run on nodes with that taint.
fn tolerates(arguments: &[Operand]) -> Outcome {
    let [Data::List(tolerations), Data::Map(taint)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let matches = |toleration: Outcome| match toleration?.data {
        Data::Map(toleration) => matches(&toleration, taint),
        _ => Err(Fault::NoOverload),
    };
    let answer =
        any(tolerations.each().map(matches).chain([tolerations.closed().map(|()| false)]))?;
    let place = arguments[0].place.as_ref().map(Place::key);
    Ok(Operand { data: Data::Bool(answer), place })
}

fn matches(toleration: &MapData, taint: &MapData) -> Answer {
    let both = |field| Ok::<_, Fault>((text(toleration, field)?, text(taint, field)?));
    let (effect, wanted) = both("effect")?;
    if !effect.is_empty() && effect != wanted {
        return Ok(false);
    }
    let (key, wanted) = both("key")?;
    let operator = text(toleration, "operator")?;
    if !(key == wanted || (key.is_empty() && operator == "Exists")) {
        return Ok(false);
    }
    let (value, wanted) = both("value")?;
    Ok(operator == "Exists" || value == wanted)
}

/// `selects(selector, labels)`: whether a selector, of either form, means objects with these labels.
fn selects(arguments: &[Operand]) -> Outcome {
    let [Data::Map(selector), Data::Map(labels)] = take(arguments)? else {
        return Err(Fault::NoOverload);
    };
    let is_selector = selector.has(&Data::text("matchLabels"))?
        || selector.has(&Data::text("matchExpressions"))?;
    let answer =
        if is_selector { selects_object(selector, labels) } else { has_all(selector, labels) };
    Ok(Data::Bool(answer?).into())
}

fn all(answers: impl Iterator<Item = Answer>) -> Answer {
    any(answers.map(|it| it.map(|it| !it))).map(|it| !it)
}

fn has_all(wanted: &MapData, labels: &MapData) -> Answer {
    let is_there = |(key, value): (Operand, Outcome)| match labels.get(&key.data) {
        Some(found) => compare::equal(&found?.data, &value?.data),
        None => Ok(false),
    };
    all(wanted.each().map(is_there).chain([wanted.closed().map(|()| true)]))
}

fn selects_object(selector: &MapData, labels: &MapData) -> Answer {
    let part = |field: &str| selector.get(&Data::text(field)).transpose();
    let by_labels = match part("matchLabels")?.map(|it| it.data) {
        Some(Data::Map(wanted)) => has_all(&wanted, labels),
        _ => Ok(true),
    };
    let by_terms = match part("matchExpressions")?.map(|it| it.data) {
        Some(Data::List(terms)) => {
            let each = |term: Outcome| match term?.data {
                Data::Map(term) => meets(&term, labels),
                _ => Err(Fault::NoOverload),
            };
            all(terms.each().map(each).chain([terms.closed().map(|()| true)]))
        }
        _ => Ok(true),
    };
    all([by_labels, by_terms].into_iter())
}

/// Whether labels meet one term of `matchExpressions`.
fn meets(term: &MapData, labels: &MapData) -> Answer {
    let key = Data::text(text(term, "key")?);
    let values = match term.get(&Data::text("values")).transpose()?.map(|it| it.data) {
        Some(Data::List(values)) => values,
        _ => match Data::list(Vec::new()) {
            Data::List(empty) => empty,
            _ => return Err(Fault::NoOverload),
        },
    };
    let is_among = |values: &ListData| match labels.get(&key) {
        Some(value) => compare::contains(values, &value?.data),
        None => Ok(false),
    };
    match &*text(term, "operator")? {
        "In" => is_among(&values),
        "NotIn" => is_among(&values).map(|it| !it),
        "Exists" => labels.has(&key),
        "DoesNotExist" => labels.has(&key).map(|it| !it),
        _ => Err(Fault::error("a selector's operator is In, NotIn, Exists or DoesNotExist")),
    }
}
