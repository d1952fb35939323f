use crate::{findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/iam-policy-outdated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for denied in model.denied() {
        let Some(version) = denied.release.version.known() else { continue };
        let message = match denied.actions.as_slice() {
            [only] => format!("Karpenter is denied `{only}`"),
            [one, other] => format!("Karpenter is denied `{one}`, `{other}`"),
            [first, others @ ..] => {
                format!("Karpenter is denied `{first}` and {} other actions", others.len())
            }
            [] => continue,
        };
        findings
            .report(denied.place, message)
            .note(denied.release.version.span(), format!("the controller is {version}"))
            .notes(denied.release.version.steps())
            .help(denied.help);
    }
}
