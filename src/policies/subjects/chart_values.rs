//! The values of releases of charts that are not in the repository: with the defaults that are known of them.

use std::sync::Arc;

use crate::{
    knowledge::{component, packaging::Packaging},
    resolve::release::Release,
    value::{Entry, Kind, Map, Symbol, Value, cause::Cause, deserialize::NOWHERE},
    version::Version,
};

/// The values that a release has: what is neither written nor known of the chart has a default that is not known.
#[must_use]
pub(super) fn effective(release: &Release) -> Value {
    let mut values = with_unknown_defaults(&release.values);
    let component = component::of_chart(&release.chart, release.repository.as_deref());
    let (Some(component), Some(version)) = (component, release.version.exact()) else {
        return values;
    };
    if release.has_external_values {
        return values;
    }
    for packaging in component.pods.iter().filter_map(|it| it.chart.as_ref()) {
        for (path, default) in known(packaging, &version) {
            let path: Vec<&str> = path.split('.').collect();
            values = with_default(&values, &path, default);
        }
    }
    values
}

/// The paths whose defaults are known in a version of the chart. Where a template looks at several, which of them
/// has the default is not.
fn known<'a>(
    packaging: &'a Packaging,
    version: &'a Version,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    packaging.settings().filter_map(|setting| match packaging.paths(setting) {
        [path] => Some((path.as_str(), packaging.default(setting, Some(version))?)),
        _ => None,
    })
}

/// What the mappings of a chart whose own values are not here may hold besides.
fn unknown_default() -> Symbol {
    Symbol::new("view", "a default of the chart").because(Cause::Chart)
}

/// Values of which what is not written has a default that is not known.
fn with_unknown_defaults(value: &Value) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    let entry = |it: &Entry| Entry { value: with_unknown_defaults(&it.value), ..it.clone() };
    let entries = map.entries.iter().map(entry).collect();
    let rest = map.rest.clone().or_else(|| Some(unknown_default()));
    Value { kind: Kind::Map(Arc::new(Map { entries, rest })), ..value.clone() }
}

/// Values with a default at a path, as Helm merges it: under what is written. A mapping whose default is known holds
/// nothing else.
fn with_default(values: &Value, path: &[&str], default: &Value) -> Value {
    let Kind::Map(map) = &values.kind else { return values.clone() };
    let mut map = (**map).clone();
    match (path, &default.kind) {
        ([], Kind::Map(known)) => {
            for it in &known.entries {
                put(&mut map, &it.key, &[], &it.value);
            }
            map.rest = map.rest.filter(|it| *it != unknown_default());
        }
        ([], _) => {}
        ([key, inside @ ..], _) => put(&mut map, key, inside, default),
    }
    Value { kind: Kind::Map(Arc::new(map)), ..values.clone() }
}

fn put(map: &mut Map, key: &str, inside: &[&str], default: &Value) {
    if let Some(entry) = map.entries.iter_mut().find(|it| &*it.key == key) {
        entry.value = with_default(&entry.value, inside, default);
        return;
    }
    // What something else may have written is not known.
    if map.rest.as_ref() != Some(&unknown_default()) {
        return;
    }
    let value = if inside.is_empty() {
        default.clone()
    } else {
        let empty = Map { entries: Vec::new(), rest: Some(unknown_default()) };
        with_default(&Value::new(Kind::Map(Arc::new(empty)), NOWHERE), inside, default)
    };
    map.entries.push(Entry { key: key.into(), key_span: NOWHERE, value });
}
