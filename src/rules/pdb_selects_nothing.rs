use crate::{
    checks::pdb::unmatched::unmatched_pdbs, findings::Findings, model::Model, rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/pdb-selects-nothing.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for unmatched in unmatched_pdbs(model) {
        let message = format!("PDB `{}` selects no pods", unmatched.pdb.name);
        let finding = findings.report(unmatched.pdb.selector_span, message);
        finding.about(&unmatched.pdb.subject).note(unmatched.near.span, unmatched.near.message);
        finding.note(unmatched.workload.report_span, "it nearly selects these pods");
        finding.help("Give the selector the labels of the pods it is meant for");
    }
}
