use crate::{
    checks::identity::policy::{Denied, denied},
    findings::Findings,
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/iam-policy-outdated.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for denied in denied(model) {
        let Some(version) = denied.release.version.known() else { continue };
        let Some(message) = message(&denied.actions) else { continue };
        findings
            .report(denied.place, message)
            .about(&denied.subject)
            .note(denied.release.version.span(), format!("the controller is {version}"))
            .notes(denied.release.version.steps())
            .help(help(&denied));
    }
}

fn help(denied: &Denied<'_>) -> String {
    let actions = listed(&denied.actions);
    match (denied.switch, denied.allowed_since) {
        (Some(name), _) => format!("Set `{name} = true`: it allows {actions}"),
        (None, Some(since)) => {
            format!("Use version {since} of the module or newer: it allows {actions}")
        }
        (None, None) => format!("Allow {actions} in `policy_statements`"),
    }
}

fn listed(actions: &[&str]) -> String {
    actions.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

/// Names the actions, as many as fit.
fn message(actions: &[&str]) -> Option<String> {
    let (first, others) = actions.split_first()?;
    let all = listed(actions);
    Some(match others.len() {
        _ if all.len() <= 60 => format!("Karpenter is denied {all}"),
        1 => format!("Karpenter is denied `{first}` and another action"),
        more => format!("Karpenter is denied `{first}` and {more} other actions"),
    })
}
