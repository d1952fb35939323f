use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/crds-never-upgraded.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    if model.somebody_installs_crds {
        return;
    }
    for controller in model.controllers() {
        if controller.reusable || !controller.skip_crds.known_to_be(&false) {
            continue;
        }
        findings
            .report(
                controller.anchor,
                "Helm installs these CRDs once and nothing here upgrades them",
            )
            .help(
                "Add a `karpenter-crd` release of the same version and set `skip_crds = true` here",
            );
    }
}
