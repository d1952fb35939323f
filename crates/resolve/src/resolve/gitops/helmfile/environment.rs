//! The environments of a helmfile: what its templates see, each with its own values.

use std::{collections::HashSet, sync::Arc};

use crate::{
    engine,
    resolve::{
        gitops::{
            repository::{Gathered, Repository, anything, extension},
            unknown::unknown,
        },
        helm,
    },
    source::{FileId, Span},
    syntax::yaml,
    value::{Entry, Field, Kind, List, Map, Symbol, Text, Value},
};

/// An environment, with what a helmfile sees of it.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// Its name, at its place.
    pub name: Value,
    /// Its values.
    pub values: Value,
}

/// The environments that documents declare, in their order; `None` where they declare none, or not for sure.
pub(super) fn names(documents: &[Value]) -> Option<Vec<Value>> {
    let mut found: Vec<Value> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    for document in documents {
        let declared = match document.get("environments") {
            Field::Present(declared) => declared.as_map()?,
            Field::Missing => continue,
            Field::Unknown => return None,
        };
        if declared.rest.is_some() {
            return None;
        }
        for entry in &declared.entries {
            if seen.insert(&entry.key) {
                found.push(Value::computed(Arc::clone(&entry.key), entry.key_span));
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

impl Environment {
    /// An environment of whose values nothing is known.
    pub(super) fn named(name: &Value) -> Self {
        Self { name: name.clone(), values: anything(name.span) }
    }

    /// Whether both are the same one.
    pub(super) fn has_name(&self, name: &Value) -> bool {
        self.name.as_str() == name.as_str()
    }

    /// The same with what documents give it: their default values, and its own over them.
    pub(super) fn with_values_of(
        &self,
        repository: &Repository<'_>,
        folder: &str,
        documents: &[Value],
    ) -> Self {
        let place = self.name.span;
        let name = self.name.as_str().unwrap_or_default();
        let own: Vec<Field<'_>> =
            documents.iter().map(|it| it.get("environments").get(name)).collect();
        let skips_missing = documents.iter().any(skips_missing)
            || own.iter().filter_map(|it| it.present()).any(skips_missing);
        let mut found = Self { name: self.name.clone(), values: Value::map(Vec::new(), place) };
        for list in documents.iter().map(|it| it.get("values")) {
            found = found.over(repository, folder, list, skips_missing);
        }
        for list in own.iter().map(|it| it.get("values")) {
            found = found.over(repository, folder, list, skips_missing);
        }
        for secrets in own.iter().map(|it| it.get("secrets")).filter(|it| !it.is_missing()) {
            let mut gathered = Gathered { documents: vec![found.values], ..Gathered::default() };
            gathered.secret(secrets.present().map_or(place, |it| it.span));
            found.values = helm::values(&gathered.documents, &[], place).value;
        }
        found
    }

    /// The same with further values: maps, and files of them.
    pub(super) fn over(
        self,
        repository: &Repository<'_>,
        folder: &str,
        list: Field<'_>,
        skips_missing: bool,
    ) -> Self {
        let place = self.name.span;
        let mut found = self;
        let single = list.present().filter(|it| it.as_list().is_none());
        let items = list.present().map_or(&[][..], Value::items);
        for item in items.iter().chain(single) {
            let mut gathered =
                Gathered { documents: vec![found.values.clone()], ..Gathered::default() };
            match &item.kind {
                Kind::Map(_) => gathered.documents.push(item.clone()),
                Kind::String(_) => {
                    found.file(repository, (folder, None), item, skips_missing, &mut gathered);
                }
                _ => gathered.unknown(item.span),
            }
            found.values = helm::values(&gathered.documents, &[], place).value;
        }
        if list.is_unknown()
            || list.present().and_then(Value::as_list).is_some_and(|it| it.rest.is_some())
        {
            found.values = anything(place);
        }
        found
    }

    /// Adds a file of values, named relative to a folder; one that is a template is rendered, for the release
    /// that it is of.
    pub(super) fn file(
        &self,
        repository: &Repository<'_>,
        (folder, release): (&str, Option<&Value>),
        item: &Value,
        skips_missing: bool,
        gathered: &mut Gathered,
    ) {
        let path = item.as_str().map(str::trim).filter(|it| !it.contains("://"));
        let found = path.and_then(|it| Some((it, repository.file(folder, it)?)));
        match (found, path) {
            (Some((path, id)), _) if extension(path) == "gotmpl" => {
                match self.documents(repository, id, release) {
                    Some(documents) => gathered.documents.extend(documents.into_iter().next()),
                    None => gathered.file(repository, id, true),
                }
            }
            (Some((_, id)), _) => gathered.file(repository, id, false),
            (None, Some(_)) if skips_missing => {}
            (None, path) => gathered.absent(path, item.span),
        }
    }

    /// The documents of a file that is a template; `None` where it cannot be rendered or read.
    pub(super) fn documents(
        &self,
        repository: &Repository<'_>,
        id: FileId,
        release: Option<&Value>,
    ) -> Option<Vec<Value>> {
        let text = repository.files.get(id).text();
        let whole = Span::new(id, 0, text.len());
        let text = self.rendered(&Text::verbatim(text, whole), whole, release)?;
        let read = yaml::parse_literal(&text, whole);
        read.parse_errors.is_empty().then_some(read.values)
    }

    /// What a text at a place says when it is a template.
    pub(super) fn rendered(
        &self,
        text: &Text,
        place: Span,
        release: Option<&Value>,
    ) -> Option<Text> {
        if !text.text.contains("{{") {
            return Some(text.clone());
        }
        let holder = Value::new(Kind::String(text.clone()), place);
        engine::helmfile::render(text, &holder, &self.data(release)).ok()
    }

    /// A value of a release with its texts rendered as templates, so deep.
    pub(super) fn filled(&self, value: &Value, release: &Value, depth: usize) -> Value {
        let inner = |it: &Value| self.filled(it, release, depth - 1);
        let kind = match &value.kind {
            Kind::String(text) if text.text.contains("{{") => {
                match self.rendered(text, value.span, Some(release)) {
                    Some(text) => match text.only_hole() {
                        Some(symbol) => Kind::Unknown(symbol.clone()),
                        None => Kind::String(text),
                    },
                    None => unknown(value.span).kind,
                }
            }
            Kind::List(list) if depth > 0 => {
                let items = list.items.iter().map(inner).collect();
                Kind::List(Arc::new(List { items, rest: list.rest.clone(), is_set: list.is_set }))
            }
            Kind::Map(map) if depth > 0 => {
                let fill = |it: &Entry| Entry { value: inner(&it.value), ..it.clone() };
                let entries = map.entries.iter().map(fill).collect();
                Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }))
            }
            _ => return value.clone(),
        };
        Value { kind, ..value.clone() }
    }

    /// What templates see.
    fn data(&self, release: Option<&Value>) -> Value {
        let place = self.name.span;
        let map = |entries: Vec<(&str, Value)>, of: &str| {
            let entry =
                |(key, value): (&str, Value)| Entry { key: key.into(), key_span: place, value };
            let entries = entries.into_iter().map(entry).collect();
            let rest = Some(Symbol::new("helmfile", of));
            Value::new(Kind::Map(Arc::new(Map { entries, rest })), place)
        };
        let values = &self.values;
        let environment = vec![("Name", self.name.clone()), ("Values", values.clone())];
        let mut all = vec![
            ("Values", values.clone()),
            ("StateValues", values.clone()),
            ("Environment", map(environment, ".Environment")),
        ];
        if let Some(release) = release {
            const FIELDS: [(&str, &str); 5] = [
                ("Name", "name"),
                ("Namespace", "namespace"),
                ("Chart", "chart"),
                ("ChartVersion", "version"),
                ("Labels", "labels"),
            ];
            let fields = FIELDS
                .iter()
                .filter_map(|(field, key)| Some((*field, release.get(key).present()?.clone())));
            all.push(("Release", map(fields.collect(), ".Release")));
        }
        map(all, "")
    }
}

/// Whether files that are not there are passed over.
pub(super) fn skips_missing(spec: &Value) -> bool {
    let handler = spec.get("missingFileHandler").present().and_then(Value::as_str);
    handler.is_some_and(|it| it != "Error")
}
