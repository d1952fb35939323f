//! What is reported without evidence of Karpenter: worth knowing, as it does no harm where Karpenter evicts nothing.

use std::cell::{LazyCell, OnceCell};

use crate::{
    findings::{
        Finding, Severity,
        silence::{Silence, Unreported},
        subject::{Inert, Subject},
    },
    model::{Model, unseen_values::UnseenValues},
    page::{Evidence, Page},
    project::Project,
    source::aside,
    value::cause::Cause,
};

/// The rules about pods and their budgets.
const WORKLOADS: &str = "workloads";
/// The rule about files that cannot be read.
const UNREADABLE: &str = "unreadable";

/// The rules about what the pods of a chart lack, which its values may give.
const ABSENCE: [&str; 2] = ["stateful-on-shared-pool", "stateful-pod-unprotected"];
/// The rules about what the API server refuses, whoever installs it.
const REFUSALS: [&str; 2] = ["invalid-karpenter-resource", "retired-karpenter-api"];
/// Why nothing is said of pods where only a tag speaks of Karpenter.
const ONLY_AUTOSCALER: &str =
    "Cluster Autoscaler scales the nodes, and of Karpenter nothing is here but a tag at most";
/// Why a cluster that is made without Karpenter is none of its.
const NO_KARPENTER: &str = "its cluster has no Karpenter";

/// Takes back what has no effect: what concerns Karpenter in a cluster without it, advice about what nothing applies,
/// and broken files that are put aside.
pub(super) fn take_back(
    project: &Project,
    (page, model): (&Page, &Model),
    reported: &mut Vec<Finding>,
) -> Vec<Unreported> {
    let mut idle = Vec::new();
    let (skipped, unseen) = (LazyCell::new(|| project.skipped()), OnceCell::new());
    let asks_for_karpenter = page.evidence == Evidence::Karpenter && model.uses_karpenter;
    reported.retain(|it| {
        let silence = if asks_for_karpenter && model.is_of_other_cluster(&project.files, it) {
            Silence::sound(NO_KARPENTER)
        } else if asks_for_karpenter && let Some((block, words)) = model.without_karpenter_for(it) {
            Silence::sound(NO_KARPENTER).at(block, words)
        } else if page.evidence == Evidence::Karpenter
            && let Some(place) = model.only_autoscaler
        {
            Silence::sound(ONLY_AUTOSCALER).at(place, "it is installed here")
        } else if is_of_chart_tests(it) && !REFUSALS.contains(&page.name) {
            Silence::sound(
                "only values for tests of its chart make it so, and no cluster takes them",
            )
        } else if it.severity == Severity::Note
            && let Some((place, words)) = model.left_out.of_finding(&project.files, it)
        {
            Silence::sound("nothing applies it").at(place, words)
        } else if page.name == UNREADABLE
            && aside::of(project.files.get(it.span.file).path()).is_some()
        {
            Silence::sound("it lies in a folder that is put aside")
        } else if ABSENCE.contains(&page.name)
            && let Some(path) = unseen
                .get_or_init(|| {
                    let unread = skipped.iter().map(|it| &*it.path);
                    UnseenValues::find(&project.files, unread, model)
                })
                .of(&project.files, it)
        {
            let words = format!("`{path}` may be its values, and what installs it is not seen");
            Silence::undecided(Cause::Installation, words)
        } else {
            return true;
        };
        idle.push(Unreported { rule: it.rule, span: it.span, silence });
        false
    });
    idle
}

/// Whether a chart makes all that a finding is about only with values of its folder `ci`, by which chart-testing tries it.
fn is_of_chart_tests(finding: &Finding) -> bool {
    let is_for_tests = |it: &Subject| {
        let example = it.instance.as_ref().filter(|_| it.is_switched_on());
        example.is_some_and(|it| it.address.starts_with("ci/"))
    };
    !finding.subjects.is_empty() && finding.subjects.iter().all(is_for_tests)
}

/// Lowers what concerns Karpenter where the repository does not show it, or not in the cluster of what a finding is
/// about; and names what is applied in its place.
pub(super) fn limit_severity(project: &Project, page: &Page, model: &Model, finding: &mut Finding) {
    let is_shown = model.uses_karpenter && !model.is_about_inert(&project.files, finding);
    if page.evidence != Evidence::Karpenter || is_shown {
        return;
    }
    finding.at_most(Severity::Note);
    let successor = finding.subjects.iter().find_map(|it| match it.inert {
        Some(Inert::Superseded(by)) => Some(by),
        _ => None,
    });
    if let Some(by) = successor {
        finding.note_elsewhere(by, "this one of the same name is applied, the other is not");
    }
}

/// Lowers what nothing applies, and says why.
pub(super) fn limit_left_out(project: &Project, model: &Model, finding: &mut Finding) {
    if let Some((place, words)) = model.left_out.of_finding(&project.files, finding) {
        finding.at_most(Severity::Note);
        finding.note_elsewhere(place, words);
    }
}

/// Lowers what concerns pods that are there for the time of a test, which Karpenter may evict as well, and what only the
/// tests of a chart make.
pub(super) fn limit_test_run(project: &Project, page: &Page, finding: &mut Finding) {
    let path = project.files.get(finding.span.file).path();
    if page.topic == WORKLOADS && aside::is_of_test_run(path) || is_of_chart_tests(finding) {
        finding.at_most(Severity::Note);
    }
}
