//! The recorded decisions of the API server: a resource, mutated, and its faults by release.

use std::{collections::BTreeSet, sync::Arc};

use karplint::{
    source::{FileId, Span},
    value::{Entry, Kind, Text, Value},
};
use serde_json::Value as Json;

/// A resource and what the API server says of it.
pub(super) struct Case {
    /// The base and what was changed.
    pub name: String,
    /// The resource.
    pub object: Value,
    /// Releases with the faults all of them find.
    pub results: Vec<(Vec<String>, BTreeSet<String>)>,
}

/// All cases.
pub(super) fn cases() -> Vec<Case> {
    let all: Json = serde_json::from_str(include_str!("cases.json")).expect("the cases are JSON");
    let list = all["cases"].as_array().expect("there are cases");
    list.iter().map(|it| case(it, &all["bases"])).collect()
}

/// The resources that are mutated.
pub(super) fn bases() -> Vec<Value> {
    let all: Json = serde_json::from_str(include_str!("cases.json")).expect("the cases are JSON");
    all["bases"].as_object().expect("there are bases").values().map(value).collect()
}

fn case(case: &Json, bases: &Json) -> Case {
    let base = case["base"].as_str().expect("a case has a base");
    let mut object = bases[base].clone();
    for pointer in case["drop"].as_array().into_iter().flatten() {
        drop_at(&mut object, pointer.as_str().expect("a pointer is text"));
    }
    for (pointer, value) in case["set"].as_object().into_iter().flatten() {
        set_at(&mut object, pointer, value.clone());
    }
    let results = case["results"].as_object().expect("a case has results").iter();
    let result = |(releases, faults): (&String, &Json)| {
        let releases = releases.split(' ').map(str::to_owned).collect();
        let faults = faults.as_array().expect("faults are a list").iter();
        (releases, faults.map(|it| it.as_str().expect("a fault is text").to_owned()).collect())
    };
    let changes = format!("{} set {} drop {}", base, case["set"], case["drop"]);
    Case { name: changes, object: value(&object), results: results.map(result).collect() }
}

/// The parent of a pointer's end, and the end.
fn parent<'a>(object: &'a mut Json, pointer: &str) -> (&'a mut Json, String) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer has a slash");
    let parent =
        object.pointer_mut(parent).unwrap_or_else(|| unreachable!("{pointer} has a parent"));
    (parent, name.replace("~1", "/").replace("~0", "~"))
}

fn drop_at(object: &mut Json, pointer: &str) {
    match parent(object, pointer) {
        (Json::Object(map), name) => drop(map.remove(&name)),
        (Json::Array(list), name) => drop(list.remove(name.parse().expect("an index"))),
        _ => unreachable!("{pointer} is in no map and no list"),
    }
}

fn set_at(object: &mut Json, pointer: &str, value: Json) {
    match parent(object, pointer) {
        (Json::Object(map), name) => drop(map.insert(name, value)),
        (Json::Array(list), name) => {
            let index: usize = name.parse().expect("an index");
            list.truncate(list.len().max(index));
            if index < list.len() {
                list[index] = value;
            } else {
                list.push(value);
            }
        }
        _ => unreachable!("{pointer} is in no map and no list"),
    }
}

/// A value that is written nowhere.
pub(super) fn value(json: &Json) -> Value {
    let span = Span::new(FileId(0), 0, 0);
    let kind = match json {
        Json::Null => Kind::Null,
        Json::Bool(it) => Kind::Bool(*it),
        Json::Number(it) => Kind::Number(it.as_f64().expect("numbers are small")),
        Json::String(it) => Kind::String(Text::computed(it.as_str())),
        Json::Array(list) => return Value::list(list.iter().map(value).collect(), span),
        Json::Object(map) => {
            let entry = |(key, it): (&String, &Json)| Entry {
                key: Arc::from(key.as_str()),
                key_span: span,
                value: value(it),
            };
            return Value::map(map.iter().map(entry).collect(), span);
        }
    };
    Value::new(kind, span)
}
