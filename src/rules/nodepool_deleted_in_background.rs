use crate::{
    checks::destroy_order::{Unawaited, unawaited},
    findings::{Findings, Safety, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/nodepool-deleted-in-background.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for resource in &model.karpenter_resources {
        for (block, diagnosis) in unawaited(model, resource) {
            let fault = findings.fault(block.header, diagnosis);
            let Some(fault) = fault else { continue };
            let finding = match fault {
                Unawaited::NeverDeleted(place) => findings
                    .report(place, "Destroy leaves this NodePool, and its instances keep running")
                    .at_least(Severity::Error)
                    .help("Remove `apply_only` and set `wait = true`"),
                Unawaited::Background(place) => findings
                    .report(
                        place,
                        "Destroy does not wait until the nodes of this NodePool are gone",
                    )
                    .help("Remove `delete_cascade`: with `wait = true` it is `Foreground`"),
                Unawaited::NoWait { place, change } => findings
                    .report(
                        place,
                        "Destroy does not wait until the nodes of this NodePool are gone",
                    )
                    .help("Set `wait = true`")
                    .offer("Wait for the nodes", Safety::Safe, change),
            };
            finding.note_elsewhere(block.header, "the NodePool");
            finding.about(&block.subject(resource.root));
        }
    }
}
