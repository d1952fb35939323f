use crate::{
    checks::{
        destroy_order::{Unawaited, perhaps_refused, unawaited, unseen_pools},
        scripted_teardown,
    },
    findings::{Findings, Safety, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/nodepool-deleted-in-background.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, silence) in unseen_pools(model) {
        findings.silent(place, silence);
    }
    for resource in &model.karpenter_resources {
        let kind = resource.pools().unwrap_or_default();
        let kept = scripted_teardown::waiting_for_nodes(model, resource);
        for (block, diagnosis) in unawaited(model, resource) {
            let fault = findings.fault(block.header, diagnosis);
            let Some(fault) = fault else { continue };
            if let Some(silence) = scripted_teardown::answered(kept) {
                findings.silent(block.header, silence);
                continue;
            }
            let finding = match fault {
                Unawaited::NeverDeleted(place) => findings
                    .report(
                        place,
                        format!("Destroy leaves this {kind}, and its instances keep running"),
                    )
                    .at_least(Severity::Error)
                    .help("Remove `apply_only` and set `wait = true`"),
                Unawaited::Background(place) => findings
                    .report(
                        place,
                        format!("Destroy does not wait until the nodes of this {kind} are gone"),
                    )
                    .help("Remove `delete_cascade`: with `wait = true` it is `Foreground`"),
                Unawaited::NoWait { place, change } => findings
                    .report(
                        place,
                        format!("Destroy does not wait until the nodes of this {kind} are gone"),
                    )
                    .help("Set `wait = true`")
                    .offer("Wait for the nodes", Safety::Safe, change),
            };
            finding.note_elsewhere(block.header, format!("the {kind}"));
            finding.about(&block.subject(resource.root));
            if let Some(kind) = perhaps_refused(model, resource) {
                let words =
                    "which release is installed is not known: 0.33 and later have no such kind";
                finding.at_most(Severity::Note).note(kind, words);
            }
            if let Some(kept) = kept {
                finding.at_most(Severity::Note).note(kept.span, "a document waits for the nodes");
            }
        }
    }
}
