//! Pods that are installed and not seen: those of charts of which nothing is known.

use std::collections::HashSet;

use crate::{
    findings::{silence::Silence, subject::Subject},
    knowledge::{
        component::{self, Pod},
        packaging::Packaging,
        stateless::is_stateless,
    },
    model::{Model, component::ComponentUse, workload::Workload},
    resolve::{answers::agreed, release::Release, scope::Scope},
    source::Span,
    value::cause::Cause,
};

/// The first release of each such chart in a root, or outside of all; of what charts of the repository lack, the
/// first for each of these.
pub(crate) fn unknown_charts<'a>(model: &'a Model) -> impl Iterator<Item = (Span, Silence)> + 'a {
    let may_meet =
        |it: &&Release| model.uses_karpenter && model.may_have_karpenter(&it.scope) != Some(false);
    let releases = model.releases.iter().filter(may_meet).filter(|it| is_unknown(it));
    // One answer settles all releases of a chart, one command all that a chart lacks.
    let lacking = |it: &'a Release| it.part_of.as_ref().filter(|_| it.fetched_by().is_some());
    let mut seen = HashSet::new();
    let once = releases.filter(move |it| {
        let lacking = lacking(it);
        seen.insert((lacking.is_none().then_some(&*it.chart), lacking, it.scope.root))
    });
    once.map(|it| {
        let silence = if let (Some(command), Some(folder)) = (it.fetched_by(), &it.part_of) {
            let words = format!("the chart `{}` is not here: `{command}` fetches it", it.chart);
            let folder = if folder.is_empty() { "." } else { folder };
            Silence::undecided(Cause::NotRendered, words).missing(folder)
        } else {
            let words = format!("which pods the chart `{}` runs is not known", it.chart);
            Silence::undecided(Cause::Chart, words).missing(&*it.chart)
        };
        (it.report_span, silence)
    })
}

/// The releases and add-ons of known components with such pods in a version of which nothing is known.
pub(crate) fn unverified<'a>(
    model: &'a Model,
    wanted: impl Fn(&Pod, &Scope) -> bool + 'a,
) -> impl Iterator<Item = (Span, Silence)> + 'a {
    let meets =
        |scope: &Scope| model.uses_karpenter && model.may_have_karpenter(scope) != Some(false);
    let releases = model.releases.iter().filter(move |it| !it.is_rendered && meets(&it.scope));
    let releases = releases.filter_map(|it| {
        let component = component::of_chart(&it.chart, it.repository.as_deref())?;
        Some((component, it.allowed(), it.report_span, it.version.known(), &it.scope))
    });
    let addons = model.addons.iter().filter(move |it| meets(&it.scope));
    let addons = addons.filter_map(|it| {
        Some((component::of_addon(&it.name)?, it.allowed.clone(), it.report_span, None, &it.scope))
    });
    let of_charts = releases.map(|it| (it, Pod::of_chart as fn(&Pod) -> Option<&Packaging>));
    let of_addons = addons.map(|it| (it, Pod::of_addon as fn(&Pod) -> Option<&Packaging>));
    of_charts.chain(of_addons).filter_map(
        move |((component, allowed, place, version, scope), surface)| {
            let mut surfaces =
                component.pods.iter().filter(|it| wanted(it, scope)).filter_map(surface).peekable();
            surfaces.peek()?;
            let title = &component.title;
            let in_version = version.map_or("the version installed".to_owned(), Clone::clone);
            let words = format!("which pods {title} runs in {in_version} is not known");
            let silence = Silence::undecided(Cause::Version, words).missing(&*component.name);
            surfaces.all(|it| !it.covers(allowed.as_ref())).then_some((place, silence))
        },
    )
}

/// Whether pods keep data, as far as the values let them.
pub(crate) fn may_keep_data(pod: &Pod, _: &Scope) -> bool {
    let has_claim = |it: &Packaging| !it.paths("persistence").is_empty();
    pod.kind == "StatefulSet" || pod.chart.as_ref().is_some_and(has_claim)
}

/// The uses of components that keep data and of whose pods nothing is known in the version installed.
pub(crate) fn unknown_versions(model: &Model) -> impl Iterator<Item = (Span, Silence)> {
    let seen: HashSet<_> = model.workloads.iter().filter_map(identity).collect();
    let stateful = model.components.iter().filter(|it| it.pod.kind == "StatefulSet");
    let unseen = stateful.filter(move |it| {
        let own = it.subject.as_ref().map(|subject| (subject, it.pod.title.as_str()));
        own.is_some_and(|own| !seen.contains(&own))
    });
    unseen.filter_map(|it| Some((it.placement_span(), unknown(it)?)))
}

fn identity(workload: &Workload) -> Option<(&Subject, &str)> {
    Some((workload.subject.as_ref()?, &workload.title))
}

/// `None` where the pods are not there.
fn unknown(usage: &ComponentUse) -> Option<Silence> {
    let title = &usage.pod.title;
    match agreed(usage.pods.iter().map(|it| it.exists)) {
        Some(false) => None,
        None if !usage.pods.is_empty() => {
            let words = format!("whether the values ask for {title} is not known");
            Some(Silence::undecided(Cause::Value, words))
        }
        _ => {
            let words = format!("what protects {title} in the version installed is not known");
            Some(Silence::undecided(Cause::Version, words).missing(&*usage.component.name))
        }
    }
}

fn is_unknown(release: &Release) -> bool {
    // What is known of charts is read last.
    release.local_chart.is_none()
        && !release.is_rendered
        && !release.chart.is_empty()
        && !release.is_of_karpenter()
        && component::of_chart(&release.chart, release.repository.as_deref()).is_none()
        && !is_stateless(&release.chart, release.repository.as_deref())
}
