use crate::{
    checks::{
        naming,
        unused_pool::{unserved_pools, unused},
    },
    findings::{Findings, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/unused-nodepool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pool, silence) in unserved_pools(model) {
        findings.silent(pool, silence);
    }
    for (pool, diagnosis) in unused(model) {
        let Some((taint, place)) = findings.fault(pool.report_span, diagnosis) else { continue };
        let name = naming::pool(pool);
        let message = format!("No pod of the repository tolerates `{}` of {name}", taint.key);
        let finding = findings.report(place, message);
        finding.help(
            "Let the pods that are meant for these nodes tolerate the taint, or remove the pool",
        );
        let claim = Claim::Toleration { key: taint.key.clone(), value: taint.value.clone() };
        finding.unless_mentioned(claim).about(pool.subject.as_ref());
    }
}
