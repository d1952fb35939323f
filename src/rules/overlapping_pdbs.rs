use crate::{
    checks::{
        naming,
        pdb::{
            overlap::{Earlier, lone_pdbs, overlapping_pdbs},
            words,
        },
    },
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/overlapping-pdbs.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    let overlaps = overlapping_pdbs(model);
    for (pdb, silence) in lone_pdbs(model, &overlaps) {
        findings.silent(pdb, silence);
    }
    for overlap in overlaps {
        let (pdb, workload) = (overlap.pdb, overlap.workload);
        let message = format!(
            "A second PDB for {}: every eviction of its pods fails",
            naming::workload(workload)
        );
        let finding = findings.report(pdb.report_span, message);
        match overlap.earlier {
            Earlier::Written(first) => {
                let asks = words::of_selector(&first.selector);
                finding.note(first.report_span, format!("the first PDB selects {asks}"));
            }
            Earlier::Created(by, span) => {
                finding.note(span, format!("{} makes a PDB for these pods", naming::creator(by)));
            }
        }
        let asks = words::of_selector(&pdb.selector);
        finding.note(pdb.selector_span, format!("the second selects {asks}"));
        finding.note_elsewhere(workload.report_span, "both select these pods");
        finding.about(workload.subject.as_ref());
        let requirements = pdb.selector.requirements();
        match requirements.iter().find(|it| it.span.file != pdb.selector_span.file) {
            Some(label) => {
                let words = "the kustomization puts this label into every selector";
                finding.note(label.span, words);
                finding.help(
                    "Let the kustomization use `labels`, which spares selectors, for `commonLabels`",
                );
            }
            None => {
                finding.help("Leave one PDB, or narrow the selectors until no pod matches both");
            }
        }
    }
}
