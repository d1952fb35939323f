use crate::{findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/unused-allowance.md"), check };

/// Says nothing: which allowances are unused is known only after all rules have spoken, so the runner
/// in `lint` reports them under this rule's name.
fn check(_model: &Model, _findings: &mut Findings) {}
