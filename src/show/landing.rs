//! Where the pods of each cluster can run, and what each event does to them: what `show placement` and
//! `show disruption` print.

pub(crate) mod collect;

use std::sync::Arc;

use crate::{
    findings::note::Note,
    hash::HashMap,
    inventory::Item,
    model::{disruption::Fates, placement::taker::TakerKind},
    project::Project,
    report::markup::visible,
    show::overview::cells::cell,
    source::Span,
    value::Value,
};

/// A cluster with its pods and what may take them.
#[derive(Debug)]
pub struct Landing<'p> {
    /// The project that holds it.
    pub project: &'p Project,
    /// The folder it belongs to.
    pub folder: String,
    /// Its name.
    pub name: Value,
    /// What may take pods.
    pub takers: Vec<TakerView>,
    /// What creates pods, in the order of their places.
    pub pods: Vec<PodsView>,
}

/// A node group, a Fargate profile or a `NodePool`.
#[derive(Debug)]
pub struct TakerView {
    /// Its name.
    pub name: Value,
    /// What kind of taker it is.
    pub kind: TakerKind,
    /// The class of its nodes, if it has one.
    pub class: Option<Value>,
    /// Where it is written.
    pub span: Span,
}

/// The pods of a workload.
#[derive(Debug)]
pub struct PodsView {
    /// Its kind, namespace and name.
    pub item: Item,
    /// Whether they keep data.
    pub is_stateful: bool,
    /// Whether each node has one.
    pub are_agents: bool,
    /// What each taker says, in the order of the takers.
    pub answers: Arc<[Answer]>,
    /// What events do with them.
    pub fates: Fates,
}

/// Whether a taker takes pods.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It does.
    Takes,
    /// It does not, because of this.
    Refuses(Note),
    /// Not known, because of this.
    Undecided(Note),
    /// They are not in its cluster.
    Apart,
}

impl Landing<'_> {
    /// A place as a reader would write it, with its line.
    pub(crate) fn place(&self, span: Span, shown: &dyn Fn(&Project, &str) -> String) -> String {
        let file = self.project.files.get(span.file);
        let line = file.line_of(span.start as usize) + 1;
        visible(&format!("{}:{line}", shown(self.project, file.path())))
    }

    /// How people call it: its name, or where it is.
    pub(crate) fn title(&self, shown: &dyn Fn(&Project, &str) -> String) -> String {
        let folder = shown(self.project, &self.folder);
        let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
        match cell(&self.name) {
            name if name.starts_with('?') => format!("cluster in {}", visible(folder)),
            name => name,
        }
    }
}

impl TakerView {
    /// Its name in words.
    pub(crate) fn title(&self) -> String {
        cell(&self.name)
    }
}

impl PodsView {
    /// Their namespace and name.
    pub(crate) fn title(&self) -> String {
        let of = |key: &str| self.item.get(key).map(cell).unwrap_or_default();
        let namespace = self.item.get("namespace").and_then(Value::as_str);
        match namespace {
            Some(namespace) => format!("{}/{}", visible(namespace), of("name")),
            None => of("name"),
        }
    }

    /// What creates them.
    pub(crate) fn kind(&self) -> String {
        self.item.get("kind").map(cell).unwrap_or_default()
    }
}

/// What kind of taker one is, in words.
pub(crate) fn kind_words(kind: TakerKind) -> &'static str {
    match kind {
        TakerKind::NodeGroup => "node group",
        TakerKind::Fargate => "Fargate profile",
        TakerKind::NodePool => "NodePool",
    }
}

/// Pods of which the same is to be said, in the order of the first of each.
pub(crate) fn alike<'a, K: Eq + std::hash::Hash>(
    pods: impl IntoIterator<Item = &'a PodsView>,
    key: impl Fn(&'a PodsView) -> K,
) -> Vec<Vec<&'a PodsView>> {
    let mut index: HashMap<K, usize> = HashMap::default();
    let mut groups: Vec<Vec<&'a PodsView>> = Vec::new();
    for pods in pods {
        let at = *index.entry(key(pods)).or_insert(groups.len());
        if at == groups.len() {
            groups.push(Vec::new());
        }
        groups[at].push(pods);
    }
    groups
}
