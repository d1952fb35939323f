use std::collections::{BTreeMap, BTreeSet};

use crate::{
    findings::{Findings, Safety},
    knowledge::component::Pod,
    model::{Model, cluster::Cluster, component::ComponentUse},
    resolve::pod::toleration::Taint,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-taint-untolerated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    // One finding for a component, though several of its deployments lack the toleration.
    let mut stuck: BTreeMap<_, Vec<(&ComponentUse, &Cluster, &Taint)>> = BTreeMap::new();
    for usage in model.components.iter().filter(|it| it.pod.bootstrap) {
        if let Some((cluster, taint)) = repelled(model, usage) {
            let subject = usage.subject.as_ref();
            let key = (usage.placement_span(), &usage.component.name, subject);
            stuck.entry(key).or_default().push((usage, cluster, taint));
        }
    }
    for ((report_span, ..), pods) in stuck {
        let [(usage, cluster, taint), ..] = pods.as_slice() else { continue };
        let stuck_pods: Vec<&Pod> = pods.iter().map(|(it, ..)| it.pod).collect();
        let title = usage.component.title_of(&stuck_pods);
        let stay = if title.contains(" and ") { "stay" } else { "stays" };
        let spelling = usage.eks_spelling(taint);
        let message = if spelling.is_some() {
            format!("{title} {stay} Pending: `{}` is no toleration effect", taint.effect.eks_word())
        } else {
            format!("{title} {stay} Pending behind taint `{}`", taint.key)
        };
        let finding = findings.report(report_span, message).about(usage.subject.as_ref());
        if let Some(span) = spelling {
            finding.note(span, format!("write `{}` here", taint.effect.word()));
        }
        for place in cluster.node_groups.iter().filter_map(|it| it.taints.place(taint)) {
            finding.note(place, "every static node group has this taint");
        }
        let uses: Vec<&ComponentUse> = pods.iter().map(|(it, ..)| *it).collect();
        let changes = ComponentUse::tolerating(&uses, taint);
        finding.offer(format!("Tolerate `{}`", taint.key), Safety::Safe, changes);
        finding.help(help(taint, &pods));
    }
}

/// The taint of all static node groups that keeps the pods away, with the cluster.
fn repelled<'a>(model: &'a Model, usage: &ComponentUse) -> Option<(&'a Cluster, &'a Taint)> {
    let cluster = model.cluster_of(usage).filter(|it| !usage.runs_elsewhere(it))?;
    let mut taints = cluster.shared_taints().into_iter();
    taints.find(|it| usage.tolerates(it) == Some(false)).map(|it| (cluster, it))
}

fn help(taint: &Taint, pods: &[(&ComponentUse, &Cluster, &Taint)]) -> String {
    let paths: BTreeSet<&str> = pods.iter().filter_map(|(it, ..)| it.toleration_path()).collect();
    let paths: Vec<&str> = paths.into_iter().collect();
    let at =
        if paths.is_empty() { String::new() } else { format!(", at `{}`", paths.join("`, `")) };
    format!("Add a toleration with key `{}`, operator `Exists`{at}", taint.key)
}
