//! Steps from one version to another that upstream does not allow.

pub(crate) mod kubernetes;

use crate::{
    findings::{note::Note, silence::Silence, subject::Subject},
    knowledge::upgrade::{self, Barrier, Rollback},
    model::{
        Model,
        version_change::{VersionChange, Versioned},
    },
    resolve::{release::Release, setting::Setting},
    source::Span,
    value::cause::Cause,
    version::{Version, constraint::Constraint},
};

/// A step of Karpenter, or of its CRDs, that upstream does not allow.
#[derive(Debug)]
pub(crate) struct ForbiddenStep<'m> {
    /// Where the new version is written.
    pub span: Span,
    /// How it came there.
    pub steps: Vec<Note>,
    /// What it is of.
    pub subject: Option<&'m Subject>,
    /// Whether it is that of the CRDs.
    pub is_of_crds: bool,
    /// The version of the earlier state.
    pub from: Version,
    /// That of this one.
    pub to: Version,
    /// What forbids it.
    pub obstacle: Obstacle,
}

/// What forbids a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obstacle {
    /// Releases between the two may not be left out.
    Skipped(&'static Barrier),
    /// The older release cannot take over from the newer one.
    Back(&'static Rollback),
}

/// What has a version, and whether its step is allowed.
pub(crate) type Judged<'m> = (Span, Result<ForbiddenStep<'m>, Silence>);

/// The steps of the controllers and of the CRDs. What forbids both is said of the controller.
pub(crate) fn steps(model: &Model) -> Vec<Judged<'_>> {
    let changes = model.version_changes.iter();
    let judged = changes.filter_map(|it| Some((it, place(model, it)?, step(model, it)?)));
    let (crds, controllers): (Vec<_>, Vec<_>) =
        judged.partition(|(it, ..)| matches!(it.what, Versioned::Crds(_)));
    let controller_of = |change: &VersionChange| {
        let Versioned::Crds(index) = change.what else { return None };
        let own = model.releases.get(index)?;
        let pairs = model.crd_pairs.iter();
        let mut pairs = pairs.filter(|it| std::ptr::eq(it.crds(&model.releases), own));
        pairs.next().map(|it| it.controller(&model.releases))
    };
    let is_told = |controller: &Release| {
        let of_it = |change: &VersionChange| {
            release(model, change).is_some_and(|it| std::ptr::eq(it, controller))
        };
        controllers.iter().any(|(change, _, judged)| of_it(change) && judged.is_ok())
    };
    let crds = crds.into_iter().map(|(change, place, judged)| {
        let told = controller_of(change).is_some_and(is_told);
        let words = "its controller makes the same step, and is reported";
        (place, if told { judged.and(Err(Silence::sound(words))) } else { judged })
    });
    let crds: Vec<Judged<'_>> = crds.collect();
    controllers.into_iter().map(|(_, place, judged)| (place, judged)).chain(crds).collect()
}

/// The release that has a version, if a release does.
fn release<'m>(model: &'m Model, change: &VersionChange) -> Option<&'m Release> {
    match change.what {
        Versioned::Controller(index) => {
            model.releases.get(model.installations.get(index)?.release?)
        }
        Versioned::Crds(index) => model.releases.get(index),
        Versioned::Cluster(_) => None,
    }
}

/// What to point at when a step is not judged.
fn place(model: &Model, change: &VersionChange) -> Option<Span> {
    release(model, change).map(|it| it.report_span).or_else(|| model.place_of_change(change))
}

/// Whether a step of Karpenter is allowed; `None` for other things.
fn step<'m>(
    model: &'m Model,
    change: &VersionChange,
) -> Option<Result<ForbiddenStep<'m>, Silence>> {
    let version: &Setting<String> = match change.what {
        Versioned::Controller(index) => &model.installations.get(index)?.version,
        Versioned::Crds(index) => &model.releases.get(index)?.version,
        Versioned::Cluster(_) => return None,
    };
    let subject = release(model, change).and_then(|it| it.subject.as_ref());
    let is_of_crds = matches!(change.what, Versioned::Crds(_));
    Some(between(model, change, version).map(|(from, to, obstacle)| ForbiddenStep {
        span: version.span(),
        steps: version.steps(),
        subject,
        is_of_crds,
        from,
        to,
        obstacle,
    }))
}

fn between(
    model: &Model,
    change: &VersionChange,
    version: &Setting<String>,
) -> Result<(Version, Version, Obstacle), Silence> {
    let from = exact(change.before.as_ref().map_err(Clone::clone)?, "the earlier version")?;
    let written = version.decided("the version")?;
    if model.varying.contains(&version.span()) {
        let words = "files of variables set other versions than this default";
        return Err(Silence::undecided(Cause::Version, words));
    }
    let to = exact(written, "the version")?;
    let skipped = upgrade::barrier(&from, &to).map(Obstacle::Skipped);
    let obstacle = skipped.or_else(|| upgrade::rollback(&from, &to).map(Obstacle::Back));
    let sound = || {
        if from == to {
            return Silence::sound("its version is the one of the earlier state");
        }
        Silence::sound(format!("upstream allows the step from {from} to {to}"))
    };
    obstacle.map(|it| (from.clone(), to.clone(), it)).ok_or_else(sound)
}

/// The one version that a text allows.
fn exact(text: &str, what: &str) -> Result<Version, Silence> {
    let version = Constraint::parse(text).and_then(|it| it.is_exact());
    let open =
        || Silence::undecided(Cause::Version, format!("{what} is `{text}`, not one release"));
    version.ok_or_else(open)
}
