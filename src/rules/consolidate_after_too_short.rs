use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule =
    Rule { page: include_str!("../../rules/consolidate-after-too-short.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pool, restless) in model.restless_pools() {
        let written = restless.written;
        let message =
            format!("Karpenter moves pods at every lull: it waits `{written}` to consolidate");
        findings
            .report(restless.after, message)
            .notes(restless.steps)
            .help("Wait a minute or more, or write budgets that say how many nodes may go at once")
            .instance(pool.instance.as_ref());
    }
}
