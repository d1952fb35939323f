//! Gathers what a project builds, from every surface.

use std::{collections::HashSet, sync::OnceLock};

use crate::{
    findings::subject::Subject,
    model::{Model, applied},
    project::Project,
    resolve::{
        charts::{Rendering, folders::ChartFolders, renderings},
        cloudformation, gitops,
        kubernetes::{Located, Object, held::from_terraform, manifests},
        kustomize, pulumi,
        release::Release,
        scope::Scope,
    },
    source::{FileId, Span},
};

/// An object that something builds.
#[derive(Debug)]
pub struct BuiltObject<'p> {
    /// The object, with what a Secret keeps.
    pub object: Object,
    /// Where it is written.
    pub span: Span,
    /// What builds it.
    pub built_by: Builder,
    /// Where that is written: the release, the kustomization; else the object's own file.
    pub builder: FileId,
    /// Where it belongs.
    pub scope: Scope,
    /// What a finding about it is about.
    pub subject: Subject,
    /// The project that holds it.
    pub project: &'p Project,
}

/// What builds an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builder {
    /// Nothing: it is applied as it is written.
    File,
    /// The kustomization of a folder.
    Kustomization(String),
    /// A Terraform resource.
    Resource {
        /// The folder of its root module.
        root: String,
        /// Its address.
        address: String,
        /// Whether it is there only when variables have other values than those known.
        is_optional: bool,
    },
    /// A `CloudFormation` template.
    Stack(String),
    /// A release of a chart of the repository.
    Release {
        /// The chart's folder.
        chart: String,
        /// The namespace, if it is known.
        namespace: Option<String>,
        /// The name, if it is known.
        name: Option<String>,
        /// Where the release is written: the path and the line.
        place: (String, usize),
        /// Whether it is there only when variables have other values than those known.
        is_optional: bool,
    },
    /// A chart of the repository that nobody installs, with its own values.
    Chart(String),
}

/// The objects that a project builds, gathered when they are first asked for.
#[derive(Debug)]
pub(crate) struct BuiltObjects<'p> {
    project: &'p Project,
    gathered: OnceLock<Vec<BuiltObject<'p>>>,
}

impl<'p> BuiltObjects<'p> {
    /// Those of a project, none of them gathered yet.
    #[must_use]
    pub(crate) fn of(project: &'p Project) -> Self {
        Self { project, gathered: OnceLock::new() }
    }

    /// All of them, by what builds them.
    #[must_use]
    pub(crate) fn all(&self, model: &Model) -> &[BuiltObject<'p>] {
        self.gathered.get_or_init(|| objects(self.project, model))
    }
}

/// The objects that a project builds, by what builds them.
#[must_use]
pub(crate) fn objects<'p>(project: &'p Project, model: &Model) -> Vec<BuiltObject<'p>> {
    let mut gathering = Gathering { project, model, found: Vec::new(), with_crds: HashSet::new() };
    let charts = ChartFolders::find(&project.files, &project.archives);
    let kubernetes = |scope: &Scope| model.kubernetes_near(scope).map(|it| it.0);
    let rendered = renderings(&charts, &model.releases, &kubernetes, Some(&project.files));
    let bundled = rendered.iter().flat_map(|it| charts.crds(&it.folder)).collect();
    gathering.applied(&charts, &bundled);
    for rendering in rendered {
        gathering.rendered(rendering);
    }
    let mut found = gathering.found;
    let order = |it: &BuiltObject| {
        let path = project.files.get(it.span.file).path();
        (it.built_by.clone(), path.to_owned(), it.span.start)
    };
    found.sort_by_cached_key(order);
    found
}

struct Gathering<'p, 'a> {
    project: &'p Project,
    model: &'a Model,
    found: Vec<BuiltObject<'p>>,
    /// The charts whose CRDs were found: Helm installs them with the first release.
    with_crds: HashSet<String>,
}

impl Gathering<'_, '_> {
    /// What files, kustomizations, Terraform and stacks apply.
    fn applied(&mut self, charts: &ChartFolders, bundled: &HashSet<FileId>) {
        let files = &self.project.files;
        let kustomize = kustomize::build(files);
        let mut written = manifests::every(files, &self.project.manifest_files());
        let is_of_chart = |it: FileId| charts.hold_template(it) || bundled.contains(&it);
        written.retain(|it| !is_of_chart(it.object.value.span.file));
        let mut all = from_terraform(&self.model.terraform).objects;
        // Terraform applies what it reads from a file.
        let held: HashSet<Span> = all.iter().map(|it| it.object.report_span()).collect();
        written.retain(|it| !held.contains(&it.object.report_span()));
        all.extend(written);
        let mut of_stacks = cloudformation::applied(files, &all);
        of_stacks.extend(pulumi::applied(&all));
        let stacks: HashSet<Span> = of_stacks.iter().map(|it| it.header).collect();
        all.extend(of_stacks);
        let is_of_tool = |it: &Located| gitops::is_of_interest(&it.object);
        for it in applied::objects(files, all, &kustomize, is_of_tool) {
            let build = it.build.and_then(|it| kustomize.builds.get(it));
            let of_stack = stacks.contains(&it.located.header);
            let built_by = match build {
                Some(build) => Builder::Kustomization(build.folder.to_string()),
                None => self.builder(&it.located, of_stack),
            };
            let builder = build.map_or(it.located.header.file, |it| it.file);
            self.add(it.located, it.build, built_by, builder);
        }
    }

    /// What a chart makes for a release.
    fn rendered(&mut self, rendering: Rendering) {
        let release = rendering.release.and_then(|it| self.model.releases.get(it));
        let Rendering { folder, made, mut crds, .. } = rendering;
        if !crds.is_empty() && !self.with_crds.insert(folder.clone()) {
            crds.clear();
        }
        let built_by = match release {
            Some(release) => self.release(release, folder),
            None => Builder::Chart(folder),
        };
        for it in crds.into_iter().chain(made.objects).chain(made.of_tools) {
            let builder = release.map_or(it.header.file, |it| it.report_span.file);
            self.add(it, None, built_by.clone(), builder);
        }
    }

    fn add(&mut self, located: Located, build: Option<usize>, built_by: Builder, builder: FileId) {
        if is_for_a_cluster(&located.object) {
            self.found.push(BuiltObject {
                span: located.object.value.span,
                scope: located.scope(build),
                subject: located.subject(),
                object: located.object,
                project: self.project,
                built_by,
                builder,
            });
        }
    }

    fn builder(&self, located: &Located, of_stack: bool) -> Builder {
        let root = located.root.and_then(|it| self.model.terraform.roots.get(it));
        match (root, &located.holder.block) {
            (Some(root), Some(block)) => Builder::Resource {
                root: root.folder.to_string(),
                address: block.address.to_string(),
                is_optional: located.is_off,
            },
            _ if of_stack => {
                let file = self.project.files.get(located.object.value.span.file);
                Builder::Stack(file.path().to_owned())
            }
            _ => Builder::File,
        }
    }

    fn release(&self, release: &Release, chart: String) -> Builder {
        let file = self.project.files.get(release.report_span.file);
        let line = file.line_of(release.report_span.start as usize) + 1;
        Builder::Release {
            chart,
            namespace: release.namespace.known().cloned(),
            name: release.name.as_deref().map(str::to_owned),
            place: (file.path().to_owned(), line),
            is_optional: release.is_optional,
        }
    }
}

/// Groups whose objects configure programs, and are sent to no cluster.
const OF_PROGRAMS: &[&str] = &[
    "apiserver.config.k8s.io",
    "audit.k8s.io",
    "chainsaw.kyverno.io",
    "cli.kyverno.io",
    "client.authentication.k8s.io",
    "eksctl.io",
    "karplint",
    "kind.x-k8s.io",
    "kubelet.config.k8s.io",
    "kubeproxy.config.k8s.io",
    "kubescheduler.config.k8s.io",
    "kustomize.config.k8s.io",
    "kuttl.dev",
    "skaffold",
];

/// Whether an object is one that an API server takes.
fn is_for_a_cluster(object: &Object) -> bool {
    let is_config = &*object.kind == "Config" && &*object.api_version == "v1";
    !object.value.get("apiVersion").is_missing()
        && !object.kind.is_empty()
        && !is_config
        && !OF_PROGRAMS.contains(&object.group())
}
