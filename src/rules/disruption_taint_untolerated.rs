use crate::{
    checks::reach::stays_off_own_nodes,
    findings::{Findings, Safety},
    model::{Model, component::ComponentUse, scope::Scoped, toleration::drain_taint::DrainTaint},
    resolve::pod::placement::Placement,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/disruption-taint-untolerated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for usage in model.components.iter().filter(|it| it.pod.critical) {
        let (taints, release) = model.drain_taints.nearest(usage.scope());
        // What the pods of a DaemonSet tolerate by default does not evict them.
        let evicts = |it: &DrainTaint| it.own && usage.tolerates(&it.taint) == Some(false);
        let Some(DrainTaint { taint, .. }) = taints.last().filter(|_| taints.iter().all(evicts))
        else {
            continue;
        };
        let elsewhere =
            |it: &Placement| stays_off_own_nodes(model, it, usage.scope()) == Some(true);
        if usage.placements().iter().any(elsewhere) {
            continue;
        }
        let message = format!("The {} pods are evicted while their node drains", usage.pod.title);
        let finding = findings.report(usage.toleration_anchor(), message);
        finding.about(usage.subject.as_ref());
        let release = release.and_then(|it| model.releases.get(it));
        if let Some((release, version)) = release.and_then(|it| Some((it, it.exact_version()?))) {
            let (major, minor) = version.line();
            let says = format!("Karpenter {major}.{minor} sets `{}`", taint.key);
            finding.note(release.version.span(), says);
        }
        finding.help(format!(
            "Add a toleration with key `{}`, operator `Exists`, effect `NoSchedule`",
            taint.key
        ));
        let changes = ComponentUse::tolerating(&[usage], taint);
        finding.offer(format!("Tolerate `{}`", taint.key), Safety::Safe, changes);
    }
}
