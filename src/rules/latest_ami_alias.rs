use crate::{
    checks::images::{classes_with_aliases, moving_images},
    findings::{Findings, Severity},
    model::{Model, node_pool::budgets::DriftPace},
    resolve::setting,
    rules::Rule,
};

pub(super) const RULE: Rule = Rule { page: include_str!("../../rules/latest-ami-alias.md"), check };

/// More would bury the finding they explain.
const NOTES: usize = 3;

fn check(model: &Model, findings: &mut Findings) {
    for class in classes_with_aliases(model) {
        let diagnosis = moving_images(model, class);
        let Some(moving) = findings.fault(class.report_span, diagnosis) else { continue };
        let at_once = moving.is_at_once();
        let message = if at_once {
            "Each new AMI may replace more than half of the nodes at once"
        } else {
            "Karpenter replaces the nodes by itself whenever a new AMI is published"
        };
        let finding = findings.report(moving.image.span, message);
        if at_once {
            finding.at_least(Severity::Warning);
        }
        finding.notes(setting::steps(moving.image));
        for (pool, pace) in moving.pools.iter().take(NOTES) {
            match pace {
                DriftPace::Open(budgets) if budgets.is_empty() => {
                    finding.note(pool.report_span, "none of its budgets holds for drifted nodes");
                }
                DriftPace::Open(budgets) => {
                    for span in budgets {
                        finding.note(*span, "more than half of the nodes may be replaced at once");
                    }
                }
                DriftPace::AtTimes(budgets) => {
                    for span in budgets {
                        finding.note(*span, "at other times all nodes may be replaced at once");
                    }
                }
                _ => {
                    finding.note(
                        pool.report_span,
                        "it has Karpenter's default budget: a tenth of the nodes at a time",
                    );
                }
            }
        }
        finding.help(if moving.has_budgets() {
            "Pin a version of the AMI, or let the budgets for `Drifted` allow fewer nodes at all times"
        } else {
            "Pin a version of the AMI, or write a budget for `Drifted` in each NodePool"
        });
        finding.about(class.subject.as_ref());
    }
}
