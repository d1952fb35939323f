use crate::{
    checks::discovery::mismatch::tag_mismatches,
    findings::{Findings, mention::Claim},
    model::{Model, discovery::Role},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/discovery-tag-mismatch.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for mismatch in tag_mismatches(model) {
        let thing = match mismatch.role {
            Role::Subnets => "subnet",
            Role::SecurityGroups => "security group",
        };
        let (wanted, span) = &mismatch.wanted;
        let (there, place) = &mismatch.there;
        let message = format!("No {thing} is tagged `{}: {wanted}`", mismatch.key);
        let finding = findings.report(*span, message);
        finding.note(*place, format!("here the tag is `{there}`"));
        finding.notes(mismatch.steps.iter().cloned());
        finding.help(format!(
            "Ask for `{there}`: without a {thing} Karpenter launches no node of this class"
        ));
        finding.unless_mentioned(Claim::Tag(mismatch.key.clone()));
        finding.about(mismatch.class.subject.as_ref());
    }
}
