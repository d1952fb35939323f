use crate::{
    checks::controller_nodes::unmet_label,
    findings::Findings,
    model::{Model, cluster::NodeGroup, node_label::CONTROLLER},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-selector-unmatched.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let Some(cluster) = model.cluster_of_controller(&pods) else { continue };
        let Some(place) = unmet_label(&pods, cluster) else { continue };
        let message = format!("Karpenter stays Pending: no node group matches `{CONTROLLER}`");
        let finding = findings.report(place, message);
        finding.about(pods.subject());
        for group in &cluster.node_groups {
            finding.note(group.report_span, label_of(group));
        }
        finding.help("Give a static node group this label, or select one by a label it has");
    }
}

fn label_of(group: &NodeGroup) -> String {
    match group.labels.value(CONTROLLER) {
        Some(value) => format!("this group has the label with the value `{value}`"),
        None => "this group does not have the label".to_owned(),
    }
}
