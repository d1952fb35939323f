use crate::{
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-taint-untolerated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for usage in model.components.iter().filter(|it| it.pod.bootstrap) {
        let Some(cluster) = model.cluster_of(usage) else { continue };
        if usage.runs_elsewhere(cluster) {
            continue;
        }
        let Some(taint) =
            cluster.shared_taints().into_iter().find(|it| usage.tolerates(it) == Some(false))
        else {
            continue;
        };
        let title = &usage.pod.title;
        let spelling = usage.eks_spelling(taint);
        let message = if spelling.is_some() {
            format!("{title} stays Pending: `{}` is no toleration effect", taint.effect.eks_word())
        } else {
            format!("{title} stays Pending behind taint `{}`", taint.key)
        };
        let finding = findings.report(usage.placement_anchor(), message);
        if let Some(span) = spelling {
            finding.note(span, format!("write `{}` here", taint.effect.word()));
        }
        for group in &cluster.node_groups {
            if let Some(place) = group.taints.place(taint) {
                finding.note(place, "every static node group has this taint");
            }
        }
        finding.help(format!(
            "Add a toleration with key `{}`, operator `Exists`{}",
            taint.key,
            usage.toleration_path_hint()
        ));
        if !model.uses_karpenter {
            finding.at_most(Severity::Note);
        }
    }
}
