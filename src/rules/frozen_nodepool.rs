use crate::{
    checks::{frozen::frozen, settled},
    findings::{Findings, Severity},
    model::{
        Model,
        node_pool::{
            Lifetime, NodePool, PoolVersion,
            frozen::{Always, Frozen},
        },
    },
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/frozen-nodepool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for pool in settled::pools(model) {
        let diagnosis = frozen(model, pool);
        for frozen in findings.fault(pool.report_span, diagnosis).unwrap_or_default() {
            report(pool, frozen, findings);
        }
    }
}

fn report(pool: &NodePool, frozen: Frozen, findings: &mut Findings) {
    match frozen {
        Frozen::InvalidSchedule { span, problem, steps } => {
            let message = format!("Karpenter disrupts no node at all: {problem}");
            let finding = findings.report(span, message).notes(steps);
            finding.help("Write minute, hour, day, month and weekday (0 to 6), in UTC");
            finding.about(pool.subject.as_ref());
        }
        Frozen::Nothing(closed) => {
            let Some((first, others)) = closed.split_first() else { return };
            let message = "No node of this pool is ever consolidated or replaced after drift";
            let finding = findings.report(first.nodes, message).notes(first.steps.clone());
            for other in others {
                finding.note(other.nodes, "this budget allows none, either");
            }
            for (span, why) in closed.iter().filter_map(|it| it.schedule) {
                finding.note(
                    span,
                    match why {
                        Always::NoSuchDay => {
                            "no such day comes, and then Karpenter takes the window for open"
                        }
                        Always::Overlap => "the window opens again before it closes",
                    },
                );
            }
            if let Some(days) = days_until_expiry(pool) {
                finding.at_most(Severity::Note);
                let place = pool.expire_after.span();
                finding.note(place, format!("nodes expire all the same, after {days}"));
            }
            finding
                .help("Allow one node, give the budget a window, or name the `reasons` it is for");
            finding.about(pool.subject.as_ref());
        }
    }
}

/// How long the nodes of a pool live at most, where that is a month or less: budgets do not delay expiry in `v1`.
fn days_until_expiry(pool: &NodePool) -> Option<String> {
    const MONTH: f64 = 31.0 * 86_400.0;
    let lifetime = pool.expire_after.known().filter(|_| pool.api == PoolVersion::V1)?;
    let Lifetime::Seconds(seconds) = lifetime else { return None };
    let hours = (seconds / 3600.0).ceil();
    (*seconds <= MONTH).then(|| format!("{hours} hours at most"))
}
