//! Charts of the repository that fail with the values of a release.

use crate::{
    findings::{silence::Silence, subject::Subject},
    model::Model,
    resolve::{
        charts::shown::is_shown,
        release::{Release, fetching},
    },
    source::Span,
    value::cause::Cause,
};

pub(crate) use crate::resolve::charts::FailureKind;

/// A call that fails.
#[derive(Debug)]
pub(crate) struct Failure<'a> {
    /// The call.
    pub span: Span,
    /// The first line of what Helm would say.
    pub message: &'a str,
    /// What kind of error it is.
    pub kind: FailureKind,
}

/// The releases of charts of the repository, each with the first call that fails with the values that it
/// certainly gives.
pub(crate) fn renderings(
    model: &Model,
) -> impl Iterator<Item = (&Release, Result<Failure<'_>, Silence>)> {
    let releases = model.releases.iter().enumerate();
    releases.filter_map(|(index, release)| {
        let folder = release.local_chart.as_ref()?;
        let rendered = model.rendered_charts.contains(folder);
        rendered.then(|| (release, rendering(model, index, release)))
    })
}

/// Whether a release of Terraform is there only when variables have other values than those known; they may be those
/// that its own values are made of.
fn is_absent(release: &Release) -> bool {
    release.code().is_some_and(|it| !it.object.absent_by.is_empty())
}

fn rendering<'a>(
    model: &'a Model,
    index: usize,
    release: &Release,
) -> Result<Failure<'a>, Silence> {
    if is_shown(release) {
        return Err(Silence::sound("it is one of the chart's own examples"));
    }
    let failure = model.chart_failures.iter().find(|it| it.release == Some(index));
    let Some(failure) = failure else { return Err(Silence::sound("the chart renders")) };
    // What a chart makes that others install has the values that they give that chart.
    let is_made_for_others = release.subject.as_ref().is_some_and(Subject::is_reusable);
    let doubt = release.is_optional || release.reusable || release.has_external_values;
    if doubt || is_absent(release) || is_made_for_others || !release.parse_errors.is_empty() {
        let words = "the release may have other values than those seen";
        return Err(Silence::undecided(Cause::Value, words));
    }
    if let Some(name) = &failure.lacks {
        let command = fetching(&failure.folder);
        let words = format!("its dependency `{name}` is not here: `{command}` fetches it");
        return Err(Silence::undecided(Cause::NotRendered, words).missing(&*failure.folder));
    }
    let error = &failure.error;
    let message = error.message.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
    let place = error.span.or(error.calls.first().copied());
    Ok(Failure {
        span: place.unwrap_or(release.report_span),
        message: message.trim(),
        kind: failure.kind(),
    })
}
