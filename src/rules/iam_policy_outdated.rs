use crate::{checks::identity::policy::denied, findings::Findings, model::Model, rules::Rule};

pub const RULE: Rule = Rule { page: include_str!("../../rules/iam-policy-outdated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for denied in denied(model) {
        let Some(version) = denied.release.version.known() else { continue };
        let Some(message) = message(&denied.actions) else { continue };
        findings
            .report(denied.place, message)
            .about(&denied.subject)
            .note(denied.release.version.span(), format!("the controller is {version}"))
            .notes(denied.release.version.steps())
            .help(denied.help);
    }
}

/// Names the actions, as many as fit.
fn message(actions: &[&str]) -> Option<String> {
    let (first, others) = actions.split_first()?;
    let all = actions.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    Some(match others.len() {
        _ if all.len() <= 60 => format!("Karpenter is denied {all}"),
        1 => format!("Karpenter is denied `{first}` and another action"),
        more => format!("Karpenter is denied `{first}` and {more} other actions"),
    })
}
