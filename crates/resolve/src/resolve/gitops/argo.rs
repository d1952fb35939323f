//! Argo CD Applications: their sources that are charts.

use std::sync::Arc;

use crate::{
    resolve::{
        gitops::{
            application_set,
            repository::{Gathered, Repository, anything, entry, last_part, version, written},
            unknown::unknown,
        },
        helm::{
            self, Values,
            set::{Set, SetKind},
        },
        kubernetes::Located,
        release::{
            described::{ChartRelease, Crds, Parent, Switch, Unit, Wait},
            surface::Surface,
        },
    },
    source::{FileId, Span, is_below, join},
    value::{Entry, Field, HOLE_START, Kind, Text, Value},
};

/// The annotation that orders what an Application applies.
pub const WAVE: &str = "argocd.argoproj.io/sync-wave";

/// The Applications of a project, written or generated.
#[derive(Debug)]
pub struct Applications<'a> {
    repository: &'a Repository<'a>,
    releases: Vec<ChartRelease>,
    folders: Vec<AppliedFolder>,
}

/// A folder that an Application applies.
#[derive(Debug)]
struct AppliedFolder {
    folder: String,
    /// Whether what lies in folders below counts, too.
    below: bool,
    unit: Unit,
    report_span: Span,
}

impl<'a> Applications<'a> {
    /// No Applications yet.
    #[must_use]
    pub fn new(repository: &'a Repository<'a>) -> Self {
        Self { repository, releases: Vec::new(), folders: Vec::new() }
    }

    /// Takes in an Application.
    pub fn application(&mut self, located: &Located) {
        let application = &located.object.value;
        let unit = Unit { span: application.span, element: 0 };
        self.take(application, located, unit, None);
    }

    /// Takes in the Applications an `ApplicationSet` makes.
    pub fn set(&mut self, located: &Located) {
        let set = &located.object.value;
        let parent = Parent::ApplicationSet(located.object.report_span());
        let patched = application_set::is_patched(set);
        let made = application_set::applications(self.repository, set);
        for (element, application) in made.iter().enumerate() {
            let before = self.releases.len();
            self.take(application, located, Unit { span: set.span, element }, Some(parent));
            for release in self.releases.iter_mut().skip(before).filter(|_| patched) {
                forget(release);
            }
        }
    }

    /// The releases, each with what brings it.
    #[must_use]
    pub fn into_releases(mut self) -> Vec<ChartRelease> {
        for release in &mut self.releases {
            if release.parent.is_some() || release.root.is_some() {
                continue;
            }
            let folder = &release.folder;
            let holds = |it: &&AppliedFolder| it.unit != release.unit && it.holds(folder);
            let nearest = self.folders.iter().filter(holds).max_by_key(|it| it.folder.len());
            release.parent = nearest.map(|it| Parent::Application(it.report_span));
        }
        self.releases
    }

    fn take(&mut self, application: &Value, at: &Located, unit: Unit, parent: Option<Parent>) {
        let Some(spec) = application.get("spec").present() else { return };
        let metadata = application.get("metadata");
        let name = metadata.get("name").present();
        let report_span = name.map_or_else(|| at.object.report_span(), |it| it.span);
        let several = spec.get("sources").present().map_or(&[][..], Value::items);
        let single = spec.get("source").present();
        let sources = if several.is_empty() { single.map(std::slice::from_ref) } else { None };
        for source in sources.unwrap_or(several) {
            let reader =
                ApplicationSource { repository: self.repository, body: source, report_span };
            self.folders.extend(reader.applied(unit));
            let Some(mut release) = reader.release(at, unit) else { continue };
            release.name = name.and_then(Value::as_str).unwrap_or_default().into();
            release.namespace = written(spec.get("destination").get("namespace"), report_span);
            release.may_target_other_cluster = may_target_other_cluster(spec.get("destination"));
            release.waits_for = wave(metadata.get("annotations").get(WAVE), report_span);
            release.parent = parent;
            release.whole = application.clone();
            self.releases.push(release);
        }
    }
}

impl AppliedFolder {
    fn holds(&self, folder: &str) -> bool {
        *folder == *self.folder || self.below && is_below(folder, &self.folder)
    }
}

/// A patch in text form may have changed anything about a source.
fn forget(release: &mut ChartRelease) {
    release.values = anything(release.report_span);
    release.version = Some(unknown(release.report_span));
    release.crds.skip.on = None;
    release.waits_for.push(Wait::Anything(release.report_span));
}

/// Whether a destination may be another cluster than Argo CD's own.
fn may_target_other_cluster(destination: Field<'_>) -> bool {
    let own = [("server", "https://kubernetes.default.svc"), ("name", "in-cluster")];
    own.iter().any(|(key, own)| match destination.get(key) {
        Field::Missing => false,
        Field::Present(value) => {
            value.as_str().is_none_or(|it| !it.is_empty() && it.trim_end_matches('/') != *own)
        }
        Field::Unknown => true,
    })
}

fn wave(annotation: Field<'_>, report_span: Span) -> Vec<Wait> {
    match annotation {
        Field::Missing => Vec::new(),
        Field::Unknown => vec![Wait::Wave { number: None, span: report_span }],
        Field::Present(value) => {
            let number = value.as_str().and_then(|it| it.trim().parse().ok());
            vec![Wait::Wave { number, span: value.span }]
        }
    }
}

/// A source of an Application.
struct ApplicationSource<'a> {
    repository: &'a Repository<'a>,
    body: &'a Value,
    report_span: Span,
}

impl ApplicationSource<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.body.get(key).present().and_then(Value::as_str)
    }

    /// The folder of this repository that the source applies.
    fn applied(&self, unit: Unit) -> Option<AppliedFolder> {
        let folder = join("", self.text("path")?)?;
        let recurse = self.body.at("directory.recurse").present().and_then(Value::as_bool);
        let builds = ["Chart.yaml", "kustomization.yaml", "kustomization.yml"]
            .iter()
            .any(|it| self.repository.file(&folder, it).is_some());
        let below = recurse == Some(true) || builds;
        Some(AppliedFolder { folder, below, unit, report_span: self.report_span })
    }

    /// The chart's name, or the folder of a local one.
    fn chart(&self) -> Option<(Option<Value>, Option<String>)> {
        match self.body.get("chart") {
            Field::Present(chart) => return Some((Some(last_part(chart)), None)),
            Field::Unknown => return None,
            Field::Missing => {}
        }
        let address = self.body.get("repoURL").present();
        let path = self.text("path");
        match address.filter(|it| it.as_str().is_some_and(|it| it.starts_with("oci://"))) {
            Some(address) if path.is_none_or(|it| it == "." || it.is_empty()) => {
                Some((Some(last_part(address)), None))
            }
            Some(_) => None,
            None => {
                let plugin = !self.body.get("plugin").is_missing();
                let folder = self.repository.chart("", path.filter(|_| !plugin)?)?;
                Some((None, Some(folder)))
            }
        }
    }

    fn release(&self, at: &Located, unit: Unit) -> Option<ChartRelease> {
        let (chart, folder) = self.chart()?;
        let helm = entry(self.body, "helm");
        let place = helm.map_or(self.report_span, |it| it.key_span);
        let revision =
            if chart.is_some() { self.body.get("targetRevision") } else { Field::Missing };
        let values = self.values(helm);
        let skip = self.body.get("helm").get("skipCrds");
        Some(ChartRelease {
            surface: Surface::ArgoCd,
            root: at.root.map(|it| (it, at.node)),
            folder: at.folder.clone(),
            file: at.header.file,
            name: Arc::default(),
            report_span: self.report_span,
            body: self.body.clone(),
            whole: self.body.clone(),
            chart,
            local_chart: folder.map(Arc::from),
            version: version(self.repository.files, revision, self.report_span),
            resolved: None,
            repository: written(self.body.get("repoURL"), self.report_span),
            namespace: None,
            scope: None,
            may_target_other_cluster: false,
            wrapped: false,
            crds: Crds {
                skip: Switch::read(skip, false, place),
                // Argo CD renders the CRDs with the rest and applies them at each sync.
                upgrade: Switch::by_default(Some(true), place),
            },
            values: values.value,
            parse_errors: values.parse_errors,
            waits_for: Vec::new(),
            unit,
            parent: None,
            subject: at.subject(),
        })
    }

    /// Files, then the values in place (an object hides a text), then the parameters.
    fn values(&self, helm: Option<&Entry>) -> Values {
        let place = helm.map_or(self.report_span, |it| it.key_span);
        let helm = self.body.get("helm");
        let mut gathered = Gathered::default();
        if helm.is_unknown() {
            gathered.unknown(place);
        }
        let files = helm.get("valueFiles");
        let lenient = helm.get("ignoreMissingValueFiles").present().and_then(Value::as_bool);
        if let Field::Present(list) = files {
            for item in list.items() {
                self.value_file(item, list.items(), lenient == Some(true), &mut gathered);
            }
        }
        if files.is_unknown()
            || files.present().and_then(Value::as_list).is_some_and(|it| it.rest.is_some())
        {
            gathered.unknown(place);
        }
        let object = helm.get("valuesObject");
        let values = if object.is_missing() { helm.get("values") } else { object };
        gathered.documents.extend(written(values, place));
        let mut merged = helm::values(&gathered.documents, &sets(helm), place);
        merged.parse_errors.extend(gathered.parse_errors);
        merged
    }

    fn value_file(&self, item: &Value, all: &[Value], lenient: bool, gathered: &mut Gathered) {
        if let Some(id) = self.find(item) {
            gathered.file(self.repository, id, false);
            return;
        }
        // Others of the same place are here, so this one would be.
        let reference = |it: &Value| match &it.kind {
            Kind::String(text) => Some(text.text.strip_prefix('$')?.split('/').next()?.to_owned()),
            _ => None,
        };
        let beside = |it: &Value| reference(it) == reference(item) && self.find(it).is_some();
        let here = all.iter().any(beside);
        match self.possible(item) {
            Some(possible) if !possible.is_empty() => {
                gathered.one_of(self.repository, &possible);
            }
            Some(_) if here && lenient => {}
            _ => gathered.unknown(item.span),
        }
    }

    /// The files of this repository that a path may mean; `None` when it may mean another place.
    fn possible(&self, item: &Value) -> Option<Vec<FileId>> {
        let Kind::String(text) = &item.kind else { return None };
        if text.text.contains("://") {
            return None;
        }
        if let Some(known) = text.known() {
            let local = self.body.get("chart").is_missing() || known.starts_with('$');
            return local.then(Vec::new);
        }
        let start = text.text.strip_prefix('$')?.find('/')? + 2;
        // The name of the reference has to be known.
        let name = text.text.get(..start).filter(|it| !it.contains(HOLE_START))?;
        let rest = Text { text: text.text.get(name.len()..)?.into(), ..text.clone() };
        self.repository.possible_files(&rest)
    }

    /// The value file in this repository.
    fn find(&self, item: &Value) -> Option<FileId> {
        let text = item.as_str()?;
        if let Some(reference) = text.strip_prefix('$') {
            return self.repository.file("", reference.split_once('/')?.1);
        }
        if text.contains("://") || !self.body.get("chart").is_missing() {
            return None;
        }
        let folder = if text.starts_with('/') { "" } else { self.text("path")? };
        self.repository.file(&join("", folder)?, text)
    }
}

/// What the parameters set.
fn sets(helm: Field<'_>) -> Vec<Set> {
    let mut found = Vec::new();
    for key in ["parameters", "fileParameters"] {
        let field = helm.get(key);
        let list = field.present();
        for item in list.map_or(&[][..], Value::items) {
            let Field::Present(name) = item.get("name") else { continue };
            let forced = item.get("forceString").present().and_then(Value::as_bool);
            let value = match item.get("value") {
                Field::Present(value) => value.clone(),
                _ => unknown(item.span),
            };
            let kind = if forced == Some(true) { SetKind::Text } else { SetKind::Auto };
            found.push(Set { name: name.clone(), value, kind });
        }
        let open = list.and_then(Value::as_list).is_some_and(|it| it.rest.is_some());
        if let (true, Some(list)) = (field.is_unknown() || open, list) {
            let anything = unknown(list.span);
            found.push(Set { name: anything.clone(), value: anything, kind: SetKind::Auto });
        }
    }
    found
}
