//! What is refused of fields that are not known, but have one of few values: a condition with two branches, a mapping
//! under a key that is not known.

use std::sync::Arc;

use crate::{
    checks::admission::{
        fault::Fault,
        path::{Path, PathStep},
    },
    value::{Entry, Kind, List, Map, Value},
};

/// More such fields of one resource are not tried.
const MOST: usize = 16;

/// What an API server refuses of a resource with that value.
type Faults<'a> = dyn Fn(&Value) -> Vec<Fault> + 'a;

/// What is refused whichever of its few values a field has, of each of them, given what is refused anyway.
pub(super) fn in_all(whole: &Value, anyway: &[Fault], faults: &Faults<'_>) -> Vec<Fault> {
    let tried = fields(whole).into_iter().map(|it| tried(whole, &it, (anyway, faults)));
    let refused = tried.filter(|it| it.iter().all(|it| !it.is_empty()));
    refused.flatten().flatten().collect()
}

/// The first field of whose few values one is refused, and what is refused of it.
pub(super) fn in_some(
    whole: &Value,
    anyway: &[Fault],
    faults: &Faults<'_>,
) -> Option<(Path, Fault)> {
    fields(whole).into_iter().find_map(|field| {
        let first = tried(whole, &field, (anyway, faults)).into_iter().flatten().next()?;
        Some((field.path, first))
    })
}

/// A field that has one of few values.
struct FewValued {
    path: Path,
    cases: Vec<Value>,
}

/// What is refused of each of the values of a field, beside what is refused anyway.
fn tried(
    whole: &Value,
    field: &FewValued,
    (anyway, faults): (&[Fault], &Faults<'_>),
) -> Vec<Vec<Fault>> {
    let is_known = |it: &Fault| {
        anyway.iter().any(|known| known.path == it.path && known.kind.name() == it.kind.name())
    };
    let of_case = |case: &Value| {
        let mut found = faults(&with(whole, field.path.parts(), case));
        found.retain(|it| !is_known(it));
        found
    };
    field.cases.iter().map(of_case).collect()
}

fn fields(whole: &Value) -> Vec<FewValued> {
    let mut found = Vec::new();
    collect(whole, &Path::default(), &mut found);
    found
}

fn collect(value: &Value, path: &Path, found: &mut Vec<FewValued>) {
    if found.len() == MOST {
        return;
    }
    if let Some(cases) = value.cases() {
        found.push(FewValued { path: path.clone(), cases });
        return;
    }
    for entry in value.entries() {
        collect(&entry.value, &path.name(&entry.key), found);
    }
    for (at, item) in value.items().iter().enumerate() {
        collect(item, &path.item(at), found);
    }
}

/// The same with another value at a path.
fn with(whole: &Value, path: &[PathStep], new: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return new.clone() };
    let kind = match (&whole.kind, first) {
        (Kind::Map(map), PathStep::Name(name)) => {
            let entry = |it: &Entry| {
                if it.key == *name {
                    Entry { value: with(&it.value, rest, new), ..it.clone() }
                } else {
                    it.clone()
                }
            };
            let entries = map.entries.iter().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        (Kind::List(list), PathStep::Item(index)) => {
            let item = |(at, it): (usize, &Value)| {
                if at == *index { with(it, rest, new) } else { it.clone() }
            };
            let items = list.items.iter().enumerate().map(item).collect();
            Kind::List(Arc::new(List { items, ..(**list).clone() }))
        }
        (other, _) => other.clone(),
    };
    Value { kind, ..whole.clone() }
}
