use crate::{
    checks::stale_toleration::{StaleToleration, TolerationFault, stale_tolerations},
    findings::{Findings, Safety},
    model::{
        Model,
        toleration::drain_toleration_list::{DrainTolerationList, PodsName},
    },
    resolve::pod::toleration::Taint,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/stale-disruption-toleration.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, judged) in stale_tolerations(model) {
        let Some(stale) = findings.fault(place, judged) else { continue };
        let key = &stale.drain.taint.key;
        let message = format!("{} evicted on drain: {}", pods_are(stale.list), reason(&stale));
        let finding = findings.report(stale.part.unwrap_or(place), message);
        finding.about(stale.list.subject.as_ref()).notes(stale.list.steps.clone());
        let release = stale.release.and_then(|it| Some((it, it.exact_version()?)));
        if let Some((release, version)) = release {
            let (major, minor) = version.line();
            let note = format!("Karpenter {major}.{minor} sets `{key}`");
            finding.note(release.version.span(), note);
        }
        let changes = stale.changes.iter().flatten().cloned();
        finding.help(help(&stale)).offer(format!("Tolerate `{key}`"), Safety::Safe, changes);
    }
}

fn pods_are(list: &DrainTolerationList) -> String {
    match &list.pods.name {
        PodsName::Object(name) => format!("`{name}` is"),
        PodsName::Component(title) => format!("{title} pods are"),
        PodsName::Unknown => "These pods are".to_owned(),
    }
}

/// Why the toleration has no effect.
fn reason(stale: &StaleToleration<'_>) -> String {
    let Taint { key, value, effect } = &stale.drain.taint;
    match stale.fault {
        TolerationFault::Key => format!("the taint is `{key}`"),
        TolerationFault::Value if value.is_empty() => format!("`{key}` has no value"),
        TolerationFault::Value => format!("the taint's value is `{value}`"),
        TolerationFault::Effect => format!("the taint's effect is `{}`", effect.word()),
        TolerationFault::Spelling => format!("`{}` is no toleration effect", effect.eks_word()),
        TolerationFault::Operator => "this is no operator for it".to_owned(),
        TolerationFault::NoOwnTaint => "Karpenter has no such taint before 0.32".to_owned(),
    }
}

fn help(stale: &StaleToleration<'_>) -> String {
    if stale.is_better_removed() {
        return "Remove it: these pods should be drained and start on another node".to_owned();
    }
    let key = &stale.drain.taint.key;
    format!("Tolerate key `{key}` with operator `Exists` and effect `NoSchedule`")
}
