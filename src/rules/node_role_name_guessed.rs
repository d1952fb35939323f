use crate::{
    checks::identity::node_role::{RoleNameFault, named_roles},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/node-role-name-guessed.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in named_roles(model) {
        let Some(role) = findings.fault(place, diagnosis) else { continue };
        let finding = match role.why {
            RoleNameFault::Arn(field) => {
                let message = format!("No node starts: `{field}` takes a name, and this is an ARN");
                let finding = findings.report(role.span, message);
                finding.help("Write the part after the last `/`, or refer to the name")
            }
            RoleNameFault::Generated { call, lacks_suffix, output } => {
                let message = if lacks_suffix {
                    "No node starts: the module adds a generated suffix to this name"
                } else {
                    "No node starts: the module makes a role of another name for the nodes"
                };
                let finding = findings.report(role.span, message);
                finding.note(call, "it makes the nodes' role with a generated suffix");
                finding.help(format!("Use `{output}`, or make the role without the name prefix"))
            }
        };
        finding.about(role.subject).unless_mentioned(role.unless_mentioned);
    }
}
