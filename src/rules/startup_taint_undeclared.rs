use crate::{
    checks::startup_taint::{Giver, Judged, Undeclared, judged},
    findings::Findings,
    model::Model,
    resolve::pod::toleration::Taint,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/startup-taint-undeclared.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for mut pool in judged(model) {
        findings.asked_of(pool.report_span);
        for (taint, place) in &pool.lasting {
            let message = format!("Pods that do not tolerate `{}` get no node", taint.key);
            let agent = &taint.agent;
            let finding = findings.report(*place, message);
            finding.help(format!(
                "Move it to `startupTaints`: {agent} takes it off each node as soon as it runs there"
            ));
            finding.about(pool.subject);
        }
        for diagnosis in std::mem::take(&mut pool.given) {
            if let Some(taint) = findings.fault(pool.report_span, diagnosis) {
                report(&pool, &taint, findings);
            }
        }
    }
}

/// The value and the effect of a taint, by which the agent tolerates it: with others it may not start.
fn parts(whole: &Taint) -> String {
    let value = match whole.value.as_str() {
        "" => String::new(),
        it => format!("`value: {it:?}` and "),
    };
    format!(", with {value}`effect: {}` as these groups have it", whole.effect.word())
}

fn report(pool: &Judged<'_>, undeclared: &Undeclared, findings: &mut Findings) {
    let Undeclared { taint, given, giver, whole } = undeclared;
    let (message, note) = match giver {
        Giver::UserData => (
            format!("Karpenter launches spare nodes until `{}` is gone", taint.key),
            "the user data of these nodes sets the taint",
        ),
        Giver::DroppedUserData => (
            format!("Pods may start on these nodes before {} does", taint.agent),
            "Karpenter replaces these taints by those of the NodePool",
        ),
        Giver::NodeGroups => (
            format!("Pods may start on these nodes before {} does", taint.agent),
            "every static node group holds them back by this taint",
        ),
    };
    let finding = findings.report(pool.spec, message).note(*given, note);
    let parts = whole.as_ref().map(parts).unwrap_or_default();
    finding.help(format!("Add `{}` to `startupTaints`{parts}", taint.key));
    finding.about(pool.subject);
}
