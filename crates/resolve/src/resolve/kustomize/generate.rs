//! `configMapGenerator` and `secretGenerator`.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    resolve::kustomize::{
        accumulated::Accumulated,
        edit::{field_mut, set, text, text_at},
        hash,
        layout::{Kustomization, KustomizeProject},
        resource::Resource,
    },
    source::Span,
    value::{Entry, Kind, Symbol, Value},
};

/// Runs the generators of a kustomization.
pub(super) fn generate(
    it: &Kustomization,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    for (key, kind) in [("secretGenerator", "Secret"), ("configMapGenerator", "ConfigMap")] {
        for entry in it.list(key) {
            if !layout.may(made.resources.len()) {
                made.open = true;
                return;
            }
            if let Some(resource) = one(it, entry, kind, layout, made) {
                absorb(entry, resource, made);
            } else {
                made.unseen = true;
            }
        }
    }
}

fn one(
    it: &Kustomization,
    entry: &Value,
    kind: &str,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) -> Option<Resource> {
    let name = entry.get("name").present()?;
    let place = entry.span;
    let mut generator = ObjectGenerator {
        it,
        entry,
        secret: kind == "Secret",
        data: BTreeMap::new(),
        unknown: false,
    };
    generator.read(layout, made);
    let ObjectGenerator { data, unknown, .. } = generator;
    let item = |key: &str, value: Value| Entry { key: key.into(), key_span: value.name, value };
    let word = |text: &str| Value::computed(text, place);
    let mut metadata = vec![item("name", name.clone())];
    if let Some(namespace) = entry.get("namespace").present() {
        metadata.push(item("namespace", namespace.clone()));
    }
    let mut entries = vec![
        item("apiVersion", word("v1")),
        item("kind", word(kind)),
        item("metadata", Value::map(metadata, place).named(name.name)),
    ];
    let map = |data: BTreeMap<Arc<str>, Value>| {
        let entries = data.into_iter().map(|(key, value)| item(&key, value)).collect();
        Value::map(entries, place)
    };
    if !data.is_empty() || kind == "Secret" {
        entries.push(item("data", map(data)));
    }
    if kind == "Secret" {
        let written = entry.get("type").present().cloned();
        entries.push(item("type", written.unwrap_or_else(|| word("Opaque"))));
    }
    let mut resource = Resource::new(Value::map(entries, place), it.file);
    let global = it.value.get("generatorOptions").present();
    let local = entry.get("options").present();
    resource.hashed = true;
    for options in [global, local].into_iter().flatten() {
        decorate(&mut resource, options);
    }
    resource.hashed &= !unknown;
    Some(resource)
}

/// Labels, annotations, immutability and the hash, by the options.
fn decorate(resource: &mut Resource, options: &Value) {
    let flag = |key: &str| options.get(key).present().and_then(Value::as_bool);
    if flag("disableNameSuffixHash") == Some(true) {
        resource.hashed = false;
    }
    if let Some(value) =
        options.get("immutable").present().filter(|_| flag("immutable") == Some(true))
    {
        set(&mut resource.value, "immutable", value.name, value.clone());
    }
    let Some(metadata) = field_mut(&mut resource.value, "metadata") else { return };
    for key in ["labels", "annotations"] {
        let Some(pairs) = options.get(key).present() else { continue };
        if metadata.get(key).is_missing() {
            set(metadata, key, pairs.name, Value::map(Vec::new(), pairs.span));
        }
        let Some(own) = field_mut(metadata, key) else { continue };
        for pair in pairs.entries() {
            set(own, &pair.key, pair.key_span, pair.value.clone());
        }
    }
}

struct ObjectGenerator<'a> {
    it: &'a Kustomization,
    entry: &'a Value,
    secret: bool,
    data: BTreeMap<Arc<str>, Value>,
    unknown: bool,
}

impl ObjectGenerator<'_> {
    fn read(&mut self, layout: &mut KustomizeProject<'_>, made: &mut Accumulated) {
        let items =
            |key: &str| self.entry.get(key).present().map_or(&[][..], Value::items).to_vec();
        let single = self.entry.get("env").present().cloned();
        for entry in items("envs").iter().chain(&single) {
            let Some(content) = Self::content(self.it, entry, entry.as_str(), layout) else {
                self.unknown = true;
                continue;
            };
            for line in content.trim_start_matches('\u{feff}').lines() {
                let line = line.trim_start();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (key, value) = line.split_once('=').unwrap_or((line, ""));
                self.put(key, value, entry.span);
            }
        }
        for entry in items("literals") {
            let Some(literal) = text(&entry) else { continue };
            match literal.split_once('=').filter(|(key, _)| !key.is_empty()) {
                Some((key, value)) => self.put(key, unquoted(value), entry.span),
                None => made.refuse(entry.span, "a literal is written `key=value`"),
            }
        }
        for entry in items("files") {
            let Some(written) = entry.as_str().map(str::to_owned) else { continue };
            let (key, path) = written.split_once('=').unwrap_or_else(|| {
                (written.rsplit('/').next().unwrap_or(&written), written.as_str())
            });
            match Self::content(self.it, &entry, Some(path), layout) {
                Some(content) if !content.is_empty() => self.put(key, &content, entry.span),
                // Not there, or no text: then it was not read.
                _ => self.put_unknown(key, path, entry.span),
            }
        }
    }

    /// The text of a file. Files with secrets are often put in place by a pipeline: without one the data is
    /// unknown, and the rest of the build is what it is.
    fn content(
        it: &Kustomization,
        entry: &Value,
        path: Option<&str>,
        layout: &mut KustomizeProject<'_>,
    ) -> Option<String> {
        let path = path?;
        let Some(file) = layout.file(&it.folder, path) else {
            if !path.contains("://") {
                layout.complain(entry.span, "no such file in this repository");
            }
            return None;
        };
        layout.text(file).map(str::to_owned)
    }

    /// The content of a file that is no text, with which the hash is unknown, too.
    fn put_unknown(&mut self, key: &str, path: &str, place: Span) {
        let symbol = Symbol::new(&*self.it.folder, path);
        self.unknown = true;
        self.data.insert(key.into(), Value::unknown(symbol, place));
    }

    fn put(&mut self, key: &str, value: &str, place: Span) {
        let value = if self.secret {
            hash::base64_lines(value.as_bytes()).into()
        } else {
            Arc::from(value)
        };
        self.data.insert(key.into(), Value::computed(value, place));
    }
}

fn unquoted(text: &str) -> &str {
    let mut letters = text.chars();
    match (letters.next(), letters.next_back()) {
        (Some(a @ ('"' | '\'')), Some(b)) if a == b => letters.as_str(),
        _ => text,
    }
}

/// Adds a generated object, or merges it into the one it is for.
fn absorb(entry: &Value, mut resource: Resource, made: &mut Accumulated) {
    let id = resource.id();
    let behavior = text_at(entry, "behavior").unwrap_or_default();
    match (&*behavior, made.resources.called(&id).first()) {
        ("merge" | "replace", Some(old)) => {
            let keep_all = &*behavior == "merge";
            made.resources.change(*old, |old| {
                resource.previous.clone_from(&old.previous);
                resource.prefixes.clone_from(&old.prefixes);
                resource.suffixes.clone_from(&old.suffixes);
                inherit(&mut resource.value, &old.value, keep_all);
                for source in old.sources.clone().into_iter().rev() {
                    resource.sources.retain(|it| *it != source);
                    resource.sources.insert(0, source);
                }
                *old = resource;
            });
        }
        ("merge" | "replace", None) if made.open || made.unseen => made.resources.push(resource),
        (other, None) if !matches!(other, "merge" | "replace") => made.resources.push(resource),
        _ => made.refuse(entry.span, format!("{} `{}` cannot be made so", id.kind, id.name)),
    }
}

/// Takes over the name, labels and annotations of an earlier object, and its data when it is merged.
fn inherit(new: &mut Value, old: &Value, data: bool) {
    let Some(old_metadata) = old.get("metadata").present() else { return };
    if let Some(metadata) = field_mut(new, "metadata") {
        for entry in old_metadata.entries() {
            match &*entry.key {
                "labels" | "annotations" => fill(metadata, entry),
                _ => set(metadata, &entry.key, entry.key_span, entry.value.clone()),
            }
        }
    }
    for key in ["data", "binaryData"] {
        if let Some(entry) = old.as_map().and_then(|it| it.entry(key)).filter(|_| data) {
            fill(new, entry);
        }
    }
}

/// Adds the entries of a mapping that are not there yet.
fn fill(value: &mut Value, earlier: &Entry) {
    let Some(own) = field_mut(value, &earlier.key) else {
        set(value, &earlier.key, earlier.key_span, earlier.value.clone());
        return;
    };
    let Kind::Map(_) = own.kind else { return };
    let newer = std::mem::replace(own, earlier.value.clone());
    for entry in newer.entries() {
        set(own, &entry.key, entry.key_span, entry.value.clone());
    }
}
