use crate::{
    checks::{
        limits::{is_for_system, of_unknown_spec, unbounded, unbounded_provisioner},
        settled,
    },
    findings::{Findings, Severity},
    model::{Model, provisioner::Provisioner},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unbounded-nodepool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for provisioner in Provisioner::all(model) {
        let resource = provisioner.resource;
        let diagnosis = unbounded_provisioner(model, &provisioner);
        let Some(unbounded) = findings.fault(resource.report_span, diagnosis) else { continue };
        let message = "Nothing limits how much this Provisioner launches";
        let finding = findings.report(unbounded.span, message);
        let help =
            "Set `limits.resources`, such as `cpu: 1000`: the most its nodes may have together";
        finding.help(help).about(resource.subject.as_ref());
    }
    for (pool, silence) in of_unknown_spec(model) {
        findings.silent(pool.report_span, silence);
    }
    for pool in settled::pools(model) {
        let diagnosis = unbounded(model, pool);
        let Some(unbounded) = findings.fault(pool.report_span, diagnosis) else { continue };
        let message = match &unbounded.uncounted {
            None => "Nothing limits how much this pool launches".to_owned(),
            Some((version, _)) => {
                let (major, minor) = version.line();
                format!(
                    "Karpenter {major}.{minor} does not count `nodes`: nothing limits this pool"
                )
            }
        };
        let finding = findings.report(unbounded.span, message).notes(unbounded.steps);
        if let Some((_, Some(installation))) = unbounded.uncounted {
            finding.note(installation.version.span(), "the version that does not count them");
        }
        if is_for_system(pool) {
            finding.at_most(Severity::Note);
        }
        finding.help("Set `limits`, such as `cpu: 1000`: the most its nodes may have together");
        finding.about(pool.subject.as_ref());
    }
}
