use crate::{
    checks::module_step::{ModuleChange, ModuleLeftovers, leftovers},
    findings::{Findings, Safety, note::Note},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/upgrade-leftovers.md"), check };

/// Says what a new version of a Terraform module needs. What one of Karpenter brings is known only after all rules
/// have spoken at both versions, so the runner in `lint` reports it under this rule's name.
fn check(model: &Model, findings: &mut Findings) {
    for (place, diagnosis) in leftovers(model) {
        let Some(it) = findings.fault(place, diagnosis) else { continue };
        let ModuleLeftovers { call, from, to, changes } = &it;
        let subject = call.object.subject(call.index.0);
        let count = match changes.len() {
            1 => "a change".to_owned(),
            several => format!("{several} changes"),
        };
        let message =
            format!("`module.{}` {to} needs {count} that {from} did not", call.object.name);
        let note = |it: &ModuleChange| Note { span: it.span, message: it.words.clone() };
        let sure: Option<Vec<_>> = changes.iter().map(|it| it.change.clone()).collect();
        findings
            .report(place, message)
            .notes(changes.iter().map(note))
            .about(&subject)
            .help("Make them with this change: Terraform refuses inputs and outputs that are gone")
            .offer("Use the names of the new version", Safety::Unsafe, sure.unwrap_or_default());
    }
}
