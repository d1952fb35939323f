//! What templates see: `.Values`, `.Chart`, `.Release`, `.Files`, `.Capabilities`, `.Template`.

use std::rc::Rc;

use crate::helm::{
    capabilities::capabilities,
    chart::{Chart, Place},
    cluster::Assumptions,
    coalesce::Unit,
    convert::val,
    files::Files,
    release::Release,
    text::{Source, Text},
    value::{Dict, Found, Kind, Val},
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
            ("Name", val(&release.name)),
            ("Namespace", val(&release.namespace)),
            ("IsUpgrade", Val::bool(false)),
            ("IsInstall", Val::bool(true)),
            ("Revision", Kind::Int(1).into()),
            ("Service", Val::text("Helm")),
        ];
        let release = Val::map(entries.map(|(key, value)| (Rc::from(key), value)));
        Self { release, capabilities: capabilities(assumptions) }
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
    const TEXTS: [&str; 11] = [
        "name",
        "home",
        "version",
        "description",
        "icon",
        "apiVersion",
        "condition",
        "tags",
        "appVersion",
        "kubeVersion",
        "type",
    ];
    let metadata = &unit.chart.metadata.value;
    let mut entries: Vec<(Rc<str>, Val)> = vec![("IsRoot".into(), Val::bool(is_root))];
    let given = |key: &str| metadata.get(key).present().map(val);
    for key in TEXTS {
        entries.push((capital(key), given(key).map_or_else(|| Val::text(""), as_text)));
    }
    for key in ["sources", "keywords", "maintainers", "dependencies"] {
        let list = given(key).unwrap_or_else(|| Val::list(Vec::new()));
        entries.push((capital(key), capitals(&list)));
    }
    entries.push(("Annotations".into(), given("annotations").unwrap_or_else(|| Val::map([]))));
    entries.push(("Deprecated".into(), given("deprecated").unwrap_or_else(|| Val::bool(false))));
    entries.push(("Name".into(), Val::text(&*unit.name)));
    Val::map(entries)
}

/// A text field that is written as a number.
fn as_text(value: Val) -> Val {
    match value.kind {
        Kind::Text(_) | Kind::Unknown(_) => value,
        _ => Val { kind: Kind::Text(crate::helm::print::printed(&value)), origin: value.origin },
    }
}

fn capital(key: &str) -> Rc<str> {
    let mut letters = key.chars();
    let first = letters.next().map(|it| it.to_ascii_uppercase());
    first.into_iter().chain(letters).collect::<String>().into()
}

/// The fields of structs begin with capitals.
fn capitals(list: &Val) -> Val {
    let Kind::List(items) = &list.kind else { return list.clone() };
    let item = |it: &Val| match &it.kind {
        Kind::Map(map) => {
            let fields = map.entries().into_iter();
            Val::map(fields.map(|(key, item)| (capital(&key), item.value)))
        }
        _ => it.clone(),
    };
    Val::list(items.iter().map(item).collect())
}

/// `.Files`
fn files(chart: &Chart) -> Files {
    let entries = chart.files.iter().map(|it| {
        let source = match it.place {
            Place::File(_) => Source::Written(it.span()),
            Place::Archive(span) => Source::Made(span),
        };
        (Rc::from(&*it.path), Text::new(&*it.text().text, source))
    });
    Files::new(entries.collect())
}
