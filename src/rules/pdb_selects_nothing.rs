use crate::{
    checks::pdb::unmatched::{refused, unmatched_pdbs, without_selector},
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/pdb-selects-nothing.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in unmatched_pdbs(model) {
        let Some(unmatched) = findings.fault(place, diagnosis) else { continue };
        let name = &unmatched.pdb.name;
        let message = match unmatched.wanted {
            Some(_) => format!("PDB `{name}` selects no pods: they are in another namespace"),
            None => format!("PDB `{name}` selects no pods"),
        };
        let finding = findings.report(unmatched.pdb.selector_span, message);
        finding.about(&unmatched.pdb.subject).note(unmatched.near.span, unmatched.near.message);
        finding.note(unmatched.workload.report_span, "it nearly selects these pods");
        finding.help(match unmatched.wanted {
            Some(wanted) => format!("Set `metadata.namespace` to `{wanted}`"),
            None => "Give the selector the labels of the pods it is meant for".to_owned(),
        });
    }
    for pdb in without_selector(model) {
        findings.asked_of(pdb.report_span);
        let message = format!("PDB `{}` has no selector: it protects no pods", pdb.name);
        findings
            .report(pdb.selector_span, message)
            .about(&pdb.subject)
            .at_least(Severity::Warning)
            .help("Write a `selector` with the labels of the pods it is meant for");
    }
    for (bound, pdbs) in refused(model) {
        let Some(first) = pdbs.first() else { continue };
        for pdb in &pdbs {
            findings.asked_of(pdb.report_span);
        }
        let message = format!("The API server refuses PDB `{}`: it has two bounds", first.name);
        let finding = findings.report(bound, message);
        for pdb in &pdbs {
            finding.about(&pdb.subject);
        }
        finding
            .note_elsewhere(first.report_span, "the PDB")
            .at_least(Severity::Warning)
            .help("Keep `maxUnavailable` or `minAvailable`, not both");
    }
}
