//! helmfile: releases listed in a file that is a template itself.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{
    findings::subject::Subject,
    resolve::{
        gitops::{
            repository::{
                Gathered, Repository, anything, extension, glob, last_part, part, version, written,
            },
            unknown::unknown,
        },
        helm::{
            self, Values,
            merge::merge,
            set::{Set, SetKind},
        },
        release::{
            Means, Release, address,
            chart_address::ChartAddress,
            chart_version::ChartVersion,
            crd_switch::CrdSwitch,
            first_values::{FirstValues, ValuesForm},
            surface::Surface,
            unit::{Parent, Unit, Wait},
        },
        scope::Scope,
        setting::Setting,
    },
    source::{FileId, Span, join},
    syntax::{ParseError, yaml},
    value::{Field, Kind, Text, Value},
};

/// Reads the helmfiles of a repository. They are known by their names: `helmfile.yaml`, with `.gotmpl`
/// or not, and what lies in a folder `helmfile.d`.
pub(super) fn read(
    repository: &Repository<'_>,
    releases: &mut Vec<Release>,
    parse_errors: &mut Vec<ParseError>,
) {
    let named = repository.files.iter().filter(|(_, file)| is_helmfile(file.path()));
    let mut open: Vec<FileId> = named.map(|(id, _)| id).collect();
    let mut seen: BTreeSet<FileId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        let text = repository.files.get(id).text();
        let whole = Span::new(id, 0, text.len());
        let documents = yaml::parse(&Text::verbatim(text, whole), whole);
        let lists = documents.values.iter().any(|it| !it.get("releases").is_missing());
        if lists && !text.contains("{{") {
            parse_errors.extend(documents.parse_errors);
        }
        let mut state = State::new(repository, id);
        for document in &documents.values {
            state.document(document, 0);
            state.releases(document, releases);
            let others = state.others(document).into_iter();
            open.extend(others.filter(|it| seen.insert(*it)));
        }
    }
}

fn is_helmfile(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let name = name.strip_suffix(".gotmpl").unwrap_or(name);
    let yaml = matches!(extension(name), "yaml" | "yml");
    yaml && (name.starts_with("helmfile") || parts.next() == Some("helmfile.d"))
}

/// What may change whatever the chart makes of its values.
const PATCHES: &[&str] = &["jsonPatches", "strategicMergePatches", "transformers", "postRenderer"];

/// What a helmfile has set so far.
struct State<'a> {
    repository: &'a Repository<'a>,
    file: FileId,
    folder: &'a str,
    /// The addresses of repositories by the names they have here, each with its entry.
    repositories: HashMap<String, (Value, Value)>,
    defaults: Value,
    templates: Value,
    namespace: Option<Value>,
}

impl<'a> State<'a> {
    fn new(repository: &'a Repository<'a>, file: FileId) -> Self {
        let nothing = Value::map(Vec::new(), Span::new(file, 0, 0));
        Self {
            repository,
            file,
            folder: repository.files.get(file).folder(),
            repositories: HashMap::new(),
            defaults: nothing.clone(),
            templates: nothing,
            namespace: None,
        }
    }

    /// Takes in what holds for the releases of this document and those after it.
    fn document(&mut self, document: &Value, depth: usize) {
        let bases = document.get("bases").present().map_or(&[][..], Value::items);
        for base in bases.iter().filter(|_| depth < 4) {
            let found = base.as_str().and_then(|it| self.repository.file(self.folder, it));
            match found.and_then(|id| self.repository.document(id, true).value.clone()) {
                Some(base) => self.document(&base, depth + 1),
                None => {
                    self.defaults = merge(self.defaults.clone(), &anything(base.span));
                }
            }
        }
        for entry in document.get("repositories").present().map_or(&[][..], Value::items) {
            let name = entry.get("name").present().and_then(Value::as_str);
            if let (Some(name), Field::Present(url)) = (name, entry.get("url")) {
                self.repositories.insert(name.to_owned(), (url.clone(), entry.clone()));
            }
        }
        for (key, into) in
            [("helmDefaults", &mut self.defaults), ("templates", &mut self.templates)]
        {
            if let Some(value) = written(document.get(key), document.span) {
                *into = merge(into.clone(), &value);
            }
        }
        self.namespace =
            written(document.get("namespace"), document.span).or(self.namespace.take());
    }

    /// The helmfiles this one names.
    fn others(&self, document: &Value) -> Vec<FileId> {
        let mut found = Vec::new();
        for item in document.get("helmfiles").present().map_or(&[][..], Value::items) {
            let path = item.as_str().or_else(|| item.get("path").present()?.as_str());
            let Some(path) = path.and_then(|it| join(self.folder, it)) else { continue };
            let Some(pattern) = glob(&path) else { continue };
            let named = self.repository.files.iter().filter(|(_, file)| {
                pattern.is_match(file.path())
                    || file.folder() == path && extension(file.path()) != "md"
            });
            found.extend(named.map(|(id, _)| id));
        }
        found
    }

    fn releases(&self, document: &Value, found: &mut Vec<Release>) {
        for entry in document.get("releases").present().map_or(&[][..], Value::items) {
            found.extend(self.release(document, entry));
        }
    }

    fn release(&self, document: &Value, entry: &Value) -> Option<Release> {
        let entry = &self.inherited(entry);
        if entry.get("installed").present().and_then(Value::as_bool) == Some(false) {
            return None;
        }
        let name = entry.get("name").present()?;
        let report_span = name.span;
        let (chart, local, repository) = self.chart(entry.get("chart").present()?);
        if chart.is_none() && local.is_none() {
            return None;
        }
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
            first_values: Some(FirstValues::new(entry, &["values"], ValuesForm::Item)),
            crd_switch: Some(CrdSwitch::key(document, "helmDefaults.skipCRDs")),
            subject: Some(Subject::default()),
            ..Release::new(Means::Tool(Arc::new(unit)), scope, report_span)
        })
    }

    /// The entry over the templates it inherits.
    fn inherited(&self, entry: &Value) -> Value {
        let mut base: Option<Value> = None;
        for inherit in entry.get("inherit").present().map_or(&[][..], Value::items) {
            let name = inherit.get("template").present().and_then(Value::as_str);
            let template = name.and_then(|it| self.templates.get(it).present());
            let template = template.cloned().unwrap_or_else(|| anything(inherit.span));
            base = Some(match base {
                Some(base) => merge(base, &template),
                None => template,
            });
        }
        base.map_or_else(|| entry.clone(), |base| merge(base, entry))
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
                    Kind::String(_) if key != "secrets" => self.value_file(item, &mut gathered),
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

    fn value_file(&self, item: &Value, gathered: &mut Gathered) {
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
