use crate::{
    checks::{
        drain::{Stuck, StuckBy, drain_limit, ending_drains, endless_drains},
        naming,
    },
    findings::{Findings, Safety, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/endless-drain.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let drains = endless_drains(model);
    for (pool, silence) in ending_drains(model, &drains) {
        findings.silent(pool, silence);
    }
    for drain in drains {
        let Some(first) = drain.stuck.first() else { continue };
        let called = naming::workload(first.workload);
        let pool = drain.pool;
        let named = naming::pool(pool);
        let message = if first.is_for_a_while() {
            format!("Drains of expired nodes of {named} wait while {called} runs its fewest pods")
        } else {
            format!("Expired nodes of {named} never finish draining: {called} cannot be evicted")
        };
        let finding = findings.report(pool.report_span, message);
        finding.about(pool.subject.as_ref());
        if drain.stuck.iter().all(|it| it.workload.is_inert() || it.is_for_a_while()) {
            finding.at_most(Severity::Note);
        }
        for stuck in &drain.stuck {
            finding.note(stuck.span, reason(stuck));
        }
        finding.help("Set `terminationGracePeriod`: nothing else ends a drain by force");
        let limit = drain_limit(pool, drain.stuck.iter().map(|it| it.workload));
        finding.offer("Set `terminationGracePeriod`", Safety::Unsafe, limit);
    }
}

fn reason(stuck: &Stuck<'_>) -> String {
    match stuck.cause {
        StuckBy::Annotation => {
            format!("do-not-disrupt: no drain evicts {}", naming::workload(stuck.workload))
        }
        StuckBy::Pdb(pdb) => format!("{} never allows an eviction of these pods", pdb.title()),
        StuckBy::PdbAtFewest(pdb) => {
            format!("{} allows no eviction at the autoscaler's minimum", pdb.title())
        }
    }
}
