//! Which versions a release may install, and releases that environments configure otherwise: what is written
//! is the default of a variable.

use crate::{
    findings::silence::Silence, knowledge::publication, model::Model, resolve::release::Release,
    value::cause::Cause, version::constraint::Constraint,
};

/// The versions of its chart that a release may install. Of the patches of an old minor of Karpenter it is the newest.
///
/// # Errors
/// Undecided where the version is not known, or is the default of a variable that environments set to others.
pub(crate) fn versions(model: &Model, release: &Release) -> Result<Constraint, Silence> {
    decided(model, release)?;
    let named = || release.version.named().unwrap_or_default();
    let unread = || Silence::undecided(Cause::Version, format!("{} is no version", named()));
    let allowed =
        release.allowed().ok_or_else(|| unread().at(release.version.span(), "the version"))?;
    let newest = release.is_of_karpenter().then(|| publication::newest_of_line(&allowed));
    Ok(newest.flatten().map_or(allowed, Constraint::from))
}

/// That the version of a release is known as it is written, or is one of few that are.
///
/// # Errors
/// Undecided where it is not, or is the default of a variable that environments set to others.
pub(crate) fn decided(model: &Model, release: &Release) -> Result<(), Silence> {
    if release.allowed().is_none() && release.version.texts().is_empty() {
        release.version.decided("the version")?;
    }
    if is_version_varying(model, release) {
        let words = "files of variables set other versions than this default";
        let silence = Silence::undecided(Cause::Version, words);
        return Err(silence.at(release.version.span(), "the default"));
    }
    Ok(())
}

/// Whether the version of a release is the default of a variable that some environment sets to another.
#[must_use]
pub(crate) fn is_version_varying(model: &Model, release: &Release) -> bool {
    release.version.places().any(|it| model.varying.contains(&it))
}

/// Whether the namespace of a release is such a default.
#[must_use]
pub(crate) fn is_namespace_varying(model: &Model, release: &Release) -> bool {
    model.varying.contains(&release.namespace.span())
}
