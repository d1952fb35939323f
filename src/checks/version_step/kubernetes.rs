//! Clusters whose Kubernetes version leaves behind the Karpenter that runs there.

use std::ops::RangeInclusive;

use crate::{
    checks::{compatibility::clusters_of, varying::versions},
    findings::silence::Silence,
    knowledge::kubernetes,
    model::{
        Model,
        cluster::Cluster,
        version_change::{VersionChange, Versioned},
    },
    resolve::release::Release,
    source::Span,
    value::cause::Cause,
    version::{Version, constraint::Constraint},
};

/// A cluster that goes to a version which the Karpenter of the earlier state does not work with.
#[derive(Debug)]
pub(crate) struct LeftBehind<'m> {
    /// Where the version of Kubernetes is written.
    pub span: Span,
    /// The version.
    pub kubernetes: Version,
    /// The controller.
    pub controller: &'m Release,
    /// The version of it that runs until this change is applied.
    pub running: Version,
    /// Whether this change also brings a Karpenter that works with the version.
    pub is_followed: bool,
}

/// Each cluster whose version was another, with whether its Karpenter works with the new one.
pub(crate) fn clusters(model: &Model) -> Vec<(Span, Result<LeftBehind<'_>, Silence>)> {
    let of = |change: &VersionChange| {
        let Versioned::Cluster(index) = change.what else { return None };
        let cluster = model.clusters.get(index)?;
        Some((model.place_of_change(change)?, left_behind(model, cluster, change)))
    };
    model.version_changes.iter().filter_map(of).collect()
}

fn left_behind<'m>(
    model: &'m Model,
    cluster: &Cluster,
    change: &VersionChange,
) -> Result<LeftBehind<'m>, Silence> {
    let before = change.before.as_ref().map_err(Clone::clone)?;
    let unknown = || Silence::undecided(Cause::Value, "the version of Kubernetes is not known");
    let version = cluster.version.as_ref().ok_or_else(unknown)?;
    let now = version.decided("the version of Kubernetes")?;
    if Version::parse(before).is_none_or(|it| it.line() >= now.line()) {
        return Err(Silence::sound("Kubernetes is not newer than in the earlier state"));
    }
    let controllers = model.controllers().filter(|it| runs_there(model, it, cluster));
    let mut silence = Silence::sound("no Karpenter of the earlier state is known to run there");
    for controller in controllers {
        match runs_on(model, controller, now) {
            Ok(running) => {
                let follows = versions(model, controller).ok();
                let follows = follows.and_then(|it| kubernetes::supported_by(&it));
                let is_followed = follows.is_some_and(|it| holds(&it, now));
                let (span, kubernetes) = (version.span(), now.clone());
                return Ok(LeftBehind { span, kubernetes, controller, running, is_followed });
            }
            Err(other) => silence = other,
        }
    }
    Err(silence)
}

/// Whether a cluster is the only one that a controller may be for.
fn runs_there(model: &Model, controller: &Release, cluster: &Cluster) -> bool {
    let clusters = clusters_of(model, controller);
    let is_only = matches!(clusters.as_slice(), [only] if std::ptr::eq(*only, cluster));
    is_only && !controller.may_target_other_cluster
}

/// The version of a controller in the earlier state, if it is too old for a version of Kubernetes.
fn runs_on(model: &Model, controller: &Release, kubernetes: &Version) -> Result<Version, Silence> {
    let mut changes = model.version_changes.iter();
    let of_it = |it: &&VersionChange| {
        let Versioned::Controller(index) = it.what else { return false };
        let release = model.installations.get(index).and_then(|it| it.release);
        let release = release.and_then(|it| model.releases.get(it));
        release.is_some_and(|it| std::ptr::eq(it, controller))
    };
    let before = changes.find(of_it).map(|it| it.before.clone());
    let none = || Err(Silence::sound("no Karpenter ran there in the earlier state"));
    let before = before.unwrap_or_else(none)?;
    let open = || Silence::undecided(Cause::Version, format!("Karpenter was `{before}` before"));
    let allowed = Constraint::parse(&before).ok_or_else(open)?;
    let running = allowed.is_exact().ok_or_else(open)?;
    let supported = kubernetes::supported_by(&allowed).ok_or_else(|| {
        let words = "which Kubernetes versions the earlier Karpenter works with is not known";
        Silence::undecided(Cause::Version, words)
    })?;
    if kubernetes.line() <= supported.end().line() {
        return Err(Silence::sound(format!("Karpenter {running} works with it")));
    }
    Ok(running)
}

fn holds(range: &RangeInclusive<Version>, version: &Version) -> bool {
    (range.start().line()..=range.end().line()).contains(&version.line())
}
