//! `replacements`: a value of one object put into fields of others.

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        edit::{fits, list_mut, map_mut, retext, text, text_at},
        field::split,
        layout::{EntryTarget as Found, Kustomization, KustomizeProject},
        resource::{Id, Resource},
        select::ObjectSelector,
    },
    source::Span,
    syntax::yaml::scalar::{self, Scalar},
    value::{Entry, Kind, Value, step::Rewrite},
};

/// Applies the replacements of a kustomization.
pub(super) fn replacements(
    it: &Kustomization,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    for entry in it.list("replacements") {
        let Some(path) = entry.get("path").present() else {
            one(entry, layout, made);
            continue;
        };
        match layout.entry(&it.folder, path) {
            Found::File(file) => {
                let documents = layout.documents(file);
                for document in &documents.values {
                    let several = document.items();
                    let all =
                        if several.is_empty() { std::slice::from_ref(document) } else { several };
                    for entry in all {
                        one(entry, layout, made);
                    }
                }
            }
            Found::Missing(message) => made.missing(layout, path.span, message),
            _ => made.open = true,
        }
    }
}

fn one(entry: &Value, layout: &mut KustomizeProject<'_>, made: &mut Accumulated) {
    let value = match (entry.get("source").present(), entry.get("sourceValue").present()) {
        (Some(source), _) => source_value(source, made),
        (None, value) => value.cloned(),
    };
    let Some(value) = value else {
        made.refuse(entry.span, "there is nothing at the source of this replacement");
        return;
    };
    for target in entry.get("targets").present().map_or(&[][..], Value::items) {
        let paths = target.get("fieldPaths").present().map_or(1, |it| it.items().len());
        if !layout.may(made.resources.len().saturating_mul(paths)) || !fits(&value, 64) {
            made.open = true;
            return;
        }
        into_target(target, &value, made);
    }
}

/// The value a replacement copies.
fn source_value(source: &Value, made: &mut Accumulated) -> Option<Value> {
    let wanted = |key: &str| text_at(source, key).filter(|it| !it.is_empty());
    let (group, version, kind) = (wanted("group"), wanted("version"), wanted("kind"));
    let (name, namespace) = (wanted("name"), wanted("namespace"));
    let fits = |id: &Id| {
        group.as_ref().is_none_or(|it| *it == id.group)
            && version.as_ref().is_none_or(|it| *it == id.version)
            && kind.as_ref().is_none_or(|it| *it == id.kind)
            && name.as_ref().is_none_or(|it| *it == id.name)
            && namespace.as_ref().is_none_or(|it| id.namespace.as_ref() == Some(it))
    };
    let candidates = made.resources.candidates(name.as_deref());
    let found = candidates.iter().filter_map(|at| made.resources.get(*at));
    let mut found = found.filter(|it| it.ids().iter().any(fits));
    let (resource, None) = (found.next()?, found.next()) else { return None };
    let path = wanted("fieldPath").unwrap_or_else(|| "metadata.name".into());
    let mut value = resource.value.clone();
    let found = select(&mut value, &steps(&path), None);
    let value = found.into_iter().next()?.clone();
    let options = source.get("options").present();
    let Some(delimiter) = options.and_then(|it| text_at(it, "delimiter")) else {
        return Some(value);
    };
    let index = index_of(options)?;
    let part = text(&value)?.split(&*delimiter).nth(usize::try_from(index).ok()?)?.to_owned();
    let mut part_value = value.clone();
    retext(&mut part_value, part, source.span, Rewrite::PartTaken);
    Some(part_value)
}

fn index_of(options: Option<&Value>) -> Option<i64> {
    let index = options.and_then(|it| it.get("index").present());
    index.map_or(Some(0), |it| text(it)?.parse().ok())
}

fn into_target(target: &Value, value: &Value, made: &mut Accumulated) {
    let selector = target.get("select").present().and_then(ObjectSelector::read);
    let rejects: Option<Vec<ObjectSelector>> = target
        .get("reject")
        .present()
        .map_or(&[][..], Value::items)
        .iter()
        .map(ObjectSelector::read)
        .collect();
    let (Some(selector), Some(rejects)) = (selector, rejects) else {
        made.open = true;
        return;
    };
    let default = [Value::computed("metadata.name", target.span)];
    let paths = target.get("fieldPaths").present().map_or(&default[..], Value::items);
    let options = target.get("options").present();
    let mut missing = Vec::new();
    for at in made.resources.candidates(selector.only_name()) {
        let Some(resource) = made.resources.get(at) else { continue };
        let rejected = rejects.iter().any(|it| {
            (it.names_something() && it.matches_any_name(resource))
                || (it.asks_metadata() && it.matches_metadata(resource))
        });
        if rejected || !selector.matches_any_name(resource) || !selector.matches_metadata(resource)
        {
            continue;
        }
        made.resources.change(at, |resource| {
            let failed = paths.iter().filter(|it| !put(resource, it, value, options));
            missing.extend(failed.map(|it| it.span));
        });
    }
    for span in missing {
        made.refuse(span, "an object the replacement selects has no such field");
    }
}

/// Puts the value at a path; false when there is nothing.
fn put(resource: &mut Resource, path: &Value, value: &Value, options: Option<&Value>) -> bool {
    let Some(written) = text(path) else { return true };
    let create =
        options.and_then(|it| it.get("create").present()).and_then(Value::as_bool) == Some(true);
    let steps = steps(&written);
    if steps.len() > 64 {
        return false;
    }
    let found = select(&mut resource.value, &steps, create.then_some(path.span));
    if found.is_empty() {
        return false;
    }
    for target in found {
        overwrite(target, value, options);
    }
    resource.touched_by(path.span.file);
    true
}

fn overwrite(target: &mut Value, value: &Value, options: Option<&Value>) {
    let delimiter = options.and_then(|it| text_at(it, "delimiter"));
    let new = match (delimiter, text(target), text(value)) {
        (Some(delimiter), Some(old), Some(new)) => {
            let mut parts: Vec<String> = old.split(&*delimiter).map(str::to_owned).collect();
            let index = index_of(options).unwrap_or(0);
            match usize::try_from(index) {
                Err(_) => parts.insert(0, new.to_string()),
                Ok(at) => match parts.get_mut(at) {
                    Some(part) => *part = new.to_string(),
                    None => parts.push(new.to_string()),
                },
            }
            let mut joined = target.clone();
            retext(&mut joined, parts.join(&delimiter), value.span, Rewrite::PartPut);
            joined
        }
        _ => value.clone(),
    };
    let name = target.name;
    *target = of_type(new, target).named(name);
}

/// A scalar keeps the type of the one it replaces.
fn of_type(new: Value, old: &Value) -> Value {
    let Some(written) = text(&new) else { return new };
    match old.kind {
        Kind::String(_) if !matches!(new.kind, Kind::String(_) | Kind::Unknown(_)) => {
            Value { kind: Value::computed(written, new.span).kind, ..new }
        }
        Kind::Number(_) | Kind::Bool(_) => match scalar::plain(&written) {
            #[allow(clippy::cast_precision_loss, reason = "numbers of manifests are small")]
            Scalar::Integer(number) => Value { kind: Kind::Number(number as f64), ..new },
            Scalar::Float(number) => Value { kind: Kind::Number(number), ..new },
            Scalar::Bool(value) => Value { kind: Kind::Bool(value), ..new },
            _ => new,
        },
        _ => new,
    }
}

/// The steps of a field path: keys, indices, `[name=web]`, `*`.
#[must_use]
pub(super) fn steps(path: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for part in split(path, '.') {
        open = match open {
            Some(before) => {
                let whole = format!("{before}.{part}");
                if part.ends_with(']') {
                    found.push(bracketed(whole));
                    None
                } else {
                    Some(whole)
                }
            }
            None if part.starts_with('[') && !part.ends_with(']') => Some(part),
            None => {
                found.push(part);
                None
            }
        };
    }
    found.extend(open);
    found
}

/// A key with dots may be in brackets.
fn bracketed(whole: String) -> String {
    if whole.contains('=') { whole } else { whole.trim_matches(['[', ']']).to_owned() }
}

/// The values at a path, for changing; missing mappings and the last key are created when `create` gives
/// their span.
fn select<'a>(value: &'a mut Value, steps: &[String], create: Option<Span>) -> Vec<&'a mut Value> {
    let Some((step, rest)) = steps.split_first() else { return vec![value] };
    if value.as_list().is_some() {
        let Some(list) = list_mut(value) else { return Vec::new() };
        let chosen = |at: usize, item: &Value| match condition(step) {
            Some(("", wanted)) => text(item).as_deref() == Some(wanted),
            Some((key, wanted)) => text_at(item, key).as_deref() == Some(wanted),
            None if step == "*" => true,
            None => step.parse() == Ok(at),
        };
        let items = list.items.iter_mut().enumerate();
        return items
            .filter(|(at, item)| chosen(*at, item))
            .flat_map(|(_, item)| select(item, rest, create))
            .collect();
    }
    if value.is_null()
        && let Some(place) = create
    {
        *value = Value::map(Vec::new(), place).named(value.name);
    }
    let Some(map) = map_mut(value) else { return Vec::new() };
    if step == "*" && map.entry("*").is_none() {
        return map.entries.iter_mut().flat_map(|it| select(&mut it.value, rest, create)).collect();
    }
    if map.entry(step).is_none()
        && let Some(place) = create
    {
        let value = if rest.is_empty() {
            Value::computed("", place)
        } else {
            Value::map(Vec::new(), place).named(place)
        };
        map.entries.push(Entry { key: step.as_str().into(), key_span: place, value });
    }
    let entry = map.entries.iter_mut().find(|it| *it.key == **step);
    entry.map_or_else(Vec::new, |it| select(&mut it.value, rest, create))
}

/// `[name=web]` as key and value.
fn condition(step: &str) -> Option<(&str, &str)> {
    step.strip_prefix('[')?.strip_suffix(']')?.split_once('=')
}

#[cfg(test)]
mod tests {
    use super::steps;

    #[test]
    fn paths_are_cut_at_dots_outside_brackets() {
        let cases: [(&str, &[&str]); 5] = [
            ("spec.template.0.x", &["spec", "template", "0", "x"]),
            ("spec.containers.[name=a.b].image", &["spec", "containers", "[name=a.b]", "image"]),
            ("metadata.annotations.[x.io/y]", &["metadata", "annotations", "x.io/y"]),
            ("metadata.annotations.x\\.io/y", &["metadata", "annotations", "x.io/y"]),
            ("data.*", &["data", "*"]),
        ];
        for (path, expected) in cases {
            assert_eq!(steps(path), expected, "{path}");
        }
    }
}
