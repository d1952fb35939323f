use crate::{
    checks::consolidation::{Hasty, hasty_pools},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/consolidate-after-too-short.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for Hasty { pool, after, written, steps } in hasty_pools(model) {
        let message =
            format!("Karpenter moves pods at every lull: it waits `{written}` to consolidate");
        findings
            .report(after, message)
            .notes(steps)
            .help("Wait a minute or more, or write budgets that say how many nodes may go at once")
            .about(pool.subject.as_ref());
    }
}
