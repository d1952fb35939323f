//! The releases of a helmfile.

use std::sync::Arc;

use crate::{
    findings::subject::Subject,
    resolve::{
        gitops::{
            helmfile::{
                environment::{Environment, skips_missing},
                inherit::inherited,
                state::State,
            },
            repository::{Gathered, anything, extension, last_part, part, version, written},
            unknown::unknown,
        },
        helm::{
            self, Values,
            set::{Set, SetKind},
        },
        release::{
            Means, Release, address,
            chart_address::ChartAddress,
            chart_version::ChartVersion,
            crd_switch::CrdSwitch,
            first_values::{FirstValues, ValuesForm},
            missing_chart::MissingChart,
            surface::Surface,
            unit::{Parent, Unit, Wait},
        },
        scope::Scope,
        setting::Setting,
    },
    source::{Span, join},
    value::{Entry, Field, Kind, Map, Value},
};

/// What may change whatever the chart makes of its values.
const PATCHES: &[&str] = &["jsonPatches", "strategicMergePatches", "transformers", "postRenderer"];

impl State<'_> {
    /// The releases of a document.
    pub(super) fn releases(&self, document: &Value) -> Vec<Release> {
        let entries = document.get("releases").present().map_or(&[][..], Value::items);
        entries.iter().filter_map(|it| self.release(document, it)).collect()
    }

    fn release(&self, document: &Value, entry: &Value) -> Option<Release> {
        let entry = &self.filled(inherited(&self.templates, entry));
        if self.is_off(entry) {
            return None;
        }
        let name = entry.get("name").present()?;
        // A name may be from the values of an environment.
        let is_here = name.span.file == self.file;
        let report_span = if is_here { name.span } else { name.name };
        let (chart, local, repository) = self.chart(entry.get("chart").present()?);
        let missing_chart = if chart.is_none() && local.is_none() {
            Some(self.missing(entry.get("chart").present()?.as_str()?))
        } else {
            None
        };
        let values = self.values(entry, report_span);
        let namespace = match entry.get("namespace") {
            Field::Missing => self.namespace.clone(),
            field => written(field, report_span),
        };
        let own_name: Option<Arc<str>> = name.as_str().map(Arc::from);
        let unit = Unit {
            name: own_name.clone(),
            namespace: namespace.as_ref().and_then(Value::as_str).map(Arc::from),
            waits_for: needs(entry),
            parent: Some(Parent::Helmfile(self.file)),
            ..Unit::new(Surface::Helmfile, entry.clone())
        };
        let version = version(self.repository.files, entry.get("version"), report_span);
        let scope = Scope::new(None, &self.folder.into());
        Some(Release {
            name: own_name,
            chart: chart.as_ref().and_then(Value::as_str).unwrap_or_default().into(),
            local_chart: local,
            missing_chart,
            repository: address(repository.as_ref(), entry.get("chart").present()),
            repository_span: repository.map(|it| it.span),
            chart_address: self.address(entry),
            version: ChartVersion::or_newest(version.as_ref(), report_span),
            namespace: Setting::text(namespace.as_ref(), report_span),
            skip_crds: self.skips(entry, report_span),
            // Helm installs them once.
            upgrade_crds: Setting::default(false, report_span),
            values: values.value,
            parse_errors: values.parse_errors,
            first_values: self
                .is_literal(entry)
                .then(|| FirstValues::new(entry, &["values"], ValuesForm::Item)),
            crd_switch: Some(CrdSwitch::key(document, "helmDefaults.skipCRDs")),
            subject: Some(Subject::default()),
            ..Release::new(Means::Tool(Arc::new(unit)), scope, report_span)
        })
    }

    /// Whether a release is certainly not installed.
    fn is_off(&self, entry: &Value) -> bool {
        let is_false = |it: Field<'_>| it.present().and_then(Value::as_flag) == Some(false);
        let condition = entry.get("condition").present().and_then(Value::as_str);
        let asked = self.environment.zip(condition);
        is_false(entry.get("installed"))
            || is_false(entry.get("installedTemplate"))
            || asked.is_some_and(|(environment, path)| is_false(environment.values.at(path)))
    }

    /// Whether the text of an entry is YAML as it is written, in which something can be put.
    fn is_literal(&self, entry: &Value) -> bool {
        let is_here = entry.span.file == self.file;
        is_here && (self.environment.is_none() || !self.has_templates(entry))
    }

    fn has_templates(&self, entry: &Value) -> bool {
        self.repository.files.text(entry.span).contains("{{")
    }

    /// The entry with what is a template in it by itself, which sees the entry.
    fn filled(&self, entry: Value) -> Value {
        let Some(environment) = self.environment else { return entry };
        let Kind::Map(map) = &entry.kind else { return entry };
        let fill = |it: &Entry| {
            let value = match &*it.key {
                "name" | "namespace" | "chart" | "version" | "installedTemplate" | "secrets"
                | "set" | "setTemplate" | "valuesTemplate" => {
                    environment.filled(&it.value, &entry, usize::MAX)
                }
                // Values that are written here are no templates.
                "values" => environment.filled(&it.value, &entry, 1),
                _ => return it.clone(),
            };
            Entry { value, ..it.clone() }
        };
        let entries = map.entries.iter().map(fill).collect();
        let map = Map { entries, rest: map.rest.clone() };
        Value { kind: Kind::Map(Arc::new(map)), ..entry.clone() }
    }

    /// The entry of its chart's repository.
    fn address(&self, entry: &Value) -> Option<ChartAddress> {
        let (alias, _) = entry.get("chart").present()?.as_str()?.split_once('/')?;
        self.repositories.get(alias).map(|it| ChartAddress::HelmfileEntry(it.1.clone()))
    }

    /// The chart's name or folder, and its repository.
    fn chart(&self, written: &Value) -> (Option<Value>, Option<String>, Option<Value>) {
        let Kind::String(text) = &written.kind else {
            return (Some(written.clone()), None, None);
        };
        let Some(known) = text.known() else { return (Some(written.clone()), None, None) };
        if let Some(folder) = self.repository.chart(self.folder, known) {
            return (None, Some(folder), None);
        }
        if known.starts_with("oci://") {
            return (Some(last_part(written)), None, Some(written.clone()));
        }
        match known.split_once('/') {
            Some((alias, name)) if !name.contains('/') && !alias.starts_with('.') => {
                let start = alias.len() + 1;
                let chart = part(written, text, start..known.len());
                (Some(chart), None, self.repositories.get(alias).map(|it| it.0.clone()))
            }
            Some(_) if known.contains("://") => (Some(last_part(written)), None, None),
            // A path to what is not here.
            Some(_) => (None, None, None),
            None => (Some(written.clone()), None, None),
        }
    }

    /// A chart at a path that is not here.
    fn missing(&self, path: &str) -> MissingChart {
        let known = join(self.folder, path);
        MissingChart { path: known.as_deref().unwrap_or(path).into(), source: None }
    }

    fn skips(&self, entry: &Value, report_span: Span) -> Setting<bool> {
        for (from, place) in [(entry, report_span), (&self.defaults, self.defaults.name)] {
            let place = if place.end == 0 { report_span } else { place };
            let key = Setting::of(from.get("skipCRDs"), Some(false), place, Value::as_bool);
            if key.is_written() || key.known().is_none() {
                return key;
            }
            let mut arguments = from.get("args").present().map_or(&[][..], Value::items).iter();
            if let Some(found) = arguments.find(|it| it.as_str() == Some("--skip-crds")) {
                return Setting::written(found, |_| Some(true));
            }
        }
        Setting::default(false, report_span)
    }

    fn values(&self, entry: &Value, report_span: Span) -> Values {
        let mut gathered = Gathered::default();
        for key in ["values", "valuesTemplate", "secrets"] {
            let field = entry.get(key);
            for item in field.present().map_or(&[][..], Value::items) {
                match &item.kind {
                    Kind::Map(_) => gathered.documents.push(item.clone()),
                    Kind::String(_) if key != "secrets" => {
                        self.value_file(entry, item, &mut gathered);
                    }
                    _ if key == "secrets" => gathered.secret(item.span),
                    _ => gathered.unknown(item.span),
                }
            }
            let list = field.present().and_then(Value::as_list);
            if field.is_unknown() || list.is_some_and(|it| it.rest.is_some()) {
                gathered.unknown(report_span);
            }
        }
        let mut merged = helm::values(&gathered.documents, &sets(entry), report_span);
        if PATCHES.iter().any(|it| !entry.get(it).is_missing()) {
            merged.value = anything(report_span);
        }
        merged.parse_errors.extend(gathered.parse_errors);
        merged
    }

    fn value_file(&self, entry: &Value, item: &Value, gathered: &mut Gathered) {
        let skips_missing = self.skips_missing || skips_missing(entry);
        // Without an environment, a template still sees the release that it is of.
        let unnamed = (self.environment.is_none() && !self.has_templates(entry))
            .then(|| Environment::named(&unknown(entry.span)));
        if let Some(environment) = self.environment.or(unnamed.as_ref()) {
            let of = (self.folder, Some(entry));
            return environment.file(self.repository, of, item, skips_missing, gathered);
        }
        let path = item.as_str().filter(|it| !it.contains("://"));
        let found = path.and_then(|it| Some((it, self.repository.file(self.folder, it.trim())?)));
        match found {
            Some((path, id)) => {
                gathered.file(self.repository, id, extension(path.trim()) == "gotmpl");
            }
            None => gathered.absent(path, item.span),
        }
    }
}

fn sets(entry: &Value) -> Vec<Set> {
    let mut found = Vec::new();
    for (key, kind) in
        [("set", SetKind::Auto), ("setTemplate", SetKind::Auto), ("setString", SetKind::Text)]
    {
        let field = entry.get(key);
        for item in field.present().map_or(&[][..], Value::items) {
            let Field::Present(name) = item.get("name") else { continue };
            let (value, kind) = match (item.get("value"), item.get("values")) {
                (Field::Present(value), _) => (value.clone(), kind),
                (_, Field::Present(list)) => (list.clone(), SetKind::List),
                _ => (unknown(item.span), kind),
            };
            found.push(Set { name: name.clone(), value, kind });
        }
        let list = field.present().and_then(Value::as_list);
        if field.is_unknown() || list.is_some_and(|it| it.rest.is_some()) {
            let value = unknown(entry.span);
            found.push(Set { name: value.clone(), value, kind });
        }
    }
    found
}

/// `namespace/name`, `name`, or with the cluster's context before.
fn needs(entry: &Value) -> Vec<Wait> {
    let field = entry.get("needs");
    let read = |item: &Value| {
        let mut parts = item.as_str().map(|it| it.rsplit('/')).into_iter().flatten();
        let name = parts.next().map(Arc::from);
        let namespace = parts.next().filter(|it| !it.is_empty()).map(Arc::from);
        Wait::Unit { name, namespace }
    };
    let mut found: Vec<Wait> =
        field.present().map_or(&[][..], Value::items).iter().map(read).collect();
    let list = field.present().and_then(Value::as_list);
    if field.is_unknown() || list.is_some_and(|it| it.rest.is_some()) {
        found.push(Wait::Anything);
    }
    found
}
