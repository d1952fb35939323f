use crate::{
    findings::Findings,
    model::{Model, protection::overlap::Earlier},
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/overlapping-pdbs.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for overlap in model.overlapping_pdbs() {
        let (budget, workload) = (overlap.budget, overlap.workload);
        let message =
            format!("A second budget for {}: its pods are never evicted", workload.called());
        let finding = findings.report(budget.report_span, message);
        match overlap.earlier {
            Earlier::Written(first) => {
                let asks = first.selector.words();
                finding.note(first.report_span, format!("the first budget asks for {asks}"));
            }
            Earlier::Made(by, span) => {
                finding.note(span, format!("{by} makes a budget for these pods"));
            }
        }
        let asks = budget.selector.words();
        finding.note(budget.selector_span, format!("the second asks for {asks}"));
        finding.note_elsewhere(workload.report_span, "both select these pods");
        finding.instance(workload.instance.as_ref());
        finding.help("Leave one budget, or narrow the selectors until no pod matches both");
    }
}
