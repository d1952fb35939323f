//! Where a Karpenter controller is installed, and which version: by a release, or by a rendered manifest.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    findings::subject::Subject,
    model::{scope::Scoped, workload::Workload},
    resolve::{
        release::{Installer, Release, documented::DocumentedVersion, script::exported::exported},
        scope::Scope,
        setting::Setting,
    },
    source::{Files, Span},
    value::{Field, Value},
    version::{Version, constraint::Constraint},
};

/// One place that installs the controller.
#[derive(Clone, Debug)]
pub struct Installation {
    /// The version, or a range of versions.
    pub version: Setting<String>,
    /// The versions of which it is one where it is not known.
    possible: Option<Constraint>,
    /// The release that installs it, as an index; `None` for a plain Deployment.
    pub release: Option<usize>,
    /// Whether nothing here is seen to install its chart, so that where it goes is not known.
    pub is_for_anybody: bool,
    /// What it calls the cluster that it is for.
    pub cluster: Option<Value>,
    /// The controller itself, where something else rendered its chart.
    pub rendered: Option<RenderedController>,
    scope: Scope,
    /// Whether it is in a module whose callers decide where it is installed, and which version.
    is_for_callers: bool,
}

/// A Deployment of the controller: a rendering of its chart, or one by hand.
#[derive(Clone, Debug)]
pub struct RenderedController {
    /// The Deployment.
    pub report_span: Span,
    /// The container with the controller's image.
    pub container: Value,
    /// Which of several kustomizations or releases builds it.
    pub subject: Option<Subject>,
}

impl Scoped for Installation {
    fn scope(&self) -> &Scope {
        &self.scope
    }

    fn is_seen_outside(&self) -> bool {
        !self.is_for_callers
    }
}

impl Installation {
    /// All of them.
    #[must_use]
    pub fn all(files: &Files, releases: &[Release], workloads: &[Workload]) -> Vec<Self> {
        let controllers = releases.iter().enumerate().filter(|(_, it)| it.is_controller());
        let of_release = |(index, it): (usize, &Release)| Self {
            version: (*it.version).clone(),
            possible: it.allowed(),
            release: Some(index),
            is_for_anybody: it.installer == Installer::Anybody,
            cluster: cluster_of(files, it),
            rendered: None,
            scope: it.scope.clone(),
            is_for_callers: it.reusable && it.scope.root.is_some(),
        };
        let rendered = workloads.par_iter().filter_map(Self::of_workload);
        let (unused, rendered): (Vec<Self>, Vec<Self>) = rendered.partition(|it| it.is_for_anybody);
        let mut all: Vec<Self> = controllers.map(of_release).chain(rendered).collect();
        // A copy of its chart that nothing installs is a leftover beside what does.
        if all.iter().all(|it| it.is_for_anybody) {
            all.extend(unused);
        }
        all
    }

    /// What a document installs, if somebody does as it says.
    pub(super) fn documented(it: DocumentedVersion) -> Self {
        Self {
            version: it.version,
            possible: None,
            release: None,
            is_for_anybody: true,
            cluster: None,
            rendered: None,
            scope: Scope::new(None, &it.folder),
            is_for_callers: false,
        }
    }

    /// The versions that may be installed, if they are known.
    #[must_use]
    pub fn allowed(&self) -> Option<Constraint> {
        match self.version.known() {
            Some(known) => Constraint::parse(known),
            None => self.possible.clone(),
        }
    }

    /// The version, if it is known and exact.
    #[must_use]
    pub fn exact_version(&self) -> Option<Version> {
        Constraint::parse(self.version.known()?)?.is_exact()
    }

    fn of_workload(workload: &Workload) -> Option<Self> {
        let containers = workload.pod_spec.as_ref()?.get("containers").present()?.items();
        let mut images = containers.iter().filter_map(|it| Some((it, it.get("image").present()?)));
        let tag_in = |container: &Value, image: &Value| {
            let image = image.as_str()?;
            let own = || own_tag_of(image).filter(|_| variable(container, "KARPENTER_SERVICE"));
            Some(tag_of(image).or_else(own)?.to_owned())
        };
        let is_its = |it: &(&Value, &Value)| tag_in(it.0, it.1).is_some();
        let (container, image) = images.find(is_its)?;
        let tag = |it: &Value| tag_in(container, it);
        let version = Setting::of(Field::Present(image), None, workload.report_span, tag);
        let scope = workload.scope.clone();
        let is_for_anybody = workload.subject.as_ref().is_some_and(Subject::is_reusable);
        let cluster = containers.iter().find_map(cluster_of_container).cloned();
        let rendered = Some(RenderedController {
            report_span: workload.report_span,
            container: container.clone(),
            subject: workload.subject.clone(),
        });
        let (release, is_for_callers) = (None, false);
        let possible = None;
        Some(Self {
            version,
            possible,
            release,
            is_for_anybody,
            cluster,
            rendered,
            scope,
            is_for_callers,
        })
    }
}

/// What a release calls its cluster, also where its chart does not read it, and where another script sets it.
fn cluster_of(files: &Files, release: &Release) -> Option<Value> {
    let misplaced = || release.values.at("controller.clusterName").present();
    let written = release.cluster().or_else(misplaced)?;
    Some(exported(files, &release.scope.folder, written).unwrap_or_else(|| written.clone()))
}

/// What the environment of a container calls the cluster.
fn cluster_of_container(container: &Value) -> Option<&Value> {
    environment(container, "CLUSTER_NAME")?.get("value").present()
}

/// Whether the environment of a container has a variable.
fn variable(container: &Value, name: &str) -> bool {
    environment(container, name).is_some()
}

fn environment<'v>(container: &'v Value, name: &str) -> Option<&'v Value> {
    let variables = container.get("env").present()?.items();
    variables.iter().find(|it| it.get("name").present().and_then(Value::as_str) == Some(name))
}

/// The version in the tag of an image that its users build: its repository ends with `/karpenter`, and what follows the
/// version says which build it is (`teapot/karpenter:0.37.0-main-26`).
fn own_tag_of(image: &str) -> Option<&str> {
    let (repository, tag) = image.split('@').next()?.rsplit_once(':')?;
    let version = tag.split('-').next()?;
    let is_whole = version.trim_start_matches('v').split('.').count() == 3;
    let is_its = repository.ends_with("/karpenter") && !repository.contains("microsoft");
    let is_version = Version::parse(version.trim_start_matches('v')).is_some();
    Some(version).filter(|_| is_its && is_whole && is_version)
}

/// The tag of an image of the controller for AWS: its repository ends with `karpenter/controller`
/// (`public.ecr.aws/karpenter/controller`, or a mirror of it).
fn tag_of(image: &str) -> Option<&str> {
    let image = image.split('@').next()?;
    let (repository, tag) = image.rsplit_once(':')?;
    let of_aws = repository.ends_with("karpenter/controller") && !repository.contains("microsoft");
    Some(tag).filter(|_| of_aws && Version::parse(tag.trim_start_matches('v')).is_some())
}

/// The first of several installations, as an index, and the version all of them have, if it is known.
pub(super) type Agreed = (usize, Option<Version>);

/// `None` when they differ.
#[must_use]
pub(super) fn agreed_version(all: &[Installation], near: &[usize]) -> Option<Agreed> {
    let mut versions = near.iter().map(|it| all[*it].exact_version());
    let version = versions.next()?;
    versions.all(|it| it == version).then(|| Some((*near.first()?, version)))?
}

#[cfg(test)]
mod tests {
    use super::{own_tag_of, tag_of};

    #[test]
    fn the_image_of_the_controller_has_its_version() {
        for (image, tag) in [
            ("public.ecr.aws/karpenter/controller:0.37.0", Some("0.37.0")),
            ("public.ecr.aws/karpenter/controller:1.8.1@sha256:0a1b", Some("1.8.1")),
            ("mirror.example.com:5000/karpenter/controller:v0.37.0", Some("v0.37.0")),
            ("mirror.example.com:5000/karpenter/controller", None),
            ("public.ecr.aws/karpenter/controller:latest", None),
            ("mcr.microsoft.com/aks/karpenter/controller:1.6.1", None),
            ("registry.example.com/ingress/controller:1.2.3", None),
        ] {
            assert_eq!(tag_of(image), tag, "{image}");
        }
    }

    #[test]
    fn an_image_of_ones_own_begins_with_the_version() {
        for (image, tag) in [
            ("registry.example.com/teapot/karpenter:0.37.0-main-26", Some("0.37.0")),
            ("registry.example.com/karpenter:v1.4.0", Some("v1.4.0")),
            ("registry.example.com/karpenter:26", None),
            ("registry.example.com/karpenter-exporter:0.37.0", None),
        ] {
            assert_eq!(own_tag_of(image), tag, "{image}");
        }
    }
}
