//! Which releases of Karpenter do not work with the Kubernetes version of their cluster.

use crate::{
    checks::{
        unread::{hidden_cluster, other_cluster},
        varying::versions,
    },
    findings::silence::Silence,
    knowledge::{kubernetes, upgrade},
    model::{Model, cluster::Cluster, controller::ControllerPods, environment::are_apart},
    resolve::{
        answers::any,
        release::{Release, surface::Surface},
    },
    source::{FileId, Span, aside::is_named_for_samples, is_below},
    value::{Field, Value, cause::Cause},
    version::{Version, constraint::Constraint},
};

/// The versions of Kubernetes that releases of Karpenter work with.
#[derive(Clone, Debug)]
pub(crate) struct Supported {
    /// The oldest; `None` where it is not known.
    pub oldest: Option<Version>,
    /// The newest, or one that nothing newer is known to be.
    pub newest: Version,
}

impl Supported {
    /// Those of the releases that a constraint allows.
    #[must_use]
    pub(crate) fn by(allowed: &Constraint) -> Option<Self> {
        if let Some(range) = kubernetes::supported_by(allowed) {
            let (oldest, newest) = range.into_inner();
            return Some(Self { oldest: Some(oldest), newest });
        }
        kubernetes::most_of_older(allowed).map(|newest| Self { oldest: None, newest })
    }

    /// Whether a version is one of them; `None` where that is not known.
    #[must_use]
    pub(crate) fn holds(&self, version: &Version) -> Option<bool> {
        if version.line() > self.newest.line() {
            return Some(false);
        }
        Some(self.oldest.as_ref()?.line() <= version.line())
    }
}

/// A release and a cluster that do not work with each other.
#[derive(Clone, Debug)]
pub(crate) struct Incompatible<'m> {
    /// The release.
    pub release: &'m Release,
    /// The Kubernetes version of the cluster.
    pub kubernetes: Version,
    /// The versions the release works with.
    pub supported: Supported,
    /// The versions of the clusters that are written, each with its place.
    pub clusters: Vec<(Version, Span)>,
    /// The version of the cluster, where only an example of the module that installs the release writes one.
    pub example: Option<Span>,
}

impl Incompatible<'_> {
    /// The releases of Karpenter to stop at, up to one that works with the cluster, if the cluster is too new for
    /// this one.
    #[must_use]
    pub(crate) fn upgrade(&self, from: &Version) -> Vec<Version> {
        if self.kubernetes.line() <= self.supported.newest.line() {
            return Vec::new();
        }
        upgrade::path_to_kubernetes(from, &self.kubernetes)
            .into_iter()
            .map(|it| it.version)
            .collect()
    }
}

/// The controllers with a cluster near, or with a module that may make it, or with a Kubernetes version that the
/// configuration states.
pub(crate) fn controllers_with_cluster(model: &Model) -> impl Iterator<Item = &Release> {
    let is_stated = model.assumed.kubernetes_version.is_some();
    let may_have = |it: &Release| {
        !model.clusters_near(&it.scope).is_empty() || hidden_cluster(model, &it.scope).is_some()
    };
    model.controllers().filter(move |it| is_stated || may_have(it))
}

/// That a controller does not work with the Kubernetes version of its cluster, whatever version its constraint
/// allows is installed.
pub(crate) fn incompatible<'m>(
    model: &'m Model,
    release: &'m Release,
) -> Result<Incompatible<'m>, Silence> {
    if release.may_target_other_cluster {
        return Err(Silence::undecided(Cause::Ambiguous, "it may go to another cluster"));
    }
    if let Some(silence) = other_cluster(model, &release.scope) {
        return Err(silence);
    }
    let names_a_cluster = |it: &str| !matches!(release.values.at(it), Field::Missing);
    let is_unsure = release.cluster().is_none_or(Value::is_unknown);
    if release.surface() == Surface::ChartDependency
        && is_unsure
        && ["settings.clusterName", "settings.aws.clusterName"].into_iter().any(names_a_cluster)
    {
        let words = "nothing here installs it, and its values are for several clusters";
        return Err(Silence::undecided(Cause::Ambiguous, words));
    }
    if let Some(cluster) = of_another_chart(model, release) {
        let words = "another chart beside it makes the cluster, and nothing here installs both";
        let silence = Silence::undecided(Cause::Ambiguous, words);
        return Err(match &cluster.version {
            Some(version) => silence.at(version.span(), "the version of the cluster"),
            None => silence,
        });
    }
    let allowed = versions(model, release)?;
    let unlisted =
        || Silence::undecided(Cause::Chart, "which Kubernetes versions it works with is not known");
    let supported = Supported::by(&allowed).ok_or_else(unlisted)?;
    let unknown = || {
        let words = "the Kubernetes version of the cluster is not known";
        let hidden = hidden_cluster(model, &release.scope);
        hidden.unwrap_or_else(|| Silence::undecided(Cause::Value, words))
    };
    let versions = kubernetes_versions_of(model, release).ok_or_else(unknown)?;
    let (kubernetes, _) = versions.first().ok_or_else(unknown)?.clone();
    let works = any(versions.iter().map(|(it, _)| supported.holds(it)));
    if works.ok_or_else(unlisted)? {
        return Err(Silence::sound("it works with the Kubernetes version of the cluster"));
    }
    let clusters: Vec<(Version, Span)> =
        versions.into_iter().filter_map(|(it, span)| Some((it, span?))).collect();
    let example = example_of(model, release, &clusters);
    Ok(Incompatible { release, kubernetes, supported, clusters, example })
}

/// A cluster that lies in another chart than that of a release: one of a folder of charts for anybody's clusters.
fn of_another_chart<'m>(model: &'m Model, release: &Release) -> Option<&'m Cluster> {
    if release.surface() != Surface::ChartDependency {
        return None;
    }
    let own = release.part_of.as_deref()?;
    let is_other = |it: &&Cluster| {
        let folder = &it.scope.folder;
        let around = model.rendered_charts.iter().filter(|it| is_below(folder, it));
        around.into_iter().any(|it| !is_below(own, it))
    };
    clusters_of(model, release).into_iter().find(is_other)
}

/// The version of the cluster, where the code of an example alone gives it to the module that it calls.
fn example_of(model: &Model, release: &Release, clusters: &[(Version, Span)]) -> Option<Span> {
    let root = model.terraform.roots.get(release.scope.root?)?;
    root.folder.split('/').find(|it| is_named_for_samples(it))?;
    let is_own = |file: FileId| {
        root.objects.iter().any(|it| it.folder == root.folder && it.span.file == file)
    };
    let are_own = clusters.iter().all(|it| is_own(it.1.file));
    let (_, first) = clusters.first().filter(|_| are_own)?;
    (!is_own(release.version.span().file)).then_some(*first)
}

/// The Kubernetes versions of the clusters a release may be for, with the places of those that are written; `None`
/// where one of them is not known.
pub(crate) fn kubernetes_versions_of(
    model: &Model,
    release: &Release,
) -> Option<Vec<(Version, Option<Span>)>> {
    let near = model.clusters_near(&release.scope);
    if near.is_empty() {
        let (version, span) = model.kubernetes_near(&release.scope)?;
        return Some(vec![(version, span)]);
    }
    let pods = ControllerPods::of(release);
    let named = |it: &Cluster| pods.as_ref().and_then(|pods| pods.name(it));
    let mut its = clusters_of(model, release);
    let is_elsewhere = |it: &Cluster| are_apart(&it.scope.folder, &release.scope.folder);
    // Environments side by side have clusters of their own; one that has none here has an unknown one.
    if its.iter().all(|it| is_elsewhere(it)) {
        return its.is_empty().then(Vec::new);
    }
    its.retain(|it| !is_elsewhere(it));
    // Nodes of their own root are of the cluster beside it, unless they name another.
    let made: Vec<&Cluster> = its.iter().copied().filter(|it| !it.is_nodes_only).collect();
    let is_named_else = |it: &Cluster, of: &Cluster| {
        it.own_name().zip(of.own_name()).and_then(|(it, of)| it.same_as(of)) == Some(false)
    };
    if !made.is_empty() {
        its.retain(|it| !it.is_nodes_only || made.iter().all(|of| is_named_else(it, of)));
    }
    let version = |it: &&Cluster| {
        let version = it.version.as_ref().filter(|_| named(it) != Some(false))?;
        Some((version.known()?.clone(), Some(version.span())))
    };
    its.iter().map(version).collect()
}

/// The clusters a release may be for: the one that it names, else all that are near; none if it names another.
pub(crate) fn clusters_of<'m>(model: &'m Model, release: &Release) -> Vec<&'m Cluster> {
    if model.other_cluster(&release.scope).is_some() {
        return Vec::new();
    }
    let near = model.clusters_near(&release.scope);
    let pods = ControllerPods::of(release);
    let is_its = |it: &&Cluster| pods.as_ref().and_then(|pods| pods.name(it)) == Some(true);
    match near.iter().copied().find(is_its) {
        Some(only) => vec![only],
        None => near,
    }
}
