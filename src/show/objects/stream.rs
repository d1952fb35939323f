//! Objects as a YAML stream, and as data.

use std::fmt::Write;

use rayon::prelude::*;
use serde::Serialize;

use crate::{
    findings::subject::Condition,
    inventory::objects::{Builder, BuiltObject},
    project::Project,
    report::{json::JsonLocation, markup::visible},
    show::{data::Data, yaml::document},
};

/// Raised when a field changes its meaning or is removed; new fields do not raise it.
const SCHEMA_VERSION: u32 = 1;

/// How long a head is, roughly, in bytes.
const HEAD: usize = 100;

/// The objects as a YAML stream, each headed by where it is written and what builds it.
#[must_use]
pub(crate) fn yaml(
    objects: &[BuiltObject<'_>],
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    let documents: Vec<String> = objects.par_iter().map(|it| document(&it.object.value)).collect();
    let mut text = String::with_capacity(documents.iter().map(|it| it.len() + HEAD).sum());
    for (it, document) in objects.iter().zip(documents) {
        let file = it.project.files.get(it.span.file);
        let line = file.line_of(it.span.start as usize) + 1;
        let path = visible(&shown(it.project, file.path()));
        let _ = write!(text, "---\n# from {path}:{line}");
        if let Some(words) = words(it, shown) {
            let _ = write!(text, " ({})", visible(&words));
        }
        for it in &it.subject.conditions {
            let _ = write!(text, "\n# perhaps: {}", visible(&it.words()));
        }
        text.push('\n');
        text.push_str(&document);
    }
    if text.is_empty() {
        text.push_str("# no Kubernetes objects are built here\n");
    }
    text
}

fn words(it: &BuiltObject<'_>, shown: &dyn Fn(&Project, &str) -> String) -> Option<String> {
    let folder = |folder: &str| match shown(it.project, folder).trim_end_matches('/') {
        "" => ".".to_owned(),
        path => path.to_owned(),
    };
    match &it.built_by {
        Builder::File => None,
        Builder::Kustomization(path) => Some(format!("overlay {}", folder(path))),
        Builder::Resource { address, is_optional: true, .. } => {
            Some(format!("{address}, which is switched off by default"))
        }
        Builder::Resource { address, .. } => Some(address.clone()),
        Builder::Stack(path) => Some(format!("stack {}", shown(it.project, path))),
        Builder::Release { chart, namespace, name, place, is_optional } => {
            let name = match (namespace, name) {
                (Some(namespace), Some(name)) => format!("release {namespace}/{name}"),
                (None, Some(name)) => format!("release {name}"),
                (_, None) => "release".to_owned(),
            };
            let (chart, at) = (folder(chart), shown(it.project, &place.0));
            let off = if *is_optional { ", which is switched off by default" } else { "" };
            Some(format!("{name} of chart {chart}, {at}:{}{off}", place.1))
        }
        Builder::Chart(path) => Some(format!("chart {}, which nobody installs", folder(path))),
    }
}

#[derive(Serialize)]
struct ObjectsObject<'a> {
    schema_version: u32,
    objects: Vec<ObjectObject<'a>>,
}

#[derive(Serialize)]
struct ObjectObject<'a> {
    object: Data<'a>,
    location: JsonLocation,
    built_by: BuilderObject<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<ConditionObject<'a>>,
}

/// What has to hold for an object to be there, where that is not known.
#[derive(Serialize)]
struct ConditionObject<'a> {
    condition: &'a str,
    holds: bool,
    unknown: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum BuilderObject<'a> {
    File,
    Kustomization {
        folder: String,
    },
    Resource {
        address: &'a str,
        root: String,
        optional: bool,
    },
    Stack {
        path: String,
    },
    Release {
        chart: String,
        namespace: Option<&'a str>,
        name: Option<&'a str>,
        path: String,
        line: usize,
        optional: bool,
    },
    Chart {
        folder: String,
    },
}

/// The objects as JSON.
#[must_use]
pub(crate) fn json(
    objects: &[BuiltObject<'_>],
    shown: &dyn Fn(&Project, &str) -> String,
) -> String {
    let objects = objects
        .iter()
        .map(|it| {
            let file = it.project.files.get(it.span.file);
            ObjectObject {
                object: Data(&it.object.value),
                location: JsonLocation::of(file, shown(it.project, file.path()), it.span),
                built_by: built_by(it, shown),
                conditions: it.subject.conditions.iter().map(condition).collect(),
            }
        })
        .collect();
    let all = ObjectsObject { schema_version: SCHEMA_VERSION, objects };
    crate::visible::json(serde_json::to_string_pretty(&all).unwrap_or_default()) + "\n"
}

fn condition(it: &Condition) -> ConditionObject<'_> {
    ConditionObject { condition: &it.written, holds: it.holds, unknown: it.expression.as_deref() }
}

fn built_by<'a>(
    it: &'a BuiltObject<'_>,
    shown: &dyn Fn(&Project, &str) -> String,
) -> BuilderObject<'a> {
    let path = |path: &str| shown(it.project, path);
    match &it.built_by {
        Builder::File => BuilderObject::File,
        Builder::Kustomization(folder) => BuilderObject::Kustomization { folder: path(folder) },
        Builder::Resource { root, address, is_optional } => {
            BuilderObject::Resource { address, root: path(root), optional: *is_optional }
        }
        Builder::Stack(file) => BuilderObject::Stack { path: path(file) },
        Builder::Release { chart, namespace, name, place, is_optional } => BuilderObject::Release {
            chart: path(chart),
            namespace: namespace.as_deref(),
            name: name.as_deref(),
            path: path(&place.0),
            line: place.1,
            optional: *is_optional,
        },
        Builder::Chart(folder) => BuilderObject::Chart { folder: path(folder) },
    }
}
