use crate::{findings::Findings, model::Model, rules::Rule};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/upgrade-leftovers.md"), check };

/// Says nothing: what a version brings is known only after all rules have spoken at both versions, so the runner
/// in `lint` reports it under this rule's name.
fn check(_model: &Model, _findings: &mut Findings) {}
