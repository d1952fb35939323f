use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crds-never-upgraded.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    if model.somebody_installs_crds {
        return;
    }
    for controller in model.controllers() {
        let bundled = controller.skip_crds.known_to_be(&false);
        if controller.reusable || !bundled || !controller.upgrade_crds.known_to_be(&false) {
            continue;
        }
        let message = "Helm installs these CRDs once and nothing here upgrades them";
        findings
            .report(controller.anchor, message)
            .instance(controller.instance.as_ref())
            .help(controller.upgrade_help());
    }
}
