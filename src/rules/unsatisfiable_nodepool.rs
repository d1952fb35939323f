use crate::{
    checks::{
        naming,
        unsatisfiable::{Unsatisfiable, fault::RequirementFault, unsatisfiable},
    },
    findings::{Findings, Severity},
    model::Model,
    rules::Rule,
};

pub(super) const RULE: Rule =
    Rule { page: include_str!("../../rules/unsatisfiable-nodepool.md"), check };

fn check(model: &Model, findings: &mut Findings) {
    for (pool, diagnosis) in unsatisfiable(model) {
        for found in findings.fault(pool.report_span, diagnosis).into_iter().flatten() {
            report(&found, findings);
        }
    }
}

fn report(Unsatisfiable { pool, fault }: &Unsatisfiable<'_>, findings: &mut Findings) {
    let finding = match fault {
        RequirementFault::Value { key, values, meant, place, has_others } => {
            let message = format!("No node has the `{}` {values}", short(key));
            let finding = findings.report(*place, message);
            if *has_others {
                finding.at_most(Severity::Warning);
            }
            finding.help(match meant {
                Some(meant) => format!("Did you mean `{meant}`?"),
                None => "Require a value that instance types have".to_owned(),
            })
        }
        RequirementFault::Zone { zone, place, region, region_place } => {
            let message = format!("Zone `{zone}` is not in the region of the cluster");
            let finding = findings.report(*place, message);
            finding.note_elsewhere(*region_place, format!("the cluster is in `{region}`"));
            finding.help(format!("Name zones of `{region}`"))
        }
        RequirementFault::Few { key, found, wanted, place } => {
            let short = short(key);
            let message =
                format!("`minValues` asks for {wanted} values of `{short}`, {found} are left");
            let finding = findings.report(place.span, message);
            finding.help("Widen the requirements, or ask for fewer values: Karpenter launches nothing with less")
        }
        RequirementFault::Contradiction { key, places } => {
            let [first, .., last] = places.as_slice() else { return };
            let message = format!("The requirements on `{}` exclude one another", short(key));
            let finding = findings.report(last.values, message);
            finding.note_elsewhere(first.values, "and here");
            finding.help("Leave out one of them, or write bounds between which there are values")
        }
        RequirementFault::Pair { keys: [one, other], places } => {
            let (one, other) = (short(one), short(other));
            let message = format!("No instance type has the required `{other}` and `{one}`");
            let finding = findings.report(places[1].span, message);
            finding.note_elsewhere(places[0].span, format!("`{one}` is required here"));
            finding.help("Widen one of the two requirements")
        }
        RequirementFault::Together => {
            let message =
                format!("No instance type meets all requirements of {}", naming::pool(pool));
            let finding = findings.report(pool.spec, message);
            finding.help("Widen the requirements: each of them is met by some types, and all of them by none")
        }
    };
    finding.about(pool.subject.as_ref());
}

/// A label without its domain.
fn short(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}
