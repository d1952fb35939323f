//! The schemas agree with the API server: recorded decisions, and what must hold of any resource.

mod cases;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use cases::{Case, bases, cases};
use karplint::{
    checks::admission::{
        self,
        fault::{Fault, FaultKind},
        path::{Path, PathStep},
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
    let part = |it: &PathStep| match it {
        PathStep::Name(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        PathStep::Item(index) => format!("/{index}"),
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
                // What only Karpenter cannot read, the API server takes.
                let refused = found.iter().filter(|it| !matches!(it.kind, FaultKind::Unparsed(_)));
                let found = refused.map(line).collect();
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

/// The ways to all places inside a value, itself first: which part, and which part of that.
fn ways(value: &Value) -> Vec<Vec<usize>> {
    let parts = value.items().iter().chain(value.entries().iter().map(|it| &it.value));
    let inside = parts
        .enumerate()
        .flat_map(|(at, part)| ways(part).into_iter().map(move |way| [vec![at], way].concat()));
    [Vec::new()].into_iter().chain(inside).collect()
}

/// The value with another one at the end of the way.
fn with(value: &Value, way: &[usize], make: &dyn Fn(&Value) -> Value) -> Value {
    let Some((first, rest)) = way.split_first() else { return make(value) };
    let inside = |(at, it): (usize, &Value)| {
        if at == *first { with(it, rest, make) } else { it.clone() }
    };
    let kind = match &value.kind {
        Kind::List(list) => {
            let items = list.items.iter().enumerate().map(inside).collect();
            Kind::List(Arc::new(List { items, ..(**list).clone() }))
        }
        Kind::Map(map) => {
            let entry =
                |(at, it): (usize, &Entry)| Entry { value: inside((at, &it.value)), ..it.clone() };
            let entries = map.entries.iter().enumerate().map(entry).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        other => other.clone(),
    };
    Value { kind, ..value.clone() }
}

fn unknown(value: &Value) -> Value {
    Value::unknown(Symbol::new("", "unknown"), value.span)
}

/// The map without that entry, or the list without the items from that one on, and open at its end.
fn opened(value: &Value, at: usize) -> Value {
    let rest = Some(Symbol::new("", "rest"));
    let kind = match &value.kind {
        Kind::List(list) => {
            let items = list.items.get(..at).unwrap_or_default().to_vec();
            Kind::List(Arc::new(List { items, rest, is_set: list.is_set }))
        }
        Kind::Map(map) => {
            let mut entries = map.entries.clone();
            entries.remove(at);
            Kind::Map(Arc::new(Map { entries, rest }))
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

/// The first cases of each kind of fault, with a release that finds it.
fn some_cases() -> Vec<(Case, Version)> {
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for case in cases() {
        let Some((releases, faults)) = case.results.last() else { continue };
        let kinds = faults.iter().filter_map(|it| it.split(' ').next());
        let new: Vec<String> =
            kinds.filter(|it| !met.contains_key(*it) || met[*it] < 4).map(str::to_owned).collect();
        if let Some(release) = releases.last().filter(|_| !new.is_empty()) {
            for kind in new {
                *met.entry(kind).or_default() += 1;
            }
            let release = version(release);
            chosen.push((case, release));
        }
    }
    assert!(met.len() > 45, "only these faults are met: {met:?}");
    chosen
}

#[test]
fn what_is_unknown_is_never_at_fault() {
    for (case, release) in some_cases() {
        let known = exact(&case.object, Some(&release));
        for way in ways(&case.object) {
            let replaced = with(&case.object, &way, &unknown);
            let hidden = way
                .split_last()
                .map(|(last, outer)| with(&case.object, outer, &|holder| opened(holder, *last)));
            for object in [replaced].iter().chain(&hidden) {
                let found = exact(object, Some(&release));
                let new: Vec<&String> = found.difference(&known).collect();
                assert!(new.is_empty(), "{release} {} without {way:?}: {new:?}", case.name);
            }
        }
    }
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

/// Whether a fault lies in a field that a release does not know: it refuses that, whatever is in it.
fn is_inside_unknown(fault: &str, there: &BTreeSet<String>) -> bool {
    let path = fault.split_once(' ').map_or("", |(_, path)| path);
    let mut unknown = there.iter().filter_map(|it| it.strip_prefix("unknown "));
    unknown.any(|outer| path.starts_with(outer))
}

/// Whether a release without instance profiles misses the role where others miss one of the two.
fn lacks_its_only_field(fault: &str, there: &BTreeSet<String>) -> bool {
    fault == "check:role-or-profile spec.role" && there.contains("missing spec.role")
}

#[test]
fn without_a_release_only_what_all_refuse_is_said() {
    for (case, _) in some_cases() {
        let found = exact(&case.object, None);
        for release in case.results.iter().flat_map(|(releases, _)| releases) {
            let here = exact(&case.object, Some(&version(release)));
            let is_served = !here.contains("unserved apiVersion");
            let is_refused = |it: &String| {
                here.contains(it) || is_inside_unknown(it, &here) || lacks_its_only_field(it, &here)
            };
            let refused = found.iter().all(is_refused);
            assert!(!is_served || refused, "{release} {}: {found:?}", case.name);
        }
    }
    for base in bases() {
        assert_eq!(exact(&base, None), BTreeSet::new());
    }
}
