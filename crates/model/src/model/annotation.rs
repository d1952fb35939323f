//! Karpenter's annotations for pods and nodes, wherever somebody wrote them: also where they do nothing.

pub mod effect;
mod place;

use std::sync::Arc;

use crate::{
    findings::Edit,
    knowledge::{self, component::Pod, packaging::Packaging},
    model::{
        addon::Addon,
        annotation::place::{move_to_pods, position},
        release::Release,
        scope::Scope,
        workload::DO_NOT_DISRUPT,
    },
    resolve::kubernetes::Object,
    source::{Files, Span},
    value::{Entry, Kind, Value},
};

/// One such annotation.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Which.
    pub key: Key,
    /// Where its key is written.
    pub key_span: Span,
    /// Its value, as it is written.
    pub value: Value,
    /// What it stands on.
    pub position: Position,
    /// The kind of the object, or of what makes the pods for which values hold it; empty if that is not
    /// known.
    pub kind: Arc<str>,
    /// The object's name, or what the pods are called; empty if that is not known.
    pub name: Arc<str>,
    /// Whether the pods of the same object carry [`Key::DoNotDisrupt`], or it cannot be told.
    pub pods_have_it: bool,
    /// Where the annotations of the object's pods are written, if it makes pods.
    pub pods_path: Option<String>,
    /// The edits that move it to the pods.
    pub to_pods: Option<Vec<Edit>>,
    /// The edit that gives it the name [`Key::DoNotDisrupt`].
    pub renamed: Option<Edit>,
    /// Whether that name stands in the same mapping already.
    pub renamed_stands_beside: bool,
    /// Where the object stands.
    pub scope: Scope,
}

/// The keys by which people ask Karpenter to leave pods or nodes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `karpenter.sh/do-not-disrupt`, since 0.32.
    DoNotDisrupt,
    /// `karpenter.sh/do-not-evict`, for pods, until 0.37.
    DoNotEvict,
    /// `karpenter.sh/do-not-consolidate`, for nodes, until 0.37.
    DoNotConsolidate,
}

/// What an annotation stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The annotations of pods: of a template, or of a bare pod.
    Pods,
    /// The annotations of nodes: of a pool's template, a node claim, a node.
    Nodes,
    /// The annotations of the controller of the pods.
    Controller,
    /// Labels, of whatever.
    Labels,
    /// A template for volume claims.
    Claims,
    /// A `metadata` mapping itself, beside `annotations`.
    Metadata,
    /// Somewhere else in an object that makes pods.
    Elsewhere,
    /// The values of a chart.
    Values,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::DoNotDisrupt, Self::DoNotEvict, Self::DoNotConsolidate];

    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::DoNotDisrupt => DO_NOT_DISRUPT,
            Self::DoNotEvict => "karpenter.sh/do-not-evict",
            Self::DoNotConsolidate => "karpenter.sh/do-not-consolidate",
        }
    }

    fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == text)
    }
}

impl Annotation {
    /// Whether it is `true`, also without quotes.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.value.as_bool() == Some(true) || self.value.as_str() == Some("true")
    }

    /// Whether somebody certainly wants something of it.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        match &self.value.kind {
            Kind::Bool(it) => *it,
            _ => self.value.as_str().is_some_and(|it| !it.is_empty() && it != "false"),
        }
    }
}

/// An entry of one of the keys, with the keys that lead to it; `[]` stands for an item of a list.
struct Found<'a> {
    path: Vec<&'a str>,
    entry: &'a Entry,
    key: Key,
    renamed_stands_beside: bool,
}

impl Found<'_> {
    fn annotation(&self, files: &Files, position: Position, scope: &Scope) -> Annotation {
        let (key, key_span) = (self.key, self.entry.key_span);
        let at = files.text(key_span).find(key.word());
        let word = at.and_then(|it| u32::try_from(it).ok()).map(|it| {
            let start = key_span.start + it;
            let length = u32::try_from(key.word().len()).unwrap_or_default();
            Span { start, end: start + length, ..key_span }
        });
        Annotation {
            key,
            key_span,
            value: self.entry.value.clone(),
            position,
            kind: Arc::default(),
            name: Arc::default(),
            pods_have_it: true,
            pods_path: None,
            to_pods: None,
            renamed: word.map(|span| Edit { span, text: DO_NOT_DISRUPT.to_owned() }),
            renamed_stands_beside: self.renamed_stands_beside,
            scope: scope.clone(),
        }
    }
}

/// Finds the annotations of an object.
#[must_use]
pub fn of_object(files: &Files, object: &Object, scope: &Scope) -> Vec<Annotation> {
    let mut found = Vec::new();
    find(&object.value, &mut Vec::new(), &mut found);
    if found.is_empty() {
        return Vec::new();
    }
    let placed: Vec<(Found, Position)> = found
        .into_iter()
        .filter_map(|it| position(object, &it.path).map(|position| (it, position)))
        .collect();
    let pods_have_it = placed
        .iter()
        .any(|(it, position)| *position == Position::Pods && it.key == Key::DoNotDisrupt)
        || place::pods_are_in_doubt(object);
    let annotation = |(found, position): &(Found, Position)| Annotation {
        kind: object.kind.clone(),
        name: object.anchor_text().unwrap_or_default().into(),
        pods_have_it,
        pods_path: place::pods_path(object),
        to_pods: (!pods_have_it && !matches!(position, Position::Pods | Position::Nodes))
            .then(|| move_to_pods(files, object, &found.path, found.entry))
            .flatten(),
        ..found.annotation(files, *position, scope)
    };
    placed.iter().map(annotation).collect()
}

/// Finds the annotations in the values of a release.
#[must_use]
pub fn of_release(files: &Files, release: &Release) -> Vec<Annotation> {
    let component = knowledge::component::of_chart(&release.chart, release.repository.as_deref());
    let pods = component.into_iter().flat_map(|it| &it.pods);
    let pods = pods.filter_map(|it| Some((it, it.chart.as_ref()?)));
    of_values(files, &release.values, &release.scope, &pods.collect::<Vec<_>>())
}

/// Finds the annotations in the configuration of an add-on.
#[must_use]
pub fn of_addon(files: &Files, addon: &Addon) -> Vec<Annotation> {
    let component = knowledge::component::of_addon(&addon.name);
    let pods = component.into_iter().flat_map(|it| &it.pods);
    let pods = pods.filter_map(|it| Some((it, it.addon.as_ref()?)));
    of_values(files, &addon.values, &addon.scope, &pods.collect::<Vec<_>>())
}

/// `pods` are those whose template reads the values, as far as they are known.
fn of_values(
    files: &Files,
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
    let annotation = |it: &Found| {
        let pod = pod_at(&it.path.join("."));
        Annotation {
            kind: pod.map_or("", |it| it.kind.as_str()).into(),
            name: pod.map_or("", |it| it.title.as_str()).into(),
            ..it.annotation(files, Position::Values, scope)
        }
    };
    found.iter().map(annotation).collect()
}

/// Parts of objects that hold no annotations, some of them large.
const WITHOUT: &[&str] =
    &["containers", "initContainers", "volumes", "data", "stringData", "status", "matchLabels"];

fn find<'a>(value: &'a Value, path: &mut Vec<&'a str>, found: &mut Vec<Found<'a>>) {
    if path.len() > 24 {
        return;
    }
    match &value.kind {
        Kind::Map(map) => {
            for entry in map.entries.iter().filter(|it| !WITHOUT.contains(&&*it.key)) {
                if let Some(key) = Key::of(&entry.key) {
                    let renamed_stands_beside = map.entry(DO_NOT_DISRUPT).is_some();
                    found.push(Found { path: path.clone(), entry, key, renamed_stands_beside });
                } else {
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
