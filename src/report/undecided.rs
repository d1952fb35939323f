//! What was not decided, in words a user can act on.

use std::collections::BTreeMap;

use crate::{
    findings::silence::Unreported,
    report::{Report, plural},
    value::cause::Cause,
};

/// "3 questions not decided: 2 need a value that is not known, 1 a chart that karplint does not know".
#[must_use]
pub(crate) fn summary(report: &Report) -> Option<String> {
    let causes = report.undecided().filter_map(|it| it.silence.cause());
    let mut counts: BTreeMap<Cause, usize> = BTreeMap::new();
    for cause in causes {
        *counts.entry(cause).or_default() += 1;
    }
    let counted = Cause::ALL.into_iter().filter_map(|it| Some((it, *counts.get(&it)?)));
    let parts: Vec<String> = counted.map(|(it, count)| format!("{count} {}", needs(it))).collect();
    (!parts.is_empty()).then(|| {
        let questions = plural(report.undecided().count(), "question");
        format!("{questions} not decided (`-v` lists them): {}", parts.join(", "))
    })
}

/// What the questions need.
fn needs(cause: Cause) -> &'static str {
    match cause {
        Cause::Value => "for want of a value that only an apply or another repository knows",
        Cause::Version => "for want of a version (`karpenter_version` in the config states one)",
        Cause::Chart => "because of charts that karplint does not know",
        Cause::NotRendered => "because of charts that are not rendered",
        Cause::Secret => "because a Secret or an encrypted file keeps the value",
        Cause::Unreadable => "because of files that cannot be read",
        Cause::Ambiguous => "because several candidates disagree",
        Cause::Mentioned => "because a script or template may do it",
    }
}

/// One line for each: "undecided: PLACE: RULE: REASON".
#[must_use]
pub(crate) fn lines(report: &Report) -> String {
    let line = |it: &Unreported| {
        let reason = &it.silence.reason().words;
        format!("undecided: {}: {}: {reason}\n", report.shown_place(it.span), it.rule)
    };
    report.undecided().map(line).collect()
}
