use crate::{
    checks::images::moving_images, findings::Findings, model::Model, resolve::setting, rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/latest-ami-alias.md"), check };

/// More would bury the finding they explain.
const NOTES: usize = 3;

fn check(model: &Model, findings: &mut Findings) {
    for moving in moving_images(model) {
        let message = "Each new AMI replaces these nodes, and no budget says how many at once";
        let finding = findings.report(moving.image.span, message);
        finding.notes(setting::steps(moving.image));
        for pool in moving.pools.iter().take(NOTES) {
            finding.note(pool.report_span, "a pool of this class, without a budget for drift");
        }
        finding.help("Pin a version, or write a budget that holds for `Drifted` in each pool");
        finding.about(moving.class.subject.as_ref());
    }
}
