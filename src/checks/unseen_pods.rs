//! Pods that are installed and not seen: those of charts of which nothing is known.

use crate::{
    findings::silence::Silence, knowledge::component, model::Model, resolve::release::Release,
    source::Span, value::cause::Cause,
};

/// The releases of such charts. Templates of charts in the repository are told apart from them.
pub(crate) fn unknown_charts(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let may_meet =
        |it: &&Release| model.uses_karpenter && model.may_have_karpenter(&it.scope) != Some(false);
    let releases = model.releases.iter().filter(may_meet).filter(|it| is_unknown(it));
    releases.map(|it| {
        let words = format!("which pods the chart `{}` runs is not known", it.chart);
        (it.report_span, Silence::undecided(Cause::Chart, words).missing(&*it.chart))
    })
}

fn is_unknown(release: &Release) -> bool {
    let known = component::of_chart(&release.chart, release.repository.as_deref()).is_some();
    !known
        && !release.is_of_karpenter()
        && release.local_chart.is_none()
        && !release.chart.is_empty()
}
