use crate::{
    checks::controller_nodes::{cluster_of, unmet_label},
    findings::Findings,
    model::{Model, cluster::NodeGroup},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-selector-unmatched.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let Some(cluster) = cluster_of(model, &pods) else { continue };
        let unmet = cluster.and_then(|it| Ok((unmet_label(model, &pods, it)?, it)));
        let Some((unmet, cluster)) = findings.fault(pods.report_span(), unmet) else { continue };
        let key = &unmet.key;
        let message = format!("Karpenter stays Pending: no static node group matches `{key}`");
        let finding = findings.report(unmet.span, message);
        finding.about(pods.subject());
        for group in &cluster.node_groups {
            finding.note(group.report_span, label_of(group, key));
        }
        finding.help(format!(
            "Give a static node group the label `{key}` that Karpenter asks for, or ask for a label that one has"
        ));
    }
}

fn label_of(group: &NodeGroup, key: &str) -> String {
    match group.labels.value(key) {
        Some(value) => format!("this group has the label with the value `{value}`"),
        None => "this group does not have the label".to_owned(),
    }
}
