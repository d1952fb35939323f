//! Pulumi: programs in YAML, what `pulumi stack export` writes, and the steps of `pulumi preview --json`.
//!
//! Programs in other languages are not read. What only a deployment knows (`${cluster.name}`, a secret) is unknown.

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    resolve::{
        cloudformation::{Stack, StackResource},
        kubernetes::{Located, Object},
        release::surface::Surface,
    },
    source::Span,
    value::{Entry, Field, Kind, List, Map, Symbol, Value, cause::Cause},
};

/// Words of which each such file holds one.
pub const WORDS: [&str; 3] = ["urn:pulumi:", "runtime: yaml", "name: yaml"];

/// More resources are not read.
const MAX_RESOURCES: usize = 20_000;
/// Values nested deeper than this are unknown.
const DEEPEST: usize = 64;

/// The key of what Pulumi marks: a secret, an output, an asset.
const MARK: &str = "4dabf18193072939515e22adb298388d";
/// What stands for a value that a preview does not know.
const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/// What becomes of the types of AWS, with the names that `CloudFormation` gives them.
const OF_AWS: [(&str, &str); 4] = [
    ("aws:eks/cluster:Cluster", "AWS::EKS::Cluster"),
    ("aws:eks/nodeGroup:NodeGroup", "AWS::EKS::Nodegroup"),
    ("aws:eks/addon:Addon", "AWS::EKS::Addon"),
    ("aws:eks/fargateProfile:FargateProfile", "AWS::EKS::FargateProfile"),
];
const RELEASE: &str = "kubernetes:helm.sh/v3:Release";
const CHARTS: [&str; 2] = ["kubernetes:helm.sh/v3:Chart", "kubernetes:helm.sh/v4:Chart"];
const CUSTOM: &str = "kubernetes:apiextensions.k8s.io:CustomResource";

/// A resource of a program or of a stack.
struct Resource<'v> {
    /// Its type: `kubernetes:apps/v1:Deployment`.
    kind: &'v str,
    /// What names it.
    header: Span,
    /// What it is given.
    properties: Value,
}

/// Whether a document is a program in YAML.
#[must_use]
pub fn is_program(object: &Object) -> bool {
    let runtime = object.value.get("runtime");
    let is_yaml = |it: Field<'_>| it.present().and_then(Value::as_str) == Some("yaml");
    object.kind.is_empty()
        && (is_yaml(runtime) || is_yaml(runtime.get("name")))
        && object.value.get("resources").present().is_some_and(|it| it.as_map().is_some())
}

/// Whether a document is what a command of Pulumi writes of a stack.
#[must_use]
pub fn is_output(object: &Object) -> bool {
    let states = states(&object.value);
    object.kind.is_empty() && states.iter().any(|it| text(it, "urn").is_some_and(is_urn))
}

fn is_urn(text: &str) -> bool {
    text.starts_with(WORDS[0])
}

/// What is installed by the resources of a document, in the names of `CloudFormation`.
#[must_use]
pub fn stack(located: &Located) -> Stack {
    let all = resources(&located.object);
    let is_program = is_program(&located.object);
    let resource = |it: &Resource<'_>| {
        let of_aws = OF_AWS.iter().find(|(own, _)| *own == it.kind).map(|it| it.1);
        let is_chart = is_program && CHARTS.contains(&it.kind);
        let (kind, properties) = match of_aws {
            Some(kind) => (kind, capitalised(&it.properties, 2)),
            None if it.kind == RELEASE || is_chart => {
                (Stack::HELM_CHART, chart(&it.properties, is_chart))
            }
            None => return None,
        };
        Some(StackResource { kind: kind.to_owned(), header: it.header, properties })
    };
    let file = located.object.value.span.file;
    Stack { file, surface: Surface::Pulumi, resources: all.iter().filter_map(resource).collect() }
}

/// The Kubernetes objects among the resources of the documents.
#[must_use]
pub fn applied(all: &[Located]) -> Vec<Located> {
    let mut found = Vec::new();
    for document in all.iter().filter(|it| is_program(&it.object) || is_output(&it.object)) {
        let objects = resources(&document.object).into_iter().filter_map(|it| object(&it));
        found.extend(objects.map(|object| Located {
            header: object.report_span(),
            object,
            holder: Subject::default(),
            ..document.clone()
        }));
    }
    found
}

/// The types of AWS that are not read, each with the first of its resources and their number.
#[must_use]
pub fn unread(document: &Object) -> Vec<(Span, Arc<str>, usize)> {
    let mut found: Vec<(Span, Arc<str>, usize)> = Vec::new();
    for it in resources(document) {
        let of_aws =
            ["aws:", "awsx:", "eks:", "aws-native:"].iter().any(|own| it.kind.starts_with(own));
        if !of_aws || OF_AWS.iter().any(|(own, _)| *own == it.kind) {
            continue;
        }
        match found.iter_mut().find(|(_, kind, _)| **kind == *it.kind) {
            Some((_, _, count)) => *count += 1,
            None => found.push((it.header, it.kind.into(), 1)),
        }
    }
    found
}

fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).present().and_then(Value::as_str)
}

/// The states of resources in what a command of Pulumi writes.
fn states(document: &Value) -> Vec<&Value> {
    if let Some(list) = document.at("deployment.resources").present() {
        return list.items().iter().collect();
    }
    let steps = document.get("steps").present().map_or(&[][..], Value::items);
    steps.iter().filter_map(|it| it.get("newState").present()).collect()
}

fn resources(document: &Object) -> Vec<Resource<'_>> {
    if is_program(document) {
        let entries = document.value.get("resources").present().map_or(&[][..], Value::entries);
        let of_entry = |it: &'_ Entry| -> Option<(Span, Value)> {
            let nothing = Value::map(Vec::new(), it.key_span);
            let properties = it.value.get("properties").present().unwrap_or(&nothing);
            Some((it.key_span, evaluated(properties, 0)))
        };
        let read = entries.iter().take(MAX_RESOURCES).filter_map(|it| {
            let (header, properties) = of_entry(it)?;
            Some(Resource { kind: text(&it.value, "type")?, header, properties })
        });
        return read.collect();
    }
    let states = states(&document.value).into_iter().take(MAX_RESOURCES);
    let is_set =
        |it: &Value, key: &str| it.get(key).present().and_then(Value::as_flag) == Some(true);
    // What Pulumi only reads, and what it is about to delete.
    let is_own = |it: &&Value| !is_set(it, "external") && !is_set(it, "delete");
    let read = states.filter(is_own).filter_map(|it| {
        let header = it.get("urn").present()?.span;
        let properties = evaluated(it.get("inputs").present()?, 0);
        Some(Resource { kind: text(it, "type")?, header, properties })
    });
    read.collect()
}

/// The value behind what Pulumi marks. Its own keys are left out.
fn evaluated(value: &Value, depth: usize) -> Value {
    let unknown = |cause: Cause, words: &str| {
        let place = format!("pulumi {} {}", value.span.file.0, value.span.start);
        Value::unknown(Symbol::new(place, words).because(cause), value.span).named(value.name)
    };
    match &value.kind {
        _ if depth > DEEPEST => unknown(Cause::Value, "nested too deeply"),
        Kind::Map(map) if map.entry(MARK).is_some() => unknown(Cause::Secret, "a secret"),
        Kind::Map(map) if is_function(map) => unknown(Cause::Value, "a function"),
        Kind::String(text) if &*text.text == UNKNOWN => unknown(Cause::Value, "an output"),
        Kind::Map(map) => {
            let own = map.entries.iter().filter(|it| !it.key.starts_with("__"));
            let entry = |it: &Entry| Entry { value: evaluated(&it.value, depth + 1), ..it.clone() };
            let entries = own.map(entry).collect();
            with(value, Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })))
        }
        Kind::List(list) => {
            let items = list.items.iter().map(|it| evaluated(it, depth + 1)).collect();
            with(value, Kind::List(Arc::new(List { items, ..List::clone(list) })))
        }
        _ => value.clone(),
    }
}

/// Whether a mapping is the call of a function: `fn::toJSON`.
fn is_function(map: &Map) -> bool {
    let [only] = &*map.entries else { return false };
    only.key.starts_with("fn::") || only.key.starts_with("Fn::")
}

fn with(value: &Value, kind: Kind) -> Value {
    Value { kind, ..value.clone() }
}

/// The same with the names of keys in capital letters, down to that depth of mappings.
fn capitalised(value: &Value, depth: usize) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    if depth == 0 {
        return value.clone();
    }
    let entry = |it: &Entry| {
        let mut letters = it.key.chars();
        let first = letters.next().map(|it| it.to_ascii_uppercase());
        let key: String = first.into_iter().chain(letters).collect();
        // The keys of labels are names.
        let value =
            if key == "Labels" { it.value.clone() } else { capitalised(&it.value, depth - 1) };
        Entry { key: key.into(), value, ..it.clone() }
    };
    let entries = map.entries.iter().map(entry).collect();
    with(value, Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })))
}

/// The properties of a chart in the names of the CDK.
fn chart(properties: &Value, applies_crds: bool) -> Value {
    let Kind::Map(map) = &properties.kind else { return properties.clone() };
    let renamed = |it: &Entry| {
        let (key, value) = match &*it.key {
            "chart" => ("Chart", it.value.clone()),
            "version" => ("Version", it.value.clone()),
            "namespace" => ("Namespace", it.value.clone()),
            "name" => ("Release", it.value.clone()),
            "values" => ("Values", it.value.clone()),
            "skipCrds" | "skipCRDRendering" => ("SkipCrds", it.value.clone()),
            "repositoryOpts" | "fetchOpts" => {
                ("Repository", it.value.get("repo").present()?.clone())
            }
            "valueYamlFiles" | "postrender" | "postRenderer" | "transformations" => {
                ("Others", it.value.clone())
            }
            _ => return None,
        };
        Some(Entry { key: key.into(), value, ..it.clone() })
    };
    let mut entries: Vec<Entry> = map.entries.iter().filter_map(renamed).collect();
    if applies_crds {
        let value = Value::new(Kind::Bool(true), properties.span);
        entries.push(Entry { key: "UpgradeCrds".into(), key_span: properties.name, value });
    }
    with(properties, Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() })))
}

/// The object that a resource is: its type says what it does not say itself.
fn object(resource: &Resource<'_>) -> Option<Object> {
    let rest = resource.kind.strip_prefix("kubernetes:")?;
    let is_helper =
        rest.starts_with("helm.sh/") || rest.starts_with("yaml") || rest.starts_with("kustomize");
    let own = |key: &str| text(&resource.properties, key).map(Arc::from);
    if resource.kind == CUSTOM {
        let (api_version, kind) = (own("apiVersion")?, own("kind")?);
        return Some(Object { api_version, kind, value: resource.properties.clone() });
    }
    let (api, kind) = rest.rsplit_once(':').filter(|_| !is_helper)?;
    let api = api.strip_prefix("core/").unwrap_or(api);
    let api_version: Arc<str> = own("apiVersion").unwrap_or_else(|| api.into());
    let kind: Arc<str> = own("kind").unwrap_or_else(|| kind.into());
    let added = [("apiVersion", &api_version), ("kind", &kind)];
    let added =
        added.iter().filter(|it| resource.properties.get(it.0).is_missing()).map(|it| Entry {
            key: it.0.into(),
            key_span: resource.header,
            value: Value::computed(Arc::clone(it.1), resource.header),
        });
    let Kind::Map(map) = &resource.properties.kind else { return None };
    let entries = map.entries.iter().cloned().chain(added).collect();
    let kind_of_value = Kind::Map(Arc::new(Map { entries, rest: map.rest.clone() }));
    Some(Object { api_version, kind, value: with(&resource.properties, kind_of_value) })
}
