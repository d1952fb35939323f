use crate::{
    checks::discovery::mismatch::{TagMismatch, tag_mismatches},
    findings::{Findings, Severity, mention::Claim},
    model::{Model, discovery::Role},
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/discovery-tag-mismatch.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (terms, diagnosis) in tag_mismatches(model) {
        for mismatch in findings.fault(terms, diagnosis).unwrap_or_default() {
            report(&mismatch, findings);
        }
    }
}

fn report(mismatch: &TagMismatch, findings: &mut Findings) {
    let thing = match mismatch.role {
        Role::Subnets => "subnet",
        Role::SecurityGroups => "security group",
    };
    let (wanted, span) = &mismatch.wanted;
    let effect = match mismatch.unused_beside {
        Some(_) => "Pools of this class would launch no node",
        None => "No node launches",
    };
    let finding = findings
        .report(*span, format!("{effect}: no {thing} is tagged `{}: {wanted}`", mismatch.key));
    if let Some(pool) = mismatch.unused_beside {
        finding
            .at_most(Severity::Warning)
            .note(pool, "no pool uses this class, not this one either");
    }
    for (there, place) in &mismatch.there {
        finding.note(*place, format!("the tag has the value `{there}`"));
    }
    finding.notes(mismatch.steps.iter().cloned());
    let there: Vec<String> = mismatch.there.iter().map(|(it, _)| format!("`{it}`")).collect();
    finding.help(format!(
        "Select {}, or tag the {thing}s with the value that is selected, from one local",
        there.join(" or ")
    ));
    finding.unless_mentioned(Claim::Tag(mismatch.key.clone()));
    finding.about(mismatch.subject.as_ref());
}
