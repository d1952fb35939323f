use crate::{
    findings::{Findings, mention::Subject},
    model::Model,
    rules::Rule,
};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crds-never-upgraded.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.with_old_crds() {
        let message = "Helm installs these CRDs once and nothing here upgrades them";
        findings
            .report(controller.report_span, message)
            .unless_mentioned(Subject::Crds)
            .instance(controller.instance.as_ref())
            .help(controller.upgrade_help());
    }
}
