use crate::{
    findings::Findings,
    model::{Model, protection::blocking::Blocker},
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/drain-blocking-pdb.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for blocker in model.drain_blockers() {
        let finding = findings.report(blocker.span, message(&blocker));
        finding.instance(blocker.instance);
        for workload in &blocker.workloads {
            let pods = match blocker.pods {
                Some(_) => model.pods_note(workload),
                None => (workload.report_span, "it selects these pods".to_owned()),
            };
            finding.note_elsewhere(pods.0, pods.1);
        }
        finding.help(match (blocker.without, blocker.pods) {
            (Some(text), _) => format!("Run more pods, or set `{text}` and let the only one go"),
            (None, Some(_)) => {
                "Set `maxUnavailable: 1` instead, or run more pods than have to stay".to_owned()
            }
            (None, None) => "Let at least one pod go: `maxUnavailable: 1`".to_owned(),
        });
    }
}

fn message(blocker: &Blocker) -> String {
    let Blocker { title, name, bound, pods, .. } = blocker;
    let bound = bound.word();
    match pods {
        None => format!("{title} never allows an eviction: `{name}: {bound}`"),
        Some(1) => format!("{title} never lets its only pod go: `{name}: {bound}`"),
        Some(pods) => format!("{title} never lets one of {pods} pods go: `{name}: {bound}`"),
    }
}
