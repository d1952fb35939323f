use crate::{
    checks::{
        consolidation::{Hasty, hasty, is_of_example},
        settled,
    },
    findings::Findings,
    model::{
        Model,
        node_pool::{NodePool, PoolVersion},
    },
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/consolidate-after-too-short.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let mut found: Vec<(&NodePool, Hasty<'_>)> = Vec::new();
    for pool in settled::pools(model).filter(|it| it.api == PoolVersion::V1) {
        let hasty = findings.fault(pool.report_span, hasty(model, pool));
        found.extend(hasty.map(|it| (pool, it)));
    }
    let repeats = |it: &(&NodePool, Hasty<'_>), own: &(&NodePool, Hasty<'_>)| {
        let is_of_chart = it.0.scope.folder == own.0.scope.folder && !is_of_example(own.0);
        is_of_example(it.0) && is_of_chart && it.1.written == own.1.written
    };
    for it in &found {
        // An example that repeats the value of its chart is one of that.
        if found.iter().any(|own| repeats(it, own)) {
            continue;
        }
        let (pool, hasty) = it;
        let message = format!(
            "Karpenter evicts pods `{}` after the last change on a half-used node",
            hasty.written
        );
        findings.asked_of(pool.report_span);
        let finding = findings
            .report(hasty.after, message)
            .notes(hasty.steps.iter().cloned())
            .help("Wait a minute or more, or write budgets that limit how many nodes are disrupted at a time")
            .about(pool.subject.as_ref());
        for (_, example) in found.iter().filter(|other| repeats(other, it)) {
            finding.note(example.after, "an example repeats it");
        }
    }
}
