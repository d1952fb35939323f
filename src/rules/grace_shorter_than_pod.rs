use crate::{
    checks::{
        drain::{long_graces, short_graces},
        naming,
    },
    findings::Findings,
    model::Model,
    rules::Rule,
    time::duration::words,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/grace-shorter-than-pod.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let graces = short_graces(model);
    for (pool, silence) in long_graces(model, &graces) {
        findings.silent(pool, silence);
    }
    for short in graces {
        let Some((longest, needs)) = short.cut.first() else { continue };
        let (called, given) = (naming::workload(longest), words(short.grace));
        let message =
            format!("A drain kills {called} after {given}, although it takes {}", words(*needs));
        let pool = short.pool;
        let finding = findings.report(pool.grace.span(), message);
        finding.about(pool.subject.as_ref()).notes(pool.grace.steps());
        for (workload, needs) in &short.cut {
            let says = if workload.grace.is_written() { "asks for" } else { "has by default" };
            let note = format!("{} {says} {} to stop", naming::workload(workload), words(*needs));
            finding.note(workload.grace.span(), note);
        }
        finding
            .help(format!("Make it longer than {}, with time for the drain itself", words(*needs)));
    }
}
