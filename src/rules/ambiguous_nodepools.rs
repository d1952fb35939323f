use std::collections::HashSet;

use crate::{
    checks::{
        ambiguous_pools::{Compared, ambiguous_pools},
        settled,
    },
    findings::{Findings, mention::Claim, silence::Silence},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/ambiguous-nodepools.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let Compared { found, beyond } = ambiguous_pools(model);
    let reported: HashSet<_> = found.iter().map(|it| it.pool.report_span).collect();
    for pool in settled::pools(model) {
        if !reported.contains(&pool.report_span) {
            let words = "no NodePool that is applied with it launches the same nodes for the same pods, or pods choose";
            let silence = settled::pool(model, pool).err();
            findings.silent(pool.report_span, silence.unwrap_or_else(|| Silence::sound(words)));
        }
    }
    if let Some((pool, silence)) = beyond {
        findings.silent(pool.report_span, silence);
    }
    for ambiguous in found {
        let Some(first) = ambiguous.earlier.first() else { continue };
        let mut names = [&ambiguous.pool.title, &first.title];
        names.sort();
        let message = format!("Only their names decide between `{}` and `{}`", names[0], names[1]);
        let finding = findings.report(ambiguous.pool.report_span, message);
        let class = ambiguous.pool.class.known();
        for pool in &ambiguous.earlier {
            let is_of_other_class =
                matches!((pool.class.known(), class), (Some(a), Some(b)) if a != b);
            let words = if is_of_other_class {
                "launches some of the same instance types for the same pods, with the same weight, of another node class"
            } else {
                "launches some of the same nodes for the same pods, with the same weight"
            };
            finding.note(pool.report_span, words);
        }
        finding.help(
            "Set a `weight`, a taint that only the right pods tolerate, or other requirements",
        );
        let labels: Vec<String> = ambiguous.labels().into_iter().map(str::to_owned).collect();
        if !labels.is_empty() {
            finding.unless_mentioned(Claim::NodeSelector(labels));
        }
        finding.about(ambiguous.pool.subject.as_ref());
    }
}
