//! Argo CD Applications: written or made by an `ApplicationSet`, and what their sources install.

mod own_address;
pub(super) mod source;

use std::sync::Arc;

use crate::{
    resolve::{
        gitops::{
            application_set,
            argo::source::{ApplicationSource, SourceFolder},
            repository::{Repository, anything, written},
            selected,
            unknown::unknown,
        },
        kubernetes::Located,
        release::{
            Means, Release,
            chart_version::{ChartVersion, Pin},
            surface::Surface,
            unit::{Parent, Unit, Wait},
        },
        scope::ClusterTarget,
        setting::Setting,
    },
    source::{FileId, Span},
    value::{Field, Value},
};

/// The annotation that orders what an Application applies.
pub const WAVE: &str = "argocd.argoproj.io/sync-wave";

/// The Applications of a project, written or generated.
#[derive(Debug)]
pub struct Applications<'a> {
    repository: &'a Repository<'a>,
    all: Vec<Application<'a>>,
    folders: Vec<AppliedFolder>,
    generated: Vec<(String, FileId)>,
    /// What sets ask of clusters: each is known by its place here.
    selectors: Vec<String>,
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
    /// The clusters that it goes to.
    clusters: ClusterTarget,
}

/// A folder that an Application applies.
#[derive(Debug)]
struct AppliedFolder {
    folder: SourceFolder,
    /// The Application's unit.
    unit: (Span, usize),
    report_span: Span,
}

/// What Applications install.
#[derive(Debug, Default)]
pub struct ArgoReleases {
    /// A release for each source that is a chart.
    pub releases: Vec<Release>,
    /// The sources in templates of `ApplicationSets`, each with a chart that is made of it.
    pub generated: Vec<(Span, Arc<str>)>,
    /// The folders of this repository that are applied.
    pub(super) folders: Vec<SourceFolder>,
    /// The folders that `ApplicationSets` find in git where all that they find is known, each with the set's file.
    pub(super) found: Vec<(String, FileId)>,
}

impl<'a> Applications<'a> {
    /// No Applications yet.
    #[must_use]
    pub fn new(repository: &'a Repository<'a>) -> Self {
        Self {
            repository,
            all: Vec::new(),
            folders: Vec::new(),
            generated: Vec::new(),
            selectors: Vec::new(),
        }
    }

    /// Takes in an Application.
    pub fn application(&mut self, located: &'a Located) {
        let unit = Unit::new(Surface::ArgoCd, located.object.value.clone());
        self.take(unit, located, (false, ClusterTarget::Only));
    }

    /// Takes in the Applications an `ApplicationSet` makes.
    pub fn set(&mut self, located: &'a Located) {
        let set = &located.object.value;
        let parent = Some(Parent::ApplicationSet(located.object.report_span()));
        let is_patched = application_set::is_patched(set);
        let made = application_set::applications(self.repository, set);
        if application_set::is_of_git(set) && !is_patched {
            self.find(located, &made);
        }
        let clusters = self.selected(set);
        for (element, application) in made.into_iter().enumerate() {
            let unit = Unit { element, parent, ..Unit::new(Surface::ArgoCd, application) };
            self.take(unit, located, (is_patched, clusters));
        }
    }

    /// Keeps the folders that a set finds, if all of them are known.
    fn find(&mut self, located: &Located, made: &[Value]) {
        let report_span = located.object.report_span();
        let repository = self.repository;
        let folder = |body: &Value| {
            let found = ApplicationSource { repository, body, report_span }.folder()?;
            Some((found.path, report_span.file))
        };
        let all: Option<Vec<_>> = made.iter().flat_map(sources).map(folder).collect();
        self.generated.extend(all.unwrap_or_default());
    }

    /// The clusters for which a set makes Applications.
    fn selected(&mut self, set: &Value) -> ClusterTarget {
        let Some(selector) = selected::clusters(set) else { return ClusterTarget::Only };
        let known = self.selectors.iter().position(|it| *it == selector);
        let index = known.unwrap_or(self.selectors.len());
        if known.is_none() {
            self.selectors.push(selector);
        }
        ClusterTarget::Selected(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn take(
        &mut self,
        unit: Unit,
        located: &'a Located,
        (is_patched, clusters): (bool, ClusterTarget),
    ) {
        let metadata = unit.body.get("metadata");
        let name = metadata.get("name").present();
        let report_span = name.map_or_else(|| located.object.report_span(), |it| it.span);
        let mut waits_for = wave(metadata.get("annotations").get(WAVE));
        waits_for.extend(is_patched.then_some(Wait::Anything));
        let name = name.and_then(Value::as_str).map(Arc::from);
        let unit = Unit { name, waits_for, ..unit };
        let applied = sources(&unit.body).iter().filter_map(|body| {
            let mut folder =
                ApplicationSource { repository: self.repository, body, report_span }.folder()?;
            folder.namespace = given_namespace(&unit.body, body).filter(|_| !is_patched);
            Some(AppliedFolder { folder, unit: unit.id(), report_span })
        });
        self.folders.extend(applied);
        self.all.push(Application { unit, located, report_span, is_patched, clusters });
    }

    /// What they install, each unit with what brings it.
    #[must_use]
    pub fn into_releases(self) -> ArgoReleases {
        let mut installed = ArgoReleases::default();
        for mut application in self.all {
            let Located { root, folder, .. } = &application.located;
            let id = application.unit.id();
            if application.unit.parent.is_none() && root.is_none() {
                let holds = |it: &&AppliedFolder| it.unit != id && it.folder.holds(folder);
                let around = self.folders.iter().filter(holds);
                let nearest = around.max_by_key(|it| it.folder.path.len());
                application.unit.parent = nearest.map(|it| Parent::Application(it.report_span));
            }
            application.install(self.repository, &mut installed);
        }
        installed.found = self.generated;
        installed.folders = self.folders.into_iter().map(|it| it.folder).collect();
        installed
    }
}

impl Application<'_> {
    fn install(self, repository: &Repository<'_>, installed: &mut ArgoReleases) {
        let Self { unit, located, report_span, is_patched, clusters } = self;
        let unit = Arc::new(unit);
        let is_generated = matches!(unit.parent, Some(Parent::ApplicationSet(_)));
        let destination = unit.body.at("spec.destination");
        let namespace = written(destination.get("namespace"), report_span);
        for body in sources(&unit.body) {
            let scope = located.scope(None);
            let scope = match clusters {
                ClusterTarget::Only => scope,
                clusters => scope.in_cluster(clusters),
            };
            let release = Release {
                name: unit.name.clone(),
                namespace: Setting::text(namespace.as_ref(), report_span),
                may_target_other_cluster: may_target_other_cluster(destination),
                subject: Some(located.subject()),
                is_optional: located.is_perhaps(),
                ..Release::new(Means::Tool(Arc::clone(&unit)), scope, report_span)
            };
            let source = ApplicationSource { repository, body, report_span };
            let Some(mut release) = source.install(release) else { continue };
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

/// The namespace that objects of a source get that have none, if nothing else may give them another.
fn given_namespace(application: &Value, source: &Value) -> Option<Value> {
    let may_give_another =
        !source.at("kustomize.namespace").is_missing() || !source.get("plugin").is_missing();
    let namespace = application.at("spec.destination.namespace").present().cloned();
    namespace.filter(|_| !may_give_another)
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

/// What names Argo CD's own cluster in a destination.
const OWN_CLUSTER: [(&str, &str); 2] =
    [("server", "https://kubernetes.default.svc"), ("name", "in-cluster")];

/// Whether a destination is Argo CD's own cluster; `None` where that is not known, or nothing says so.
#[must_use]
pub fn is_own_cluster(destination: Field<'_>) -> Option<bool> {
    let is_own = |(key, own): &(&str, &str)| {
        let text = destination.get(key).present()?.as_str().filter(|it| !it.is_empty())?;
        Some(text.trim_end_matches('/') == *own)
    };
    OWN_CLUSTER.iter().filter_map(is_own).reduce(|one, other| one && other)
}

/// Whether a destination may be another cluster than Argo CD's own.
fn may_target_other_cluster(destination: Field<'_>) -> bool {
    let is_open = |it: Field<'_>| match it {
        Field::Missing => false,
        Field::Present(value) => value.as_str().is_none(),
        Field::Unknown => true,
    };
    is_own_cluster(destination) == Some(false)
        || OWN_CLUSTER.iter().any(|(key, _)| is_open(destination.get(key)))
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
