//! What may be changed by something that is seen, but not whether it applies: value files of one
//! environment or another, patches.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::Arc,
};

use crate::{
    resolve::{gitops::unknown::unknown, kubernetes::Located},
    syntax::yaml,
    value::{Entry, Field, HOLE_END, HOLE_START, Kind, Map, Text, Value},
};

/// More patches than this leave everything open.
const MAX_PATCHES: usize = 64;

/// The value, with everything unknown that another would change if it were merged over it. Places stay
/// those of the value.
#[must_use]
pub(super) fn cast(base: Value, over: &Value) -> Value {
    if let (Kind::Map(_), Kind::Map(later)) = (&base.kind, &over.kind) {
        let Kind::Map(map) = base.kind else { return base };
        let mut map = Arc::unwrap_or_clone(map);
        cast_on_entries(&mut map, later);
        return Value { kind: Kind::Map(Arc::new(map)), ..base };
    }
    if base.same_as(over) == Some(true) {
        return base;
    }
    Value { kind: doubt(over), ..base }
}

fn cast_on_entries(map: &mut Map, over: &Map) {
    let places: HashMap<Arc<str>, usize> =
        map.entries.iter().enumerate().map(|(at, it)| (it.key.clone(), at)).collect();
    for entry in &over.entries {
        match places.get(&entry.key).and_then(|at| map.entries.get_mut(*at)) {
            Some(known) => {
                let nothing = Value::new(Kind::Null, known.key_span);
                known.value = cast(mem::replace(&mut known.value, nothing), &entry.value);
            }
            None => map.entries.push(Entry { value: doubtful(&entry.value), ..entry.clone() }),
        }
    }
    if let Some(rest) = &over.rest {
        let written: HashSet<&str> = over.entries.iter().map(|it| &*it.key).collect();
        for entry in map.entries.iter_mut().filter(|it| !written.contains(&*it.key)) {
            entry.value.kind = Kind::Unknown(rest.clone());
        }
        map.rest = Some(rest.clone());
    }
}

/// What is the same in all values, with everything else unknown. Places are those of the first that has it.
#[must_use]
pub(super) fn agreed(values: &[&Value]) -> Option<Value> {
    let (first, others) = values.split_first()?;
    if others.iter().all(|it| first.same_as(it) == Some(true)) {
        return Some((*first).clone());
    }
    let maps: Option<Vec<&Map>> = values.iter().map(|it| it.as_map()).collect();
    let Some(maps) = maps else {
        let are_texts = values.iter().all(|it| is_text(it));
        let kind = if are_texts { some_text(first) } else { doubt(first) };
        return Some(Value { kind, ..(*first).clone() });
    };
    let mut seen = HashSet::new();
    let all = maps.iter().flat_map(|it| &it.entries).filter(|it| seen.insert(it.key.clone()));
    let entries = all.map(|entry| {
        let everywhere: Option<Vec<&Value>> =
            maps.iter().map(|it| it.entry(&entry.key).map(|it| &it.value)).collect();
        let value = everywhere.and_then(|it| agreed(&it));
        let doubted = || Value { kind: doubt(&entry.value), ..entry.value.clone() };
        Entry { value: value.unwrap_or_else(doubted), ..entry.clone() }
    });
    let entries = entries.collect();
    let rest = maps.iter().find_map(|it| it.rest.clone());
    Some(Value { kind: Kind::Map(Arc::new(Map { entries, rest })), ..(*first).clone() })
}

/// Whether a value is a text that is there: not an empty one, which templates take for none.
fn is_text(value: &Value) -> bool {
    matches!(&value.kind, Kind::String(text) if !text.text.is_empty())
}

/// A text that is not known in place of one.
fn some_text(value: &Value) -> Kind {
    let Kind::Unknown(symbol) = unknown(value.span).kind else { return doubt(value) };
    let text = Text::computed(format!("{HOLE_START}0{HOLE_END}"));
    Kind::String(Text { holes: [symbol].into(), ..text })
}

/// Something unknown in place of a value.
fn doubt(value: &Value) -> Kind {
    match &value.kind {
        Kind::Unknown(symbol) => Kind::Unknown(symbol.clone()),
        _ => unknown(value.span).kind,
    }
}

/// The value with every leaf unknown.
fn doubtful(value: &Value) -> Value {
    let kind = match &value.kind {
        Kind::Map(map) => {
            let leaf = |it: &Entry| Entry { value: doubtful(&it.value), ..it.clone() };
            let entries = map.entries.iter().map(leaf).collect();
            Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
        }
        _ => doubt(value),
    };
    Value { kind, ..value.clone() }
}

/// A change to the `spec` of objects of a kind.
struct SpecPatch {
    kind: Arc<str>,
    /// Whose; of all, when that is not known.
    name: Option<Arc<str>>,
    spec: Value,
}

/// The objects, with doubt on what patches among them would change: objects that hold a part of another
/// only, and the patches of Flux Kustomizations.
#[must_use]
pub(super) fn with_patches(objects: &[Located]) -> Vec<Located> {
    let mut patches = Vec::new();
    for located in objects.iter().filter(|it| it.root.is_none()) {
        patches.extend(part_of_another(located));
        if &*located.object.kind == "Kustomization" {
            collect(located.object.value.at("spec.patches"), 0, &mut patches);
        }
    }
    let doubted = |located: &Located| {
        let own = located.object.anchor_text();
        let mut found = located.clone();
        let meant = |it: &&SpecPatch| {
            it.kind == located.object.kind
                && it.name.as_deref().zip(own).is_none_or(|(wanted, own)| wanted == own)
                // A part of an object does not change itself.
                && it.spec.span != spec(located).map_or(located.header, |it| it.span)
        };
        for patch in patches.iter().filter(meant).take(MAX_PATCHES) {
            let spec =
                Entry { key: "spec".into(), key_span: patch.spec.name, value: patch.spec.clone() };
            let over = Value::map(vec![spec], patch.spec.span);
            let whole = &mut found.object.value;
            let nothing = Value::new(Kind::Null, located.header);
            *whole = cast(mem::replace(whole, nothing), &over);
        }
        found
    };
    if patches.is_empty() { objects.to_vec() } else { objects.iter().map(doubted).collect() }
}

fn spec(located: &Located) -> Option<&Value> {
    located.object.value.get("spec").present()
}

/// An object that is incomplete, as a patch of another is.
fn part_of_another(located: &Located) -> Option<SpecPatch> {
    let spec = spec(located)?;
    let missing = |paths: &[&str]| paths.iter().all(|it| spec.at(it).is_missing());
    let partial = match &*located.object.kind {
        "HelmRelease" => missing(&["chart.spec.chart", "chartRef"]),
        "Application" => missing(&["source.repoURL", "sources"]),
        _ => false,
    };
    partial.then(|| SpecPatch {
        kind: located.object.kind.clone(),
        name: located.object.anchor_text().map(Arc::from),
        spec: spec.clone(),
    })
}

/// The patches of a Kustomization, and of Kustomizations it patches.
fn collect(list: Field<'_>, depth: usize, found: &mut Vec<SpecPatch>) {
    let items = list.present().map_or(&[][..], Value::items);
    for item in items.iter().filter(|_| depth < 3) {
        let Field::Present(written) = item.get("patch") else { continue };
        let Kind::String(text) = &written.kind else { continue };
        let target = item.at("target.kind").present().and_then(Value::as_str);
        for document in yaml::parse(text, written.span).values {
            let kind = document.get("kind").present().and_then(Value::as_str).or(target);
            match (kind, document.get("spec").present()) {
                (Some("Kustomization"), Some(spec)) => {
                    collect(spec.get("patches"), depth + 1, found);
                }
                (Some(kind), Some(spec)) => {
                    let name = one_named(item, &document);
                    found.push(SpecPatch { kind: kind.into(), name, spec: spec.clone() });
                }
                // Operations by path: what they change is not looked into.
                (Some(kind), None) if document.as_list().is_some() => {
                    let name = one_named(item, &document);
                    let spec = unknown(item.span);
                    found.push(SpecPatch { kind: kind.into(), name, spec });
                }
                _ => {}
            }
        }
    }
}

/// The name of the one object that an entry of `patches` is for: that of its target, which may be a pattern,
/// or without a target that of the object it is a part of.
fn one_named(entry: &Value, part: &Value) -> Option<Arc<str>> {
    let name = match entry.get("target") {
        Field::Present(target) => target.get("name"),
        Field::Missing => part.at("metadata.name"),
        Field::Unknown => Field::Unknown,
    };
    let is_plain = |it: &&str| it.chars().all(|it| it.is_ascii_alphanumeric() || it == '-');
    name.present().and_then(Value::as_str).filter(is_plain).map(Arc::from)
}

#[cfg(test)]
mod tests {
    use super::cast;
    use crate::{
        source::{FileId, Span},
        syntax::yaml,
        value::{Text, Value},
    };

    #[test]
    fn doubt_reaches_what_would_change_and_no_further() {
        let read = |text: &str| {
            let span = Span::new(FileId(0), 0, text.len());
            yaml::parse(&Text::verbatim(text, span), span).values.remove(0)
        };
        let base = read("a: {x: 1, w: 2}\nb: [1]\nc: 3\n");
        let merged = cast(base, &read("a: {x: 5, w: 2, z: 6}\nb: []\nm: {}\n"));
        let known = |path: &str| merged.at(path).present().and_then(Value::as_number);
        assert_eq!((known("a.x"), known("a.w"), known("c")), (None, Some(2.0), Some(3.0)));
        assert!(merged.at("a.x").is_unknown() && merged.at("a.z").is_unknown());
        assert!(merged.at("b").is_unknown() && merged.at("q").is_missing());
    }
}
