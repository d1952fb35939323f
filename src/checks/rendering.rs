//! Charts of the repository that fail with the values of a release.

use crate::{model::Model, resolve::release::Release, source::Span};

/// A call that fails.
#[derive(Debug)]
pub(crate) struct Failure<'a> {
    /// The call.
    pub span: Span,
    /// The first line of what Helm would say.
    pub message: &'a str,
    /// The release that installs the chart.
    pub release: &'a Release,
}

/// The calls that fail with the values that releases certainly give.
pub(crate) fn failures(model: &Model) -> Vec<Failure<'_>> {
    let failures = model.chart_failures.iter();
    let found = failures.filter_map(|it| {
        let release = model.releases.get(it.release?)?;
        let doubt = release.is_optional || release.reusable || release.has_external_values;
        if doubt || !release.parse_errors.is_empty() {
            return None;
        }
        let message = it.error.message.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
        let place = it.error.span.or(it.error.calls.first().copied());
        Some(Failure {
            span: place.unwrap_or(release.report_span),
            message: message.trim(),
            release,
        })
    });
    found.collect()
}
