//! The order as one JSON object. Its form is stable: see `schema_version`.

use serde::Serialize;

use crate::{
    project::Project,
    show::order::Order,
    source::{Span, column::ColumnUnit},
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
    location: Location,
}

#[derive(Serialize)]
struct EdgeObject<'a> {
    from: &'a str,
    to: &'a str,
    why: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct MissingObject<'a> {
    from: &'a str,
    to: &'a str,
    rule: &'static str,
}

#[derive(Serialize)]
struct Location {
    path: String,
    start: Point,
    end: Point,
    byte_start: u32,
    byte_end: u32,
}

#[derive(Serialize)]
struct Point {
    line: usize,
    column: usize,
}

/// The order as JSON.
#[must_use]
pub(super) fn text(order: &Order<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let place = |project: &Project, span: Span| location(project, span, shown);
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
    serde_json::to_string_pretty(&object).unwrap_or_default() + "\n"
}

fn location(project: &Project, span: Span, shown: &dyn Fn(&Project, &str) -> String) -> Location {
    let file = project.files.get(span.file);
    let point = |offset: u32| {
        let position = file.position(offset as usize, ColumnUnit::Characters);
        Point { line: position.line, column: position.column }
    };
    Location {
        path: shown(project, file.path()),
        start: point(span.start),
        end: point(span.end),
        byte_start: span.start,
        byte_end: span.end,
    }
}
