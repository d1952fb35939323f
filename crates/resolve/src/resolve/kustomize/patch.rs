//! `patches`, `patchesStrategicMerge` and `patchesJson6902`.

use std::sync::Arc;

use crate::{
    findings::Severity,
    resolve::kustomize::{
        accumulated::Accumulated,
        edit::{field_mut, map_mut, remove, set, text, text_at},
        json_patch,
        layout::{Kustomization, KustomizeProject},
        merge,
        resource::{Id, Resource},
        schema,
        select::ObjectSelector,
    },
    source::{FileId, Span},
    syntax::Documents,
    value::{Kind, Text, Value},
};

/// The documents of a patch, the file they are in and the place of the entry.
#[derive(Debug)]
pub(super) struct PatchSource {
    documents: Arc<Documents>,
    file: FileId,
    place: Span,
}

/// Applies `patchesStrategicMerge`.
pub(super) fn strategic(
    it: &Kustomization,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    for entry in it.list("patchesStrategicMerge") {
        let inline = entry.as_str().is_some_and(|it| it.contains('\n') || it.contains(": "));
        let source = if inline {
            inline_text(it, entry, layout)
        } else {
            from_file(it, entry, layout, made)
        };
        match source.filter(|_| layout.may(made.resources.len())) {
            Some(source) => {
                let options = PatchOptions { text_metadata: true, ..PatchOptions::default() };
                merge_by_name(&source, &options, made);
            }
            None => made.open = true,
        }
    }
}

/// Applies `patches`.
pub(super) fn patches(
    it: &Kustomization,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    for entry in it.list("patches") {
        one(it, entry, layout, made);
    }
}

/// Applies `patchesJson6902`.
pub(super) fn json(it: &Kustomization, layout: &mut KustomizeProject<'_>, made: &mut Accumulated) {
    for entry in it.list("patchesJson6902") {
        one(it, entry, layout, made);
    }
}

/// Applies one entry of `patches` or what is written like one.
pub(super) fn one(
    it: &Kustomization,
    entry: &Value,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) {
    let target = entry.get("target").present();
    let selector = target.map(ObjectSelector::read);
    let was_open = made.open;
    let source = match (entry.get("patch").present(), entry.get("path").present()) {
        (Some(patch), _) => inline_text(it, patch, layout),
        (None, Some(path)) => from_file(it, path, layout, made),
        (None, None) => None,
    };
    let Some(source) = source else {
        // What is not known changes what it selects, and nothing else.
        if let Some(Some(selector)) = &selector {
            made.open = was_open;
            for at in selected(selector, made) {
                made.resources.change(at, |it| it.in_doubt = true);
            }
        } else {
            made.open = true;
        }
        return;
    };
    if !layout.may(made.resources.len()) || matches!(selector, Some(None)) {
        made.open = true;
        return;
    }
    let operations = operations(&source.documents);
    let options = PatchOptions::read(entry.get("options").present());
    match (operations, selector.flatten()) {
        (Some(operations), Some(selector)) => operate(&source, &operations, &selector, made),
        (Some(_), None) => made.refuse(source.place, "a JSON patch needs a target"),
        (None, Some(selector)) => merge_selected(&source, &selector, &options, made),
        (None, None) => merge_by_name(&source, &options, made),
    }
}

#[derive(Debug, Default)]
struct PatchOptions {
    name_change: bool,
    kind_change: bool,
    text_metadata: bool,
}

impl PatchOptions {
    fn read(value: Option<&Value>) -> Self {
        let on = |key: &str| {
            value.and_then(|it| it.get(key).present()).and_then(Value::as_bool) == Some(true)
        };
        Self {
            name_change: on("allowNameChange"),
            kind_change: on("allowKindChange"),
            text_metadata: false,
        }
    }
}

fn inline_text(
    it: &Kustomization,
    patch: &Value,
    layout: &mut KustomizeProject<'_>,
) -> Option<PatchSource> {
    let Kind::String(text) = &patch.kind else { return None };
    let documents = Arc::new(layout.inline(text, patch.span));
    for parse_errors in &documents.parse_errors {
        if parse_errors.severity == Severity::Error {
            layout.complain(parse_errors.span, parse_errors.message.clone());
        }
    }
    Some(PatchSource { documents, file: it.file, place: patch.span })
}

fn from_file(
    it: &Kustomization,
    path: &Value,
    layout: &mut KustomizeProject<'_>,
    made: &mut Accumulated,
) -> Option<PatchSource> {
    let relative = path.as_str()?;
    let Some(file) = layout.file(&it.folder, relative) else {
        if !relative.contains("://") {
            made.missing(layout, path.span, "no such file in this repository");
        }
        return None;
    };
    Some(PatchSource { documents: layout.documents(file), file, place: path.span })
}

/// Where the objects are that a target means.
fn selected(selector: &ObjectSelector, made: &mut Accumulated) -> Vec<usize> {
    let mut places = made.resources.candidates(selector.plain_name());
    places.retain(|at| made.resources.get(*at).is_some_and(|it| selector.matches(it)));
    places
}

/// The operations of a JSON patch; `None` when the documents are objects.
fn operations(documents: &Documents) -> Option<Vec<Value>> {
    let list = documents.values.first()?.as_list()?;
    Some(list.items.clone())
}

fn operate(
    source: &PatchSource,
    operations: &[Value],
    selector: &ObjectSelector,
    made: &mut Accumulated,
) {
    let mut refused = Vec::new();
    for at in selected(selector, made) {
        made.resources.change(at, |resource| {
            let open = with_annotations(&resource.value, source.place);
            match json_patch::apply(&open, operations) {
                Ok(value) => {
                    resource.remember();
                    resource.value = value;
                    resource.touched_by(source.file);
                }
                Err(refusal) => {
                    resource.in_doubt = true;
                    refused.push(refusal);
                }
            }
        });
    }
    for refusal in refused {
        made.refuse_in_part(refusal.span, refusal.message);
    }
}

/// kustomize keeps notes of its own among an object's annotations, so a patch always finds some.
fn with_annotations(value: &Value, place: Span) -> Value {
    let mut value = value.clone();
    if value.at("metadata.annotations").is_missing()
        && let Some(metadata) = field_mut(&mut value, "metadata")
    {
        set(metadata, "annotations", place, Value::map(Vec::new(), place));
    }
    value
}

/// A patch for chosen objects passes through kustomize's own notion of labels and annotations, which
/// has text only: a null is the word.
fn with_text_metadata(patch: &Value) -> Value {
    let mut patch = patch.clone();
    for key in ["labels", "annotations"] {
        let others = patch.get("metadata").get(key).present().map_or(&[][..], Value::entries);
        if others.iter().all(|it| it.value.as_str().is_some() || it.value.is_unknown()) {
            continue;
        }
        let Some(metadata) = field_mut(&mut patch, "metadata") else { continue };
        let Some(map) = field_mut(metadata, key).and_then(map_mut) else { continue };
        for entry in &mut map.entries {
            let word = if entry.value.is_null() { Some("null".into()) } else { text(&entry.value) };
            if let Some(word) = word.filter(|_| !matches!(entry.value.kind, Kind::String(_))) {
                entry.value.kind = Kind::String(Text::computed(word));
            }
        }
    }
    patch
}

fn merge_selected(
    source: &PatchSource,
    selector: &ObjectSelector,
    options: &PatchOptions,
    made: &mut Accumulated,
) {
    if source.documents.values.len() > 1 {
        made.refuse(source.place, "several patches in one entry cannot have a target");
        return;
    }
    for patch in &source.documents.values {
        let patch = &with_text_metadata(patch);
        for at in selected(selector, made) {
            made.resources.change(at, |it| merge_into(it, patch, options, source.file));
        }
    }
    drop_deleted(made);
}

fn merge_by_name(source: &PatchSource, options: &PatchOptions, made: &mut Accumulated) {
    let id = |patch: &Value| Resource::new(patch.clone(), source.file).id();
    let patches = &source.documents.values;
    // What one patch deletes the next one may still name.
    let places: Vec<Vec<usize>> = patches.iter().map(|it| made.resources.called(&id(it))).collect();
    for (patch, mut places) in patches.iter().zip(places) {
        if options.name_change || options.kind_change {
            places = made.resources.called(&id(patch));
        }
        let &[at] = places.as_slice() else {
            let Id { kind, name, .. } = id(patch);
            let message = format!("no single {kind} `{name}` for this patch");
            made.refuse(anchor(patch, source.place), message);
            continue;
        };
        made.resources.change(at, |resource| {
            if options.text_metadata {
                merge_into(resource, &with_text_metadata(patch), options, source.file);
            } else {
                merge_into(resource, patch, options, source.file);
            }
        });
    }
    drop_deleted(made);
}

/// Where to point about a whole patch.
fn anchor(patch: &Value, place: Span) -> Span {
    patch.at("metadata.name").present().map_or(place, |it| it.span)
}

fn drop_deleted(made: &mut Accumulated) {
    made.resources.retain(|it| !it.value.is_null());
}

/// Merges a patch into an object, which keeps its name, namespace and kind; null when it is deleted.
fn merge_into(resource: &mut Resource, patch: &Value, options: &PatchOptions, file: FileId) {
    if resource.value.is_null() {
        return;
    }
    if options.name_change || options.kind_change {
        resource.remember();
    }
    let api = text_at(&resource.value, "apiVersion").unwrap_or_default();
    let before = resource.value.clone();
    let nothing = Value::new(Kind::Null, before.span);
    let of = schema::of_object(&api, &resource.kind());
    let merged = merge::merge(std::mem::replace(&mut resource.value, nothing), patch, of);
    resource.touched_by(file);
    let Some(mut value) = merged else { return };
    keep(&mut value, &before, "apiVersion");
    if !options.kind_change {
        keep(&mut value, &before, "kind");
    }
    let metadata = before.get("metadata").present();
    if let (Some(metadata), Some(now)) = (metadata, value.get("metadata").present()) {
        let mut now = now.clone();
        if !options.name_change {
            keep(&mut now, metadata, "name");
        }
        keep(&mut now, metadata, "namespace");
        let span = now.name;
        set(&mut value, "metadata", span, now);
    }
    resource.value = value;
}

/// Puts a field back as it was.
fn keep(value: &mut Value, before: &Value, key: &str) {
    let Some(map) = before.as_map() else { return };
    let same =
        |a: Option<&Value>| a.and_then(text) == map.entry(key).and_then(|it| text(&it.value));
    let now = value.as_map().and_then(|it| it.entry(key)).map(|it| &it.value);
    match map.entry(key) {
        None => drop(remove(value, key)),
        Some(entry) if !same(now) || now.is_some_and(|it| it.span != entry.value.span) => {
            set(value, key, entry.key_span, entry.value.clone());
        }
        Some(_) => {}
    }
}
