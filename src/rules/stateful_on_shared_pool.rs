use crate::{
    checks::{
        naming,
        protection::exposed,
        shared_pool::{Sharing, sharing},
    },
    findings::{Findings, silence::Silence},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/stateful-on-shared-pool.md"), check };

/// More would bury the finding they explain.
const NOTES: usize = 3;

fn check(model: &Model, findings: &mut Findings) {
    let (found, others) = sharing(model);
    for (workload, silence) in others {
        findings.silent(workload, silence);
    }
    for Sharing { workload, pools } in found {
        if exposed(model, workload).is_ok() {
            let words = "`stateful-pod-unprotected` reports that nothing protects its pods";
            findings.silent(workload.report_span, Silence::sound(words));
            continue;
        }
        let message =
            format!("No NodePool keeps other pods away from {}", naming::workload(workload));
        let finding = findings.report(workload.report_span, message);
        for pool in pools.iter().take(NOTES) {
            finding.note(pool.report_span, "takes any pod");
        }
        finding.about(workload.subject.as_ref()).help(
            "Give these pods a NodePool with a taint that only they tolerate, and let them select it",
        );
    }
}
