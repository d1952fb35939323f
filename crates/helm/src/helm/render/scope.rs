//! What templates see: `.Values`, `.Chart`, `.Release`, `.Files`, `.Capabilities`, `.Template`.

use std::rc::Rc;

use crate::{
    helm::{
        capabilities::capabilities,
        chart::{Chart, Content, Place},
        cluster::Assumptions,
        coalesce::Unit,
        convert::val,
        files::Files,
        release::Release,
        text::{Source, Text},
        value::{Dict, Field, Found, Kind, Struct, Val},
    },
    value::{Symbol, Value},
};

/// What all charts of a release see.
pub(super) struct Shared {
    release: Val,
    capabilities: Val,
}

impl Shared {
    /// A first installation of a release.
    pub(super) fn new(release: &Release, assumptions: &Assumptions) -> Self {
        let entries = [
            ("Name", in_templates(&release.name)),
            ("Namespace", in_templates(&release.namespace)),
            ("IsUpgrade", Val::bool(false)),
            ("IsInstall", Val::bool(true)),
            ("Revision", Kind::Int(1).into()),
            ("Service", Val::text("Helm")),
        ];
        let release = Val::map(entries.map(|(key, value)| (Rc::from(key), value)));
        Self { release, capabilities: capabilities(assumptions) }
    }
}

/// A name of the release. A text that has it is written in the template, whoever names the release.
fn in_templates(name: &Value) -> Val {
    match name.as_str() {
        Some(name) => Val::text(name),
        None => val(name),
    }
}

/// What the templates of one chart see. They share it, so that what one changes the next sees.
pub(super) struct Scope {
    data: Rc<Dict>,
    base: String,
}

impl Scope {
    /// The scope of a chart.
    pub(super) fn new(
        unit: &Unit<'_>,
        path: &str,
        is_root: bool,
        shared: &Shared,
        values: Val,
        subcharts: Val,
    ) -> Self {
        let entries = [
            ("Chart", described(unit, is_root)),
            ("Files", Kind::Files(Rc::new(files(unit.chart))).into()),
            ("Release", shared.release.clone()),
            ("Capabilities", shared.capabilities.clone()),
            ("Values", values),
            ("Subcharts", subcharts),
        ];
        let data = Val::map(entries.map(|(key, value)| (Rc::from(key), value)));
        let data = match data.kind {
            Kind::Map(map) => map,
            _ => Rc::default(),
        };
        Self { data, base: format!("{path}/templates") }
    }

    /// What a template sees.
    pub(super) fn of_template(&self, name: &str) -> Val {
        let entries = [("Name", name), ("BasePath", &self.base)];
        let template = Val::map(entries.map(|(key, value)| (Rc::from(key), Val::text(value))));
        self.data.set("Template", template);
        self.data()
    }

    /// What all of them see.
    pub(super) fn data(&self) -> Val {
        Kind::Map(self.data.clone()).into()
    }
}

/// The values of a subchart: the very map that its parent has under its name.
pub(super) fn below(values: &Val, name: &str) -> Val {
    match &values.kind {
        Kind::Map(map) => match map.get(name) {
            Found::Present(value) => value,
            Found::Missing => Val::map([]),
            Found::Unknown(symbol) => Kind::Unknown(symbol).into(),
        },
        Kind::Unknown(symbol) => Kind::Unknown(symbol.clone()).into(),
        _ => Val::map([]),
    }
}

/// `.Chart`
fn described(unit: &Unit<'_>, is_root: bool) -> Val {
    let metadata = val(&unit.chart.metadata.value);
    let mut fields = fields_of(&metadata, METADATA);
    for field in &mut fields {
        if field.name == "Name" {
            field.value = Val::text(&*unit.name);
        }
    }
    let value = Val::bool(is_root);
    fields.push(Field { name: "IsRoot", json: "IsRoot", omit_empty: false, value });
    let type_name = "struct { chart.Metadata; IsRoot bool }";
    Kind::Struct(Rc::new(Struct { type_name, fields })).into()
}

/// What a field of a `Chart.yaml` holds.
#[derive(Clone, Copy)]
enum Holds {
    Text,
    Bool,
    Texts,
    Map,
    List(&'static str, &'static [(&'static str, &'static str, Holds)]),
}

type Described = [(&'static str, &'static str, Holds)];

/// The fields of a `Chart.yaml`, with their names in templates.
const METADATA: &Described = &[
    ("Name", "name", Holds::Text),
    ("Home", "home", Holds::Text),
    ("Sources", "sources", Holds::Texts),
    ("Version", "version", Holds::Text),
    ("Description", "description", Holds::Text),
    ("Keywords", "keywords", Holds::Texts),
    ("Maintainers", "maintainers", Holds::List("*chart.Maintainer", MAINTAINER)),
    ("Icon", "icon", Holds::Text),
    ("APIVersion", "apiVersion", Holds::Text),
    ("Condition", "condition", Holds::Text),
    ("Tags", "tags", Holds::Text),
    ("AppVersion", "appVersion", Holds::Text),
    ("Deprecated", "deprecated", Holds::Bool),
    ("Annotations", "annotations", Holds::Map),
    ("KubeVersion", "kubeVersion", Holds::Text),
    ("Dependencies", "dependencies", Holds::List("*chart.Dependency", DEPENDENCY)),
    ("Type", "type", Holds::Text),
];

const MAINTAINER: &Described =
    &[("Name", "name", Holds::Text), ("Email", "email", Holds::Text), ("URL", "url", Holds::Text)];

const DEPENDENCY: &Described = &[
    ("Name", "name", Holds::Text),
    ("Version", "version", Holds::Text),
    ("Repository", "repository", Holds::Text),
    ("Condition", "condition", Holds::Text),
    ("Tags", "tags", Holds::Texts),
    ("Enabled", "enabled", Holds::Bool),
    ("ImportValues", "import-values", Holds::Texts),
    ("Alias", "alias", Holds::Text),
];

/// A struct's fields as a map gives them; what it does not give is empty.
fn fields_of(map: &Val, described: &Described) -> Vec<Field> {
    let given = |key: &str| match &map.kind {
        Kind::Map(map) => match map.get(key) {
            Found::Present(value) if !value.is_nil() => Some(value),
            Found::Unknown(symbol) => Some(Kind::Unknown(symbol).into()),
            _ => None,
        },
        _ => None,
    };
    let field = |&(name, json, holds): &(&'static str, &'static str, Holds)| {
        let value = match (given(json), holds) {
            (Some(value), Holds::Text) => as_text(value),
            (Some(value), Holds::List(type_name, inner)) => structs_of(&value, type_name, inner),
            (Some(value), _) => value,
            (None, Holds::Text) => Val::text(""),
            (None, Holds::Bool) => Val::bool(false),
            (None, Holds::Texts | Holds::List(..)) => Val::list(Vec::new()),
            (None, Holds::Map) => Val::map([]),
        };
        // A dependency always tells its repository.
        Field { name, json, omit_empty: json != "repository", value }
    };
    described.iter().map(field).collect()
}

fn structs_of(list: &Val, type_name: &'static str, described: &Described) -> Val {
    let Kind::List(items) = &list.kind else { return list.clone() };
    let item = |it: &Val| -> Val {
        let fields = fields_of(it, described);
        Kind::Struct(Rc::new(Struct { type_name, fields })).into()
    };
    Val::list(items.iter().map(item).collect())
}

/// A text field that is written as a number.
fn as_text(value: Val) -> Val {
    match value.kind {
        Kind::Text(_) | Kind::Unknown(_) => value,
        _ => Val { kind: Kind::Text(crate::helm::print::printed(&value)), origin: value.origin },
    }
}

/// `.Files`
fn files(chart: &Chart) -> Files {
    let entries = chart.files.iter().map(|it| {
        let source = match it.place {
            Place::File(_) => Source::Written(it.span()),
            Place::Archive(span) => Source::Made(span),
        };
        let text = match it.content {
            Content::Text(_) => Text::new(&*it.text().text, source),
            // Templates pass its bytes on, which are no text here.
            Content::Bytes(_) => Text::hole(Symbol::of_installation(format!(".Files {}", it.path))),
        };
        (Rc::from(&*it.path), text)
    });
    Files::new(entries.collect())
}
