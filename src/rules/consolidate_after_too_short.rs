use crate::{
    checks::{consolidation::hasty, settled},
    findings::Findings,
    model::{Model, node_pool::PoolVersion},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/consolidate-after-too-short.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pool in settled::pools(model).filter(|it| it.api == PoolVersion::V1) {
        let Some(hasty) = findings.fault(pool.report_span, hasty(model, pool)) else { continue };
        let message = format!(
            "Karpenter evicts pods `{}` after the last change on a half-used node",
            hasty.written
        );
        findings
            .report(hasty.after, message)
            .notes(hasty.steps)
            .help("Wait a minute or more, or write budgets that limit how many nodes are disrupted at a time")
            .about(pool.subject.as_ref());
    }
}
