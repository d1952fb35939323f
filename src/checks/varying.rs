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
    let written = written_version(model, release)?;
    let unread = || Silence::undecided(Cause::Version, format!("`{written}` is no version"));
    let allowed = Constraint::parse(written)
        .ok_or_else(|| unread().at(release.version.span(), "the version"))?;
    let newest = release.is_of_karpenter().then(|| publication::newest_of_line(&allowed));
    Ok(newest.flatten().map_or(allowed, Constraint::from))
}

/// The version of a release as it is written.
///
/// # Errors
/// Undecided where it is not known, or is the default of a variable that environments set to others.
pub(crate) fn written_version<'a>(model: &Model, release: &'a Release) -> Result<&'a str, Silence> {
    let written = release.version.decided("the version")?;
    if is_version_varying(model, release) {
        let words = "files of variables set other versions than this default";
        let silence = Silence::undecided(Cause::Version, words);
        return Err(silence.at(release.version.span(), "the default"));
    }
    Ok(written)
}

/// Whether the version of a release is the default of a variable that some environment sets to another.
#[must_use]
pub(crate) fn is_version_varying(model: &Model, release: &Release) -> bool {
    model.varying.contains(&release.version.span())
}

/// Whether the namespace of a release is such a default.
#[must_use]
pub(crate) fn is_namespace_varying(model: &Model, release: &Release) -> bool {
    model.varying.contains(&release.namespace.span())
}
