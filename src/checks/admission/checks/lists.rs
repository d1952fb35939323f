//! Checks of objects and lists of them: selector terms, requirements.

use crate::{
    checks::admission::{
        checks::culprit::{
            Culprit, entry, has, is_absent, is_closed_list, is_written, items, text,
        },
        path::Path,
    },
    knowledge::schema::checks::Exclusion,
    value::{Field, Value, stand_in::is_stand_in},
};

/// An empty list.
pub(super) fn empty(list: &Value) -> Vec<Culprit> {
    let is_empty = is_closed_list(list) && list.items().is_empty();
    is_empty.then(|| Culprit::value(Path::default(), list)).into_iter().collect()
}

/// The items, or the object, with none of the fields.
pub(super) fn without_any(value: &Value, fields: &[String]) -> Vec<Culprit> {
    let lacks = |(_, it): &(Path, &Value)| {
        it.as_map().is_some() && fields.iter().all(|field| is_absent(it, field))
    };
    let culprit = |(path, it): (Path, &Value)| Culprit {
        path,
        span: it.name,
        value: Some(it.clone()),
        text: None,
    };
    objects(value).filter(lacks).map(culprit).collect()
}

/// The items of a list; an object by itself.
fn objects(value: &Value) -> impl Iterator<Item = (Path, &Value)> {
    let own = value.as_list().is_none().then(|| (Path::default(), value));
    own.into_iter().chain(items(value))
}

/// The field of an exclusion, where it is beside one that it excludes.
fn excluded(path: &Path, object: &Value, exclusion: &Exclusion) -> Option<Culprit> {
    let field = entry(object, &exclusion.field).filter(|it| !it.value.is_unknown())?;
    let other = exclusion.others.iter().find(|it| is_written(object, it))?;
    Some(Culprit::key(path, field).saying(other.as_str()))
}

/// Whether an object writes a field together with one that it excludes.
fn is_combined(object: &Value, exclusion: &Exclusion) -> Option<bool> {
    let others = exclusion.others.iter().map(|it| has(object, it));
    let other = any(others);
    match (has(object, &exclusion.field), other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether one of the answers is yes.
fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all_known = true;
    for answer in answers {
        match answer {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(false)
}

/// The fields that are beside one that they exclude.
pub(super) fn combined(value: &Value, exclusion: &Exclusion) -> Vec<Culprit> {
    objects(value).filter_map(|(path, it)| excluded(&path, it, exclusion)).collect()
}

/// The list, where each item writes the field together with one that it excludes.
pub(super) fn combined_everywhere(list: &Value, exclusion: &Exclusion) -> Vec<Culprit> {
    let everywhere = is_closed_list(list)
        && list.items().iter().all(|it| is_combined(it, exclusion) == Some(true));
    if !everywhere {
        return Vec::new();
    }
    let first = items(list).next();
    let culprit = first.and_then(|(path, it)| excluded(&path, it, exclusion));
    vec![culprit.unwrap_or_else(|| Culprit::value(Path::default(), list))]
}

/// The requirements of that operator without values.
pub(super) fn without_values(list: &Value, operator: &str) -> Vec<Culprit> {
    let of_operator = items(list).filter(|(_, it)| text(it, "operator") == Some(operator));
    let culprit = |(path, it): (Path, &Value)| match it.get("values") {
        Field::Missing => Some(Culprit::absent(&path, "values", it)),
        Field::Present(values) if is_closed_list(values) && values.items().is_empty() => {
            Some(Culprit::value(path.name("values"), values))
        }
        _ => None,
    };
    of_operator.filter_map(culprit).collect()
}

/// The requirements of one of the operators without exactly one number.
pub(super) fn without_number(list: &Value, operators: &[String]) -> Vec<Culprit> {
    let is_meant = |it: &Value| {
        text(it, "operator").is_some_and(|it| operators.iter().any(|known| known == it))
    };
    let meant = items(list).filter(|(_, it)| is_meant(it));
    meant.filter_map(|(path, it)| number_fault(&path, it)).collect()
}

fn number_fault(path: &Path, requirement: &Value) -> Option<Culprit> {
    let values = match requirement.get("values") {
        Field::Missing => return Some(Culprit::absent(path, "values", requirement)),
        field => field.present()?,
    };
    let path = path.name("values");
    let is_closed = is_closed_list(values);
    match values.items() {
        [] if is_closed => Some(Culprit::value(path, values)),
        [one] if is_closed => {
            let text = one.as_str().filter(|it| !is_stand_in(it))?;
            let is_number = text.parse().is_ok_and(|it: i64| it >= 0);
            (!is_number).then(|| Culprit::value(path.item(0), one).saying(text))
        }
        [_, _, ..] => Some(Culprit::value(path, values)),
        _ => None,
    }
}

/// The `minValues` above the number of values.
pub(super) fn too_few_values(list: &Value) -> Vec<Culprit> {
    let culprit = |(path, it): (Path, &Value)| {
        let least = it.get("minValues").present()?;
        let is_meant = text(it, "operator") == Some("In");
        let too_few = match it.get("values") {
            Field::Missing => true,
            Field::Present(values) => {
                is_closed_list(values) && fewer(values.items().len(), least.as_number()?)
            }
            Field::Unknown => false,
        };
        let is_known = !least.is_unknown();
        (is_meant && is_known && too_few).then(|| Culprit::value(path.name("minValues"), least))
    };
    items(list).filter_map(culprit).collect()
}

fn fewer(count: usize, wanted: f64) -> bool {
    u32::try_from(count).is_ok_and(|it| f64::from(it) < wanted)
}
