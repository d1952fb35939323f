//! The order as one JSON object. Its form is stable: see `schema_version`.

use serde::Serialize;

use crate::{
    project::Project, report::json::JsonLocation, show::order::Order, source::Span, visible,
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct OrderObject<'a> {
    schema_version: u32,
    nodes: Vec<NodeObject<'a>>,
    edges: Vec<EdgeObject<'a>>,
    missing: Vec<MissingObject<'a>>,
}

#[derive(Serialize)]
struct NodeObject<'a> {
    id: &'a str,
    kind: &'a str,
    location: JsonLocation,
}

#[derive(Serialize)]
struct EdgeObject<'a> {
    from: &'a str,
    to: &'a str,
    why: &'static str,
    location: JsonLocation,
}

#[derive(Serialize)]
struct MissingObject<'a> {
    from: &'a str,
    to: &'a str,
    rule: &'static str,
}

/// The order as JSON.
#[must_use]
pub(super) fn text(order: &Order<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let place = |project: &Project, span: Span| {
        let file = project.files.get(span.file);
        JsonLocation::of(file, shown(project, file.path()), span)
    };
    let id = |index: usize| order.nodes.get(index).map_or("", |it| &*it.id);
    let project = |index: usize| order.nodes.get(index).map(|it| it.project);
    let object = OrderObject {
        schema_version: SCHEMA_VERSION,
        nodes: order
            .nodes
            .iter()
            .map(|it| NodeObject {
                id: &it.id,
                kind: &it.kind,
                location: place(it.project, it.span),
            })
            .collect(),
        edges: order
            .edges
            .iter()
            .filter_map(|it| {
                let location = place(project(it.from)?, it.span);
                Some(EdgeObject { from: id(it.from), to: id(it.to), why: it.why.word(), location })
            })
            .collect(),
        missing: order
            .missing
            .iter()
            .map(|it| MissingObject { from: id(it.from), to: id(it.to), rule: it.rule })
            .collect(),
    };
    visible::json(serde_json::to_string_pretty(&object).unwrap_or_default()) + "\n"
}
