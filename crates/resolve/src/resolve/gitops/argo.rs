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
            Means, Release, address,
            chart_version::{ChartVersion, Pin},
            crd_switch::CrdSwitch,
            first_values::{FirstValues, Form},
            surface::Surface,
            unit::{Parent, Unit, Wait},
        },
        scope::Scope,
        setting::Setting,
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
    all: Vec<Application<'a>>,
    folders: Vec<Applied>,
}

/// An Application.
#[derive(Debug)]
struct Application<'a> {
    unit: Unit,
    located: &'a Located,
    /// What to point at when something is missing.
    report_span: Span,
    /// Whether a patch in text form may have changed anything about its sources.
    is_patched: bool,
}

/// A folder that an Application applies.
#[derive(Debug)]
struct Applied {
    folder: String,
    /// Whether what lies in folders below counts, too.
    below: bool,
    unit: (Span, usize),
    report_span: Span,
}

/// What Applications install.
#[derive(Debug, Default)]
pub struct Installed {
    /// A release for each source that is a chart.
    pub releases: Vec<Release>,
    /// The sources in templates of `ApplicationSets`, each with a chart that is made of it.
    pub generated: Vec<(Span, Arc<str>)>,
}

impl<'a> Applications<'a> {
    /// No Applications yet.
    #[must_use]
    pub fn new(repository: &'a Repository<'a>) -> Self {
        Self { repository, all: Vec::new(), folders: Vec::new() }
    }

    /// Takes in an Application.
    pub fn application(&mut self, located: &'a Located) {
        let unit = Unit::new(Surface::ArgoCd, located.object.value.clone());
        self.take(unit, located, false);
    }

    /// Takes in the Applications an `ApplicationSet` makes.
    pub fn set(&mut self, located: &'a Located) {
        let set = &located.object.value;
        let parent = Some(Parent::ApplicationSet(located.object.report_span()));
        let is_patched = application_set::is_patched(set);
        let made = application_set::applications(self.repository, set);
        for (element, application) in made.into_iter().enumerate() {
            let unit = Unit { element, parent, ..Unit::new(Surface::ArgoCd, application) };
            self.take(unit, located, is_patched);
        }
    }

    fn take(&mut self, unit: Unit, located: &'a Located, is_patched: bool) {
        let metadata = unit.body.get("metadata");
        let name = metadata.get("name").present();
        let report_span = name.map_or_else(|| located.object.report_span(), |it| it.span);
        let mut waits_for = wave(metadata.get("annotations").get(WAVE));
        waits_for.extend(is_patched.then_some(Wait::Anything));
        let name = name.and_then(Value::as_str).map(Arc::from);
        let unit = Unit { name, waits_for, ..unit };
        let applied = sources(&unit.body).iter().filter_map(|body| {
            let source = ApplicationSource { repository: self.repository, body, report_span };
            source.applied(unit.id())
        });
        self.folders.extend(applied);
        self.all.push(Application { unit, located, report_span, is_patched });
    }

    /// What they install, each unit with what brings it.
    #[must_use]
    pub fn into_installed(self) -> Installed {
        let mut installed = Installed::default();
        for mut application in self.all {
            let Located { root, folder, .. } = application.located;
            let id = application.unit.id();
            if application.unit.parent.is_none() && root.is_none() {
                let holds = |it: &&Applied| it.unit != id && it.holds(folder);
                let nearest = self.folders.iter().filter(holds).max_by_key(|it| it.folder.len());
                application.unit.parent = nearest.map(|it| Parent::Application(it.report_span));
            }
            application.install(self.repository, &mut installed);
        }
        installed
    }
}

impl Application<'_> {
    fn install(self, repository: &Repository<'_>, installed: &mut Installed) {
        let Self { unit, located, report_span, is_patched } = self;
        let unit = Arc::new(unit);
        let is_generated = matches!(unit.parent, Some(Parent::ApplicationSet(_)));
        let destination = unit.body.at("spec.destination");
        let text = |value: &Value| value.as_str().map(str::to_owned);
        for body in sources(&unit.body) {
            let source = ApplicationSource { repository, body, report_span };
            let means = Means::Tool(Arc::clone(&unit));
            let scope = Scope::new(located.root, &located.folder);
            let release = Release::new(means, scope, report_span);
            let Some(release) = source.release(release, unit.name.clone()) else { continue };
            let namespace = written(destination.get("namespace"), report_span);
            let mut release = Release {
                namespace: namespace.map_or_else(
                    || Setting::unknown(report_span),
                    |it| Setting::written(&it, text),
                ),
                may_target_other_cluster: may_target_other_cluster(destination),
                subject: Some(located.subject()),
                ..release
            };
            if is_patched {
                forget(&mut release);
            }
            if is_generated {
                installed.generated.push((body.span, Arc::clone(&release.chart)));
            }
            installed.releases.push(release);
        }
    }
}

impl Applied {
    fn holds(&self, folder: &str) -> bool {
        *folder == *self.folder || self.below && is_below(folder, &self.folder)
    }
}

/// The sources of an Application.
fn sources(application: &Value) -> &[Value] {
    let spec = application.get("spec");
    let several = spec.get("sources").present().map_or(&[][..], Value::items);
    let single = spec.get("source").present().filter(|_| several.is_empty());
    single.map_or(several, std::slice::from_ref)
}

/// A patch in text form may have changed anything about a source.
fn forget(release: &mut Release) {
    let place = release.report_span;
    release.values = anything(place);
    release.version = ChartVersion::new(Some(&unknown(place)), Pin::Written, place);
    release.skip_crds = Setting::unknown(release.skip_crds.span());
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

fn wave(annotation: Field<'_>) -> Vec<Wait> {
    match annotation {
        Field::Missing => Vec::new(),
        Field::Unknown => vec![Wait::Wave(None)],
        Field::Present(value) => {
            vec![Wait::Wave(value.as_str().and_then(|it| it.trim().parse().ok()))]
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
    fn applied(&self, unit: (Span, usize)) -> Option<Applied> {
        let folder = join("", self.text("path")?)?;
        let recurse = self.body.at("directory.recurse").present().and_then(Value::as_bool);
        let builds = ["Chart.yaml", "kustomization.yaml", "kustomization.yml"]
            .iter()
            .any(|it| self.repository.file(&folder, it).is_some());
        let below = recurse == Some(true) || builds;
        Some(Applied { folder, below, unit, report_span: self.report_span })
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

    /// The release with what the source says of it; `None` if it is no chart.
    fn release(&self, release: Release, own_name: Option<Arc<str>>) -> Option<Release> {
        let (chart, local_chart) = self.chart()?;
        let helm = entry(self.body, "helm");
        let place = helm.map_or(self.report_span, |it| it.key_span);
        let revision =
            if chart.is_some() { self.body.get("targetRevision") } else { Field::Missing };
        let version = version(self.repository.files, revision, self.report_span);
        let repository = written(self.body.get("repoURL"), self.report_span);
        let values = self.values(helm);
        let helm = self.body.get("helm");
        let is_free = helm.get("values").is_missing() && !helm.is_unknown();
        Some(Release {
            name: match helm.get("releaseName") {
                Field::Missing => own_name,
                field => field.present().and_then(Value::as_str).map(Arc::from),
            },
            chart: chart.as_ref().and_then(Value::as_str).unwrap_or_default().into(),
            local_chart,
            repository: address(repository.as_ref(), self.body.get("chart").present()),
            repository_span: repository.map(|it| it.span),
            version: ChartVersion::or_newest(version.as_ref(), self.report_span),
            skip_crds: Setting::of(helm.get("skipCrds"), Some(false), place, Value::as_bool),
            // Argo CD renders the CRDs with the rest and applies them at each sync.
            upgrade_crds: Setting::default(true, place),
            values: values.value,
            parse_errors: values.parse_errors,
            // An object of values hides a text of them.
            first_values: is_free
                .then(|| FirstValues::new(self.body, &["helm", "valuesObject"], Form::Mapping)),
            crd_switch: Some(CrdSwitch::key(self.body, "helm.skipCrds")),
            ..release
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
