//! Where pods can run as one JSON object. Its form is stable: see `schema_version`.

use serde::Serialize;

use crate::{
    findings::note::Note,
    project::Project,
    report::json::JsonLocation,
    show::{
        data::Data,
        landing::{Answer, Landing, PodsView, TakerView},
    },
    source::Span,
    visible,
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct PlacementObject<'a> {
    schema_version: u32,
    clusters: Vec<ClusterObject<'a>>,
}

#[derive(Serialize)]
struct ClusterObject<'a> {
    name: Data<'a>,
    folder: String,
    pods: Vec<PodsObject<'a>>,
}

#[derive(Serialize)]
struct PodsObject<'a> {
    kind: Option<Data<'a>>,
    namespace: Option<Data<'a>>,
    name: Option<Data<'a>>,
    location: JsonLocation,
    takers: Vec<TakerObject<'a>>,
    refused: Vec<RefusedObject<'a>>,
    undecided: Vec<RefusedObject<'a>>,
}

#[derive(Serialize)]
struct TakerObject<'a> {
    name: Data<'a>,
    kind: &'static str,
}

#[derive(Serialize)]
struct RefusedObject<'a> {
    name: Data<'a>,
    kind: &'static str,
    reason: &'a str,
    because: JsonLocation,
}

/// The placement as JSON.
#[must_use]
pub(crate) fn text(clusters: &[Landing<'_>], shown: &dyn Fn(&Project, &str) -> String) -> String {
    let clusters = clusters.iter().map(|it| ClusterObject {
        name: Data(&it.name),
        folder: shown(it.project, &it.folder),
        pods: it.pods.iter().map(|pods| of_pods(it, pods, shown)).collect(),
    });
    let object = PlacementObject { schema_version: SCHEMA_VERSION, clusters: clusters.collect() };
    visible::json(serde_json::to_string_pretty(&object).unwrap_or_default()) + "\n"
}

fn of_pods<'a>(
    cluster: &'a Landing<'_>,
    pods: &'a PodsView,
    shown: &dyn Fn(&Project, &str) -> String,
) -> PodsObject<'a> {
    let place = |span: Span| {
        let file = cluster.project.files.get(span.file);
        JsonLocation::of(file, shown(cluster.project, file.path()), span)
    };
    let refused = |taker: &'a TakerView, note: &'a Note| RefusedObject {
        name: Data(&taker.name),
        kind: taker.kind.word(),
        reason: &note.message,
        because: place(note.span),
    };
    let mut object = PodsObject {
        kind: field(pods, "kind"),
        namespace: field(pods, "namespace"),
        name: field(pods, "name"),
        location: place(pods.item.span),
        takers: Vec::new(),
        refused: Vec::new(),
        undecided: Vec::new(),
    };
    for (taker, answer) in cluster.takers.iter().zip(pods.answers.iter()) {
        match answer {
            Answer::Takes => {
                object
                    .takers
                    .push(TakerObject { name: Data(&taker.name), kind: taker.kind.word() });
            }
            Answer::Refuses(note) => object.refused.push(refused(taker, note)),
            Answer::Undecided(note) => object.undecided.push(refused(taker, note)),
            Answer::Apart => {}
        }
    }
    object
}

/// A part of the identity of pods.
pub(crate) fn field<'a>(pods: &'a PodsView, key: &str) -> Option<Data<'a>> {
    pods.item.get(key).map(Data)
}
