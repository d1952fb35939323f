use crate::{
    checks::{
        chart_value::{
            on_demand::{on_demand, on_demand_of_rendered},
            queue::has_queue,
            queue_name::own_queue,
            unset::{Needed, Unset},
            unset_queue::{without_handler, without_queue},
        },
        identity::queue_rights::policy_without_queue,
        rendered_controller::{rendered, unset},
    },
    findings::{Finding, Findings, Severity, mention::Claim},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/interruption-queue-unset.md"), check };

/// Why few nodes are lost where all of them are on-demand ones.
const ON_DEMAND: &str = "EC2 seldom takes on-demand nodes back";

/// What Karpenter needs besides the name: it does not start where it may not read the queue that it is given.
const ALLOWED: &str = ", which the controller has to be allowed to read";

fn check(model: &Model, findings: &mut Findings) {
    for controller in model.controllers() {
        let diagnosis = without_queue(model, controller);
        let Some(unset) = findings.fault(controller.report_span, diagnosis) else { continue };
        let own = own_queue(model, controller);
        let finding = report(model, findings, (&unset, own));
        if let Some((place, version)) = &unset.version {
            finding.note_elsewhere(*place, format!("chart {version} is installed"));
        }
        if let Some(policy) = policy_without_queue(model, controller) {
            let words = "this policy has nothing of SQS: let the controller read the queue, too";
            finding.note_elsewhere(policy, words);
        }
        if let Some(pool) = on_demand(model, controller) {
            finding.at_most(Severity::Note).note(pool, ON_DEMAND);
        }
    }
    for controller in rendered(model) {
        let diagnosis =
            without_handler(model, || unset(model, controller, Needed::InterruptionQueue));
        if let Some(unset) = findings.fault(controller.1.report_span, diagnosis) {
            let finding = report(model, findings, (&unset, None));
            if let Some(pool) = on_demand_of_rendered(model, controller.0) {
                finding.at_most(Severity::Note).note(pool, ON_DEMAND);
            }
        }
    }
}

fn report<'f>(
    model: &Model,
    findings: &'f mut Findings,
    (unset, own): (&Unset, Option<String>),
) -> &'f mut Finding {
    let message = "No interruption queue: nodes are not drained before EC2 takes them back";
    let finding = findings.report(unset.span, message);
    finding.about(unset.subject.as_ref());
    let help = if let Some(own) = own {
        unset.help(&format!("its SQS queue, `{own}`{ALLOWED}"))
    } else if has_queue(model) {
        unset.help(&format!("its SQS queue{ALLOWED}"))
    } else {
        let first = "No queue is seen here: make one with its EventBridge rules first, as the module `karpenter` of \
                     terraform-aws-modules/eks does (its output `queue_name`), then ";
        unset.help_after(first, "that queue")
    };
    finding.unless_mentioned(Claim::TerminationHandler).help(help)
}
