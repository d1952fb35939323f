use crate::{
    checks::controller_nodes::{AffinityFault, OwnNodeAccess, opening},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/controller-on-own-nodes.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pods in model.controller_pods() {
        let opening = opening(model, &pods);
        let Some(opening) = findings.fault(pods.report_span(), opening) else { continue };
        findings
            .report(opening.span, "Karpenter may run on a node that it drains itself")
            .about(pods.subject())
            .help(help(&opening));
    }
}

fn help(opening: &OwnNodeAccess) -> String {
    let label = &opening.label;
    match opening.way {
        AffinityFault::Removed => "Leave the chart its `nodeAffinity`".to_owned(),
        AffinityFault::Retired => {
            format!("Ask for `{label}` instead: Karpenter's nodes carry that")
        }
        AffinityFault::Replaced => {
            format!("Add key `{label}` with operator `DoesNotExist` to each term")
        }
    }
}
