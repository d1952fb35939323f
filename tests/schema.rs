//! The schemas agree with the API server: recorded decisions, and what must hold of any resource.

#[path = "schema/cases.rs"]
mod cases;

use std::{collections::BTreeSet, sync::Arc};

use cases::{Case, bases, cases};
use karplint::{
    model::admission::{
        self, Fault, FaultKind,
        path::{Part, Path},
    },
    value::{Entry, Kind, List, Map, Symbol, Value},
    version::Version,
};

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or_else(|| unreachable!("{text} is a version"))
}

fn faults(object: &Value, release: Option<&Version>) -> Vec<Fault> {
    let text = |key: &str| object.get(key).present().and_then(Value::as_str).unwrap_or_default();
    admission::faults(object, text("kind"), text("apiVersion"), release)
}

/// The JSON pointer of a path.
fn pointer(path: &Path) -> String {
    let part = |it: &Part| match it {
        Part::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        Part::Item(index) => format!("/{index}"),
    };
    path.parts().iter().map(part).collect()
}

/// A fault as the cases write it. Of metadata they know only the field, and not even that where something
/// has the wrong type.
fn line(fault: &Fault) -> String {
    let path = match &fault.kind {
        FaultKind::Check { at, .. } => at,
        _ => &fault.path,
    };
    let pointer = pointer(path);
    if !pointer.starts_with("/metadata") {
        return format!("{} {pointer}", fault.kind.name());
    }
    let is_type = matches!(fault.kind, FaultKind::Type(_));
    let field = if is_type { None } else { pointer.split('/').nth(2) };
    format!("metadata /metadata{}", field.map_or(String::new(), |it| format!("/{it}")))
}

/// Faults that keep the API server from making its checks.
const BLOCKING: &[&str] = &["missing ", "enum ", "type ", "format ", "too-long ", "too-many "];

/// What differs. Where a fault keeps the API server from its checks, ours may be made; and of what has the
/// wrong type only that is said, nothing of what is in it.
fn compare(wanted: &BTreeSet<String>, found: &BTreeSet<String>) -> Vec<String> {
    let is_blocked = wanted.iter().any(|it| BLOCKING.iter().any(|kind| it.starts_with(kind)));
    let is_inside = |it: &str| {
        let (_, path) = it.split_once(' ').unwrap_or_default();
        wanted
            .iter()
            .filter_map(|it| it.strip_prefix("type "))
            .any(|wrong| path.strip_prefix(wrong).is_some_and(|rest| rest.starts_with('/')))
    };
    let missed =
        wanted.difference(found).filter(|it| !is_inside(it)).map(|it| format!("missed {it}"));
    let invented = found.difference(wanted).filter(|it| !(is_blocked && it.starts_with("check:")));
    missed.chain(invented.map(|it| format!("invented {it}"))).collect()
}

#[test]
fn every_recorded_decision_is_ours() {
    let mut decisions = 0;
    let mut wrong = Vec::new();
    for Case { name, object, results } in cases() {
        for (releases, wanted) in results {
            for release in releases {
                let found = faults(&object, Some(&version(&release)));
                let found = found.iter().map(line).collect();
                let differences = compare(&wanted, &found);
                if !differences.is_empty() {
                    wrong.push(format!("{release} {name}\n    {}", differences.join("\n    ")));
                }
                decisions += 1;
            }
        }
    }
    assert!(decisions > 8000, "{decisions} decisions");
    let shown = wrong.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {decisions} differ\n{shown}", wrong.len());
}

/// The places inside a value that can be replaced, itself first.
fn places(value: &Value) -> usize {
    1 + parts(value).map(places).sum::<usize>()
}

fn parts(value: &Value) -> impl Iterator<Item = &Value> {
    value.items().iter().chain(value.entries().iter().map(|it| &it.value))
}

/// The value with something unknown at that place.
fn with_unknown(value: &Value, place: &mut usize) -> Value {
    if *place == 0 {
        *place = usize::MAX;
        return Value::unknown(Symbol::new("", "unknown"), value.span);
    }
    *place -= 1;
    let kind = match &value.kind {
        Kind::List(list) => {
            let items = list.items.iter().map(|it| with_unknown(it, place)).collect();
            Kind::List(Arc::new(List { items, ..(**list).clone() }))
        }
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry { value: with_unknown(&it.value, place), ..it.clone() };
            let entries = map.entries.iter().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        other => other.clone(),
    };
    Value { kind, ..value.clone() }
}

/// The value with every map and list open at its end, from that depth on.
fn opened(value: &Value) -> Value {
    let rest = Some(Symbol::new("", "rest"));
    let kind = match &value.kind {
        Kind::List(list) => {
            let items = list.items.iter().map(opened).collect();
            Kind::List(Arc::new(List { items, rest, ..(**list).clone() }))
        }
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry { value: opened(&it.value), ..it.clone() };
            Kind::Map(Arc::new(Map { entries: map.entries.iter().map(entry).collect(), rest }))
        }
        other => other.clone(),
    };
    Value { kind, ..value.clone() }
}

fn reversed(value: &Value) -> Value {
    let kind = match &value.kind {
        Kind::List(list) => {
            let items = list.items.iter().map(reversed).collect();
            Kind::List(Arc::new(List { items, ..(**list).clone() }))
        }
        Kind::Map(map) => {
            let entry = |it: &Entry| Entry { value: reversed(&it.value), ..it.clone() };
            let entries = map.entries.iter().rev().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        other => other.clone(),
    };
    Value { kind, ..value.clone() }
}

/// The faults with their exact places.
fn exact(object: &Value, release: Option<&Version>) -> BTreeSet<String> {
    let faults = faults(object, release);
    faults.iter().map(|it| format!("{} {}", it.kind.name(), it.path)).collect()
}

/// Every seventh case: enough to meet every kind of fault.
fn some_cases() -> impl Iterator<Item = (Case, Version)> {
    cases().into_iter().step_by(7).map(|it| {
        let release =
            it.results.last().and_then(|(releases, _)| releases.last()).map(|it| version(it));
        (it, release.unwrap_or_else(|| unreachable!("a case has a release")))
    })
}

#[test]
fn what_is_unknown_is_never_at_fault() {
    let mut met = BTreeSet::new();
    for (case, release) in some_cases() {
        let known = exact(&case.object, Some(&release));
        met.extend(known.iter().filter_map(|it| it.split(' ').next().map(str::to_owned)));
        for place in 0..places(&case.object) {
            let found = exact(&with_unknown(&case.object, &mut place.clone()), Some(&release));
            let new: Vec<&String> = found.difference(&known).collect();
            assert!(new.is_empty(), "{release} {} with place {place} unknown: {new:?}", case.name);
        }
        let found = exact(&opened(&case.object), Some(&release));
        let new: Vec<&String> = found.difference(&known).collect();
        assert!(new.is_empty(), "{release} {} with open ends: {new:?}", case.name);
    }
    assert!(met.len() > 35, "only these faults were met: {met:?}");
}

#[test]
fn the_order_of_fields_does_not_matter() {
    for (case, release) in some_cases() {
        for release in [Some(&release), None] {
            let reversed = exact(&reversed(&case.object), release);
            assert_eq!(exact(&case.object, release), reversed, "{}", case.name);
        }
    }
}

#[test]
fn without_a_release_only_what_all_refuse_is_said() {
    for (case, _) in some_cases() {
        let found = exact(&case.object, None);
        for release in case.results.iter().flat_map(|(releases, _)| releases) {
            let here = exact(&case.object, Some(&version(release)));
            let is_served = !here.contains("unserved apiVersion");
            assert!(!is_served || found.is_subset(&here), "{release} {}: {found:?}", case.name);
        }
    }
    for base in bases() {
        assert_eq!(exact(&base, None), BTreeSet::new());
    }
}
