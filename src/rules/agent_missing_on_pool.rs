use crate::{
    checks::{
        missing_agent::{MissingAgent, missing},
        naming,
    },
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/agent-missing-on-pool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for usage in model.components.iter().filter(|it| it.pod.critical) {
        let place = usage.toleration_anchor();
        let Some(it) = findings.fault(place, missing(model, usage)) else { continue };
        let MissingAgent { pool, taint, place: written } = it;
        let message =
            format!("The {} pods do not run on NodePool {}", usage.pod.title, naming::pool(pool));
        let finding = findings.report(place, message);
        finding.note(written, format!("they do not tolerate `{}`", taint.key));
        finding.help(format!(
            "Tolerate `{}`, or every taint: the agent is needed on each node",
            taint.key
        ));
        finding.about(usage.subject.as_ref());
    }
}
