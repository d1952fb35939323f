//! What `Chart.yaml` says, and `requirements.yaml` of charts of the first version.

use std::sync::Arc;

use crate::{
    helm::semver::{Ranges, Semver},
    source::Span,
    value::{Entry, Kind, Map, Value},
};

/// What a chart is.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// Its name, or the alias under which another uses it.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether it only defines templates for others.
    pub is_library: bool,
    /// The charts it needs.
    pub dependencies: Vec<Dependency>,
    /// All of `Chart.yaml`.
    pub value: Value,
}

/// A chart that another needs.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The range of its versions.
    pub version: String,
    /// Where it is from.
    pub repository: String,
    /// What it is called here.
    pub alias: Option<String>,
    /// The values that decide whether it is installed, joined by commas.
    pub condition: String,
    /// The tags that decide it.
    pub tags: Vec<String>,
    /// The values that are taken from it.
    pub imports: Vec<Import>,
    /// Where it is written.
    pub span: Span,
}

/// Values of a subchart that its parent takes.
#[derive(Clone, Debug)]
pub struct Import {
    /// Where they are in the subchart.
    pub child: String,
    /// Where they go; empty for the top.
    pub parent: String,
}

impl Metadata {
    /// Reads a `Chart.yaml`; `None` if it names no chart.
    pub(super) fn read(value: &Value, required: Option<&Value>) -> Option<Self> {
        let value = &as_fields(value);
        let name = text(value, "name");
        if name.is_empty() {
            return None;
        }
        let required = required.map(as_fields);
        let listed = required.as_ref().unwrap_or(value).get("dependencies").present();
        let listed = listed.or_else(|| value.get("dependencies").present());
        let dependencies = listed.map(|it| it.items().iter().filter_map(dependency).collect());
        Some(Self {
            name,
            version: text(value, "version"),
            is_library: text(value, "type") == "library",
            dependencies: dependencies.unwrap_or_default(),
            value: value.clone(),
        })
    }

    /// Where the dependency is written whose archive has that name.
    pub(super) fn place_of(&self, archive: &str) -> Option<Span> {
        let is_it = |it: &&Dependency| {
            archive
                .strip_prefix(&*it.name)
                .is_some_and(|rest| rest.starts_with('-') || rest == ".tgz")
        };
        self.dependencies.iter().find(is_it).map(|it| it.span)
    }
}

impl Dependency {
    /// What it is called here.
    #[must_use]
    pub fn called(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// Whether a chart is the one that is meant.
    #[must_use]
    pub fn is_met_by(&self, chart: &Metadata) -> bool {
        if self.name != chart.name {
            return false;
        }
        let Some(ranges) = Ranges::parse(&self.version) else { return true };
        Semver::parse(&chart.version).is_none_or(|it| ranges.allows(&it))
    }
}

/// The keys of `Chart.yaml` that are read here, and those that a template may ask for.
const FIELDS: &[&str] = &[
    "alias",
    "apiVersion",
    "appVersion",
    "condition",
    "dependencies",
    "deprecated",
    "description",
    "home",
    "icon",
    "import-values",
    "keywords",
    "kubeVersion",
    "name",
    "repository",
    "sources",
    "tags",
    "type",
    "version",
];

/// The same with its keys as Helm has them: it reads `Chart.yaml` as Go reads JSON, where `Name` is `name`.
/// <https://pkg.go.dev/encoding/json#Unmarshal>
fn as_fields(value: &Value) -> Value {
    let Kind::Map(map) = &value.kind else { return value.clone() };
    let is_field = |it: &Entry| FIELDS.contains(&&*it.key);
    let renamed = |it: &Entry| {
        let field = FIELDS.iter().find(|field| field.eq_ignore_ascii_case(&it.key))?;
        let is_free = !is_field(it) && map.entry(field).is_none();
        is_free.then(|| Entry { key: Arc::from(*field), ..it.clone() })
    };
    if map.entries.iter().all(|it| renamed(it).is_none()) {
        return value.clone();
    }
    let entries = map.entries.iter().map(|it| renamed(it).unwrap_or_else(|| it.clone())).collect();
    let map = Map { entries, rest: map.rest.clone() };
    Value { kind: Kind::Map(Arc::new(map)), ..value.clone() }
}

fn text(value: &Value, key: &str) -> String {
    let found = value.get(key).present();
    found.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn dependency(value: &Value) -> Option<Dependency> {
    let value = &as_fields(value);
    let name = text(value, "name");
    if name.is_empty() {
        return None;
    }
    let list = |key: &str| value.get(key).present().map(Value::items).unwrap_or_default();
    Some(Dependency {
        name,
        version: text(value, "version"),
        repository: text(value, "repository"),
        alias: Some(text(value, "alias")).filter(|it| !it.is_empty()),
        condition: text(value, "condition"),
        tags: list("tags").iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
        imports: list("import-values").iter().filter_map(import).collect(),
        span: value.span,
    })
}

fn import(value: &Value) -> Option<Import> {
    if let Kind::String(name) = &value.kind {
        let name = name.known()?;
        return Some(Import { child: format!("exports.{name}"), parent: String::new() });
    }
    let parent = text(value, "parent");
    let parent = if parent == "." { String::new() } else { parent };
    Some(Import { child: text(value, "child"), parent })
}
