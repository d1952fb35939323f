use crate::{
    findings::{Findings, Safety},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/endless-drain.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for drain in model.endless_drains() {
        let Some(first) = drain.stuck.first() else { continue };
        let called = first.workload.called();
        let message = format!("Expired nodes hang half-drained as long as {called} runs");
        let pool = drain.pool;
        let finding = findings.report(pool.report_span, message);
        finding.instance(pool.instance.as_ref());
        for stuck in &drain.stuck {
            finding.note(stuck.span, stuck.reason.as_str());
        }
        finding.help("Set `terminationGracePeriod`, the time after which a drain ends by force");
        let ending = pool.ending_drains(drain.stuck.iter().map(|it| it.workload));
        finding.offer("Set `terminationGracePeriod`", Safety::Unsafe, ending);
    }
}
