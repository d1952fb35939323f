//! Karpenter's annotations for pods and nodes, wherever they are written: also where they have no effect.

pub mod effect;
pub mod key;
pub mod position;
pub mod site;
mod text;

use std::{collections::HashSet, sync::Arc};

use crate::{
    findings::subject::Subject,
    knowledge::{self, component::Pod, packaging::Packaging},
    model::{
        addon::Addon,
        annotation::{
            key::DisruptionKey,
            position::{AnnotationPosition, pods_are_in_doubt, pods_path, position},
            site::Site,
            text::of_texts,
        },
        workload::DO_NOT_DISRUPT,
    },
    resolve::{kubernetes::Object, release::Release, scope::Scope},
    source::Span,
    value::{Entry, Kind, Value},
};

/// One such annotation.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Which.
    pub key: DisruptionKey,
    /// Where its key is written.
    pub key_span: Span,
    /// Its value, as it is written.
    pub value: Value,
    /// What it is written on.
    pub position: AnnotationPosition,
    /// The kind of the object, or of what makes the pods for which values hold it; empty if that is not
    /// known.
    pub kind: Arc<str>,
    /// The object's name, or what the pods are called; empty if that is not known.
    pub name: Arc<str>,
    /// Whether the pods of the same object carry [`DisruptionKey::DoNotDisrupt`], or may.
    pub pods_have_it: bool,
    /// Where the annotations of the object's pods are written, if it makes pods.
    pub pods_path: Option<String>,
    /// Where in an object it is written; `None` in values.
    pub site: Option<Site>,
    /// Whether the same mapping has [`DisruptionKey::DoNotDisrupt`] as well.
    pub is_beside_new_name: bool,
    /// Where the object belongs.
    pub scope: Scope,
    /// What a finding about it is about.
    pub subject: Subject,
}

impl Annotation {
    /// An annotation of which only this is known: its key, where that is written, and its value.
    fn new(
        (key, key_span, value): (DisruptionKey, Span, Value),
        position: AnnotationPosition,
        scope: &Scope,
    ) -> Self {
        Self {
            key,
            key_span,
            value,
            position,
            kind: Arc::default(),
            name: Arc::default(),
            pods_have_it: true,
            pods_path: None,
            site: None,
            is_beside_new_name: false,
            scope: scope.clone(),
            subject: Subject::default(),
        }
    }

    /// Whether it is `true`, also without quotes.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.value.as_bool() == Some(true) || self.value.as_str() == Some("true")
    }

    /// Whether it certainly asks for something: it is neither empty nor `false`.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        match &self.value.kind {
            Kind::Bool(it) => *it,
            _ => self.value.as_str().is_some_and(|it| !it.is_empty() && it != "false"),
        }
    }
}

/// An entry of one of the keys, with the keys that lead to it; `[]` is an item of a list.
struct KeyMatch<'a> {
    path: Vec<&'a str>,
    entry: &'a Entry,
    key: DisruptionKey,
    is_beside_new_name: bool,
}

impl KeyMatch<'_> {
    /// Where the key is written, without the anchor that a policy puts around it: `+(…)`.
    fn key_span(&self) -> Span {
        let whole = self.entry.key_span;
        let Some(before) = self.entry.key.find(self.key.word()).filter(|it| *it > 0) else {
            return whole;
        };
        let quotes = whole.range().len().saturating_sub(self.entry.key.len()) / 2;
        let start = whole.start as usize + quotes + before;
        Span::new(whole.file, start, start + self.key.word().len())
    }

    fn annotation(&self, position: AnnotationPosition, scope: &Scope) -> Annotation {
        let written = (self.key, self.key_span(), self.entry.value.clone());
        Annotation {
            is_beside_new_name: self.is_beside_new_name,
            ..Annotation::new(written, position, scope)
        }
    }
}

/// Finds the annotations of an object.
#[must_use]
pub fn of_object(object: &Object, scope: &Scope) -> Vec<Annotation> {
    let mut found = Vec::new();
    // The largest of objects, and nothing that is annotated.
    if &*object.kind != "CustomResourceDefinition" {
        find(&object.value, &mut Vec::new(), &mut found);
    }
    if found.is_empty() {
        return Vec::new();
    }
    let placed: Vec<(KeyMatch, AnnotationPosition)> = found
        .into_iter()
        .filter_map(|it| position(object, &it.path, it.key).map(|position| (it, position)))
        .collect();
    let pods_have_it = placed.iter().any(|(it, position)| {
        *position == AnnotationPosition::Pods && it.key == DisruptionKey::DoNotDisrupt
    }) || pods_are_in_doubt(object);
    let annotation = |(found, position): &(KeyMatch, AnnotationPosition)| Annotation {
        kind: object.kind.clone(),
        name: object.anchor_text().unwrap_or_default().into(),
        pods_have_it,
        pods_path: pods_path(object),
        site: Site::of(object, &found.path, found.entry),
        ..found.annotation(*position, scope)
    };
    placed.iter().map(annotation).collect()
}

/// Drops the annotations of files that are known better as the values of a release.
pub(super) fn drop_repeated(all: &mut Vec<Annotation>) {
    let is_indirect = |it: &Annotation| it.position == AnnotationPosition::Indirect;
    let known: HashSet<Span> =
        all.iter().filter(|it| !is_indirect(it)).map(|it| it.key_span).collect();
    all.retain(|it| !(is_indirect(it) && known.contains(&it.key_span)));
}

/// Finds the annotations in the values of a release.
#[must_use]
pub fn of_release(release: &Release) -> Vec<Annotation> {
    let component = knowledge::component::of_chart(&release.chart, release.repository.as_deref());
    let pods = component.into_iter().flat_map(|it| &it.pods);
    let pods = pods.filter_map(|it| Some((it, it.chart.as_ref()?)));
    let found = of_values(&release.values, &release.scope, &pods.collect::<Vec<_>>());
    let subject = release.subject.clone().unwrap_or_default();
    found.into_iter().map(|it| Annotation { subject: subject.clone(), ..it }).collect()
}

/// Finds the annotations in the configuration of an add-on.
#[must_use]
pub fn of_addon(addon: &Addon) -> Vec<Annotation> {
    let component = knowledge::component::of_addon(&addon.name);
    let pods = component.into_iter().flat_map(|it| &it.pods);
    let pods = pods.filter_map(|it| Some((it, it.addon.as_ref()?)));
    let found = of_values(&addon.values, &addon.scope, &pods.collect::<Vec<_>>());
    found.into_iter().map(|it| Annotation { subject: addon.subject.clone(), ..it }).collect()
}

/// `pods` are those whose template reads the values, as far as they are known.
fn of_values(
    values: &Value,
    scope: &Scope,
    pods: &[(&'static Pod, &'static Packaging)],
) -> Vec<Annotation> {
    let mut found = Vec::new();
    find(values, &mut Vec::new(), &mut found);
    let pod_at = |path: &str| {
        let reads = |it: &Packaging| it.paths("pod_annotations").iter().any(|it| it == path);
        pods.iter().find(|(_, surface)| reads(surface)).map(|(pod, _)| *pod)
    };
    let annotation = |it: &KeyMatch| {
        let pod = pod_at(&it.path.join("."));
        Annotation {
            kind: pod.map_or("", |it| it.kind.as_str()).into(),
            name: pod.map_or("", |it| it.title.as_str()).into(),
            ..it.annotation(AnnotationPosition::Values, scope)
        }
    };
    let mut all: Vec<Annotation> = found.iter().map(annotation).collect();
    let mut of_text = Vec::new();
    of_texts(values, MAX_DEPTH, &mut of_text);
    let new =
        |key, span, value| Annotation::new((key, span, value), AnnotationPosition::Values, scope);
    all.extend(of_text.into_iter().map(|it| new(it.key, it.span, it.value)));
    all
}

/// Whether a part of objects holds no annotations; some of these are large.
fn is_without(key: &str) -> bool {
    matches!(
        key,
        "containers"
            | "initContainers"
            | "volumes"
            | "data"
            | "stringData"
            | "status"
            | "matchLabels"
    )
}

/// How deep values are searched.
const MAX_DEPTH: usize = 24;

/// A key without the anchor that a policy of Kyverno puts around it: `+(key)`.
fn without_anchor(key: &str) -> &str {
    key.strip_suffix(')').and_then(|it| Some(it.split_once('(')?.1)).unwrap_or(key)
}

fn find<'a>(value: &'a Value, path: &mut Vec<&'a str>, found: &mut Vec<KeyMatch<'a>>) {
    if path.len() > MAX_DEPTH {
        return;
    }
    match &value.kind {
        Kind::Map(map) => {
            for entry in &map.entries {
                if let Some(key) = DisruptionKey::of(without_anchor(&entry.key)) {
                    let is_beside_new_name = map.entry(DO_NOT_DISRUPT).is_some();
                    found.push(KeyMatch { path: path.clone(), entry, key, is_beside_new_name });
                } else if matches!(entry.value.kind, Kind::Map(_) | Kind::List(_))
                    && !is_without(&entry.key)
                {
                    path.push(&entry.key);
                    find(&entry.value, path, found);
                    path.pop();
                }
            }
        }
        Kind::List(list) => {
            path.push("[]");
            for item in &list.items {
                find(item, path, found);
            }
            path.pop();
        }
        _ => {}
    }
}
