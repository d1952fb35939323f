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
        Versioned::Cluster(_) | Versioned::Module(..) => None,
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
        Versioned::Cluster(_) | Versioned::Module(..) => return None,
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
    let before = change.before.as_ref().map_err(Clone::clone)?;
    let from = releases(before, "the earlier version")?;
    let written = version.decided("the version")?;
    if model.varying.contains(&version.span()) {
        let words = "files of variables set other versions than this default";
        return Err(Silence::undecided(Cause::Version, words));
    }
    if before == written {
        return Err(Silence::sound("its version is the one of the earlier state"));
    }
    forbidden(&from, &releases(written, "the version")?).map_err(|is_open| {
        let words = format!("the step from {before} to {written}");
        if is_open {
            let words = format!("upstream allows {words} for some of their releases only");
            return Silence::undecided(Cause::Version, words);
        }
        Silence::sound(format!("upstream allows {words}"))
    })
}

/// What forbids every step from one of these releases to one of those, and the newest of both; else whether
/// something forbids one of the steps.
fn forbidden(from: &[Version], to: &[Version]) -> Result<(Version, Version, Obstacle), bool> {
    let between = |from: &Version, to: &Version| {
        let skipped = upgrade::barrier(from, to).map(Obstacle::Skipped);
        skipped.or_else(|| upgrade::rollback(from, to).map(Obstacle::Back))
    };
    let pairs = || from.iter().flat_map(|from| to.iter().map(move |to| between(from, to)));
    let is_open = pairs().any(|it| it.is_some());
    let (newest, then) = from.last().zip(to.last()).ok_or(is_open)?;
    let obstacle = between(newest, then).filter(|_| pairs().all(|it| it.is_some()));
    obstacle.map(|it| (newest.clone(), then.clone(), it)).ok_or(is_open)
}

/// The releases that a text allows, the oldest first: the one that it names, or those of a range.
pub(crate) fn releases(text: &str, what: &str) -> Result<Vec<Version>, Silence> {
    let unread =
        || Silence::undecided(Cause::Version, format!("{what} is `{text}`, no known release"));
    let allowed = Constraint::parse(text).ok_or_else(unread)?;
    if let Some(one) = allowed.is_exact() {
        return Ok(vec![one]);
    }
    let published: Vec<Version> = upgrade::published().filter(|it| allowed.allows(it)).collect();
    if published.is_empty() { Err(unread()) } else { Ok(published) }
}

#[cfg(test)]
mod tests {
    use super::{forbidden, releases};

    #[test]
    fn a_range_crosses_a_barrier_where_all_its_releases_do() {
        for (from, to, wanted) in [
            ("0.31.4", "1.2.0", Ok("0.31.4 1.2.0")),
            ("~> 0.37.0", "~> 1.1.0", Ok("0.37.8 1.1.10")),
            ("~> 0.37", "~> 1.1", Ok("0.37.8 1.14.1")),
            ("~> 1.1", "~> 0.32.0", Ok("1.14.1 0.32.10")),
            // 1.0 is in it.
            ("~> 0.37", "~> 1.0", Err(true)),
            (">= 0.37", "~> 1.1", Err(true)),
            ("~> 1.1", "~> 0.37.0", Err(true)),
            ("~> 1.1", "~> 1.2", Err(false)),
        ] {
            let [before, now] = [from, to].map(|it| releases(it, "it").unwrap_or_default());
            let found = forbidden(&before, &now).map(|(from, to, _)| format!("{from} {to}"));
            assert_eq!(found.as_deref().map_err(|it| *it), wanted, "{from} {to}");
        }
    }
}
