use std::collections::{BTreeMap, BTreeSet};

use crate::{
    checks::{
        static_nodes::{Harm, Repelled, may_be_kept_off, off_static_nodes},
        unseen_pods::unverified,
    },
    findings::{Finding, Findings, Safety, Severity},
    knowledge::component::Pod,
    model::{Model, component::ComponentUse},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-taint-untolerated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, silence) in unverified(model, may_be_kept_off(model)) {
        findings.silent(place, silence);
    }
    // One finding for a component, though several of its deployments lack the toleration.
    let mut stuck: BTreeMap<_, Vec<Repelled<'_>>> = BTreeMap::new();
    for usage in model.components.iter().filter(|it| it.pod.bootstrap.is_some()) {
        let Some(diagnosis) = off_static_nodes(model, usage) else { continue };
        let place = usage.placement_span();
        let Some(it) = findings.fault(place, diagnosis) else { continue };
        let key = (place, &usage.component.name, usage.subject.as_ref(), it.harm);
        stuck.entry(key).or_default().push(it);
    }
    for pods in stuck.values() {
        let [first, ..] = pods.as_slice() else { continue };
        let usage = first.usage;
        findings.asked_of(usage.placement_span());
        let finding = findings.report(usage.placement_span(), message(pods, first));
        finding.about(usage.subject.as_ref());
        add_places(finding, first);
        if first.harm >= Harm::LateAddon {
            finding.at_most(Severity::Warning);
        }
        let uses: Vec<&ComponentUse> = pods.iter().map(|it| it.usage).collect();
        let key = &first.taint.key;
        let changes = ComponentUse::tolerating(&uses, first.taint);
        finding.help(help(key, &uses)).offer(format!("Tolerate `{key}`"), Safety::Safe, changes);
    }
}

fn message(pods: &[Repelled<'_>], first: &Repelled<'_>) -> String {
    let kinds: Vec<&Pod> = pods.iter().map(|it| it.usage.pod).collect();
    let title = first.usage.component.title_of(&kinds);
    let several = title.contains(" and ");
    let (are, stay, them) = if several { ("are", "stay", "them") } else { ("is", "stays", "it") };
    match first.harm {
        Harm::Refused => {
            let effect = first.taint.effect.eks_word();
            format!("{title} {are} refused: `{effect}` is no toleration effect")
        }
        Harm::NoKarpenter => format!("{title} stays Pending behind taint `{}`", first.taint.key),
        Harm::Deadlock if first.usage.pod.kind == "DaemonSet" => {
            format!("{title} runs on no static node, and Karpenter cannot start without it")
        }
        Harm::Deadlock => {
            format!("{title} {stay} Pending, and Karpenter cannot start without {them}")
        }
        Harm::Nowhere => {
            format!("{title} {stay} Pending: no static node and no NodePool takes {them}")
        }
        Harm::LateAddon => {
            format!("The apply waits for {title}, which waits for a node of Karpenter's")
        }
        Harm::Late => {
            format!("{title} cannot start before Karpenter launches a node for {them}")
        }
    }
}

fn add_places(finding: &mut Finding, repelled: &Repelled<'_>) {
    let Repelled { usage, cluster, taint, .. } = repelled;
    let written = usage.misspelt(taint).and_then(|it| it.written.as_ref());
    if let Some(effect) = written.and_then(|it| it.get("effect").present()) {
        finding.note(effect.span, format!("the effect is `{}`", taint.effect.word()));
    }
    for place in cluster.node_groups.iter().filter_map(|it| it.taints.place(taint)) {
        finding.note(place, format!("every static node group has taint `{}`", taint.key));
    }
}

fn help(key: &str, pods: &[&ComponentUse]) -> String {
    let paths: BTreeSet<&str> = pods.iter().filter_map(|it| it.toleration_path()).collect();
    let paths: Vec<&str> = paths.into_iter().collect();
    let at =
        if paths.is_empty() { String::new() } else { format!(", at `{}`", paths.join("`, `")) };
    format!("Add a toleration with key `{key}`, operator `Exists`{at}")
}
