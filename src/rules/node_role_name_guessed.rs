use crate::{
    checks::identity::node_role::{RoleNameFault, named_roles},
    findings::{Findings, Severity},
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
            RoleNameFault::Prefixed(maker) => {
                let message = "No node starts: Terraform adds a generated suffix to this name";
                let finding = findings.report(role.span, message);
                finding.note(maker, "it makes the role with a generated suffix");
                finding.help("Refer to the name of the role, or make it without the name prefix")
            }
            RoleNameFault::Copied { maker, thing } => {
                let message =
                    format!("The end of this name was generated: another {thing} gets another end");
                let finding = findings.report(role.span, message);
                finding.at_most(if maker.is_some() { Severity::Warning } else { Severity::Note });
                if let Some(maker) = maker {
                    finding.note(maker, format!("it makes the {thing} with a generated suffix"));
                }
                finding.help(format!(
                    "Refer to the name of the {thing}, or make it without the name prefix"
                ))
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
