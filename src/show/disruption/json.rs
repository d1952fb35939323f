//! What events do with pods as one JSON object. Its form is stable: see `schema_version`.

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    model::disruption::{Event, Fate},
    project::Project,
    report::json::JsonLocation,
    show::{
        data::Data,
        landing::{Landing, PodsView},
        placement::json::field,
    },
    source::Span,
    visible,
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct DisruptionObject<'a> {
    schema_version: u32,
    clusters: Vec<ClusterObject<'a>>,
}

#[derive(Serialize)]
struct ClusterObject<'a> {
    name: Data<'a>,
    folder: String,
    workloads: Vec<WorkloadObject<'a>>,
}

#[derive(Serialize)]
struct WorkloadObject<'a> {
    kind: Option<Data<'a>>,
    namespace: Option<Data<'a>>,
    name: Option<Data<'a>>,
    location: JsonLocation,
    events: EventsObject<'a>,
}

struct EventsObject<'a>(Vec<(Event, FateObject<'a>)>);

#[derive(Serialize)]
struct FateObject<'a> {
    outcome: &'static str,
    after: Option<&'a str>,
    because: Vec<Because<'a>>,
}

#[derive(Serialize)]
struct Because<'a> {
    message: &'a str,
    location: JsonLocation,
}

impl Serialize for EventsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for (event, fate) in &self.0 {
            object.serialize_entry(event.key(), fate)?;
        }
        object.end()
    }
}

/// What events do as JSON.
#[must_use]
pub(crate) fn text(clusters: &[Landing<'_>], shown: &dyn Fn(&Project, &str) -> String) -> String {
    let clusters = clusters.iter().map(|it| ClusterObject {
        name: Data(&it.name),
        folder: shown(it.project, &it.folder),
        workloads: it.pods.iter().map(|pods| workload(it, pods, shown)).collect(),
    });
    let object = DisruptionObject { schema_version: SCHEMA_VERSION, clusters: clusters.collect() };
    visible::json(serde_json::to_string_pretty(&object).unwrap_or_default()) + "\n"
}

fn workload<'a>(
    cluster: &'a Landing<'_>,
    pods: &'a PodsView,
    shown: &dyn Fn(&Project, &str) -> String,
) -> WorkloadObject<'a> {
    let place = |span: Span| {
        let file = cluster.project.files.get(span.file);
        JsonLocation::of(file, shown(cluster.project, file.path()), span)
    };
    let object = |fate: &'a Fate| FateObject {
        outcome: fate.outcome.word(),
        after: fate.after.as_deref(),
        because: fate
            .because
            .iter()
            .map(|it| Because { message: &it.message, location: place(it.span) })
            .collect(),
    };
    let events = Event::ALL.into_iter().map(|it| (it, object(pods.fates.of(it))));
    WorkloadObject {
        kind: field(pods, "kind"),
        namespace: field(pods, "namespace"),
        name: field(pods, "name"),
        location: place(pods.item.span),
        events: EventsObject(events.collect()),
    }
}
